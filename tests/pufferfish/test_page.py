"""The page about a question of Pufferfish privacy: what it shows, its commands and its files."""

from __future__ import annotations

import base64
import html
import json
import re
import shlex
from pathlib import Path

import pytest
from browser import CHROMIUM, Browser

import dipc
from dipc.cli.main import status
from dipc.errors import InputError, Source
from tests.pufferfish.test_program_export import CLINIC, asked

HOSTILE = """# <script>alert("comment")</script> </style> & <img src=x onerror=alert(1)>
observe a, b
state s emits {a: 2/3, b: 1/3} next stop
state t emits {a: 1/3, b: 2/3} next stop
compare s, t
private ln(2)
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    return dipc.load("ex3").report(tmp_path_factory.mktemp("page") / "ex3.html").read_text(encoding="utf-8")


def test_what_it_shows(page: str) -> None:
    assert "<title>ex3: violated</title>" in page and 'class="verdict violated"' in page
    for text in ("ln(2)-Pufferfish private for every p, horizon 1", "p = 1/2", "4: ln(4)-Pufferfish private"):
        assert text in page
    assert page.count("<figure>") == 1 and page.count("<img") == 1  # over p; the chain
    assert "The chain at p = 1/2" in page and "Left out" not in page
    assert "<script" not in page and not re.search(r"""(src|href)=["']https?:|@import|url\(http""", page)


def test_its_commands_and_files(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, data in re.findall(r'download="([^"]+)" href="data:[^,]+,([^"]+)"', page):
        (tmp_path / name).write_bytes(base64.b64decode(data))
    commands = [
        html.unescape(text) for text in re.findall(r'<pre class="box" tabindex="0">(dipc .*)</pre>', page)
    ]
    assert [status(shlex.split(command)[1:]) for command in commands] == [1, 0]
    assert json.loads((tmp_path / "ex3.json").read_text())["verdict"] == "violated"


def test_what_was_set_is_in_the_commands(tmp_path: Path) -> None:
    question = dipc.load("ex3", p="1/3").compare("sick", "healthy", horizon=2)
    found = question.report(tmp_path / "a.html", claim="ln(5)").read_text(encoding="utf-8")
    words = "ex3.hmm --compare sick healthy --horizon 2 --fix p=1/3 --claim &#x27;ln(5)&#x27;"
    assert f"dipc pufferfish check {words}<" in found and "dipc verify" not in found
    program = asked(CLINIC).fix(t="1/3").report(tmp_path / "b.html").read_text(encoding="utf-8")
    assert "--fix t=1/3<" in program and "Private" in program


def test_nothing_from_outside_is_html(tmp_path: Path) -> None:
    model = dipc.HiddenMarkovModel(Source("<b>.hmm", HOSTILE))
    found = model.report(tmp_path / "a.html", title="<script>").read_text(encoding="utf-8")
    assert "<script" not in found and "<img src=x" not in found and "&lt;script&gt;" in found


def test_without_a_claim_it_is_about_the_least_c(tmp_path: Path) -> None:
    model = dipc.HiddenMarkovModel(Source("a.hmm", HOSTILE.replace("private ln(2)", "")))
    found = model.report(tmp_path / "a.html").read_text(encoding="utf-8")
    assert "No claim" in found and "dipc pufferfish budget a.hmm" in found


def test_names_of_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert dipc.load("ex2").report() == Path("ex2.html")
    with pytest.raises(InputError, match="a report is a page of HTML"):
        dipc.load("ex2").report("ex2.pdf")
    (tmp_path / "own.html").write_text(HOSTILE)
    with pytest.raises(InputError, match="this is what the page is about"):
        dipc.HiddenMarkovModel(Source("own.html", HOSTILE)).report()


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_in_a_browser(page: str, tmp_path: Path, width: int, dark: bool) -> None:
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    with Browser() as browser:
        opened = browser.open(tmp_path / "page.html", width, dark)
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
        assert opened.evaluate("document.images[0].naturalWidth") > 20
        assert not opened.complaints() and all(a.startswith(("file:", "data:")) for a in opened.requests())
        glyphs = "[...document.querySelectorAll('figure svg use')]"
        assert opened.evaluate(f"{glyphs}.filter(e => getComputedStyle(e).fill === 'none').length") == 0
