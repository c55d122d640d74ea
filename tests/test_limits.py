"""Limits of time and memory: in every command, in the Python API, and inside one long step of arithmetic.

No test looks at the time: a step that would take hours ends, or the test does not.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from time import process_time
from typing import Any

import click
import pytest
from flint import Ordering, fmpq, fmpq_mpoly_ctx, fmpz, fmpz_poly
from patience import PATIENCE

import dipc
import dipc.claims.deciding
import dipc.claims.privacy
import dipc.dipwhile.sentences
import dipc.dpctl.pipeline
import dipc.limits
from dipc.cli.main import cli, status
from dipc.cli.work import busy_alarm
from dipc.clock import Clock
from dipc.errors import InputError, LimitReached, Source, Span
from dipc.limits import held, timer
from dipc.signs.limits import Unsettled

Capture = pytest.CaptureFixture[str]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="limits inside one step need `fork`")


def one_long_step(*_: object, **__: object) -> Any:
    """One call of flint, for hours; the factors of such a number are not known."""
    return (fmpz(2) ** 1277 - 1).factor()


def one_large_step(*_: object, **__: object) -> Any:
    """One call of flint that needs 12 gigabytes and many seconds."""
    return fmpz(3) ** (6 * 10**10)


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


def test_time_inside_one_step() -> None:
    with pytest.raises(LimitReached, match="the time limit was reached"):
        held(Clock(0.05), one_long_step)


def test_memory_inside_one_step() -> None:
    with pytest.raises(LimitReached, match="the memory limit was reached"):
        held(Clock(None, 400), one_large_step)


def test_memory_in_python() -> None:
    with pytest.raises(LimitReached, match="the memory limit was reached"):
        held(Clock(None, 400), lambda: [list(range(10**5)) for _ in range(10**6)])


def test_python_code_that_never_ticks_says_what_it_knows() -> None:
    def work() -> str:
        try:
            while True:
                pass
        except LimitReached as limit:
            return f"{limit}, but some is known"

    assert held(Clock(0.05), work) == "the time limit was reached, but some is known"


@pytest.mark.parametrize("limit", [lambda: timer(Clock(0.05)), lambda: busy_alarm(0.3)], ids=["time", "busy"])
def test_a_limit_in_a_callback_holds(
    limit: Callable[[], AbstractContextManager[None]], capfd: Capture
) -> None:
    """Python swallows what a callback of a weak reference raises; the limit strikes again after it."""

    class Thing:
        pass

    ended = []

    def turn(seconds: float) -> None:
        end = process_time() + seconds
        while process_time() < end:
            pass

    def callback(_: object) -> None:
        turn(2)
        ended.append("callback")

    def work() -> None:
        thing = Thing()
        reference = weakref.ref(thing, callback)
        del thing
        turn(10)
        ended.append(str(reference))

    with pytest.raises(LimitReached, match="the time limit was reached"), limit():
        work()
    assert not ended
    assert "ignored" not in capfd.readouterr().err


def test_an_abort_is_no_verdict() -> None:
    def work() -> None:
        faulthandler.disable()
        os.abort()

    with pytest.raises(LimitReached, match=r"the computation broke off \(SIGABRT\)"):
        held(Clock(60), work)


def test_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    def go_through(*_: object) -> None:
        clock.tick("the hard part", 3, 7)
        one_long_step()

    clock = Clock(0.3)
    with pytest.raises(LimitReached):
        held(clock, go_through)
    assert clock.doing == "the hard part: 3 of 7"


def test_without_limits_the_work_is_done_in_place() -> None:
    assert held(Clock(), os.getpid) == os.getpid() != held(Clock(60), os.getpid)
    assert held(Clock(60), lambda: held(Clock(60), os.getppid)) == os.getpid()  # one child, not two


def test_in_another_thread() -> None:
    found: list[BaseException] = []

    def ask() -> None:
        with pytest.raises(LimitReached) as error:
            held(Clock(0.05), one_long_step)
        found.append(error.value)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert str(found[0]) == "the time limit was reached"


# --- what comes back -------------------------------------------------------------------------


def test_errors_come_back_whole() -> None:
    span = Span(Source("a.dip", "x <- 1"), 0, 1)

    def fail() -> None:
        raise InputError("no", span, "do")

    with pytest.raises(InputError) as error:
        held(Clock(60), fail)
    assert (error.value.message, error.value.span, error.value.hint) == ("no", span, "do")


def test_shared_objects_are_the_same() -> None:
    thing = Source("a.dip", "x <- 1")
    copy, same = held(Clock(60), lambda: (Source("a.dip", "x <- 1"), thing), (thing,))
    assert copy == thing and copy is not thing and same is thing


def test_numbers_come_back() -> None:
    x, y = fmpq_mpoly_ctx.get(("x", "y"), Ordering.lex).gens()
    numbers = (fmpz_poly([1, 2]), x * y + fmpq(1, 2), fmpq(3, 7))
    assert held(Clock(60), lambda: numbers) == numbers
    assert held(Clock(60), lambda: x) + y == x + y  # of the same ring


def test_ctrl_c_ends_the_child() -> None:
    def press(*_: object) -> None:
        raise KeyboardInterrupt

    clock = Clock(60, progress=press)

    def work() -> None:
        clock.tick("begun")
        one_long_step()

    with pytest.raises(KeyboardInterrupt):
        held(clock, work)


def test_an_interrupted_child_says_what_it_knows() -> None:
    class Enough(LimitReached):
        pass

    def enough(*_: object) -> None:
        raise Enough("enough")

    clock = Clock(60, progress=enough)

    def work() -> str:
        before = signal.signal(signal.SIGINT, enough)
        try:
            clock.tick("begun")
            while True:
                pass
        except Enough as limit:
            return f"{limit}, at {clock.doing}"
        finally:
            signal.signal(signal.SIGINT, before)

    assert held(clock, work) == "enough, at begun: 0"


# --- the Python API --------------------------------------------------------------------------

COIN = """
    param p in (0, 1);  input q in {0, 1};  output out in {0, 1};  private ln(2)
    prior
      q <- choose {1: p, 0: 1 - p}
    end
    secret q = 0 vs q = 1
    out <- choose {q: 2/3, 1 - q: 1/3}
