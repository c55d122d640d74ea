"""Limits of time and memory: in every command, in the Python API, and inside one long step of arithmetic.

No test looks at the time: a step that would take hours ends, or the test does not.
"""

from __future__ import annotations

import faulthandler
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import inf
from pathlib import Path
from pkgutil import resolve_name
from time import monotonic
from typing import Any

import click
import pytest
from flint import Ordering, fmpq, fmpq_mpoly_ctx, fmpz, fmpz_poly
from patience import PATIENCE

import dipc
import dipc.child
import dipc.claims.deciding
import dipc.claims.privacy
from dipc.child import held
from dipc.cli.main import cli, status
from dipc.clock import Clock, Limits, as_one, in_force
from dipc.errors import InputError, LimitReached, Source, Span
from dipc.python import Lap, eps
from dipc.signs.limits import Unsettled

Capture = pytest.CaptureFixture[str]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="limits inside one step need `fork`")

PATIENTLY = Limits(PATIENCE)


def one_long_step(*_: object, **__: object) -> Any:
    """One call of flint, for hours; the factors of such a number are not known."""
    return (fmpz(2) ** 1277 - 1).factor()


def one_large_step(*_: object, **__: object) -> Any:
    """One call of flint that needs 12 gigabytes and many seconds."""
    return fmpz(3) ** (6 * 10**10)


Step = Callable[..., Any]


@pytest.fixture
def long_step(monkeypatch: pytest.MonkeyPatch) -> Step:
    """One call of flint, for hours; when it begins, the time is over for the parent that waits for it."""
    passed = 0.0
    report = Clock.report

    def later(clock: Clock, stage: str, done: int, total: int | None) -> None:
        nonlocal passed
        passed += 3 * PATIENCE * (stage == "the long step")
        report(clock, clock.doing if stage == "the long step" else stage, done, total)

    def step(*_: object, **__: object) -> None:
        in_force().progress("the long step", 0, None)
        one_long_step()

    monkeypatch.setattr(dipc.child, "monotonic", lambda: monotonic() + passed)
    monkeypatch.setattr(Clock, "report", later)
    return step


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    """Other tests may have left helpers of joblib or multiprocessing, which live as long as this process."""
    before = children()
    yield
    assert children() <= before


