"""Limits of time and memory: in every command, in the Python API, and inside one long step of arithmetic.

No test looks at the time: a step that would take hours ends, or the test does not.
"""

from __future__ import annotations

import faulthandler
import os
import re
import signal
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from functools import cache
from math import inf
from pathlib import Path
from pkgutil import resolve_name
from time import monotonic, process_time
from typing import Any

import click
import pytest
from flint import Ordering, fmpq, fmpq_mpoly_ctx, fmpz, fmpz_poly
from patience import PATIENCE

import dipc
import dipc.certificate.produce
import dipc.claims.deciding
import dipc.claims.privacy
import dipc.claims.tightness.curves
import dipc.dipwhile.sentences
import dipc.dpctl.pipeline
import dipc.export.questions
import dipc.limits
import dipc.program_questions
import dipc.report.model_page
from dipc.cli.main import cli, status
from dipc.cli.work import busy_alarm
from dipc.clock import Clock
from dipc.errors import InputError, LimitReached, Source, Span
from dipc.limits import held, timer
from dipc.python import Lap, eps
from dipc.report.model_page import report_model_html
from dipc.signs.limits import Unsettled
from dipc.testing import check_file

Capture = pytest.CaptureFixture[str]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="limits inside one step need `fork`")


def one_long_step(*_: object, **__: object) -> Any:
    """One call of flint, for hours; the factors of such a number are not known."""
    return (fmpz(2) ** 1277 - 1).factor()


def spin(*_: object, **__: object) -> None:
    """Python code that never ends."""
    while True:
        pass


def one_large_step(*_: object, **__: object) -> Any:
    """One call of flint that needs 12 gigabytes and many seconds."""
    return fmpz(3) ** (6 * 10**10)


Step = Callable[..., Any]


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> Step:
    """A step in Python that never ends; when it begins, the time is over for the child that takes it."""
    clocks: list[Clock] = []

    def remembered(clock: Clock) -> AbstractContextManager[None]:
        clocks.append(clock)
        return timer(clock)

    def step(*_: object, **__: object) -> None:
        clocks[-1].deadline = 0.0
        spin()

    monkeypatch.setattr(dipc.limits, "timer", remembered)
    return step


@pytest.fixture
def long_step(monkeypatch: pytest.MonkeyPatch) -> Iterator[Step]:
    """One call of flint, for hours; when it begins, the time is over for the parent that waits for it."""
    passed = 0.0

    def later(*_: object) -> None:
        nonlocal passed
        passed += 3 * PATIENCE

    def step(*_: object, **__: object) -> None:
        os.kill(os.getppid(), signal.SIGUSR1)
        one_long_step()

    monkeypatch.setattr(dipc.limits, "monotonic", lambda: monotonic() + passed)
    monkeypatch.setattr(dipc.limits, "GRACE", inf)  # no timer rings: not while the next file is read, either
    before = signal.signal(signal.SIGUSR1, later)
    yield step
    signal.signal(signal.SIGUSR1, before)


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
    clock = Clock(PATIENCE)

    def work() -> str:
        try:
            clock.deadline = 0.0  # from now on it is reached
            spin()
        except LimitReached as limit:
            return f"{limit}, but some is known"

    assert held(clock, work) == "the time limit was reached, but some is known"


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
        held(Clock(PATIENCE), work)


def test_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    def go_through(*_: object) -> None:
        clock.tick("the hard part", 3, 7)
        one_long_step()

    def time_is_over(*_: object) -> None:
        monkeypatch.setattr(dipc.limits, "monotonic", lambda: inf)

    clock = Clock(PATIENCE, progress=time_is_over)
    with pytest.raises(LimitReached, match="the time limit was reached"):
        held(clock, go_through)
    assert clock.doing == "the hard part: 3 of 7"


def test_without_limits_the_work_is_done_in_place() -> None:
    assert held(Clock(), os.getpid) == os.getpid() != held(Clock(PATIENCE), os.getpid)
    assert (
        held(Clock(PATIENCE), lambda: held(Clock(PATIENCE), os.getppid)) == os.getpid()
    )  # one child, not two


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
        held(Clock(PATIENCE), fail)
    assert (error.value.message, error.value.span, error.value.hint) == ("no", span, "do")