"""

QUESTIONS: dict[str, Callable[..., Any]] = {
    "check": lambda **limits: dipc.load("svt1").check(**limits),
    "violated": lambda **limits: dipc.load("svt4", N=2).check(**limits),
    "pair": lambda **limits: dipc.load("svt1", N=1).check(pair=["q=[0]", "q=[1]"], **limits),
    "budget": lambda **limits: dipc.load("svt1").budget(**limits),
    "loss_curve": lambda **limits: dipc.load("svt1").loss_curve(**limits),
    "profile": lambda **limits: dipc.load("sparse").profile("eps/2", **limits),
    "regions": lambda **limits: dipc.load("hist2", N=1).violating_budgets(**limits),
    "explain": lambda **limits: str(dipc.load("svt1").explain(**limits)),
    "distribution": lambda **limits: dipc.load("svt1").distribution(q=[0, 1, 1], **limits),
    "export": lambda **limits: dipc.load("svt1", N=1).export("smtlib", **limits),
    "pufferfish of a program": lambda **limits: dipc.load(COIN).pufferfish().check(**limits),
    "its budget": lambda **limits: dipc.load(COIN).pufferfish().budget(**limits),
    "its export": lambda **limits: dipc.load(COIN).pufferfish().export("redlog", **limits),
    "hidden": lambda **limits: dipc.HiddenMarkovModel.load("ex3").question().check(**limits),
    "hidden budget": lambda **limits: dipc.HiddenMarkovModel.load("ex3").question().budget(**limits),
    "model": lambda **limits: dipc.load_model("survey").check("D[ln 3, 0](X out_1)", **limits),
    "value": lambda **limits: dipc.load_model("survey").value("D[?, 0](X out_1)", **limits),
    "prove": lambda **limits: dipc.load("svt1").prove(**limits).verdict,
    "decide": lambda **limits: dipc.decide("forall eps > 0: exp(eps) >= 1 + eps", **limits),
}


def unimportant(answer: Any) -> Any:
    """An answer without its times, as text."""
    return repr(answer)


@pytest.mark.parametrize("name", QUESTIONS)
def test_limits_change_no_answer(name: str) -> None:
    assert unimportant(QUESTIONS[name](time_limit=600, memory_limit=10**5)) == unimportant(QUESTIONS[name]())


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("limits", [{"time_limit": 0}, {"memory_limit": 1}], ids=["time", "memory"])
def test_limits_of_nothing(name: str, limits: dict[str, float]) -> None:
    """Work that ticks is undecided; what never does is done before its timer rings, or not."""
    try:
        found = QUESTIONS[name](**limits)
    except LimitReached as limit:
        assert "limit was reached" in str(limit)
    else:
        if getattr(found, "status", "") == "undecided":
            assert "limit was reached" in found.reason


def test_a_check_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dipc.claims.deciding, "go_through", one_long_step)
    found = dipc.load("svt1").check(time_limit=0.5)
    assert isinstance(found, dipc.Undecided)
    assert found.reason.startswith("the time limit was reached (")


@pytest.mark.parametrize("step", ["_simplest", "_violated_for"])
@pytest.mark.parametrize("claim", ["eps", "eps, 1/100"])
def test_a_counterexample_that_was_found_stays(
    claim: str, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has an eps and exact numbers; what is lost is how simple they are, and the regions."""

    def never_ends(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(dipc.claims.privacy.PrivacyInequalities, step, never_ends)
    found = dipc.load("svt4", N=2).check(claim, time_limit=0.5)
    assert isinstance(found, dipc.Violated)
    shown = found.counterexample
    assert shown.excess.sign_at(shown.epsilon) > 0 and not shown.regions
    assert found.notes == ("the counterexample is shown as it was found: the time limit was reached",)


def test_a_decorated_function_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dipc.claims.deciding, "go_through", one_large_step)

    @dipc.mechanism(inputs="q in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps")
    def coin(q):  # type: ignore[no-untyped-def]
        return q

    found = coin.check(memory_limit=400)
    assert isinstance(found, dipc.Undecided)
    assert found.reason.startswith("the memory limit was reached (")