def children() -> set[str]:
    """The processes that this one has begun and not waited for, also those that have ended."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            after_name = (process / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
            if int(after_name.split()[1]) == os.getpid():
                found.add(process.name)
    return found


# --- one step --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "work", [one_large_step, lambda: [list(range(10**5)) for _ in range(10**6)]], ids=["flint", "Python"]
)
def test_memory_inside_one_step(work: Step) -> None:
    with pytest.raises(LimitReached, match="the memory limit was reached"):
        held(Clock(Limits(megabytes=400)), work)


def test_what_was_found_is_known() -> None:
    """The best answer so far comes back, though the child is ended within a long step."""
    clock = Clock(Limits(0.05))

    def work() -> None:
        clock.found("good")
        clock.found(LimitReached("the answer is at least 3"))
        one_long_step()

    with pytest.raises(LimitReached, match=r"^the time limit was reached: the answer is at least 3$"):
        held(clock, work)
    assert isinstance(clock.known, LimitReached)


def test_an_abort_is_no_verdict() -> None:
    def work() -> None:
        faulthandler.disable()
        os.abort()

    with pytest.raises(LimitReached, match=r"the computation broke off \(SIGABRT\)"):
        held(Clock(PATIENTLY), work)


def test_where_it_was(long_step: Step) -> None:
    clock = Clock(PATIENTLY)

    def work() -> None:
        clock.tick("the hard part", 3, 7)
        long_step()

    with pytest.raises(LimitReached, match="the time limit was reached"):
        held(clock, work)
    assert clock.doing == "the hard part: 3 of 7"


def test_without_limits_the_work_is_done_in_place() -> None:
    assert held(Clock(), os.getpid) == os.getpid() != held(Clock(PATIENTLY), os.getpid)
    nested = held(Clock(PATIENTLY), lambda: held(Clock(PATIENTLY), os.getppid))
    assert nested == os.getpid()  # one child, not two


def test_in_another_thread() -> None:
    """It has no limits of its own, and can set them."""
    found: list[object] = []

    def ask() -> None:
        found.append(Clock().limited)
        with pytest.raises(LimitReached) as error:
            held(Clock(Limits(0.05)), one_long_step)
        found.append(str(error.value))

    with dipc.limits(seconds=1):
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    assert found == [False, "the time limit was reached"]


# --- what is in force ------------------------------------------------------------------------


def test_limits_are_those_of_the_block() -> None:
    with dipc.limits(seconds=PATIENCE, megabytes=500):
        assert Clock().limited and Clock().memory == 500
        with dipc.limits(seconds=inf):
            assert Clock().deadline is None and Clock().memory == 500
        assert Clock().deadline is not None
    assert not Clock().limited


def test_each_question_has_its_own_time() -> None:
    with dipc.limits(seconds=PATIENCE):
        first, second = Clock().deadline, Clock().deadline
        assert first is not None and second is not None and first < second
        with as_one() as clock, dipc.limits(seconds=2 * PATIENCE):
            assert Clock().deadline == clock.deadline  # the parts of one have its time, together


def test_questions_of_a_question_have_its_time() -> None:
    with dipc.limits(seconds=PATIENCE):
        clock = Clock()
        assert held(clock, lambda: Clock().deadline) == clock.deadline


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"seconds": "x"}, "seconds must be a number or None, not `x`"),
        ({"seconds": -1}, "seconds must not be negative or nan"),
        ({"seconds": float("nan")}, "seconds must not be negative or nan"),
        ({"seconds": -(10**400)}, "seconds must not be negative or nan"),
        ({"megabytes": [1]}, "megabytes must be a number"),
        ({"progress": 4}, "progress must be a function, not the int 4"),
    ],
    ids=str,
)
def test_what_is_no_limit(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message), dipc.limits(**wrong):
        pass


# --- what comes back -------------------------------------------------------------------------


def test_errors_come_back_whole() -> None:
    span = Span(Source("a.dip", "x <- 1"), 0, 1)

    def fail() -> None:
        raise InputError("no", span, "do")

    with pytest.raises(InputError) as error:
        held(Clock(PATIENTLY), fail)
    assert (error.value.message, error.value.span, error.value.hint) == ("no", span, "do")


def test_shared_objects_are_the_same() -> None:
    thing = Source("a.dip", "x <- 1")
    copy, same = held(Clock(PATIENTLY), lambda: (Source("a.dip", "x <- 1"), thing), (thing,))
    assert copy == thing and copy is not thing and same is thing


def test_numbers_come_back() -> None:
    x, y = fmpq_mpoly_ctx.get(("x", "y"), Ordering.lex).gens()
    numbers = (fmpz_poly([1, 2]), x * y + fmpq(1, 2), fmpq(3, 7))
    assert held(Clock(PATIENTLY), lambda: numbers) == numbers
    assert held(Clock(PATIENTLY), lambda: x) + y == x + y  # of the same ring


def test_ctrl_c_ends_the_child() -> None:
    def press(*_: object) -> None:
        raise KeyboardInterrupt

    clock = Clock(Limits(PATIENCE, progress=press))

    def work() -> None:
        clock.tick("begun")
        one_long_step()

    with pytest.raises(KeyboardInterrupt):
        held(clock, work)


# --- the Python API --------------------------------------------------------------------------

COIN = """
    param p in (0, 1);  input q in {0, 1};  output out in {0, 1};  private ln(2)
    prior
      q <- choose {1: p, 0: 1 - p}
    end
    secret q = 0 vs q = 1
    out <- choose {q: 2/3, 1 - q: 1/3}
