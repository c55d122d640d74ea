"""Messages are for readers: a window of the line, at most 2,000 characters, carets at the right columns."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from inspect import isfunction
from pathlib import Path

import pytest

import dipc
from dipc.cli.main import status
from dipc.dipwhile.sentences import read_sentence
from dipc.dipwhile.syntax.compile import read
from dipc.dpctl.syntax import parse_property
from dipc.errors import DipcError, Source, Span
from dipc.excerpts import MOST, WINDOW
from dipc.models.drn import read_drn
from dipc.models.reading import read_model
from dipc.pufferfish.reading import read_question
from dipc.shipped import paths

LONG = "x" * 10**5
HEAD = "input q in {0, 1}\nadjacent all\noutput b in {true, false}\nprivate eps\n"
CHAIN = "chain\na -> {a: 1/2, b: 1/2}\nb -> {b: 1}\nneighbours a ~ b\n"
HIDDEN = (
    "observe a, b\nstate s emits {a: 1/2, b: 1/2} next s\nstart x s\nstart y s\ncompare x, y\nhorizon 2\n"
)


def program(text: str) -> object:
    return read(Source("a.dip", text), {})


def chain(text: str) -> object:
    return read_model(Source("a.dpm", text), {})


def drn(text: str) -> object:
    return read_drn(Source("a.drn", text), {})


def hidden(text: str) -> object:
    return read_question(Source("a.hmm", text), {})


def formula(text: str) -> object:
    return parse_property(Source("<formula>", text))


def claim(text: str) -> object:
    return dipc.load(HEAD + "b <- true").check(claim=text)


def message(reader: Callable[[str], object], text: str) -> str:
    with pytest.raises(DipcError) as caught:
        reader(text)
    return str(caught.value)


# --- the window ------------------------------------------------------------------------------------------

WIDTHS = {"a": 1, " ": 1, "+": 1, "é": 1, "数": 2, "한": 2, "\u0301": 0, "\u0308": 0, "😀": 2, "ε": 1, "≤": 1}
"""Characters, and the columns that a terminal gives each (a tab goes on to the next multiple of 8)."""


def columns(line: str) -> list[int]:
    """The column at which each character begins, as a terminal shows the line."""
    found, at = [], 0
    for c in line:
        found.append(at)
        at = at // 8 * 8 + 8 if c == "\t" else at + WIDTHS.get(c, 1)
    return [*found, at]


@pytest.mark.parametrize("seed", range(200))
def test_the_carets_are_under_the_characters(seed: int) -> None:
    choose = random.Random(seed)
    kinds = [*WIDTHS, "\t"] if seed % 2 else ["a", " "]
    before, after = ("".join(choose.choices(kinds, k=choose.choice((0, 3, 60, 400, 5000)))) for _ in "12")
    marked = choose.choice(("X", "XYZ", "X" * 300))
    text = f"first\n{before}{marked}{after}\r\nlast"
    span = Span(Source("a.dip", text), 6 + len(before), 6 + len(before) + len(marked))
    shown, carets = span.excerpt().splitlines()
    assert len(shown) <= WINDOW + 6
    assert (
        len(f"{before}{marked}{after}") > WINDOW or shown[4:].rstrip() == f"{before}{marked}{after}".rstrip()
    )
    at = columns(carets)
    first, last = carets.index("^"), carets.rindex("^") + 1
    assert set(carets[first:last]) == {"^"}
    visible = [at_ for at_, c in zip(columns(shown), shown, strict=False) if c in "XYZ"]
    assert at[first] == visible[0]
    assert last - first == len(visible)


def test_where_the_window_is() -> None:
    line = "1 + " * 1000 + "y" + " + 1" * 1000
    shown, carets = Span(Source("", line), 4000, 4001).excerpt().splitlines()
    assert (shown[carets.index("^")], shown[4], shown[-1]) == ("y", "…", "…")
    shown, carets = Span(Source("", line), len(line), len(line)).excerpt().splitlines()
    assert (len(carets), shown.endswith("+ 1"), shown[4]) == (len(shown) + 1, True, "…")
    shown, carets = Span(Source("", line), 0, 1).excerpt().splitlines()
    assert (shown[:8], carets, shown[-1]) == ("    1 + ", "    ^", "…")


def test_a_control_character_does_not_reach_the_terminal() -> None:
    assert "\x1b" not in Span(Source("", "b <- \x1b[2K"), 0, 1).excerpt()


# --- texts that are long ---------------------------------------------------------------------------------

TERMS = "q + " * 10**4
LONG_TEXTS: list[tuple[Callable[[str], object], str, str]] = [
    (program, HEAD + f"b <- {LONG} > 1", "a.dip:5:6: error: unknown name `xxx"),
    (program, HEAD + f"b <- {TERMS}zz > 1", "a.dip:5:40006: error: unknown name `zz`"),
    (program, HEAD + f"b <- {TERMS})", "a.dip:5:40006: error: `)` has no opening bracket"),
    (program, HEAD + f"b <- q > {'1' * 10**5}", "a.dip:5:10: error: this number has more than 1000 digits"),
    (program, HEAD + LONG, "a.dip:5:100001: error: expected `<-` after `xxx"),
    (program, HEAD.replace("{0, 1}", f"{{{', '.join(map(str, range(5000)))}}}") + "b <- q", "a.dip:5:6"),
    (claim, LONG, "the claim:1:1: error: "),
    (chain, CHAIN + f"let n = {'1 + ' * 10**4})", "a.dpm:5:40009: error: `)` is not expected here"),
    (chain, CHAIN.replace("1/2", LONG), "a.dpm:2:10: error: no number is called `xxx"),
    (drn, LONG, "a.drn:1:1: error: this is not a DRN file"),
    (hidden, HIDDEN + LONG, "a.hmm:7:1: error: "),
    (formula, f"{'F a & ' * 5000})", "<formula>:1:30001: error: "),
    (read_sentence, LONG, "<sentence>:1:1: error: a sentence begins with"),
]


@pytest.mark.parametrize(("reader", "text", "begins"), LONG_TEXTS)
def test_long_texts(reader: Callable[[str], object], text: str, begins: str) -> None:
    said = message(reader, text)
    assert said.startswith(begins)
    assert len(said) <= MOST
    assert max(map(len, said.splitlines())) <= 700


OPTIONS = (
    ("check", "svt1", "--claim", LONG),
    ("check", "svt1", "-D", f"{LONG}=1"),
    ("check", "svt1", "--pair", LONG, LONG),
    ("check", "svt1", f"--{LONG}"),
    (LONG,),
    ("check", LONG),
    ("distribution", "svt1", "--input", LONG),
    ("export", "svt1", "--to", LONG),
    ("model", "check", "svt1", f"D[eps, 0]({LONG})"),
    ("model", "check", "subsampling", "F a", "--neighbours", f"{LONG} ~"),
    ("pufferfish", "check", "weather", "-D", f"{LONG}=1"),
)


@pytest.mark.parametrize("arguments", OPTIONS, ids=lambda a: " ".join(part[:12] for part in a))
def test_options(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert status(list(arguments)) == 2
    out, err = capsys.readouterr()
    assert "error" in err
    assert len(out + err) <= MOST


LONG_CLAIM = "eps/2, " + " + ".join(f"exp(-{i})/{10**20}" for i in range(20, 90))


def test_a_comparison_with_a_long_claim(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "c.json")
    assert status(["check", "rand1", "--quiet", "--certificate", file]) == 0
    assert status(["verify", file, "--program", "rand1", "--claim", LONG_CLAIM]) == 1
    assert max(map(len, capsys.readouterr().out.splitlines())) <= MOST


@pytest.mark.parametrize(
    "words",
    [
        ("--time-limit", "３"),
        ("--jobs", "1_0"),
        ("-D", "N=３"),
        ("--at", "1_0"),
    ],
    ids=" ".join,
)
def test_digits_are_those_of_ascii(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """Python's numbers also take other digits, and ``_`` between digits: for 1_000 as for 1_0."""
    assert status(["check", "svt1", *words]) == 2
    said = capsys.readouterr().err
    assert "digits are 0 to 9, without `_`" in said and words[1].removeprefix("N=") in said


