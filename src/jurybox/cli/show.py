"""What an analysis says, printed on one screen or written as JSON.

Nothing here needs the parser of command lines: for a plain table its start would take longer than
the analysis.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from jurybox.cli.lines import bullet, paragraph
from jurybox.cli.terminal import GAP, TIGHT, Side, Terminal, cell_width
from jurybox.results import show_text

if TYPE_CHECKING:
    from jurybox.analysis import Analysis, Finding, Table

__all__ = ["print_analysis", "show", "show_plainly"]

SHOWN = 8
"""Sentences of a kind printed before the rest is left to the report."""
MANY_ROWS = 12
"""Rows of agreement on a criterion that are left to ``--all``."""
MAIN_TABLES = (
    *("win_rates/", "mean_scores/", "rankings/", "fooling", "points/", "answers/"),
    "group_differences/",
)
LEFT_TO_REPORT = (
    "ties",
    "both_bad",
    "sd",
    "rank_interval",
    "rank_these_raters",
    "pass_interval",
    "pass_these_raters",
    "level",
    "percent",
    "units",
)

GIVE_WAY = (
    *(("p",), ("items",), ("p_adjusted",), ("z",), ("outputs",)),
    # No number without its interval: the two leave together.
    ("strength", "strength_interval", "strength_these_raters"),
)
"""Columns that are left to the report, in this order, before a number would be folded."""
THESE_RATERS = "these_raters"


def show_plainly(arguments: list[str]) -> bool:
    """Analyze tables that are named with no option but a flag; otherwise say no."""
    sources = [each for each in arguments if each not in ("--json", "--all")]
    if not sources or any(each.startswith("-") or _is_study(Path(each)) for each in sources):
        return False
    from jurybox.analysis import analyze

    found = analyze(sources if len(sources) > 1 else sources[0])
    show(found, as_json="--json" in arguments, everything="--all" in arguments)
    return True


def _is_study(path: Path) -> bool:
    return path.is_dir() or path.name == "study.yaml"


def show(analysis: Analysis, *, as_json: bool, everything: bool) -> None:
    """Write an analysis to the terminal."""
    if as_json:
        import json

        text = json.dumps(analysis.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)
        sys.stdout.write(show_text(text) + "\n")
        return
    print_analysis(analysis, Terminal(), everything=everything)


def print_analysis(analysis: Analysis, terminal: Terminal, *, everything: bool = False) -> None:
    """Print what was taken for what, a line per system, the sentences, and what cannot be said."""
    for sentence in analysis.took:
        terminal.line(paragraph(sentence, terminal.width), style="dim")
    kinds = Counter(table.kind for table in analysis.tables)
    for table in analysis.tables:
        for shown in [table] if everything else _on_screen(table):
            terminal.line()
            alone = kinds[table.kind] == 1
            _print_table(shown, terminal, everything=everything, alone=alone)
    terminal.line()
    told = _telling(analysis, everything=everything)
    _print_sentences(terminal, "", [finding.sentence for finding in told], everything=everything)
    judges = [f.sentence for f in analysis.findings if f.standing == "judge" and f.told]
    _print_sentences(terminal, "Judges beside people", judges, everything=everything)
    untold = [finding.sentence for finding in analysis.untold if finding not in told]
    _print_sentences(terminal, "What cannot be said", untold, everything=everything)
    left_out = [each.sentence for each in analysis.excluded]
    _print_sentences(terminal, "Left out", left_out, everything=everything)
    _print_sentences(terminal, "Keep in mind", list(analysis.warnings), everything=everything)


def _telling(analysis: Analysis, *, everything: bool) -> list[Finding]:
    """The headline, the comparisons that are told, and what bears on all of them."""
    headline = analysis.headline
    found = [headline] if headline is not None else []
    for finding in analysis.findings:
        if finding is headline or not finding.told or finding.standing == "judge":
            continue
        if _is_further_agreement(finding) and not everything:
            continue
        if everything or len(finding.systems) == 2 or finding.standing in ("primary", "quality"):
            found.append(finding)
    if len(found) < 2 and not everything:
        told = [f for f in analysis.findings if f.told and f.standing != "judge"]
        found += [f for f in told if f not in found][:SHOWN]
    return found


def _on_screen(table: Table) -> list[Table]:
    """A table as one screen shows it, if it does.

    Agreement is shown where it says more than the sentences do, of each system by criterion, and
    where systems are few.
    """
    if table.id.startswith(MAIN_TABLES):
        return [table]
    if table.kind == "metrics":
        # Six statistics of each metric with their intervals are wider than a screen.
        keep = [
            i
            for i, column in enumerate(table.columns)
            if column.kind != "interval" and not column.name.endswith(("pearson", "soft"))
        ]
        columns = tuple(table.columns[i] for i in keep)
        rows = tuple(tuple(row[i] for i in keep) for row in table.rows)
        return [replace(table, columns=columns, rows=rows)]
    criteria = list(dict.fromkeys(row[0] for row in table.rows))
    if table.id != "agreement/ratings" or len(table.rows) == len(criteria):
        return []
    if len(table.rows) > MANY_ROWS * len(criteria):
        return []
    return [
        replace(
            table,
            title=f"Agreement: {criterion}",
            columns=table.columns[1:],
            rows=tuple(row[1:] for row in table.rows if row[0] == criterion),
        )
        for criterion in criteria
    ]


def _is_further_agreement(finding: Finding) -> bool:
    """Whether it is one more coefficient of agreement on a criterion that has its sentence."""
    coefficient = type(finding.result).__name__ in ("Agreement", "Intraclass")
    return coefficient and finding.kind not in ("agreement", "agreement_before")


def _print_sentences(
    terminal: Terminal, heading: str, sentences: list[str], *, everything: bool
) -> None:
    if not sentences:
        return
    if heading:
        terminal.line()
        terminal.line(heading, style="bold")
    shown = sentences if everything else sentences[:SHOWN]
    for sentence in shown:
        terminal.line(bullet(sentence, terminal.width))
    if len(sentences) > len(shown):
        terminal.line(f"  and {len(sentences) - len(shown)} more (--all)", style="dim")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """A table as it is drawn; ``fits``: whether no cell is cut, ``whole``: nor a heading folded."""

    headings: list[str]
    rows: list[list[str]]
    sides: list[Side]
    widths: list[int]
    gap: int
    fits: bool
    whole: bool


def _print_table(table: Table, terminal: Terminal, *, everything: bool, alone: bool) -> None:
    layout = _layout(table, terminal.width, everything=everything, alone=alone)
    if everything:
        terminal.line(show_text(table.title), style="bold")
    terminal.table(
        layout.headings, layout.rows, widths=layout.widths, sides=layout.sides, gap=layout.gap
    )
    said = table.caption if everything else " ".join(table.claims)
    if said:
        terminal.line(paragraph(said, terminal.width), style="dim")


def _layout(table: Table, screen: int, *, everything: bool, alone: bool) -> _Layout:
    """The first way to draw a table in which no cell is cut.

    Intervals of these raters go below the others before a column is left to the report.
    """
    from jurybox.analysis.finding import format_rows

    keep = [
        i
        for i, column in enumerate(table.columns)
        if everything or column.name not in LEFT_TO_REPORT
    ]
    formatted = [[show_text(cell) for cell in cells] for cells in format_rows(table)]
    # On one screen the title stands in the corner; where all is printed, over the table.
    corner = [table.columns[keep[0]].heading]
    if table.columns[keep[0]].name in ("system", "of") and not everything:
        # The only criterion is named in the sentences: the corner can do without its name.
        corner = [table.title, *([table.title.partition(":")[0]] if alone else [])]
    made = []
    for leaving in ((), *(() if everything else GIVE_WAY)):
        keep = [i for i in keep if table.columns[i].name not in leaving]
        for below in (False, True):
            tried = [_drawn(table, keep, formatted, title, screen, below) for title in corner]
            made.append(next((each for each in tried if each.whole), tried[0]))
            if made[-1].fits:
                return made[-1]
    return made[-1]


def _drawn(
    table: Table,
    keep: list[int],
    formatted: list[list[str]],
    title: str,
    screen: int,
    below: bool,
) -> _Layout:
    """Some columns of a table; ``below``: intervals of these raters as rows of their own."""
    moved = [i for i in keep if below and table.columns[i].name.endswith(THESE_RATERS)]
    kept = [i for i in keep if i not in moved]
    columns = [table.columns[i] for i in kept]
    rows = []
    for cells in formatted:
        rows.append([cells[i] for i in kept])
        if moved:
            label = f"  {table.columns[moved[0]].heading.lower()}"
            rows.append([label, *(cells[i + 1] if i + 1 in moved else "" for i in kept[1:])])
    headings = [show_text(title), *(show_text(column.heading) for column in columns[1:])]
    whole = sum(max(map(cell_width, c)) for c in zip(headings, *rows, strict=True))
    gap = GAP if whole + GAP * (len(columns) - 1) <= screen else TIGHT
    unbroken = [column.kind != "text" or column.name == "ranks" for column in columns]
    widths, fits = _widths(headings, rows, screen, unbroken, gap)
    return _Layout(
        headings=headings,
        rows=rows,
        sides=["left" if column.kind == "text" else "right" for column in columns],
        widths=widths,
        gap=gap,
        fits=fits,
        whole=whole + gap * (len(columns) - 1) <= screen,
    )


def _widths(
    headings: list[str], rows: list[list[str]], screen: int, unbroken: list[bool], gap: int
) -> tuple[list[int], bool]:
    """How wide columns are drawn, and whether no cell is cut: headings give way before cells do.

    ``unbroken``: whether the cells of a column stay on one line, as numbers do.
    """
    columns = list(zip(headings, *rows, strict=True))
    words = [max(cell_width(word) for cell in c for word in [*cell.split(), ""]) for c in columns]
    cells = [max(map(cell_width, c[1:]), default=0) for c in columns]
    words = [max(w, c) if one else w for w, c, one in zip(words, cells, unbroken, strict=True)]
    whole = [max(map(cell_width, c)) for c in columns]
    gaps = gap * (len(columns) - 1)
    for least in ([*map(max, cells, words)], [max(cells[0], words[0]), *words[1:]], words):
        spare = screen - sum(least) - gaps
        if spare >= 0:
            return _shared(least, whole, spare), True
    # Names are folded last: they tell the rows apart.
    first = min(max(cells[0], words[0]), 24)
    least = [first, *([1] * (len(columns) - 1))]
    spare = max(0, screen - sum(least) - gaps)
    each = spare // max(1, len(columns) - 1)
    even = [first, *(min(high, 1 + each) for high in whole[1:])]
    return _shared(even, whole, max(0, screen - sum(even) - gaps)), False


def _shared(least: list[int], whole: list[int], spare: int) -> list[int]:
    """Every column at its least width, and wider from the left as far as there is room."""
    widths = []
    for low, high in zip(least, whole, strict=True):
        more = min(max(0, high - low), spare)
        widths.append(low + more)
        spare -= more
    return widths
