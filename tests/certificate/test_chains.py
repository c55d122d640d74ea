"""Certificates of formulas about Markov chains: accepted, and judged by slow twins."""

from __future__ import annotations

import dataclasses
import shlex
from pathlib import Path
from random import Random

import pytest
from campaigns import some
from chain_certificates import ROUNDS, SURVEY, TWICE, checked, model_of, written
from dpctl.fast import satisfying
from dpctl.oracle import holding
from dpctl.random_chains import random_chain, random_path, random_probability, random_state

from dipc.certificate.format import dumps
from dipc.cli.main import status as exit_status
from dipc.clock import Clock
from dipc.dpctl import formula as tree
from dipc.dpctl import pipeline
from dipc.dpctl.certify import (
    is_about,
    model_certificate,
    nodes_of,
    other_model,
    verdict_certificate,
)
from dipc.dpctl.formula import Property
from dipc.dpctl.model import load_model
from dipc.dpctl.syntax import parse_property
from dipc.dpctl.verdict import Undecided
from dipc.errors import InputError, InternalError, LimitReached, Source, Unsupported
from dipc.kernel.privacy import Certificate as PrivacyCertificate
from dipc.kernel.statements import check
from dipc.models.chain import MarkovChain
from dipc.models.reading import read_model

ROOT = Path(__file__).parent.parent.parent
SHIPPED = sorted((ROOT / "programs" / "chains").glob("*.dpm"))
CASES = [
    (SURVEY, "D[ln 3, 0](X out_1) & D[ln 3, 0](X out_0)", "holds"),
    (SURVEY, "D[0, 0.5](X out_1)", "holds"),
    (SURVEY, "D[0, 0.49](X out_1)", "fails"),
    (SURVEY, "D[1, 0](X out_1)", "fails"),
    (SURVEY, "D[1, 3/4 - exp(1)/4](X out_1) from plus", "holds"),  # tight: no bound is above it
    (SURVEY, "P>=3/4 (X out_1) from minus", "fails"),
    (SURVEY, "P in (1/4, 1] (X X out_1)", "fails"),
    (SURVEY, "D[2*ln 5 - 2*ln 3, 0](X out_1)", "fails"),  # 25/9
    (SURVEY, "D[ln(4/3) + 1, 0](X out_1)", "holds"),  # 3.62
    (TWICE, "P>=1 (F stop)", "holds"),
    (TWICE, "P>=1/2 (G F out)", "fails"),
    (TWICE, "D[ln 3, 0](X (out & X (low | stop)))", "holds"),
    (TWICE, "P>=1/2 (G (low -> X low))", "fails"),
    (TWICE, "D[1/2, exp(-2)](F (out & X F (low & F stop))) | P<1/3 (out U<=5 (stop & X stop))", "holds"),
    (TWICE, "P>=1/4 ((F<=3 low) & !(X X out))", "holds"),
    (ROUNDS, "D[ln 2, 0](F<=7 top)", "holds"),
    (ROUNDS, "D[ln(3/2), 0](X^2 top) & P>=1 (F top)", "holds"),
    (ROUNDS, "forall k in 1..4: D[1/10, 1/50](X^k top)", "fails"),
    (ROUNDS, "D[1/10, 1/5]((bot | X bot) U (top & D[1, 0](X halt)))", "holds"),
]


@pytest.mark.parametrize(("model", "formula", "expected"), CASES)
def test_certificates_are_accepted_and_say_what_check_says(model: str, formula: str, expected: str) -> None:
    chain = model_of(model)
    asked = parse_property(Source("f", formula), chain)
    certificate = checked(written(chain, formula))
    assert certificate.status == expected and not isinstance(asked.formula, tree.Query)
    found = satisfying(chain, asked.formula, Clock())
    assert certificate.holds == [s in found for s in certificate.chain.asked]
    if "/2*ln" not in formula and "/3*ln" not in formula:
        verdict = pipeline.check(chain, asked, Clock())
        names = [chain.names[s] for s in certificate.chain.asked]
        answers = ["holds" if here else "fails" for here in certificate.holds]
        assert dict(zip(names, answers, strict=True)) == verdict.at
    assert not other_model(certificate, chain) and is_about(certificate, chain, asked)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_chains_have_certificates(path: Path) -> None:
    model = load_model(path)
    certified = isinstance(model.family, MarkovChain) and not model.parameters.ranges
    for line in model.properties if certified else ():
        asked = parse_property(line.source, model.model, model.numbers)
        if isinstance(asked.formula, tree.Query):
            continue
        try:
            certificate = checked(written(model.model, asked))
        except Unsupported as unsupported:
            assert "eps" in str(unsupported) or "irrational" in str(unsupported)
            continue
        assert certificate.status == line.expected
        assert not other_model(certificate, model.model) and is_about(certificate, model.model, asked)