def test_a_formula_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dipc.dpctl.pipeline, "check_probabilities", one_long_step)
    found = dipc.load_model("survey").check("D[ln 3, 0](X out_1)", time_limit=0.2)
    assert found.status == "undecided" and found.reason.startswith("the time limit was reached")


def test_what_was_explored_stays_known() -> None:
    program = dipc.load("svt1")
    verdict = program.check(time_limit=600)
    assert program.explored._walked is not None
    assert isinstance(verdict, dipc.Private)
    assert verdict.evidence is not None and verdict.evidence.system is program.program
    assert program.certificate(verdict) == program.certificate(dipc.load("svt1").check())


# --- the command line ------------------------------------------------------------------------

COMPUTES_NOTHING = {"programs", "new", "completion"}


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
    assert without == COMPUTES_NOTHING


LINES = {
    "check": "check svt1",
    "prove": "prove svt1",
    "budget": "budget svt1",
    "budget --all-sizes": "budget svt1 --all-sizes",
    "profile": "profile sparse --epsilon eps/2",
    "regions": "regions hist2",
    "explain": "explain svt1",
    "distribution": "distribution svt1 --input q=[0,1,1]",
    "export": "export svt1 --to smtlib",
    "decide": "decide forall~eps>0:~exp(eps)>=1+eps",
    "model check": "model check survey D[ln~3,0](X~out_1)",
    "model value": "model value survey D[?,0](X~out_1)",
    "model regions": "model regions survey D[eps,0](X~out_1)",
    "model show": "model show survey --to svg",
    "model export": "model export survey --to drn",
    "pufferfish check": "pufferfish check ex3",
    "pufferfish budget": "pufferfish budget ex3",
    "pufferfish distribution": "pufferfish distribution ex5",
    "pufferfish export": "pufferfish export ex3 --to smtlib",
}


