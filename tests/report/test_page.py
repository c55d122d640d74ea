"""``dipc report``: a page that says what the exact functions say, believes nothing, and needs nothing."""

from __future__ import annotations

import base64
import io
import json
import re
import shlex
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from browser import CHROMIUM, Browser
from report.markup import Reader

import dipc
from dipc.cli.main import cli, status
from dipc.dpctl.page import report_model_html
from dipc.export.markov_picture import svg
from dipc.kernel.facts import ZERO, chain_of, unscaled, value_at
from dipc.kernel.laws import in_integers
from dipc.kernel.statements import check as kernel_check
from dipc.report.canvas import MissingPackage

HOSTILE = """# <script>alert("comment")</script> </style> {{ 7*7 }} & <img src=x onerror=alert(1)>
input  q in {0, 1}
output o in {a, b}
adjacent all
private eps/2
c <- flip(exp(eps)/(1 + exp(eps)))   # "'><script>
if c and q = 1 then o <- a else o <- b end
"""
Capture = pytest.CaptureFixture[str]


def words(page: str) -> str:
    return " ".join(Reader(page).text.split())


@pytest.fixture(scope="module")
def violated() -> str:
    return dipc.report_html(dipc.load("svt4", N=2))


@pytest.fixture(scope="module")
def private() -> str:
    return dipc.report_html(dipc.load("svt1", N=2))


@pytest.fixture(scope="module")
def hostile() -> str:
    return dipc.report_html(dipc.load(HOSTILE), title="<script>alert(2)</script> & $x$")


# --- what it says ----------------------------------------------------------------------------


def test_a_violation(violated: str) -> None:
    text = words(violated)
    assert "Violated" in text and "(ε)-private for every ε in (0, ∞)" in text
    example = dipc.load("svt4", N=2).check().counterexample
    assert example is not None
    for number in (example.probability, example.neighbour_probability, example.bound, example.excess):
        assert number.decimal(example.epsilon) in text
    assert "0 < ε < 2.0319164994" in text
    assert "A proof, written out" not in violated


def values_of_chain(page: str) -> list[str]:
    """The numbers f_k(0)."""
    return re.findall(r"f\d+\(0\) = (.*?) ≥ 0, next exponent", Reader(page).text)


def test_a_proof_can_be_followed(private: str) -> None:
    """The numbers on the page are those of the certificate for the same function."""
    assert "Private" in words(private)
    certificate = kernel_check(json.dumps(dipc.load("svt1", N=2).certificate()).encode())
    integers = in_integers(certificate.table)
    proofs = []
    for pair in (pair for item in certificate.listed.inequalities for pair in item.of):
        links = chain_of(unscaled(integers.slack([tuple(pair)]), integers.unit))
        proofs.append([str(value_at(link, ZERO).get(ZERO, ZERO)) for link in links])
    shown = values_of_chain(private)
    assert shown in proofs and len(shown) > 3