# --- random chains and formulas, judged by the slow oracle ------------------------------------------------


@pytest.mark.parametrize("seed", some(range(8), 2))
def test_the_oracle_agrees(seed: int) -> None:
    rng, splits, mixed = Random(seed), 0, 0
    for _ in range(40):
        nested = rng.random() < 0.5
        chain = random_chain(rng, 4 if nested else 6)
        formula = random_probability(rng, random_path(rng, 3, 1)) if nested else random_state(rng, 2)
        certificate = checked(written(chain, Property(formula, "")))
        found = frozenset(
            s for s, here in zip(certificate.chain.asked, certificate.holds, strict=True) if here
        )
        assert found == holding(chain, formula) == satisfying(chain, formula, Clock()), (chain, formula)
        splits += any(len(item.values) > len(chain.rows) for item in certificate.listed.untils)
        mixed += 0 < len(found) < len(chain.rows)
    assert splits >= 2 and mixed >= 5


@pytest.mark.parametrize("seed", some(range(4), 2))
def test_a_formula_is_shown_as_it_is_read(seed: int) -> None:
    rng = Random(seed)
    for _ in range(40):
        chain, formula = random_chain(rng), random_state(rng, 2)
        shown = checked(written(chain, Property(formula, ""))).formula
        again = parse_property(Source("f", shown), chain).formula
        assert not isinstance(again, tree.Query)
        assert holding(chain, again) == holding(chain, formula), shown


def test_a_statement_has_all_of_a_long_formula() -> None:
    chain, parts = model_of(ROUNDS), [f"P>=1/{n} (F<=7 top)" for n in range(2, 500)]
    statement = checked(written(chain, " & ".join(parts))).statement()
    assert all(f"P in [1/{n}, 1]" in statement for n in range(2, 500))
    with pytest.raises(LimitReached, match="more than 20000 characters"):
        written(chain, " & ".join(f"P>=1/{n} (F<=7 top)" for n in range(2, 1500)))


# --- what has no certificate ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "formula", "reason"),
    [
        ("chain; s -> {s: exp(-eps), t: 1 - exp(-eps)}; t -> t", "P>=0 (F t)", "models with eps"),
        ("chain; s -> {s: 1/2, t: 1/2}; t -> t; neighbours s ~ t", "D[eps, 0](F t)", "models with eps"),
        ("chain; s -> {s: 1/2, t: 1/2}; t -> t", "P<=exp(-eps) (F t)", "models with eps"),
        ("chain; s -> {s: exp(-1), t: 1 - exp(-1)}; t -> t", "P>=0 (F t)", "irrational probabilities"),
    ],
)
def test_what_is_not_yet_supported_is_refused_by_name(model: str, formula: str, reason: str) -> None:
    found = read_model(Source("test.dpm", model)).model
    with pytest.raises(Unsupported, match=f"certificates of .*{reason}"):
        written(found, formula)


def test_the_certificate_of_a_verdict() -> None:
    chain = model_of(SURVEY)
    verdict = pipeline.check(chain, parse_property(Source("f", "P>=1/2 (X out_1)"), chain), Clock())
    assert checked(verdict_certificate(verdict, "survey")).holds == [True, False]
    wrong = dataclasses.replace(verdict, at={"plus": "holds", "minus": "holds"})
    with pytest.raises(InternalError, match="the kernel answers the formula otherwise"):
        verdict_certificate(wrong, "survey")
    fields = {field.name: getattr(verdict, field.name) for field in dataclasses.fields(verdict)}
    with pytest.raises(InputError, match="nothing was decided: the time"):
        verdict_certificate(Undecided(**fields | {"reason": "the time limit"}), "survey")


def test_a_query_has_no_certificate() -> None:
    with pytest.raises(InputError, match="a query has no certificate"):
        written(model_of(SURVEY), "P=? (X out_1)")


# --- comparing with a text, and the command line ------------------------------------------------------------


def test_another_model_is_told_by_its_part() -> None:
    chain = model_of(SURVEY)
    certificate = checked(written(chain, "D[ln 3, 0](X out_1)"))
    for text, part in (
        (SURVEY.replace("yes: 3/4, no: 1/4", "yes: 5/8, no: 3/8"), "rows"),
        (SURVEY.replace("out_1 = {yes}", "out_1 = {no}"), "labels"),
        (SURVEY.replace("plus ~ minus", "plus ~ yes"), "neighbours"),
        (SURVEY.replace("minus", "none"), "states"),
    ):
        assert other_model(certificate, model_of(text)) == [f"the {part} (the model has others)"]
    assert is_about(certificate, chain, parse_property(Source("f", "D[ln 3, 0](X out_1)"), chain))
    for other in (
        "D[ln 3, 0](X out_0)",
        "D[ln 4, 0](X out_1)",
        "D[ln 3, 0](X out_1) from plus",
        "P=? (X out_1)",
    ):
        assert not is_about(certificate, chain, parse_property(Source("f", other), chain))


