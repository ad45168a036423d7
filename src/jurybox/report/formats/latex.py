r"""The report as LaTeX: a file per table to ``\input``, the methods paragraph, and the whole."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from jurybox.analysis.finding import Table
from jurybox.report.blocks import (
    Block,
    Gallery,
    Heading,
    Page,
    Points,
    Screen,
    Shown,
    Words,
)
from jurybox.report.charts.values import Chart
from jurybox.report.formats.figures import charts_of
from jurybox.report.formats.latex_text import as_latex, declare, letters_of, undeclared
from jurybox.report.formats.limits import PAPER
from jurybox.report.formats.printed import (
    Layout,
    is_numeric,
    lay_out,
    parts_of,
)
from jurybox.report.formats.scripts import by_script

__all__ = ["write_latex", "write_table"]

FLOATS = 24
"""Rows up to which a table is kept on one page."""
LETTERS = (96, 110, 126)
"""How many letters a line holds in each of the sizes."""
SIZES = (r"\small", r"\footnotesize", r"\scriptsize")

PREAMBLE = r"""% What the tables and figures of this report need; \input it before \begin{document}.
% Tables are made for lines of 16 cm: in a paper of two columns, turn table into table*.
\usepackage{iftex}
\ifPDFTeX
  \usepackage[T1]{fontenc}
  % Installed with most kinds of TeX; without it letters are drawn less finely.
  \IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
  \newcommand{\jbunset}[1]{{\fboxsep1pt\fbox{\tiny #1}}\hspace{0pt}}
DECLARED\else
  \usepackage{fontspec}
\fi
% What is read from right to left, and numbers and other words within it. A font of its own for it:
% \newfontfamily\jbrightfont{Amiri}[Script=Arabic] after this file.
\newcommand{\jbfont}{\ifdefined\jbrightfont\jbrightfont\fi}
\ifXeTeX
  \TeXXeTstate=1
  \DeclareRobustCommand{\jbright}[1]{\leavevmode\beginR{\jbfont #1}\endR}
  \DeclareRobustCommand{\jbleft}[1]{\beginL #1\endL}
\else\ifLuaTeX
  \DeclareRobustCommand{\jbright}[1]{\leavevmode{\jbfont\textdir TRT #1}}
  \DeclareRobustCommand{\jbleft}[1]{{\textdir TLT #1}}
\else
  \DeclareRobustCommand{\jbright}[1]{#1}
  \DeclareRobustCommand{\jbleft}[1]{#1}
\fi\fi
\usepackage{array}
\usepackage{booktabs}
\usepackage{longtable}
\usepackage{graphicx}
"""

DOCUMENT = r"""% Charts are PDF 1.7, and several of them stand on a page.
\ifdefined\pdfminorversion\pdfminorversion=7 \pdfsuppresswarningpagegroup=1 \fi
\documentclass[a4paper,10pt]{article}
\usepackage[margin=2.5cm]{geometry}
\input{preamble.tex}
\usepackage{float}
\floatplacement{table}{H}
\floatplacement{figure}{H}
\usepackage[font=small,labelfont=bf,tableposition=top]{caption}
\emergencystretch=6em
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt plus 1pt}
% A section begins where there is room for some lines of it: longtables leave headings alone.
\newcommand{\jbroom}{\par\ifdim\dimexpr\pagegoal-\pagetotal\relax<9\baselineskip\newpage\fi}
\begin{document}
"""


def write_latex(
    page: Page, *, names: Mapping[str, str], wholes: Mapping[str, str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Every file by its name, with a sentence for every script that pdfLaTeX cannot set.

    Parameters
    ----------
    page : Page
        What to write.
    names : mapping
        For the id of a table or a chart, the name of its file, without an ending.
    wholes : mapping
        For the id of a table, the file that holds all of it.
    """
    method = next((s for s in page.sections if s.id == "methods"), None)
    files = {"report.tex": DOCUMENT + "\n\n".join(_body(page, names)) + "\n\\end{document}\n"}
    if method is not None:
        files["methods.tex"] = "\n\n".join(_blocks(method.blocks, iter(()), names)) + "\n"
    for table in page.tables:
        files[f"tables/{names[table.id]}.tex"] = write_table(table, names[table.id], wholes)
    unset = undeclared(files.values())
    declared = "".join(f"  {declare(letter)}\n" for letter in unset)
    files["preamble.tex"] = PREAMBLE.replace("DECLARED", declared)
    return files, tuple(
        f"latex/report.tex: pdfLaTeX has no letters for {script} and prints their codes; run "
        "XeLaTeX or LuaLaTeX with a font that has them."
        for script in by_script(unset)
    )


def _body(page: Page, names: Mapping[str, str]) -> Iterator[str]:
    charts = (names[name] for name, _ in charts_of(page))
    yield rf"{{\LARGE\bfseries\raggedright {as_latex(page.title)}\par}}"
    yield as_latex(page.counts)
    yield rf"{{\large {_stressed(page)}\par}}"
    if page.note:
        yield rf"{{\small {as_latex(page.note)}\par}}"
    if page.changed:
        yield r"\textbf{Changed since raters answered.}"
        yield _points(page.changed)
    if page.chart is not None:
        yield _figure(page.chart, next(charts))
    if page.table is not None:
        yield _input(names[page.table.id])
    if page.cannot:
        yield r"\textbf{What cannot be said.}\nopagebreak"
        yield _points(page.cannot)
    for section in page.sections:
        yield rf"\jbroom\section*{{{as_latex(section.title)}}}"
        if section.id == "methods":
            yield r"\input{methods.tex}"
        else:
            yield from _blocks(section.blocks, charts, names)
    if not page.colophon:
        return
    colophon = (as_latex(f"{name} {value}") for name, value in page.colophon)
    small = r"\bigskip\hrule\smallskip{\footnotesize\raggedright"
    yield small + " " + r" \quad ".join(colophon) + r"\par}"


def _stressed(page: Page) -> str:
    before, found, after = page.stressed
    if not found:
        return as_latex(before)
    start = as_latex(before) + " " * before.endswith(" ")
    return rf"{start}\textbf{{{as_latex(found)}}}{' ' * after.startswith(' ')}{as_latex(after)}"


def _blocks(
    blocks: Iterable[Block], charts: Iterator[str], names: Mapping[str, str]
) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Words):
            text = as_latex(block.text)
            yield rf"{{\small {text}\par}}" if block.quiet else text
        elif isinstance(block, Heading):
            yield rf"\subsection*{{{as_latex(block.text)}}}"
        elif isinstance(block, Points):
            yield _points(PAPER.cut_points(block.items))
        elif isinstance(block, Shown):
            yield _input(names[block.table.id])
        elif isinstance(block, Chart):
            yield _figure(block, next(charts))
        elif isinstance(block, Screen):
            yield _points(PAPER.cut_points(block.said))
        elif isinstance(block, Gallery):
            yield rf"\subsection*{{{as_latex(block.title)}}}"
            yield _points(PAPER.cut_points(block.said))
        else:
            assert_never(block)


def _points(items: Iterable[str]) -> str:
    lines = (rf"\item {as_latex(item)}" for item in items)
    return "\n".join([r"\begin{itemize}\setlength{\itemsep}{0pt}", *lines, r"\end{itemize}"])


def _input(name: str) -> str:
    return rf"\input{{tables/{name}.tex}}"


def _figure(chart: Chart, name: str) -> str:
    cut = PAPER.cut_chart(chart)[1]
    title = as_latex(f"{chart.title}. {cut}" if cut else chart.title)
    return "\n".join([
        r"\begin{figure}",
        r"\centering",
        rf"\includegraphics[width=\linewidth]{{charts/{name}.pdf}}",
        rf"\caption{{{title}}}\label{{fig:{name}}}",
        r"\end{figure}",
    ])  # fmt: skip


def write_table(whole: Table, name: str, wholes: Mapping[str, str]) -> str:
    """A table with the rules of booktabs; numbers have equal digits and line up flush right.

    One that is too wide stands in parts, each with a label of its own.
    """
    table, cut = PAPER.cut_table(whole, wholes.get(whole.id))
    *parts, last = parts_of(table, LETTERS, letters_of)
    texts = [_part(part, f"{name}-{k}", []) for k, part in enumerate(parts, start=1)]
    return "\n".join([*texts, _part(last, name, [table.caption, cut])])


def _lines(layout: Layout) -> int:
    """About how many lines its rows take, of which those with long texts have several."""
    line = LETTERS[layout.tightness]
    return sum(
        max(
            math.ceil(letters_of(cell) / (share * line)) if share else 1
            for cell, share in zip(row, layout.shares, strict=True)
        )
        for row in layout.rows
    )


def _part(table: Table, name: str, said: Iterable[str]) -> str:
    layout = lay_out(table, LETTERS, letters_of)
    columns = "".join(map(_column, layout.shares, map(is_numeric, table.columns)))
    spec = f"{{@{{}}{columns}@{{}}}}"
    caption = rf"\caption{{{as_latex(table.title)}}}\label{{tab:{name}}}"
    head = [r"\toprule", _heads(table, layout), r"\midrule"]
    rows = [" & ".join(map(as_latex, row)) + r" \\" for row in layout.rows]
    rows = rows or [rf"\multicolumn{{{len(table.columns)}}}{{@{{}}l@{{}}}}{{No rows.}} \\"]
    notes = [as_latex(text) for text in said if text]
    under = [rf"\par\smallskip{{\footnotesize\raggedright {n}\par}}" for n in notes]
    size = SIZES[layout.tightness] + (r"\setlength{\tabcolsep}{3pt}" if layout.tightness else "")
    if _lines(layout) <= FLOATS:
        lines = [
            r"\begin{table}", r"\centering", caption, size, rf"\begin{{tabular}}{spec}",
            *head, *rows, r"\bottomrule", r"\end{tabular}", *under, r"\end{table}",
        ]  # fmt: skip
    else:
        lines = [
            "{" + size, rf"\begin{{longtable}}{spec}", caption + r" \\", *head, r"\endfirsthead",
            *head, r"\endhead", *rows, r"\bottomrule", r"\end{longtable}", *under, "}",
        ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _column(share: float, numeric: bool) -> str:
    if share:
        return rf">{{\raggedright\arraybackslash}}p{{{share:.2f}\linewidth}}"
    return "r" if numeric else "l"


def _heads(table: Table, layout: Layout) -> str:
    """The headings; one that is wider than its column stands in several lines."""
    heads = []
    for column, lines in zip(table.columns, layout.heads, strict=True):
        text = r"\\".join(map(as_latex, lines))
        side = "r" if is_numeric(column) else "l"
        heads.append(rf"\shortstack[{side}]{{{text}}}" if len(lines) > 1 else text)
    return " & ".join(heads) + r" \\"
