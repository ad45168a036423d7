"""The built documentation: complete, without a dead link, and nothing public left undocumented."""

from __future__ import annotations

import inspect
import re
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

import jurybox as jb
from jurybox import errors
from jurybox.cli.app import GROUPS, run
from jurybox.cli.conditions import SIDES, TAKES
from jurybox.study.schema import json_schema
from scripts import build_docs, docs_commands, docs_reference, docs_results
from tests.web.lines import long_lines

ROOT = Path(__file__).parent.parent
GATE = {*TAKES, *SIDES}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    build_docs.build(folder)
    return folder


class Addresses(HTMLParser):
    """What a page links to, and what can be linked to in it."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: list[str] = []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src"):
                self.links.append(value or "")
            elif name == "id":
                self.anchors.append(value or "")


def dead_links(site: Path) -> Iterator[str]:
    pages = {file.name: Addresses(file) for file in site.glob("*.html")}
    for name, page in pages.items():
        for link in page.links:
            file, _, anchor = link.partition("#")
            if re.match(r"\w+:", link):
                yield f"{name}: {link} leads out of the documentation; write its address as text"
            elif not (site / (file or name)).is_file():
                yield f"{name}: {link} leads to no file"
            elif anchor and anchor not in pages[file or name].anchors:
                yield f"{name}: {link} leads to no heading"


def test_no_link_is_dead(site: Path) -> None:
    assert not list(dead_links(site))


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<h1 id="top"><a href="b.html"></a><a href="#top"></a><a href="#end"></a>'
        '<a href="https://example.org"></a>'
    )
    assert [line.split(": ", 1)[1] for line in dead_links(tmp_path)] == [
        "b.html leads to no file",
        "#end leads to no heading",
        "https://example.org leads out of the documentation; write its address as text",
    ]


def test_anchors_are_unique_and_as_github_makes_them(site: Path) -> None:
    for file in site.glob("*.html"):
        anchors = Addresses(file).anchors
        assert len(anchors) == len(set(anchors)), file.name
    page = build_docs.render("a", "# A\n\n## Who, me? `x_y`\n\n## Twice\n\n## Twice\n")
    assert [part.anchor for part in page.parts] == ["who-me-x_y", "twice", "twice-1"]


def test_every_page_stands_in_the_contents() -> None:
    texts = build_docs.sources()
    listed = [
        entry.name for group in build_docs.contents(texts["index"]) for entry in group.entries
    ]
    assert len(listed) == len(set(listed))
    assert set(listed) == set(texts) - {"index"}


def test_the_contents_show_pages_of_functions_results_and_commands_only_beside_them(
    site: Path,
) -> None:
    def shown(name: str) -> list[str]:
        contents = (site / f"{name}.html").read_text().partition('<nav class="contents"')[2]
        return re.findall(r'class="under"><a href="([\w-]+)\.html"', contents)

    assert shown("tutorial") == shown("study-file") == []
    assert shown("functions") == shown("functions-error-spans")
    assert shown("functions")[:2] == ["functions-votes", "functions-rankings"]
    assert len(shown("functions")) == len(docs_reference.functions())
    assert shown("results") == shown("results-votes")
    assert shown("results")[:2] == ["results-votes", "results-rankings"]
    assert shown("commands") == shown("commands-gate")
    assert shown("commands") == [f"commands-{verb}" for each in GROUPS.values() for verb in each]


def test_the_contents_call_a_page_by_its_title() -> None:
    texts = build_docs.sources()
    for group in build_docs.contents(texts["index"]):
        for entry in group.entries:
            assert texts[entry.name].startswith(f"# {entry.words}"), entry


@pytest.mark.parametrize("name", ["tutorial", "case-studies", "commands-gate"])
def test_the_contents_beside_a_page_show_where_the_reader_is(
    site: Path, browser: Browser, name: str
) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto((site / f"{name}.html").as_uri())
    expect(page.locator(".contents [aria-current]")).to_be_in_viewport(ratio=1)
    assert page.evaluate("scrollY") == 0
    page.close()


def test_the_first_page_lists_what_is_generated_and_not_how_the_site_is_built(site: Path) -> None:
    first = (site / "index.html").read_text().partition("<main")[2].partition("</main>")[0]
    assert re.findall(r'<li><a href="(functions|results|commands)\.html"', first) == [
        *("functions", "results", "commands")
    ]
    assert "make docs" not in first


def test_next_and_previous_go_through_the_contents(site: Path) -> None:
    at, visited = "tutorial", ["tutorial"]
    while after := re.search(
        r'rel="next" href="([\w-]+)\.html"', (site / f"{at}.html").read_text()
    ):
        back = f'rel="prev" href="{at}.html"'
        at = after[1]
        visited.append(at)
        assert back in (site / f"{at}.html").read_text()
    assert {*visited} == {file.stem for file in site.glob("*.html")} - {"index"}


def test_no_line_ends_within_an_option() -> None:
    page = build_docs.render(
        "a", "# A\n\n`plan --half-width 0.1` and `--detect`\n\n```sh\n--x\n```\n"
    )
    assert '<code>plan <span class="option">--half-width</span> 0.1</code>' in page.body
    assert '<code><span class="option">--detect</span></code>' in page.body
    # Nor in a block, which is wrapped on a phone.
    assert '<code class="language-sh"><span class="option">--x</span>\n</code>' in page.body
    assert page.body.count("option") == 3


def test_a_block_that_is_a_file_has_its_name_above_it() -> None:
    page = build_docs.render("a", "# A\n\n```csv a&b.csv\nx\n```\n\n```console refused\n$ x\n```\n")
    assert "<figure><figcaption><code>a&amp;b.csv</code></figcaption>\n<pre" in page.body
    assert page.body.count("<figure>") == 1
    assert page.words[0][1] == "x $ x"


def test_the_site_is_not_kept_in_the_repository() -> None:
    ignored = subprocess.run(
        ["git", "-c", "safe.directory=*", "check-ignore", "-q", "docs/_site/index.html"], cwd=ROOT
    )
    assert ignored.returncode == 0


def test_markdown_of_a_page_is_shown_as_text_where_it_is_html() -> None:
    page = build_docs.render("a", "# A <b>\n\n<script>alert(1)</script>\n")
    assert "<script>" not in page.body
    assert "&lt;b&gt;" in page.heading


COMMANDS = docs_commands.commands()
PARAMETERS = [(path, each) for path, command in COMMANDS.items() for each in command.params]


@pytest.mark.parametrize(
    ("path", "each"), PARAMETERS, ids=[f"{path} {each.name}" for path, each in PARAMETERS]
)
def test_every_argument_and_option_says_what_it_is(path: str, each: Any) -> None:
    assert (each.help or "").strip()


def test_every_verb_says_what_it_does_and_is_on_its_page() -> None:
    listed = docs_commands.page()
    for verb in (verb for group in GROUPS.values() for verb in group):
        (words,) = re.findall(
            rf"^- \[`jurybox {verb}`\]\(commands-{verb}\.md\): (.+)$", listed, re.M
        )
        assert words[0].isupper()
        assert f"# jurybox {verb}\n" in docs_commands.page_of(verb)
    for path, each in PARAMETERS:
        page = docs_commands.page_of(path.split()[0])
        part = page.partition(f"```sh\njurybox {path} [")[2].partition("\n```sh")[0]
        named = (re.escape(str(name)) for name in (each.opts[0], each.metavar))
        assert re.search(r"^\| .*`{}( [^`]+)?`|^\| `{}`".format(*named), part, re.M), path
        assert re.search(r"^[A-Z][^|]+\.$", part, re.MULTILINE), path


def test_an_argument_is_shown_by_its_name_without_the_type_that_python_gives_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "\njurybox sheets read [OPTIONS] {FILE}...\n" in docs_commands.page_of("sheets")
    for verb in ("import", "gate", "check"):
        assert run([verb, "--help"]) == 0
        assert "<" not in capsys.readouterr().out, verb


def test_an_option_that_takes_certain_words_shows_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["guidelines", "--help"]) == 0
    assert " <md|html> " in capsys.readouterr().out  # not list[md|html]
    assert r"| `--round <main\|pilot\|calibration>` |" in docs_commands.page_of("plan")


def test_a_default_is_written_as_people_write_numbers() -> None:
    assert "| Seconds that one call may take. Default: 120. |" in docs_commands.page_of("judge")


def test_a_signature_has_short_lines() -> None:
    made = docs_reference.pages()
    for about in docs_reference.functions():
        page = made[docs_reference.page_about("functions", about)]
        for code in re.findall(r"^```python\njb.*?^```$", page, re.MULTILINE | re.DOTALL):
            assert max(map(len, code.splitlines())) <= 90, code
    assert "\n    question: 'win_rate' | 'proportions'" in made["functions-how-many-are-needed"]
    assert "\n        'noninferiority' | 'agreement'" in made["functions-how-many-are-needed"]


def test_a_command_within_a_sentence_is_code_as_a_whole() -> None:
    assert "such as `--map score=rating`;" in docs_commands.page_of("analyze")
    assert "`--win-rate new old --above 0.5 --mean new fluency --above 4`." in (
        docs_commands.page_of("gate")
    )
    assert "(`jurybox new --list` shows them)" in docs_commands.page_of("new")
    assert "A later `jurybox report` finds" in docs_commands.page_of("preregister")
    for verb in docs_commands.PAGES.values():
        sentences = re.sub(r"^```.*?^```$", "", docs_commands.page_of(verb), flags=re.M | re.S)
        for line in sentences.splitlines():
            html = build_docs.render("a", f"# A\n\n{line}\n").body
            assert "`" not in html, line


def test_help_lists_the_verbs_in_the_order_of_their_groups(
    capsys: pytest.CaptureFixture[str],
) -> None:
    verbs = [verb for group in GROUPS.values() for verb in group]
    assert run(["--help"]) == 0
    assert re.findall(r"^│ ([a-z]+) +[A-Z]", capsys.readouterr().out, re.MULTILINE) == verbs


def test_an_option_is_shown_with_what_it_takes_its_default_and_its_variable() -> None:
    page = docs_commands.page_of("report")
    assert "| `--lower-is-better METRICS` | Metrics for which" in page
    assert "separated by commas. Default: html,md,json. |" in page
    assert "| `--raters-anonymous` |" in page
    assert "Also read from the environment: `JURYBOX_DATABASE`. |" in page
    assert "\n## Reading other tables\n" in page  # as --help has them apart
    assert "without `--raters`, names of raters" in page  # code, in which no line ends


DOCUMENTS = [ROOT / "README.md", *sorted(build_docs.DOCS.glob("*.md"))]


def wrong_commands(text: str) -> Iterator[str]:
    """Commands of code blocks and spans that name a verb or an option that does not exist."""
    code = re.findall(r"^ *```.*?\n.*?^ *```$|`[^`\n]+`", text, re.MULTILINE | re.DOTALL)
    joined = "\n".join(code).replace("\\\n", " ")
    for line in re.findall(r"(?<![\w/.-])(?<!import )jurybox ([a-z][^\n`#|&;]*)", joined):
        words = line.split()
        path = next((p for p in (" ".join(words[:2]), words[0]) if p in COMMANDS), None)
        if path is None:
            yield line
            continue
        known = {
            name for each in COMMANDS[path].params for name in (*each.opts, *each.secondary_opts)
        }
        # The gate's conditions are joined before they are parsed.
        known |= {"--help", *(GATE if path == "gate" else ())}
        named = set(re.findall(r"--[a-z][a-z-]*", line))
        if named - known:
            yield f"{line}: {', '.join(sorted(named - known))}"


@pytest.mark.parametrize("file", DOCUMENTS, ids=[file.name for file in DOCUMENTS])
def test_every_command_shown_has_its_verb_and_options(file: Path) -> None:
    assert not list(wrong_commands(file.read_text(encoding="utf-8")))


def test_a_wrong_command_is_found() -> None:
    text = "`jurybox analyzes x`, `jurybox plan --might 1`, `jurybox check`, `import jurybox as jb`"
    assert list(wrong_commands(text)) == ["analyzes x", "plan --might 1: --might"]


def test_a_function_that_another_names_is_one_click_away() -> None:
    page = docs_reference.pages()["functions-votes"]
    assert "As in [``mean_scores``](functions-ratings.md#mean_scores)." in page
    own = page.partition("## `win_rates`")[2].partition("## `")[0]
    assert "(functions-votes.md#bradley_terry)" in own
    assert "(functions-votes.md#win_rates)" not in own


def test_every_public_name_is_on_one_page_with_its_parameters_and_listed_on_the_first() -> None:
    groups = docs_reference.functions()
    assert sorted(name for names in groups.values() for name in names) == sorted(jb.__all__)
    assert len(groups) == 12
    made = docs_reference.pages()
    pages = {
        name: made[docs_reference.page_about("functions", about)]
        for about, names in groups.items()
        for name in names
    }
    listed = docs_reference.functions_page()
    for name in jb.__all__:
        assert re.search(
            rf"^- \[`{name}`\]\([\w-]+\.md#{name.lower()}\): .+\.$", listed, re.MULTILINE
        )
        part = pages[name].partition(f"## `{name}`\n")[2].partition("\n## ")[0]
        thing = getattr(jb, name)
        assert part.count("\n") > 4, name
        if not inspect.isclass(thing):
            for parameter in inspect.signature(thing).parameters:
                described = rf"^- \*\*.*\b{parameter}\b.*\*\*:$"
                assert re.search(described, part, re.MULTILINE), (name, parameter)


KINDS = [*docs_results.BASES, *docs_results.results()]


@pytest.mark.parametrize("kind", KINDS, ids=[kind.__name__ for kind in KINDS])
def test_every_field_of_a_result_says_what_it_is(kind: type[Any]) -> None:
    assert inspect.getdoc(kind)
    for name, _, words in docs_results.fields_of(kind):
        assert words, name


def test_every_result_is_on_one_page_and_listed_on_the_first() -> None:
    made = docs_reference.pages()
    for kind in docs_results.results():
        name = kind.__name__
        (home,) = re.findall(
            rf"^- \[`{name}`\]\(([\w-]+)\.md#{name.lower()}\): [A-Z].*\.$", made["results"], re.M
        )
        assert [page for page in made if f"## `{name}`\n" in made[page]] == [home]
    # A field that holds results leads to them, on whichever page they are.
    assert "| [`tuple[Strength, ...]`](results-votes.md#strength) |" in made["results-rankings"]


def test_every_error_and_no_word_too_many_is_on_the_page_of_results() -> None:
    page = docs_reference.pages()["results"]
    mine = [each for each in vars(errors).values() if inspect.isclass(each)]
    assert {each for each in mine if each.__module__ == errors.__name__} == {*docs_results.ERRORS}
    for error in docs_results.ERRORS:
        assert re.search(rf"^- `{error.__name__}`[^:]*: [A-Z].*\.$", page, re.MULTILINE)
    named = [(kind.__name__, name) for kind in KINDS for name, *_ in docs_results.fields_of(kind)]
    known = {name for _, name in named} | {".".join(both) for both in named}
    assert set(docs_results.WORDS) <= known


def test_choices_are_spelled_out() -> None:
    page = "".join(docs_reference.pages().values())
    assert "level: 'nominal' | 'ordinal' | 'interval' | 'ratio'," in page
    assert "cluster: 'both' | 'rater' | 'item' | None = 'both'," in page
    assert "ties: 'half' | 'drop' | 'outcome' = 'half'," in page
    assert "probability: Mapping[Any, float] | 'stated' | None = None," in page
    assert page.count("panel: 'majority' | 'mean' | 'weighted' | None = None,") == 3
    assert "Literal" not in page


def test_a_docstring_becomes_markdown() -> None:
    made = docs_reference.from_docstring(
        "What.\n\nParameters\n----------\na, b\n    Numbers, ``1``.\n\n    - one\n\n"
        "Notes\n-----\n.. math:: x\n    + y\n\nExamples\n--------\n>>> 1\n1"
    )
    assert made == (
        "What.\n\n### Parameters\n\n- **a, b**:\n  Numbers, ``1``.\n\n  - one\n\n"
        "### Notes\n\n```math\nx\n+ y\n```\n\n### Examples\n\n```python\n>>> 1\n1\n```"
    )


def keys_without_words(part: Any, path: str = "") -> Iterator[str]:
    """Keys of a JSON Schema that nothing describes, themselves or what they refer to."""
    for key, field in part.get("properties", {}).items():
        if not (field.get("description") or "$ref" in field):
            yield f"{path}{key}"
    for branch in part.get("anyOf", ()):
        yield from keys_without_words(branch, path)


def test_every_key_of_the_study_file_is_described() -> None:
    schema = json_schema()
    found = list(keys_without_words(schema))
    for name, part in schema["$defs"].items():
        found += keys_without_words(part, f"{name}.")
    assert not found


SCREENS: list[tuple[Any, int]] = [("light", 1280), ("dark", 390), ("dark", 1280), ("light", 390)]
PAGES = sorted({file.stem for file in build_docs.DOCS.glob("*.md")} | {*docs_reference.TITLES})


@pytest.mark.parametrize(
    "name",
    # They share one template: four are enough to see on every change, one on each screen.
    [
        pytest.param(name, marks=[] if k < len(SCREENS) else pytest.mark.full)
        for k, name in enumerate(PAGES)
    ],
)
def test_a_page_is_clean_by_axe_no_wider_than_its_screen_and_has_short_lines(
    site: Path, browser: Browser, name: str
) -> None:
    # All pages share one template and stylesheet, so that each is looked at on one screen.
    theme, width = SCREENS[PAGES.index(name) % len(SCREENS)]
    page = browser.new_page(color_scheme=theme, viewport={"width": width, "height": 844})
    page.goto((site / f"{name}.html").as_uri())
    assert Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert long_lines(page, "main") == []
    page.close()


@pytest.mark.parametrize(
    ("name", "width", "row", "column", "least"),
    [
        # Words before a function's name, on a phone; and words behind a whole setting.
        ("statistics", 390, "stand in for a person", 0, 140),
        ("study-file", 1280, "prolific: {", 1, 430),
    ],
)
def test_code_in_a_table_leaves_room_for_the_words_beside_it(
    site: Path, browser: Browser, name: str, width: int, row: str, column: int, least: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 844})
    page.goto((site / f"{name}.html").as_uri())
    words = page.locator("main tr", has_text=row).first.locator("td").nth(column)
    assert words.evaluate("cell => cell.getBoundingClientRect().width") >= least
    page.close()


@pytest.mark.parametrize("name", ["commands-gate", "study-keys", "results-detections"])
def test_what_a_name_means_is_read_on_a_phone_without_scrolling_sideways(
    site: Path, browser: Browser, name: str
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto((site / f"{name}.html").as_uri())
    tables = page.locator(".scroll:has(.meaning)")
    widths = "each => each.map(table => [table.scrollWidth, table.clientWidth])"
    found = tables.evaluate_all(widths)
    assert len(found) > 2
    assert [scrolled for scrolled, width in found if scrolled > width] == []
    assert Axe().run(page).response["violations"] == []
    page.close()


@pytest.mark.parametrize("name", ["protocols", "metrics", "gate", "study-file"])
def test_a_table_of_words_is_read_on_a_phone_without_scrolling_sideways(
    site: Path, browser: Browser, name: str
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto((site / f"{name}.html").as_uri())
    widths = "each => each.map(table => table.scrollWidth - table.clientWidth)"
    found = page.locator(".scroll").evaluate_all(widths)
    assert found
    assert max(found) <= 0
    assert Axe().run(page).response["violations"] == []
    page.close()


def test_cells_of_words_carry_the_head_of_their_column_and_figures_keep_theirs() -> None:
    words = build_docs.render("a", "# A\n\n| a | b | `c` |\n|---|---|---|\n| 1 | 2 | 3 |\n").body
    assert '<td data-head="b">2</td>\n<td data-head="c">3</td>' in words
    figures = "# A\n\n| a | b | c |\n|---|---:|---:|\n| 1 | 2 | 3 |\n"
    assert "data-head" not in build_docs.render("a", figures).body


@pytest.mark.parametrize(("name", "head"), [("coverage", "mean width"), ("people-or-judge", "A/B")])
def test_figures_and_marks_stand_as_close_on_a_phone_as_they_can(
    site: Path, browser: Browser, name: str, head: str
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto((site / f"{name}.html").as_uri())
    box = page.locator("th", has_text=head).first.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] < 390
    assert Axe().run(page).response["violations"] == []
    page.close()


BROKEN = """each => each.filter(code => {
  const word = document.createElement("span");
  const parts = code.textContent.split(/(\\s+|[-/.,:=])/);
  const box = code.closest("td").getBoundingClientRect().width;
  word.style.cssText = "position:absolute;visibility:hidden;white-space:nowrap";
  code.append(word);
  const broken = parts.some(part => (word.textContent = part, word.offsetWidth > box));
  word.remove();
  return broken;
}).map(code => code.textContent)"""


@pytest.mark.parametrize("name", ["reading", "study-file", "planning", "statistics"])
def test_no_word_of_code_is_broken_in_a_table_of_words_on_a_phone(
    site: Path, browser: Browser, name: str
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto((site / f"{name}.html").as_uri())
    assert page.locator("main td code").evaluate_all(BROKEN) == []
    page.close()


def test_the_rows_of_a_stacked_table_are_as_wide_as_the_page(site: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    for name in ("case-studies", "results-detections"):
        page.goto((site / f"{name}.html").as_uri())
        rows = page.locator("table:is(.words, :has(.meaning)) tbody tr")
        widths = rows.evaluate_all("each => each.map(row => row.getBoundingClientRect().width)")
        assert min(widths) > 350, name
    page.close()


def test_code_of_a_step_has_the_width_of_the_page(site: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 844})
    page.goto((site / "crowds.html").as_uri())
    box = page.locator("li pre", has_text="PROLIFIC_PID").bounding_box()
    assert box is not None
    assert box["width"] > 800
    page.close()


def test_a_short_type_stands_on_one_line_and_no_table_is_wider_than_its_page(
    site: Path, browser: Browser
) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 844})
    for file in sorted(site.glob("results*.html")):
        page.goto(file.as_uri())
        types = page.get_by_text(re.compile(r"^(float|str|int) \| None$"))
        lines = types.evaluate_all("each => each.map(code => code.getClientRects().length)")
        assert {*lines} <= {1}, file.name
        wider = "each => each.map(table => table.scrollWidth - table.clientWidth)"
        assert max([0, *page.locator(".scroll").evaluate_all(wider)]) <= 0, file.name
    page.close()


def test_no_code_is_hidden_beside_a_wide_screen(site: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 844})
    page.goto((site / "importing.html").as_uri())
    hidden = "each => each.filter(code => code.scrollWidth > code.clientWidth).length"
    assert page.locator("main pre").evaluate_all(hidden) == 0
    page.close()


def test_code_is_read_on_a_phone_without_scrolling_sideways_unless_it_draws_a_table(
    site: Path, browser: Browser
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto((site / "tutorial.html").as_uri())
    wide = "each => each.filter(code => code.scrollWidth > code.clientWidth).length"
    assert page.locator("main pre:not(.drawn)").evaluate_all(wide) == 0
    # Its tables keep their columns.
    assert page.locator("main pre.drawn").evaluate_all(wide) == 2
    # So do those without lines, which results print.
    page.goto((site / "functions-votes.html").as_uri())
    assert page.locator("main pre.drawn").filter(has_text="95% interval").count() == 1
    page.close()


def test_a_word_is_searched_for_in_all_pages(site: Path, browser: Browser) -> None:
    page = browser.new_page(color_scheme="dark", viewport={"width": 390, "height": 844})
    page.goto((site / "index.html").as_uri())
    found, status = page.locator("#found a"), page.get_by_role("status")
    page.keyboard.press("/")
    page.keyboard.type("no number")
    # In a heading before in a text, and text across a line's end.
    expect(found.first).to_have_text("The statistics: When there is no number")
    expect(page.locator("#found li").first).to_contain_text("A statistic that does not exist")
    assert Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # Arrows go through what is found, and back to the field.
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(found.nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("Escape")
    expect(found).to_have_count(0)
    expect(status).to_have_text("")
    page.keyboard.type("<b>zebra")
    expect(status).to_have_text("found nowhere")
    page.get_by_role("searchbox").fill("screened_out C4EF5GH6")
    expect(status).to_have_text("1 place")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/crowds\.html#prolific$"))
    page.close()