"""

PRIVACY = "D[ln 3, 0](X out_1)"

QUESTIONS: dict[str, Callable[[], Any]] = {
    "check": lambda: dipc.load("svt1").check(),
    "violated": lambda: dipc.load("svt4", N=2).check(),
    "budget": lambda: dipc.load("svt1").budget(),
    "explain": lambda: str(dipc.load("svt1").explain()),
    "prove": lambda: dipc.load("svt1").prove().verdict,
    "pufferfish of a program": lambda: dipc.load(COIN).pufferfish().check(),
    "hidden": lambda: dipc.load("ex3").question().check(),
    "model": lambda: dipc.load_model("survey").check(PRIVACY),
    "decide": lambda: dipc.decide("forall eps > 0: exp(eps) >= 1 + eps"),
    "load_model of a program": lambda: dipc.load_model("svt1", {"N": "2"}).export("drn"),
    "decorator": lambda: first_above().budget(),
    "certificate": lambda: dipc.load("svt1").certificate(),
    "chain": lambda: chain_of(dipc.load("svt1").chain(q=[0, 1, 1])),
    "plot": lambda: titles(dipc.load("svt1", N=1).plot("loss")),
    "assert_private": lambda: dipc.assert_private("svt1", parameters={"N": 2}),
}


def first_above() -> dipc.PythonMechanism:
    @dipc.mechanism(inputs="q[N] in {0, 1}", outputs="out in 0..N", adjacent="linf 1", private="eps")
    def above(q, N=2):  # type: ignore[no-untyped-def]
        bar = Lap(eps / 2, 0)
        for i in range(N):
            if Lap(eps / 4, q[i]) >= bar:
                return i
        return N

    return above


def chain_of(chain: dipc.Chain) -> Any:
    """A chain as a graph."""
    graph = chain.graph()
    ways = [(str(node), [str(source) for source, _ in node.ways]) for node in chain]
    return list(graph.nodes(data=True)), list(graph.edges(data=True)), ways


def titles(figure: Any) -> Any:
    return [(axes.get_title(), axes.get_xlabel(), len(axes.lines)) for axes in figure.axes]


@pytest.mark.parametrize("name", QUESTIONS)
def test_limits_change_no_answer(name: str) -> None:
    with dipc.limits(seconds=600, megabytes=10**5):
        limited = QUESTIONS[name]()
    assert repr(limited) == repr(QUESTIONS[name]())  # which has no times


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("given", [{"seconds": 0}, {"megabytes": 1}], ids=["time", "memory"])
def test_limits_of_nothing(name: str, given: dict[str, float]) -> None:
    """Work that ticks is undecided; what never does may be done in the second that is left, or not."""
    try:
        with dipc.limits(**given):
            found = QUESTIONS[name]()
    except LimitReached as limit:
        assert "limit was reached" in str(limit)
    except AssertionError as undecided:  # of `assert_private`
        assert "limit was reached" in str(undecided)
    else:
        if getattr(found, "status", "") == "undecided":
            assert "limit was reached" in found.reason


@pytest.mark.parametrize(
    ("name", "place"),
    [("check", "dipc.claims.deciding.go_through"), ("model", "dipc.dpctl.pipeline.check_probabilities")],
)
def test_what_takes_long_is_undecided(
    name: str, place: str, long_step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_at(place, long_step, monkeypatch)
    with dipc.limits(seconds=PATIENCE):
        found = QUESTIONS[name]()
    assert found.status == "undecided" and found.reason.startswith("the time limit was reached (")


@pytest.mark.parametrize("step", ["simplest", "witness"])
@pytest.mark.parametrize("claim", ["eps", "eps, 1/100"])
def test_a_counterexample_that_was_found_stays(
    claim: str, step: str, long_step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has an eps and exact numbers; what is lost is how simple they are, and the regions."""

    monkeypatch.setattr(dipc.claims.privacy.PrivacyInequalities, step, long_step)
    with dipc.limits(seconds=PATIENCE):
        found = dipc.load("svt4", N=2).check(claim)
    assert isinstance(found, dipc.Violated)
    shown = found.counterexample
    assert shown.excess.sign_at(shown.epsilon) > 0 and not shown.regions
    assert found.notes == ("the counterexample is shown as it was found: the time limit was reached",)