def test_shared_objects_are_the_same() -> None:
    thing = Source("a.dip", "x <- 1")
    copy, same = held(Clock(PATIENCE), lambda: (Source("a.dip", "x <- 1"), thing), (thing,))
    assert copy == thing and copy is not thing and same is thing


def test_numbers_come_back() -> None:
    x, y = fmpq_mpoly_ctx.get(("x", "y"), Ordering.lex).gens()
    numbers = (fmpz_poly([1, 2]), x * y + fmpq(1, 2), fmpq(3, 7))
    assert held(Clock(PATIENCE), lambda: numbers) == numbers
    assert held(Clock(PATIENCE), lambda: x) + y == x + y  # of the same ring


def test_ctrl_c_ends_the_child() -> None:
    def press(*_: object) -> None:
        raise KeyboardInterrupt

    clock = Clock(PATIENCE, progress=press)

    def work() -> None:
        clock.tick("begun")
        one_long_step()

    with pytest.raises(KeyboardInterrupt):
        held(clock, work)


def test_an_interrupted_child_says_what_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dipc.limits, "HARD", PATIENCE)

    class Enough(LimitReached):
        pass

    def enough(*_: object) -> None:
        raise Enough("enough")

    clock = Clock(PATIENCE, progress=enough)

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

    assert held(clock, work) == "enough, at begun"


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
    "load": lambda **limits: dipc.load("svt1", N=2, **limits).budget(),
    "load text": lambda **limits: dipc.load(COIN, **limits).pufferfish().check(),
    "load for prove": lambda **limits: dipc.load("gap", **limits).prove().verdict,
    "load hidden": lambda **limits: dipc.load("ex3", **limits).question().check(),
    "load_model": lambda **limits: dipc.load_model("survey", **limits).export("drn"),
    "load_model of a program": lambda **limits: dipc.load_model("svt1", {"N": "2"}, **limits).export("drn"),
    "decorator": lambda **limits: first_above(**limits).budget(),
    "with_parameters": lambda **limits: above_two().with_parameters(N=1, **limits).budget(),
    "certificate": lambda **limits: dipc.load("svt1").certificate(**limits),
    "certificate of a verdict": lambda **limits: certificate_of_a_verdict(**limits),
    "chain": lambda **limits: chain_of(dipc.load("svt1").chain(q=[0, 1, 1], **limits)),
    "sentence": lambda **limits: dipc.load("svt1", N=1).sentence(**limits),
    "as_model": lambda **limits: dipc.load(COIN).pufferfish().as_model(**limits).name,
    "outputs": lambda **limits: dipc.load(COIN).pufferfish().distribution(**limits),
    "hidden question": lambda **limits: dipc.load("ex3").question(horizon=2, **limits).check(),
    "hidden comparison": lambda **limits: dipc.load("ex2").compare("n(0)", "n(2)", **limits).budget(),
    "hidden claim": lambda **limits: asked_of_patients().check("ln(5)", **limits),
    "laws": lambda **limits: dipc.load("ex2").question().laws("n(0)", **limits)[None].probability(["2"]),
    "probability": lambda **limits: dipc.load("ex2").question().probability("2", "n(0)", **limits),
    "model export": lambda **limits: dipc.load_model("survey").export("drn", **limits),
    "plot": lambda **limits: titles(dipc.load("svt1", N=1).plot("loss", **limits)),
    "model plot": lambda **limits: titles(dipc.load_model("survey").plot(PRIVACY, **limits)),
    "hidden plot": lambda **limits: titles(dipc.load("ex3").question(horizon=2).plot(**limits)),
    "report": lambda **limits: dipc.report_html(dipc.load("rand1"), **limits),
    "model report": lambda **limits: without_plots(
        report_model_html(dipc.load_model("survey"), PRIVACY, **limits)
    ),
    "assert_private": lambda **limits: dipc.assert_private("svt1", parameters={"N": 2}, **limits),
    "assert_pufferfish_private": lambda **limits: dipc.assert_pufferfish_private("ex2", **limits),
}