# --- mutated texts ---------------------------------------------------------------------------------------


def shipped(suffix: str) -> list[str]:
    """The texts of shipped files."""
    folder = paths()["svt4"].parents[1]
    return [file.read_text(encoding="utf-8") for file in sorted(folder.rglob(f"*{suffix}"))]


DRN = (
    "@type: DTMC\n@parameters\np\n@reward_models\n\n@nr_states\n2\n@nr_choices\n2\n@model\n"
    "state 0 init\n\taction 0\n\t\t0 : p\n\t\t1 : 1-p\nstate 1 done\n\taction 0\n\t\t1 : 1\n"
)
FORMULAS = ["D[eps, 0](F a) from b for eps in (0, 1]", "forall i in {a, b}: P>=1/2 (F<=3 i & !X b)"]
SENTENCES = ["forall eps > 0: 2 - exp(-eps) >= eps/(1 + eps)", "exists eps in [1, 2]: not eps = 1 -> eps > 1"]
FORMATS: dict[str, tuple[Callable[[str], object], Callable[[], list[str]]]] = {
    "programs": (program, lambda: shipped(".dip")),
    "chains": (chain, lambda: shipped(".dpm")),
    "drn": (drn, lambda: [DRN]),
    "hidden": (hidden, lambda: shipped(".hmm")),
    "formulas": (formula, lambda: FORMULAS),
    "sentences": (read_sentence, lambda: SENTENCES),
}


