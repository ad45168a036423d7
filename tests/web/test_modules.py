"""A script and all it imports in one file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import jurybox.web
from jurybox.web.modules import join_modules
from tests.web.serving import open_study
from tests.web.studies import write_study

STATIC = Path(str(jurybox.web.__file__)).parent / "static"


def test_every_script_of_the_rater_is_there_once_and_after_what_it_uses() -> None:
    joined = join_modules(STATIC, "rater")
    scopes = re.findall(r"^const \$(\w+) = \(\(\) =>", joined, re.MULTILINE)
    files = {path.stem.replace("-", "_") for path in STATIC.glob("*.js")}
    assert len(scopes) == len(set(scopes))
    assert set(scopes) == {name for name in files if not name.startswith("organizer")}
    assert scopes[-1] == "rater"
    for used in re.finditer(r"^const \{[^}]+\} = \$(\w+);$", joined, re.MULTILINE):
        assert joined.index(f"const ${used[1]} = (() =>") < used.start()
    assert not re.search(r"^(import|export)\b", joined, re.MULTILINE)


def test_names_are_kept_apart_and_handed_on(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text(
        'import "./c.js";\nimport {\n  one as first,\n  two,\n} from "./b-b.js";\n'
        "const own = first + two();\n"
    )
    (tmp_path / "b-b.js").write_text("export const one = 1;\nexport async function two() {}\n")
    (tmp_path / "c.js").write_text("const own = 3;\n")
    assert join_modules(tmp_path, "a") == (
        "const $c = (() => {\nconst own = 3;\nreturn {  };\n})();\n\n"
        "const $b_b = (() => {\nconst one = 1;\nasync function two() {}\n"
        "return { one, two };\n})();\n\n"
        "const $a = (() => {\n\nconst {\n  one: first,\n  two,\n} = $b_b;\n"
        "const own = first + two();\nreturn {  };\n})();\n"
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('import { a } from "./a.js";\n', "a.js and b.js import each other"),
        ("export default 5;\n", "b.js: export default 5;"),
        ('import * as all from "./a.js";\n', "b.js: import"),
    ],
)
def test_what_cannot_be_joined_is_refused(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\nexport const a = 1;\n')
    (tmp_path / "b.js").write_text(text + "export const b = 2;\n")
    with pytest.raises(ValueError, match=re.escape(why)):
        join_modules(tmp_path, "a")


def test_it_is_sent_compressed_and_again_only_when_changed(tmp_path: Path) -> None:
    with open_study(write_study("graded", tmp_path)) as served, TestClient(served.app) as http:
        plain = http.get("/static/rater.all.js", headers={"accept-encoding": "identity"})
        packed = http.get("/static/rater.all.js", headers={"accept-encoding": "gzip"})
        assert plain.text == packed.text == join_modules(STATIC, "rater")
        assert int(packed.headers["content-length"]) < len(plain.content) / 2
        assert plain.headers["content-type"] == "text/javascript; charset=utf-8"
        for tag in (packed.headers["etag"], plain.headers["etag"]):
            again = http.get("/static/rater.all.js", headers={"if-none-match": tag})
            assert again.status_code == 304
        for missing in ("nothing.all.js", ".all.js", "%2e%2e/static/rater.all.js"):
            assert http.get(f"/static/{missing}").status_code == 404
