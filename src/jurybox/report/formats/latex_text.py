r"""Any text as LaTeX that shows it, letter by letter.

pdfLaTeX knows the letters of European languages in Latin script and ordinary punctuation. Greek,
signs and arrows are written as commands; every other letter is written as it stands and must be
declared (``declare``) or set with XeLaTeX or LuaLaTeX. What is read from right to left is told to
these two (``\jbright``), which would set its words or letters from left to right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from jurybox.report.formats.long_words import LONG, pieces
from jurybox.report.said.words import ONE_THING
from jurybox.report.sides import CLOSE, OPEN, is_from_right, parts_from_left, set_apart
from jurybox.results import show_text

__all__ = ["as_latex", "declare", "letters_of", "undeclared"]

# Square brackets and the star would be taken for an option of the \\ or \item before them.
SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}", "[": "{[}", "]": "{]}", "*": "{*}",
    "\N{NO-BREAK SPACE}": "~", "\N{THIN SPACE}": r"\,", "\N{NARROW NO-BREAK SPACE}": r"\,",
}  # fmt: skip

GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu",
    "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "ς": "varsigma", "τ": "tau", "υ": "upsilon",
    "φ": "varphi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta",
    "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Υ": "Upsilon",
    "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip

MATH = {
    "−": "-", "×": r"\times", "÷": r"\div", "±": r"\pm", "′": "'", "″": "''", "∞": r"\infty",
    "≤": r"\leq", "≥": r"\geq", "≠": r"\neq", "≈": r"\approx", "≡": r"\equiv", "∼": r"\sim",
    "∝": r"\propto", "√": r"\surd", "∑": r"\sum", "∏": r"\prod", "∈": r"\in", "∂": r"\partial",
    "←": r"\leftarrow", "→": r"\rightarrow", "↔": r"\leftrightarrow", "↑": r"\uparrow",
    "↓": r"\downarrow", "⇒": r"\Rightarrow", "⇔": r"\Leftrightarrow", "∧": r"\wedge",
    "∨": r"\vee", "∩": r"\cap", "∪": r"\cup", "⊂": r"\subset", "⊆": r"\subseteq",
    "∀": r"\forall", "∃": r"\exists", "⋅": r"\cdot", "…": r"\ldots",
}  # fmt: skip

RAISED = dict(zip("⁰⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0456789+-n", strict=True))
LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))

COMMANDS = {
    **SPECIAL,
    **{letter: rf"\ensuremath{{\{name}}}" for letter, name in GREEK.items()},
    **{letter: rf"\ensuremath{{{command}}}" for letter, command in MATH.items()},
    **{letter: rf"\textsuperscript{{{digit}}}" for letter, digit in RAISED.items()},
    **{letter: rf"\textsubscript{{{digit}}}" for letter, digit in LOWERED.items()},
}
FROM_LEFT = "\N{LEFT-TO-RIGHT ISOLATE}"
TURNS = {OPEN: r"\jbright{", FROM_LEFT: r"\jbleft{", CLOSE: "}"}
WRITTEN = COMMANDS | TURNS
NAME = re.compile(f"{OPEN}([^{CLOSE}]*){CLOSE}")

# Two dashes, quotes or commas in a row would be drawn as one sign.
EACH = re.compile("|".join(map(re.escape, WRITTEN)) + r"|[-',](?=[-',])")

# What pdfLaTeX sets by itself in the encodings T1 and TS1.
KNOWN = re.compile(
    "[\\x20-\\x7e\u00a1-\u00ac\u00ae-\u0125\u0128-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165"
    "\u0168-\u017e\u0218-\u021b‐‑–—―‖‘’‚“”„†‡•‰‱‹›※‽⁄€№℗℠™℧℮]"
)


def as_latex(text: str) -> str:
    r"""Write a text so that LaTeX shows it as it stands.

    >>> as_latex("100% of $x_1$ \\input{a}")
    '100\\% of \\$x\\_1\\$ \\textbackslash{}input\\{a\\}'
    >>> as_latex("κ = −0.2")
    '\\ensuremath{\\kappa}~=~\\ensuremath{-}0.2'
    >>> as_latex("doi:10.1198/jbes.2010.07136")
    'doi:\\allowbreak{}10.\\allowbreak{}1198/\\allowbreak{}jbes.\\allowbreak{}2010.\\allowbreak{}07136'
    >>> as_latex("אלף 2 − plain")
    '\\jbright{אלף \\jbleft{2}} \\ensuremath{-} plain'
    """
    line = _turned(show_text(re.sub(r"[ \t\r\n\f\v]+", " ", text).strip(" ")))
    line = ONE_THING.sub(lambda match: match[0].replace(" ", "\N{NO-BREAK SPACE}"), line)
    # Every second part is a long word.
    parts = [pieces(part) if k % 2 else [part] for k, part in enumerate(LONG.split(line))]
    line = "".join(r"\allowbreak{}".join(map(_signs, part)) for part in parts)
    return line.replace("max-t", r"\mbox{max-t}")


def _turned(text: str) -> str:
    """A text in which marks say what is read from right to left, and what within it is not."""
    apart = f"{OPEN}{text}{CLOSE}" if is_from_right(text) else set_apart(text)
    return NAME.sub(lambda found: f"{OPEN}{_with_left(found[1])}{CLOSE}", apart)


def _with_left(text: str) -> str:
    parts = enumerate(parts_from_left(text))
    return "".join(f"{FROM_LEFT}{part}{CLOSE}" if k % 2 else part for k, part in parts)


def _signs(text: str) -> str:
    return EACH.sub(lambda match: WRITTEN.get(match[0], match[0] + "{}"), text)


def undeclared(texts: Iterable[str]) -> tuple[str, ...]:
    """The letters that pdfLaTeX does not know, in the order of Unicode."""
    letters = {letter for text in texts for letter in text}
    return tuple(
        sorted(x for x in letters if not x.isspace() and x not in COMMANDS and not KNOWN.match(x))
    )


def letters_of(text: str) -> int:
    """How many letters of usual width a text is as wide as.

    >>> letters_of("four"), letters_of("MW"), letters_of("漢")
    (4, 4, 4)
    """
    wide = sum(letter in "MW@%_" for letter in text)
    # The code of a letter in its frame, where pdfLaTeX does not know it.
    codes = sum(not (x in COMMANDS or x.isspace() or KNOWN.match(x)) for x in text)
    return len(text) + wide + 3 * codes


def declare(letter: str) -> str:
    r"""Have pdfLaTeX print the code of a letter that it does not know.

    >>> declare("漢")
    '\\DeclareUnicodeCharacter{6F22}{\\jbunset{6F22}}'
    """
    return rf"\DeclareUnicodeCharacter{{{ord(letter):04X}}}{{\jbunset{{{ord(letter):04X}}}}}"