def mutants(texts: list[str], choose: random.Random) -> Iterator[str]:
    """Texts with a piece deleted, repeated many times, moved, or replaced."""
    pieces = ["(", ")", "{", "\n", "\t", " + q", "not ", "1e9", "9" * 2000]
    pieces += ["数", "e\u0301", "\x00", "-> ", "~", LONG]
    while True:
        text = choose.choice(texts)
        for _ in range(choose.randint(1, 3)):
            start = choose.randrange(len(text) + 1)
            end = min(len(text), start + choose.choice((0, 1, 1, 3, 20)))
            new = choose.choice(
                ("", choose.choice(pieces), text[start:end] * choose.choice((2, 300)), text[end : end + 30])
            )
            text = text[:start] + new + text[end:]
        yield text


MUTANTS = 60
"""Of each format; 3,000 of each were tried once."""


@pytest.mark.parametrize("name", FORMATS)
def test_mutated_texts(name: str) -> None:
    reader, texts = FORMATS[name]
    found = mutants(texts(), random.Random(name))
    for text in (next(found) for _ in range(MUTANTS)):
        try:
            reader(text)
        except DipcError as error:
            assert len(str(error)) <= MOST, text


# --- long is not nested ----------------------------------------------------------------------------------

MANY, SOME = 10**4, 2000


def many(operator: str, term: str = "q", times: int = SOME) -> str:
    return operator.join([term] * times)


FLAT = {
    "sum": (f"r <- Lap(eps, q)\nb <- r > {many(' + ', 'q', MANY)}", "violated"),
    "product": (f"r <- Lap(eps, q)\nb <- r > {many(' * ')}", "private"),
    "mixed": (f"r <- Lap(eps, q)\nb <- {many(' + ', 'q*q')} > 3 and {many(' or ', 'r > 1')}", "private"),
    "comparisons": (f"b <- {many(' <= ')}", "private"),
    "rate": (f"r <- Lap(({many(' + ', 'eps', MANY)})/{MANY}, q)\nb <- r > 0", "private"),
    "elif": (f"if q = 0 then b <- true {'elif q = 0 then b <- false ' * SOME}else b <- true end", "private"),
}


@pytest.mark.parametrize(("body", "verdict"), FLAT.values(), ids=FLAT)
def test_a_long_chain_is_decided(body: str, verdict: str) -> None:
    assert dipc.load(HEAD + body).check().status == verdict