def first_above(**limits: Any) -> dipc.PythonMechanism:
    @dipc.mechanism(
        inputs="q[N] in {0, 1}", outputs="out in 0..N", adjacent="linf 1", private="eps", **limits
    )
    def above(q, N=2):  # type: ignore[no-untyped-def]
        bar = Lap(eps / 2, 0)
        for i in range(N):
            if Lap(eps / 4, q[i]) >= bar:
                return i
        return N

    return above


@cache
def above_two() -> dipc.PythonMechanism:
    return first_above()


@cache
def asked_of_patients() -> dipc.PufferfishQuestion:
    return dipc.HiddenMarkovModel.load("ex3").question()


def certificate_of_a_verdict(**limits: Any) -> Any:
    mechanism = dipc.load("svt4", N=2)
    return mechanism.certificate(mechanism.check(), **limits)


def chain_of(chain: dipc.Chain) -> Any:
    """A chain as a graph."""
    graph = chain.graph()
    ways = [(str(node), [str(source) for source, _ in node.ways]) for node in chain]
    return list(graph.nodes(data=True)), list(graph.edges(data=True)), ways


def without_plots(page: str) -> str:
    """Names inside of plots are drawn at random."""
    return page.partition("<svg")[0]


def titles(figure: Any) -> Any:
    return [(axes.get_title(), axes.get_xlabel(), len(axes.lines)) for axes in figure.axes]


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
    except AssertionError as undecided:  # of `assert_private`
        assert "limit was reached" in str(undecided)
    else:
        if getattr(found, "status", "") == "undecided":
            assert "limit was reached" in found.reason


def test_a_check_is_undecided(long_step: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dipc.claims.deciding, "go_through", long_step)
    found = dipc.load("svt1").check(time_limit=PATIENCE)
    assert isinstance(found, dipc.Undecided)
    assert found.reason.startswith("the time limit was reached (")