@pytest.fixture
def unplotted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plots take most of the time of a page, and other tests look at them."""
    monkeypatch.setattr("dipc.dipwhile.panels.page.panels_of", lambda found: [])
    monkeypatch.setattr("dipc.dipwhile.panels.page._drawing", lambda drawn, attempts: "")


@pytest.mark.usefixtures("unplotted")
def test_other_proofs() -> None:
    page = dipc.report_html(dipc.load("hist2", N=1), "eps for eps in [1, inf)")
    assert "without a chain of derivatives" in page and "stands in the certificate" in words(page)
    page = dipc.report_html(dipc.load("sparse", N=2), "eps/4, exp(-1)")  # its chain has numbers with e
    assert any("e1" in value for value in values_of_chain(page))
    page = dipc.report_html(dipc.load("rand1", N=1))
    assert "<h2>Plots</h2>" not in page  # there are none
    assert "It holds, for both sides are equal" in words(page)


@pytest.mark.usefixtures("unplotted")
def test_tightness_and_delta(private: str) -> None:
    least = dipc.load("svt1", N=2).budget().least.exact
    assert f"least t{least}: ({least}*ε)-private, and not for a smaller t" in words(private)
    text = words(dipc.report_html(dipc.load("sparse", N=2), "eps/4, 1/2"))
    least = dipc.load("sparse", N=2).profile("eps/4").least.exact
    assert least and f"least δ{least}" in text and "epsilon1/4·ε" in text


def test_no_claim_and_no_neighbours() -> None:
    page = dipc.report_html(dipc.load("input q in {0, 1}; output o in {0, 1}; b <- flip(1/3); o <- q"))
    text = words(page)
    assert "No claim" in text and "does not say which inputs are neighbours" in text
    assert "dipc check" not in text and "dipc distribution program" not in text
    assert "dipc distribution text.dip --input 'q = 0'" in text


def test_too_large() -> None:
    mechanism = dipc.load("noisy_max_random", N=4)
    with dipc.limits(seconds=0.2):
        page = dipc.report_html(mechanism)
    text = words(page)
    assert "Undecided" in text and "the time limit was reached" in text
    assert "Left out" in text and "not tried, since the check itself did not end" in text
    assert "--certificate" not in text and len(page) < 1_000_000


@pytest.mark.usefixtures("unplotted")
def test_a_claim_of_ones_own() -> None:
    page = dipc.report_html(dipc.load("svt4", N=2), "3/2*eps", at="1/2")
    assert "Private" in words(page) and "at ε = 1/2" in words(page)
    assert "dipc check svt4 -D N=2 -D c=1 -D T=0 -D Delta=1 --claim '3/2*eps'" in words(page)


def test_the_commands_are_valid(violated: str) -> None:
    said = re.findall(r'<pre class="box" tabindex="0">(dipc .*?)</pre>', violated)
    assert [command.split()[1] for command in said] == ["check", "verify"]
    for command in said:
        arguments = shlex.split(command)[1:]
        name, inner, rest = cli.resolve_command(cli.make_context("dipc", arguments), arguments)
        assert inner is not None
        inner.make_context(name, rest)


# --- files -----------------------------------------------------------------------------------


def files(page: str) -> dict[str, bytes]:
    found = {}
    for tag, attributes in Reader(page).tags:
        if tag == "a" and (name := attributes.get("download")):
            kind, _, data = str(attributes["href"]).partition(",")
            assert kind.startswith("data:") and kind.endswith(";base64")
            found[name] = base64.b64decode(data)
    return found


def test_the_files_are_what_they_are_called(violated: str) -> None:
    found = files(violated)
    mechanism = dipc.load("svt4", N=2)
    assert "is not (1*eps, 0)-private: violated at eps = 1" in kernel_check(found["svt4.json"]).summary()[0]
    assert found["svt4.dip"].decode() == mechanism.program.source.text
    assert found["svt4.tex"].decode() == mechanism.export("latex")
    assert json.loads(found["svt4.json"])["violation"]["eps"] == "1"
    assert set(found) >= {f"svt4.{e}" for e in ("wl", "sage", "smt2", "tex", "dot", "svg", "drn", "pm")}


@pytest.mark.usefixtures("unplotted")
def test_large_files_are_named_only() -> None:
    page = dipc.report_html(dipc.load("svt4", N=3))
    assert "svt4.wl" not in files(page)
    assert "dipc export svt4 -D N=3 -D c=1 -D T=0 -D Delta=1 --to mathematica -o svt4.wl" in words(page)
    assert len(page) < 1_500_000


# --- safety ----------------------------------------------------------------------------------


def test_input_is_text_only(hostile: str) -> None:
    reader = Reader(hostile)
    assert not [tag for tag, _ in reader.tags if tag in ("script", "iframe", "object", "link", "base")]
    assert not [a for _, attributes in reader.tags for a in attributes if a.startswith("on")]
    assert '<script>alert("comment")</script>' in reader.text
    assert "<script>alert(2)</script> & $x$" in reader.text and "{{ 7*7 }}" in reader.text
    assert [tag for tag, _ in reader.tags].count("style") == 1


def test_hostile_names(tmp_path: Path) -> None:
    path = tmp_path / "<img src=x onerror=alert(1)> $(reboot).dip"
    path.write_text(HOSTILE, encoding="utf-8")
    page = dipc.report_html(dipc.load(path))
    reader = Reader(page)
    images = [attributes for tag, attributes in reader.tags if tag == "img"]
    assert [str(image["src"])[:11] for image in images] == ["data:image/"]
    assert shlex.quote(str(path)) in reader.text
    assert all(re.fullmatch(r"[\w.-]+", name) for name in files(page))


@pytest.mark.parametrize("name", ["violated", "private", "hostile"])
def test_nothing_is_loaded(name: str, request: pytest.FixtureRequest) -> None:
    page = request.getfixturevalue(name)
    reader = Reader(page)
    for _, attributes in reader.tags:
        for key in ("src", "href", "xlink:href", "srcset", "action"):
            address = attributes.get(key) or "#"
            assert address.startswith(("#", "data:")), address
    style = page[page.index("<style>") : page.index("</style>")]
    assert "url(" not in style and "@import" not in style
    assert "default-src 'none'" in page


@pytest.mark.parametrize("name", ["violated", "private", "hostile"])
def test_it_is_accessible(name: str, request: pytest.FixtureRequest) -> None:
    reader = Reader(request.getfixturevalue(name))
    tags = [tag for tag, _ in reader.tags]
    assert tags.count("h1") == tags.count("main") == 1 and ("html", {"lang": "en"}) in reader.tags
    levels = [int(tag[1]) for tag in tags if re.fullmatch(r"h\d", tag)]
    assert all(b <= a + 1 for a, b in pairwise(levels))
    assert all(attributes.get("alt") for tag, attributes in reader.tags if tag == "img")
    assert all(attributes.get("aria-label") for tag, attributes in reader.tags if tag == "svg")
    assert all(attributes.get("scope") for tag, attributes in reader.tags if tag == "th")
    ids = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    anchors = {str(a["href"])[1:] for tag, a in reader.tags if tag == "a" and str(a["href"]).startswith("#")}
    assert anchors <= set(ids)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPackage, match="matplotlib"):
        dipc.report_html(dipc.load("svt4", N=2))
    assert status(["report", "svt4"]) == 2
    assert "pip install matplotlib" in capsys.readouterr().err


def test_the_command(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert status(["report", "svt4", "-D", "N=2", "--title", "SVT <4>"]) == 0
    assert capsys.readouterr().out == "wrote svt4.html\n"
    assert "SVT &lt;4&gt;: violated</title>" in (tmp_path / "svt4.html").read_text(encoding="utf-8")


# --- in a browser ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no chromium")
    with Browser() as running:
        yield running


BOXES = ".scroll, .drawing, pre, svg"  # may scroll inside
WIDE = f"""[...document.querySelectorAll('body *')].filter(e => !e.closest('{BOXES}')
  && e.getBoundingClientRect().right > document.documentElement.clientWidth + 1).length"""


@pytest.mark.parametrize("name", ["violated", "private", "hostile"])
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (390, False)])
def test_a_browser_shows_it(
    name: str, width: int, dark: bool, browser: Browser, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    path = tmp_path / "page.html"
    path.write_text(request.getfixturevalue(name), encoding="utf-8")
    page = browser.open(path, width, dark)
    assert page.complaints() == []
    assert all(url.startswith(("file://", "data:")) for url in page.requests())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(WIDE) == 0
    assert page.evaluate("document.querySelectorAll('script').length") == 0
    images = "[...document.images].every(image => image.naturalWidth > 20)"
    assert page.evaluate(images) is True
    colours = picture_colours(page.screenshot(whole=False))
    assert len(colours) > 50
    ground = max(colours, key=lambda colour: colours[colour])
    assert sum(ground) < 150 if dark else sum(ground) > 700


def picture_colours(data: bytes) -> dict[tuple[int, int, int], int]:
    from PIL import Image

    image = Image.open(io.BytesIO(data)).convert("RGB")
    return {colour: count for count, colour in image.getcolors(1 << 24)}  # type: ignore[misc]


@pytest.fixture(scope="module")
def model_page() -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shutil.which", lambda _: None)  # no Graphviz
        return report_model_html(dipc.load_model("geometric_eps"), "P>=2/3 (X out_0)")


def test_no_style_of_a_drawing_is_for_other_drawings(model_page: str) -> None:
    assert model_page.count("<style") == 1  # that of the page
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shutil.which", lambda _: None)
        mechanism = dipc.load("svt1", N=1)
        drawings = (svg(dipc.load_model("survey").model), mechanism.export("svg", input="q=[0]"))
    assert not any("<style" in drawing for drawing in drawings)


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_plots_of_a_model_have_text(
    browser: Browser, model_page: str, tmp_path: Path, width: int, dark: bool
) -> None:
    path = tmp_path / "page.html"
    path.write_text(model_page, encoding="utf-8")
    page = browser.open(path, width, dark)
    glyphs = "[...document.querySelectorAll('figure svg defs path, figure svg use')]"
    assert page.evaluate(f"{glyphs}.length") > 20
    assert page.evaluate(f"{glyphs}.filter(e => getComputedStyle(e).fill === 'none').length") == 0
    ink = "rgb(228, 232, 236)" if dark else "rgb(28, 33, 38)"  # on the colour of the page
    assert page.evaluate("getComputedStyle(document.querySelector('figure svg use')).fill") == ink
    assert page.evaluate("document.querySelectorAll('figure svg #patch_1').length") == 0
    assert page.evaluate("document.images[0].naturalWidth") > 20


def test_it_can_be_printed(browser: Browser, violated: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(violated, encoding="utf-8")
    data = browser.open(path, 1280, dark=True).pdf()
    assert data.startswith(b"%PDF") and len(data) > 50_000


@pytest.mark.usefixtures("unplotted")
def test_a_proof_for_every_size(violated: str) -> None:
    proved = dipc.report_html(dipc.load("svt1", c=2))
    assert ">All inputs, for every N</h2>" in proved
    assert "<td>r &gt;= rT</td>" in proved.replace("another round, ", "").replace(", out[i] = top", "")
    assert "PRIVATE for every N" in proved
    assert "All inputs" not in violated