def test_every_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every pass over a program walks a chain without recursion; the deep check reads it as well."""
    file, certificate = tmp_path / "a.dip", tmp_path / "c.json"
    sums, tests = many(" + ", "q*q", 400), many(" or ", "r > 1 and q = 1", 400)
    file.write_text(HEAD + f"r <- Lap(eps, q)\nb <- {sums} > 3 and {tests}", encoding="utf-8")
    for command, expected in {
        ("check", "--certificate", str(certificate)): 1,
        ("distribution", "--input", "q=1"): 0,
        ("explain",): 0,
        ("regions",): 0,
        ("format",): 0,
        ("export", "--to", "latex"): 0,
        ("prove",): 1,
    }.items():
        name, *options = command
        assert status([name, str(file), *options]) == expected, command
        assert "internal" not in capsys.readouterr().err
    assert status(["verify", str(certificate), "--program", str(file), "--expect", "violated"]) == 0


# --- what is not a certificate ---------------------------------------------------------------------------


def test_a_directory_and_a_part_of_a_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["verify", str(tmp_path)]) == 2
    data = json.dumps(dipc.load(HEAD + "b <- true").certificate()).encode()
    file = tmp_path / "c.json"
    file.write_bytes(data[:-1])
    assert status(["verify", str(file)]) == 2
    capsys.readouterr()
    file.write_bytes(data.replace(b"{", b'{"wrong": 1.5, ', 1))
    assert status(["verify", str(file)]) == 1  # a certificate, and a wrong one
    assert capsys.readouterr().out.startswith("refused: ")


# --- Booleans in count -----------------------------------------------------------------------------------

BOOLEANS = "input q[2] in {true, false}\nadjacent hamming 1\noutput o in 0..2\n"
COUNTS = [
    "private eps\nr <- Lap(eps, count(q))\nif r > 1 then o <- 1 else o <- 0 end",
    "private eps\nr <- Lap(eps, count(i in 1..2: not q[i]))\nif r > 1 then o <- 1 else o <- 0 end",
    "private eps\nr <- Lap(eps, count(q[1] and q[2], q[1] or q[2])/2)\nif r > 1 then o <- 1 else o <- 0 end",
    "private eps\nfor i in 1..2 do x <- flip(exp(eps)/(1 + exp(eps)))\n"
    "if x then b[i] <- q[i] else b[i] <- not q[i] end\nend\no <- count(b)",
    "private eps\nr <- Lap(eps/2, count(q))\ns <- Lap(eps/2, count(q))\nb[1] <- r > 1\nb[2] <- s > 1\n"
    "o <- count(b)",
    "private 2*eps\nr <- DLap(eps, count(q))\no <- count(r > 0, r > 1)",
    "private eps\no <- Exp(eps/2, v in 0..2, v*count(q)/2)",
    "private eps\no <- count(q)",
]


@pytest.mark.parametrize("body", COUNTS)
def test_the_deep_check_counts_booleans(
    body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, certificate = tmp_path / "a.dip", tmp_path / "c.json"
    file.write_text(BOOLEANS + body, encoding="utf-8")
    verdict = status(["check", str(file), "--certificate", str(certificate)])
    expected = ("private", "violated")[verdict]
    assert status(["verify", str(certificate), "--program", str(file), "--expect", expected]) == 0
    assert "derived: " in capsys.readouterr().out


CALLS = {
    "decide": dipc.decide,
    "load": dipc.load,
    "load_model": dipc.load_model,
    "assert_private": dipc.assert_private,
    "assert_accurate": lambda wrong: dipc.assert_accurate(wrong, "out = q", "1/20"),
    "assert_holds": dipc.assert_holds,
    "assert_pufferfish_private": dipc.assert_pufferfish_private,
    "plot_distributions": lambda wrong: dipc.plot_distributions(wrong, 1),
    "plot_functions": dipc.plot_functions,
    "plot_mechanism": dipc.plot_mechanism,
    "plot_region": dipc.plot_region,
    "report_html": dipc.report_html,
    "HiddenMarkovModel": dipc.HiddenMarkovModel,
    "MDP": dipc.MDP,
    "MarkovChain": dipc.MarkovChain,
    "Mechanism": dipc.Mechanism,
    "PufferfishQuestion": dipc.PufferfishQuestion,
}


@pytest.mark.parametrize("name", CALLS)
def test_none_and_numbers_are_wrong_types(name: str) -> None:
    for wrong, shown in ((None, "not None"), (3, "not the int 3")):
        with pytest.raises(dipc.WrongType, match=shown):
            CALLS[name](wrong)


def test_every_function_is_called_above() -> None:
    functions = {name for name in dipc.__all__ if isfunction(getattr(dipc, name))}
    assert functions - set(CALLS) == {"limits", "mechanism"}  # a block, a decorator