def test_equal_nodes_are_listed_once() -> None:
    formula = parse_property(Source("f", "P>=1/2 (F a) & P>=1/2 (F a)")).formula
    assert not isinstance(formula, tree.Query)
    assert len(nodes_of(formula)) == 5


@pytest.fixture
def files(tmp_path: Path) -> Path:
    own = SURVEY + "property survey: D[ln 3, 0](X out_1)   # expect: holds\n"
    (tmp_path / "survey.dpm").write_text(own)
    (tmp_path / "bare.dpm").write_text(SURVEY)
    (tmp_path / "other.dpm").write_text(own.replace("3/4, no: 1/4", "5/8, no: 3/8"))
    for name, formula in (("holds", "D[ln 3, 0](X out_1)"), ("fails", "D[1, 0](X out_1)")):
        certificate = model_certificate(
            *(lambda m: (m, parse_property(Source("f", formula), m)))(model_of(SURVEY))
        )
        (tmp_path / f"{name}.json").write_text(dumps(certificate))
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "status", "first"),
    [
        ("holds.json", 0, "accepted: in model"),
        ("holds.json --model survey.dpm", 0, "accepted: in model"),
        ("holds.json --model bare.dpm", 1, "accepted, but for another statement: the formula, or"),
        ("holds.json --model other.dpm", 1, "accepted, but for another statement: the rows"),
        ("holds.json --model bare.dpm --formula 'D[ln 3, 0](X out_1)'", 0, "accepted: in model"),
        ("holds.json --formula 'D[ln 3, 0](X out_0)'", 1, "accepted, but for another statement: the formula"),
        (
            "holds.json --formula 'D[ln 3, 0](X out_1) from nowhere'",
            2,
            "<formula>:1:26: error: there is no state",
        ),
        ("holds.json --formula 'D[eps, 0](X out_1)'", 1, "accepted, but for another statement: the formula"),
        ("holds.json --expect fails", 1, "accepted, but for another statement: the formula holds"),
        ("holds.json --expect private", 1, "accepted, but for another statement: the formula holds"),
        ("fails.json", 1, "accepted, but for another statement: the formula fails"),
        ("fails.json --expect fails", 0, "accepted: in model"),
        (
            "fails.json --expect fails --model survey.dpm",
            1,
            "accepted, but for another statement: the formula, or",
        ),
        ("holds.json --no-deep", 3, "IF the listed chain is that of the model THEN in model"),
        ("holds.json --no-deep --model survey.dpm", 2, "error: -D, --claim, --model and"),
        ("holds.json --program svt1", 1, "refused: program: the certificate is about a Markov chain"),
        ("holds.json --claim eps", 2, "error: --claim is about programs"),
        ("holds.json -D z=2", 2, "error: -D sets numbers of a model"),
    ],
)
def test_verify(
    files: Path,
    arguments: str,
    status: int,
    first: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(files)
    assert exit_status(["verify", *shlex.split(arguments)]) == status
    shown = capsys.readouterr()
    assert (shown.out + shown.err).startswith(first)


def test_the_command_that_writes_is_the_one_that_verify_expects(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(files)
    write = ["model", "check", "--certificate", "new.json.gz", "--quiet"]
    assert exit_status([*write, "survey.dpm"]) == 0
    assert exit_status(["verify", "new.json.gz", "--model", "survey.dpm"]) == 0
    changed = ["--neighbours", "plus ~ yes"]
    assert exit_status([*write, "survey.dpm", *changed]) == 1
    verify = ["verify", "new.json.gz", "--model", "survey.dpm", "--expect", "fails"]
    assert exit_status([*verify, *changed]) == 0
    assert exit_status(verify) == 1 and "the neighbours" in capsys.readouterr().out
    assert exit_status([*write, "survey.dpm", "true", "false"]) == 2
    assert exit_status([*write, "survey.dpm", "D[eps, 0](X out_1)"]) == 1
    assert exit_status(["verify", "new.json.gz", "--expect", "fails"]) == 0


def test_a_certificate_of_a_program_has_no_model(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(files)
    assert exit_status(["check", "warner", "--certificate", "warner.json"]) == 0
    assert isinstance(check((files / "warner.json").read_bytes()), PrivacyCertificate)
    assert exit_status(["verify", "warner.json"]) == 0
    assert exit_status(["verify", "warner.json", "--expect", "holds"]) == 1
    assert exit_status(["verify", "warner.json", "--formula", "true"]) == 2
    assert "are about Markov chains" in capsys.readouterr().err
