"""Law: a loop is the limit of its unrollings.

With K rounds written out, and an output ``open`` for runs that are not done by then, the probability of
every output lies between that of the unrolling and that plus the probability of ``open``.  The unrolling
never meets the equations by which loops are solved.
"""

from __future__ import annotations

import os

from flint import arb, ctx, fmpq
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

import dipc

EXAMPLES = os.environ.get("DIPC_LAW_EXAMPLES")
ROUNDS = 8
POINTS = (fmpq(1, 2), fmpq(3))

CHANCES = st.sampled_from(["1/2", "1/3", "1/(1+exp(eps))", "exp(eps/2)/(1+exp(eps/2))", "1"])
VALUES = st.sampled_from(["0", "1", "2", "2 - x"])
TESTS = st.sampled_from(["r > 0", "r <= 1", "2*r > s", "x = 1", "z >= 1", "x < 2 and r < s"])
SIMPLE = st.one_of(
    VALUES.map("x <- {}".format),
    st.just("x <- uniform {0, 1, 2}"),
    st.builds("c <- flip({}); if c then x <- {} end".format, CHANCES, VALUES),
    st.builds("if {} then x <- {} end".format, TESTS, VALUES),
    st.builds("if {} then x <- {} else go <- false end".format, TESTS, VALUES),
)
STOPS = st.sampled_from(["1/2", "2/3", "1/(1+exp(-eps))"])
CONDITIONS = st.sampled_from(["go", "go and x < 2", "go or x = 3"])
DRAWS = "x <- 0; go <- true\nr <- Lap(eps, 0); s <- LapPlus(eps/2, 0); z <- DLap(eps, 1)\n"


@st.composite
def loops(draw: st.DrawFn) -> tuple[str, str]:
    """A condition and a body that ends with a coin for stopping."""
    body = [*draw(st.lists(SIMPLE, min_size=1, max_size=4)), f"stop <- flip({draw(STOPS)})"]
    return draw(CONDITIONS), "\n  ".join([*body, "if stop then go <- false end"])


@settings(
    max_examples=int(EXAMPLES or 25),
    derandomize=EXAMPLES is None,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
)
@given(loops())
def test_a_loop_is_the_limit_of_its_unrollings(loop: tuple[str, str]) -> None:
    condition, body = loop
    head = f"output o in {{0, 1, 2, open}}\n{DRAWS}"
    endless = f"{head}while {condition} do\n  {body}\nend\no <- x"
    finite = (
        f"{head}for i in 1..{ROUNDS} do if {condition} then\n  {body}\nend end\n"
        f"if {condition} then o <- open else o <- x end"
    )
    note(endless)
    exact, unrolled = (
        {str(k[0][1]): p for k, p in dipc.load(t).distribution().items()} for t in (endless, finite)
    )
    zero = dipc.Quotient.of(0)
    left_open = unrolled.pop("open", zero)
    for output in exact.keys() | unrolled.keys():
        missing = exact.get(output, zero) - unrolled.get(output, zero)
        for eps in POINTS:
            assert not value(missing, eps) < 0
            assert not value(left_open - missing, eps) < 0


def value(p: dipc.Quotient, eps: fmpq) -> arb:
    """A ball around the value; a function that is exactly 0 at eps gives 0."""
    if p.numerator.sign_at(eps) == 0:
        return arb(0)
    with ctx.workprec(400):
        return p.numerator.enclose(arb(eps)) / p.denominator.enclose(arb(eps))