def test_a_proof_that_was_found_stays(long_step: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is lost is the least t."""
    replace_at("dipc.dipwhile.allsizes.pipeline.attained", long_step, monkeypatch)
    with dipc.limits(seconds=PATIENCE):
        found = dipc.load("svt1").prove()
    assert (found.status, found.least_t) == ("private", None)
    assert found.least is not None and found.least.high == 1


LONG_STEPS = {
    "load_model of a program": "dipc.dipwhile.star.star_of",
    "decorator": "dipc.dipwhile.decorator.compile_program",
    "certificate": "dipc.dipwhile.certify.privacy.certificate",
    "chain": "dipc.dipwhile.mechanisms.Chain",
    "hidden": "dipc.pufferfish.hmm.read_question",
    "plot": "dipc.claims.tightness.curves.loss_curve",
}
"""Where some of them may take long in one step."""


def replace_at(place: str, step: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a step in the place of a function of dipc, which is found whatever was imported before."""
    owner, _, attribute = place.rpartition(".")
    monkeypatch.setattr(resolve_name(owner), attribute, step)


@pytest.mark.parametrize("name", LONG_STEPS)
def test_one_long_step_of_the_api(name: str, long_step: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_at(LONG_STEPS[name], long_step, monkeypatch)
    with dipc.limits(seconds=PATIENCE), pytest.raises(LimitReached, match="the time limit was reached"):
        QUESTIONS[name]()


def test_a_certificate_of_no_verdict(long_step: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is the answer, and not that nothing was decided."""
    verdict = dipc.load("svt1").check()
    monkeypatch.setattr(dipc.claims.deciding, "go_through", long_step)
    for given in (None, verdict):  # which is about another object: decided again
        with dipc.limits(seconds=PATIENCE), pytest.raises(LimitReached, match="the time limit was reached"):
            dipc.load("svt1").certificate(given)


@pytest.mark.parametrize(
    ("part", "place"),
    [
        ("the privacy loss", "dipc.claims.tightness.curves.loss_curve"),
        ("the drawing of the chain", "dipc.dipwhile.panels.page.svg"),
        ("the certificate", "dipc.dipwhile.panels.page.certificate"),
    ],
)
def test_a_page_leaves_out_what_takes_long(
    part: str, place: str, long_step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_at(place, long_step, monkeypatch)
    with dipc.limits(seconds=PATIENCE):
        page = dipc.report_html(dipc.load("rand1", N=1))
    assert f"<li>{part}: the time limit was reached</li>" in page


def test_what_was_not_read_is_undecided(
    long_step: Step, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "coin.dip"
    file.write_text("input q in {0, 1}; output o in {0}; adjacent all; private eps; o <- 0", encoding="utf-8")
    monkeypatch.setattr("dipc.dipwhile.mechanisms.read", long_step)
    monkeypatch.setattr("dipc.pufferfish.hmm.read_question", long_step)
    with dipc.limits(seconds=PATIENCE):
        for ask in (dipc.assert_private, dipc.assert_pufferfish_private):
            with pytest.raises(AssertionError, match=r"undecided.*\nthe time limit was reached \(while"):
                ask(file)
        with pytest.raises(AssertionError, match="neither proved nor refuted"):
            dipc.assert_pufferfish_private("ex2")


def test_a_chain_is_longer_than_pickles_are_deep() -> None:
    steps = "x <- choose {x: 1/2, 1 - x: 1/2}\n" * 2_500
    text = f"input q in {{0, 1}}; output out in {{0, 1}}\nx <- q\n{steps}out <- x"
    with dipc.limits(seconds=PATIENCE):
        chain = dipc.load(text).chain(q=0)
    first, *_, last = chain
    assert (last.outcome is not None, first.mass, len(chain)) == (True, 1, 2 * 2_500 + 4)


def test_what_was_explored_stays_known() -> None:
    program = dipc.load("svt1")
    with dipc.limits(seconds=PATIENCE):
        verdict = program.check()
    assert program.explored._walked is not None
    assert isinstance(verdict, dipc.Private)
    assert verdict.evidence is not None and verdict.evidence.system is program.program
    assert program.certificate(verdict) == program.certificate(dipc.load("svt1").check())


# --- the command line ------------------------------------------------------------------------


def commands(group: click.Group, *names: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, *names, name)
        else:
            yield (*names, name), command


def test_every_command_that_computes_has_both_limits() -> None:
    without = {
        " ".join(name)
        for name, command in commands(cli)
        if not {"time_limit", "memory_limit"} <= {option.name for option in command.params}
    }
    assert without == {"programs", "new", "completion"} | {"papers"}  # each question of which is short


LINES = (
    "check svt1",
    "prove svt1",
    "export svt1 --to smtlib",
    "decide forall~eps>0:~exp(eps)>=1+eps",
    "model check survey D[ln~3,0](X~out_1)",
    "pufferfish budget ex3",
)


@pytest.mark.parametrize("line", LINES)
def test_every_command_ends_with_its_child(
    line: str, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    arguments = [*(word.replace("~", " ") for word in line.split()), "--memory-limit", "100000"]
    assert status([*arguments, "--time-limit", "600"]) in (0, 1)
    monkeypatch.setattr(dipc.child, "_answer", lambda *_: ("died", None))  # no child answers
    capfd.readouterr()
    assert status(arguments) == 3
    said = capfd.readouterr()
    assert "the memory limit was reached" in said.out + said.err


@pytest.mark.parametrize("command", ["check", "format"])
def test_reading_has_limits(command: str, monkeypatch: pytest.MonkeyPatch, capfd: Capture) -> None:
    monkeypatch.setattr("dipc.dipwhile.syntax.parser._parse", one_long_step)
    assert status([command, "svt1", "--time-limit", "0.1"]) == 3
    assert "limit was reached (reading svt1)" in capfd.readouterr().err


def test_verify_within_limits(tmp_path: Path, capfd: Capture) -> None:
    file = str(tmp_path / "c.json")
    assert status(["check", "svt1", "--certificate", file, "--time-limit", "600"]) == 0
    verify = ["verify", file, "--program", "svt1"]
    assert status(verify) == 0
    plain = capfd.readouterr().out.rpartition("accepted")[2]
    assert status([*verify, "--time-limit", "600", "--memory-limit", "100000"]) == 0
    assert capfd.readouterr().out.rpartition("accepted")[2] == plain
    assert status([*verify, "--memory-limit", "1"]) == 3


@pytest.mark.parametrize(
    ("step", "says"),
    [
        ("dipc.kernel.privacy.check_program", "error: the time limit was reached ("),
        ("dipc.dipwhile.commands.judge.rederive", "\nnot derived: the time limit was reached\n"),
    ],
)
def test_a_limit_refuses_no_certificate(
    step: str, says: str, long_step: Step, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    file = str(tmp_path / "c.json")
    assert status(["check", "rand1", "--quiet", "--certificate", file]) == 0
    monkeypatch.setattr(step, long_step)
    assert status(["verify", file, "--program", "rand1", "--time-limit", str(PATIENCE)]) == 3
    said = capfd.readouterr()
    assert says in said.out + said.err and "refused" not in said.out


def test_one_long_step_of_a_command(long_step: Step, monkeypatch: pytest.MonkeyPatch, capfd: Capture) -> None:
    monkeypatch.setattr(dipc.claims.deciding, "go_through", long_step)
    assert status(["check", "svt1", "svt4", "--quiet", "--time-limit", str(PATIENCE)]) == 3
    assert capfd.readouterr().out == "svt1: undecided\nsvt4: undecided\n"


@pytest.mark.parametrize("limit", ["inf", "1e400", "1e30"])
def test_limits_too_great_to_be_reached(limit: str, capfd: Capture) -> None:
    for option in ("--time-limit", "--memory-limit"):
        assert status(["check", "svt1", "--quiet", option, limit]) == 0
    with dipc.limits(seconds=float(limit), megabytes=float(limit)):
        assert dipc.load("svt1").check("eps/2").counterexample is not None
    with dipc.limits(seconds=10**400):
        assert dipc.load("svt1").check().status == "private"


@pytest.mark.parametrize("option", ["--time-limit", "--memory-limit"])
def test_nan_is_no_limit(option: str, capfd: Capture) -> None:
    assert status(["check", "svt1", option, "nan"]) == 2
    assert f"`{option}`: nan is not a number" in capfd.readouterr().err


def test_doubts_come_out_of_the_child_as_they_are() -> None:
    def doubt() -> None:
        raise Unsettled(fmpq(1, 3), fmpq(2, 3))

    with pytest.raises(Unsettled, match=r"in \[1/3, 2/3\]") as raised:
        held(Clock(PATIENTLY), doubt)
    assert (raised.value.low, raised.value.high) == (fmpq(1, 3), fmpq(2, 3))
