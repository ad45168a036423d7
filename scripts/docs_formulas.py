r"""Formulas of docstrings as MathML, which browsers draw by themselves.

Only the LaTeX that the docstrings use is read; anything else is an error, which fails the build.
"""

from __future__ import annotations

import re
from html import escape

__all__ = ["display", "inline"]

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[^\s\\]")
FUNCTIONS = ("arcsin", "log", "min")
NAMES = {
    **dict(zip(("alpha", "beta", "gamma", "delta", "varepsilon", "theta"), "αβγδεθ", strict=True)),
    **dict(zip(("kappa", "lambda", "mu", "nu", "pi", "rho", "sigma"), "κλμνπρσ", strict=True)),
    **dict(zip(("tau", "ell", "Phi", "Sigma", "top"), "τℓΦΣ⊤", strict=True)),
    **{name: name for name in FUNCTIONS},
}
SIGNS = {
    **dict(zip(("ge", "le", "ne", "in", "succ", "mid", "sim"), "≥≤≠∈≻∣∼", strict=True)),
    **dict(zip(("pm", "cap", "cdot", "dots", "leftarrow"), "±∩·…←", strict=True)),
    **dict(zip(("lVert", "rVert", "{", "}"), "‖‖{}", strict=True)),
}
LIMITS = {"sum": "∑", "prod": "∏"}
SPACES = {",": "0.17em", ";": "0.28em", "quad": "1em", "qquad": "2em"}
ACCENTS = {"bar": "¯", "hat": "^", "overline": "¯"}
WORDS = {"text": "mtext", "mathrm": "mi", "operatorname": "mi"}
SIZES = {"bigl", "bigr", "Bigl", "Bigr"}
FORMS = {
    **dict.fromkeys("([{", ' form="prefix" stretchy="false"'),
    **dict.fromkeys(")]}", ' form="postfix" stretchy="false"'),
    **dict.fromkeys("|‖", ' stretchy="false" lspace="0" rspace="0"'),
    "/": ' lspace="0" rspace="0"',
}
"""Within a row a browser takes every sign for one between two numbers, with blanks around it."""


def inline(latex: str) -> str:
    r"""A formula within a sentence.

    >>> inline(r"\frac1n x_i^2")
    '<math><mfrac><mn>1</mn><mi>n</mi></mfrac><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup></math>'
    """
    return f"<math>{_Reader(latex).row()}</math>"


def display(latex: str) -> str:
    """Formulas in lines of their own; those that a wide space parts may stand below each other."""
    parts = re.split(r"\s*\\q?quad\b\s*", latex.strip())
    drawn = (f'<math display="block">{_Reader(part).row()}</math>' for part in parts)
    return f'<div class="formula" tabindex="0">{"".join(drawn)}</div>\n'


class _Reader:
    def __init__(self, latex: str) -> None:
        # The words of \text{…} keep their blanks, so they are taken out first.
        self._words: list[str] = []
        held = re.sub(r"\\(text|mathrm|operatorname)\{([^}]*)\}", self._hold, latex)
        self._tokens = TOKEN.findall(held)
        self._latex = latex

    def _hold(self, found: re.Match[str]) -> str:
        tag = WORDS[found[1]]
        self._words.append(f"<{tag}>{escape(found[2], quote=False)}</{tag}>")
        return r"\word "

    def row(self, end: str | None = None) -> str:
        """Everything up to the token that ends it."""
        parts: list[str] = []
        while self._tokens and self._tokens[0] != end:
            parts.append(self._with_scripts())
        if end is not None:
            self._take(end)
        return "".join(parts)

    def _with_scripts(self) -> str:
        """An atom with what stands below and above it."""
        name = self._tokens[0].removeprefix("\\")
        limits = name in LIMITS
        base = self._number() or self._atom()
        scripts: dict[str, str] = {}
        while self._tokens and self._tokens[0] in "_^'":
            mark = self._tokens.pop(0)
            scripts[mark.replace("'", "^")] = "<mo>′</mo>" if mark == "'" else self._atom()
        names = {"_": "munder", "^": "mover"} if limits else {"_": "msub", "^": "msup"}
        if scripts:
            both = "munderover" if limits else "msubsup"
            tag = both if len(scripts) == 2 else names[next(iter(scripts))]
            inner = "".join(scripts[mark] for mark in "_^" if mark in scripts)
            base = f"<{tag}>{base}{inner}</{tag}>"
        return base + self._gap(name, base)

    def _gap(self, name: str, drawn: str) -> str:
        """A thin space between a function and what it is of, where no bracket stands there."""
        is_function = name in FUNCTIONS or (name == "word" and drawn.startswith("<mi>"))
        follows = self._tokens[0] if self._tokens else ")"
        if is_function and (follows.isalnum() or follows.removeprefix("\\").isalpha()):
            return f'<mspace width="{SPACES[","]}"></mspace>'
        return ""

    def _number(self) -> str:
        """Digits side by side are one number, but for arguments, where each stands for itself."""
        digits = ""
        while self._tokens and re.fullmatch(r"[\d.]", self._tokens[0]):
            digits += self._tokens.pop(0)
        return f"<mn>{digits}</mn>" if digits else ""

    def _atom(self) -> str:
        sign = self._tokens.pop(0)
        if sign == "{":
            return f"<mrow>{self.row('}')}</mrow>"
        if sign.startswith("\\"):
            return self._command(sign[1:])
        if sign.isdigit():
            return f"<mn>{sign}</mn>"
        if sign.isalpha():
            return f"<mi>{sign}</mi>"
        return _sign(sign.replace("-", "−"))

    def _command(self, name: str) -> str:
        if name == "word":
            return self._words.pop(0)
        if name in SIZES:
            return self._atom().replace(' stretchy="false"', "")
        if name in NAMES:
            return f"<mi>{NAMES[name]}</mi>"
        if name in SIGNS or name in LIMITS:
            return _sign((SIGNS | LIMITS)[name])
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}"></mspace>'
        if name in ACCENTS:
            return f'<mover accent="true">{self._atom()}<mo>{ACCENTS[name]}</mo></mover>'
        if name == "sqrt":
            return f"<msqrt>{self._atom()}</msqrt>"
        if name in ("frac", "tfrac"):
            return f"<mfrac>{self._atom()}{self._atom()}</mfrac>"
        if name == "binom":
            over = f'<mfrac linethickness="0">{self._atom()}{self._atom()}</mfrac>'
            return f"<mrow><mo>(</mo>{over}<mo>)</mo></mrow>"
        raise ValueError(f"docs_formulas does not know \\{name}, in {self._latex}")

    def _take(self, token: str) -> None:
        if not self._tokens or self._tokens.pop(0) != token:
            raise ValueError(f"docs_formulas misses a {token}, in {self._latex}")


def _sign(sign: str) -> str:
    return f"<mo{FORMS.get(sign, '')}>{escape(sign)}</mo>"