def gone(child: object, until: float | None = None) -> None:
    raise dipc.limits.Ended("the memory limit was reached")


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_every_command_ends_with_its_child(
    line: str, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    arguments = [*(word.replace("~", " ") for word in line.split()), "--memory-limit", "100000"]
    assert status([*arguments, "--time-limit", "600"]) in (0, 1)
    monkeypatch.setattr(dipc.limits._Child, "_message", gone)
    capfd.readouterr()
    assert status(arguments) == 3
    said = capfd.readouterr()
    assert "the memory limit was reached" in said.out + said.err


@pytest.fixture
def long_program(tmp_path: Path) -> str:
    file = tmp_path / "long.dip"
    file.write_text("output out in {0}\n" + "out <- 0\n" * 50_000, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("command", ["check", "format", "budget", "prove"])
def test_reading_has_a_time_limit(command: str, long_program: str, capfd: Capture) -> None:
    assert status([command, long_program, "--time-limit", "0.1"]) == 3
    assert f"limit was reached (reading {long_program})" in capfd.readouterr().err


@pytest.mark.parametrize("command", ["check", "format", "budget", "prove"])
def test_reading_has_a_memory_limit(command: str, long_program: str) -> None:
    """In a process of its own: this one has free memory from other tests, and would need no more."""
    arguments = [sys.executable, "-m", "dipc", command, long_program, "--memory-limit", "0.1"]
    found = subprocess.run(arguments, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (found.returncode, f"limit was reached (reading {long_program})" in found.stderr) == (3, True)


def test_verify_within_limits(tmp_path: Path, capfd: Capture) -> None:
    file = str(tmp_path / "c.json")
    assert status(["check", "svt1", "--certificate", file, "--time-limit", "600"]) == 0
    verify = ["verify", file, "--program", "svt1"]
    assert status(verify) == 0
    plain = capfd.readouterr().out.rpartition("accepted")[2]
    assert status([*verify, "--time-limit", "600", "--memory-limit", "100000"]) == 0
    assert capfd.readouterr().out.rpartition("accepted")[2] == plain
    assert status([*verify, "--memory-limit", "1"]) == 3


def spin(*_: object) -> None:
    while True:
        pass


@pytest.mark.parametrize(
    ("step", "says"),
    [
        ("dipc.kernel.privacy.check_fields", "error: the time limit was reached (verifying "),
        ("dipc.cli.verify.rederive", "\nnot derived: the time limit was reached\n"),
    ],
)
def test_a_limit_refuses_no_certificate(
    step: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    file = str(tmp_path / "c.json")
    assert status(["check", "rand1", "--quiet", "--certificate", file]) == 0
    monkeypatch.setattr(step, spin)
    assert status(["verify", file, "--program", "rand1", "--time-limit", "0.2"]) == 3
    said = capfd.readouterr()
    assert says in said.out + said.err and "refused" not in said.out


def test_one_long_step_of_a_command(monkeypatch: pytest.MonkeyPatch, capfd: Capture) -> None:
    monkeypatch.setattr(dipc.claims.deciding, "go_through", one_long_step)
    assert status(["check", "svt1", "svt4", "--quiet", "--time-limit", "0.5"]) == 3
    assert capfd.readouterr().out == "svt1: undecided\nsvt4: undecided\n"


@pytest.mark.parametrize("limit", ["inf", "1e400", "1e30", "1e308"])
def test_limits_too_great_to_be_reached(limit: str, capfd: Capture) -> None:
    for option in ("--time-limit", "--memory-limit"):
        assert status(["check", "svt1", "--quiet", option, limit]) == 0
        assert status(["distribution", "svt1", "--input", "q=[0,1,1]", option, limit]) == 0
    assert held(Clock(float(limit), float(limit)), lambda: 42) == 42


@pytest.mark.parametrize(
    "limit", [float("inf"), 1e308, 10**400, 10**30], ids=["inf", "1e308", "10^400", "10^30"]
)
def test_limits_in_python_too_great_to_be_reached(limit: float) -> None:
    mechanism = dipc.Mechanism.load("svt1")
    assert isinstance(mechanism.check(time_limit=limit, memory_limit=limit), dipc.Private)
    assert mechanism.check("eps/2", time_limit=limit, memory_limit=limit).counterexample is not None
    for wrong in (float("nan"), -(10**400)):
        with pytest.raises(InputError, match="must not be negative or nan"):
            mechanism.budget(time_limit=wrong)


@pytest.mark.parametrize("option", ["--time-limit", "--memory-limit"])
@pytest.mark.parametrize("command", ["check", "budget", "plot"])
def test_nan_is_no_limit(command: str, option: str, capfd: Capture) -> None:
    assert status([command, "svt1", option, "nan"]) == 2
    assert f"`{option}`: nan is not a number" in capfd.readouterr().err


def test_doubts_come_out_of_the_child_as_they_are() -> None:
    def doubt() -> None:
        raise Unsettled(fmpq(1, 3), fmpq(2, 3))

    with pytest.raises(Unsettled, match=r"in \[1/3, 2/3\]") as raised:
        held(Clock(600), doubt)
    assert (raised.value.low, raised.value.high) == (fmpq(1, 3), fmpq(2, 3))