@pytest.mark.parametrize("step", ["_simplest", "_violated_for"])
@pytest.mark.parametrize("claim", ["eps", "eps, 1/100"])
def test_a_counterexample_that_was_found_stays(
    claim: str, step: str, endless: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has an eps and exact numbers; what is lost is how simple they are, and the regions."""

    monkeypatch.setattr(dipc.claims.privacy.PrivacyInequalities, step, endless)
    found = dipc.load("svt4", N=2).check(claim, time_limit=PATIENCE)
    assert isinstance(found, dipc.Violated)
    shown = found.counterexample
    assert shown.excess.sign_at(shown.epsilon) > 0 and not shown.regions
    assert found.notes == ("the counterexample is shown as it was found: the time limit was reached",)


LONG_STEPS = {
    "load": "dipc.mechanisms.read",
    "load for prove": "dipc.mechanisms.front.front",
    "load_model": "dipc.model.read_model",
    "load_model of a program": "dipc.model.star_of",
    "decorator": "dipc.decorator.compile_program",
    "with_parameters": "dipc.decorator.compile_program",
    "certificate": "dipc.certificate.produce.certificate",
    "certificate of a verdict": "dipc.certificate.produce.certificate",
    "chain": "dipc.mechanisms.Chain",
    "sentence": "dipc.export.questions.question",
    "as_model": "dipc.pufferfish.mixtures.as_model",
    "outputs": "dipc.program_questions.Posed.functions",
    "hidden question": "dipc.hidden.read_question",
    "hidden comparison": "dipc.hidden.read_question",
    "hidden claim": "dipc.hidden.read_question",
    "laws": "dipc.pufferfish.pipeline.validate",
    "probability": "dipc.pufferfish.laws.Law.probability",
    "model plot": "dipc.report.model_figures.panels_of",
    "model report": "dipc.report.model_page.panels_of",
    "plot": "dipc.claims.tightness.curves.loss_curve",
}
"""Where each of them may take long in one step."""


def replace_at(place: str, step: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a step in the place of a function of dipc, which is found whatever was imported before."""
    owner, _, attribute = place.rpartition(".")
    monkeypatch.setattr(resolve_name(owner), attribute, step)


@pytest.mark.parametrize("name", LONG_STEPS)
def test_one_long_step_of_the_api(name: str, long_step: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    limited = QUESTIONS[name]
    above_two(), asked_of_patients()  # what has no limit is made before
    replace_at(LONG_STEPS[name], long_step, monkeypatch)
    with pytest.raises(LimitReached, match="the time limit was reached"):
        limited(time_limit=PATIENCE)


def test_a_certificate_of_no_verdict(endless: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is the answer, and not that nothing was decided."""
    verdict = dipc.load("svt1").check()
    monkeypatch.setattr(dipc.claims.deciding, "go_through", endless)
    for given in (None, verdict):  # which is about another object: decided again
        with pytest.raises(LimitReached, match="the time limit was reached"):
            dipc.load("svt1").certificate(given, time_limit=PATIENCE)


PARTS = {
    "the privacy loss": "dipc.claims.tightness.curves.loss_curve",
    "the distributions of two neighbours": "dipc.mechanisms.Mechanism.distribution",
    "the chain": "dipc.report.page.picture",
    "the drawing of the chain": "dipc.report.page.svg",
    "the plots": "dipc.report.page.panels_of",
    "the proof written out": "dipc.report.page.question",
    "the certificate": "dipc.report.page.certificate",
}
"""Where the parts of a page may take long."""


@pytest.mark.parametrize("part", PARTS)
def test_a_page_leaves_out_what_takes_long(part: str, endless: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_at(PARTS[part], endless, monkeypatch)
    page = dipc.report_html(dipc.load("rand1", N=1), time_limit=PATIENCE)
    assert f"<li>{part}: the time limit was reached</li>" in page


def test_what_was_not_read_is_undecided(
    endless: Step, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "coin.dip"
    file.write_text("input q in {0, 1}; output o in {0}; adjacent all; private eps; o <- 0", encoding="utf-8")
    monkeypatch.setattr("dipc.mechanisms.read", endless)
    monkeypatch.setattr("dipc.hidden.read_question", endless)
    for ask in (dipc.assert_private, dipc.assert_pufferfish_private):
        with pytest.raises(AssertionError, match=r"undecided.*\nthe time limit was reached \(while"):
            ask(file, time_limit=PATIENCE)
    with pytest.raises(AssertionError, match="neither proved nor refuted"):
        dipc.assert_pufferfish_private("ex2", time_limit=PATIENCE)
    with pytest.raises(AssertionError, match="expected `private`, the verdict is `undecided`"):
        check_file(file, time_limit=PATIENCE)


NAMED = """
    param memory_limit = 1,
          time_limit = 2   # both are parameters
    input q in {0, 1};  output out in 0..5;  adjacent all;  private eps
    out <- memory_limit + time_limit
"""


def test_parameters_that_are_named_like_limits() -> None:
    found = dipc.load(NAMED, time_limit=0, memory_limit="3")
    assert found.parameters == {"memory_limit": "3", "time_limit": "0"}
    with pytest.raises(InputError, match="time_limit must not be negative"):
        dipc.load(NAMED.replace("time_limit", "t"), time_limit=-1)
    commented = NAMED.replace("time_limit = 2 ", "t = 2 # time_limit = 2").replace("+ time_limit", "+ t")
    assert dipc.load(commented, time_limit=600, memory_limit=3).parameters == {"memory_limit": "3", "t": "2"}


@pytest.mark.parametrize("first", ["1 +\n 2", "(1 +\n 2)", "max(1, 2\n)", "\n3", "1 * # one\n\n3"])
def test_a_parameter_below_the_first_line_is_named_like_a_limit(first: str) -> None:
    text = f"param N = {first}, progress = 2; output o in 0..9; private eps; adjacent all; o <- N + progress"
    assert dipc.load(text, progress=4).parameters["progress"] == "4"


def test_who_is_told_about_the_progress_is_a_function() -> None:
    for ask in (dipc.load, lambda name, **limits: dipc.load(name).check(**limits)):
        with pytest.raises(InputError, match="progress must be a function, not the int 4"):
            ask("svt1", progress=4)


def test_limits_in_the_place_of_parameters_of_a_question() -> None:
    coin = dipc.load(COIN)
    for fix in (coin.pufferfish, coin.pufferfish().fix):
        with pytest.raises(InputError, match=r"no parameter `time_limit`(?s:.*)\.check\(time_limit=\.\.\.\)"):
            fix(time_limit=1)
    named = dipc.load(re.sub(r"\bp\b", "memory_limit", COIN))
    assert named.pufferfish(memory_limit="1/3").fixed == {"memory_limit": fmpq(1, 3)}


def test_declarations_that_are_named_like_limits() -> None:
    told = {"inputs": "q in {0, 1}", "outputs": "o in 0..3", "adjacent": "all", "private": "eps"}
    for changed in ({"inputs": "q in 0..time_limit"}, {"private": "time_limit*eps"}):

        @dipc.mechanism(**{**told, **changed}, time_limit=3)
        def named(q):  # type: ignore[no-untyped-def]
            return q

        assert named.parameters == {"time_limit": "3"}


def test_constants_of_functions_that_are_named_like_limits() -> None:
    @dipc.mechanism(inputs="q in {0, 1}", outputs="out in 0..5", adjacent="all", private="eps", time_limit=2)
    def named(q):  # type: ignore[no-untyped-def]
        return time_limit  # type: ignore[name-defined]  # noqa: F821

    assert named.parameters == {"time_limit": "2"}
    assert named.with_parameters(time_limit=3, memory_limit=10**5).parameters == {"time_limit": "3"}


def test_a_chain_is_longer_than_pickles_are_deep() -> None:
    steps = "x <- choose {x: 1/2, 1 - x: 1/2}\n" * 2_500
    text = f"input q in {{0, 1}}; output out in {{0, 1}}\nx <- q\n{steps}out <- x"
    chain = dipc.load(text).chain(q=0, time_limit=600)
    first, *_, last = chain
    assert (last.outcome is not None, first.mass, len(chain)) == (True, 1, 2 * 2_500 + 4)


def test_a_decorated_function_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dipc.claims.deciding, "go_through", one_large_step)

    @dipc.mechanism(inputs="q in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps")
    def coin(q):  # type: ignore[no-untyped-def]
        return q

    found = coin.check(memory_limit=400)
    assert isinstance(found, dipc.Undecided)
    assert found.reason.startswith("the memory limit was reached (")


def test_a_formula_is_undecided(long_step: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dipc.dpctl.pipeline, "check_probabilities", long_step)
    found = dipc.load_model("survey").check("D[ln 3, 0](X out_1)", time_limit=PATIENCE)
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
    assert without == COMPUTES_NOTHING | {"papers"}  # a fixed list of questions, of which each is short


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


@pytest.mark.parametrize("limit", ["--time-limit", "--memory-limit"])
@pytest.mark.parametrize("command", ["check", "format", "budget", "prove"])
def test_reading_has_limits(
    command: str, limit: str, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    monkeypatch.setattr("dipc.dipwhile.syntax.parser._parse", spin)
    assert status([command, "svt1", limit, "0.1"]) == 3
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
        ("dipc.kernel.privacy.check_fields", "error: the time limit was reached (verifying "),
        ("dipc.cli.verify.rederive", "\nnot derived: the time limit was reached\n"),
    ],
)
def test_a_limit_refuses_no_certificate(
    step: str, says: str, endless: Step, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    file = str(tmp_path / "c.json")
    assert status(["check", "rand1", "--quiet", "--certificate", file]) == 0
    monkeypatch.setattr(step, endless)
    assert status(["verify", file, "--program", "rand1", "--time-limit", str(PATIENCE)]) == 3
    said = capfd.readouterr()
    assert says in said.out + said.err and "refused" not in said.out


def test_one_long_step_of_a_command(long_step: Step, monkeypatch: pytest.MonkeyPatch, capfd: Capture) -> None:
    monkeypatch.setattr(dipc.claims.deciding, "go_through", long_step)
    assert status(["check", "svt1", "svt4", "--quiet", "--time-limit", str(PATIENCE)]) == 3
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
        held(Clock(PATIENCE), doubt)
    assert (raised.value.low, raised.value.high) == (fmpq(1, 3), fmpq(2, 3))
