"""Whether a program that is proved for every size means something where `dipc check` can see it.

A proof moves samples from one run to another and never asks whether a probability exceeds 1, a divisor is 0
or a value is outside its set.  So the program is also run as every other command runs it, for the declared
sizes, on a few of its inputs; what is wrong there is refused with the same words.
"""

from __future__ import annotations

from dipc.claims.oracle import SignOracle
from dipc.clock import Clock
from dipc.dipwhile.allsizes.front import Front
from dipc.dipwhile.pipeline import check_for_all_budgets
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.explore import Explorer
from dipc.dipwhile.syntax.core import Test
from dipc.errors import FragmentError, LimitReached, Unsupported
from dipc.signs.eps_range import EpsRange

MOST_INPUTS = 8
LONGEST_CODE = 200
"""How many inputs are tried, and how many instructions a program may have: less work than the proof."""


def check_meaning(front: Front, budgets: EpsRange, clock: Clock) -> None:
    """Run the program on some of its inputs.  Raises :class:`InputError` for what is wrong there.

    Nothing is said of what only ``dipc prove`` takes, such as samples in a ``while``.
    """
    program = front.finite
    if len(program.code) > LONGEST_CODE or any(isinstance(it, Test) and it.is_loop for it in program.code):
        return
    space = InputSpace(program)
    some = range(0, space.size, -(-space.size // MOST_INPUTS))
    explorer = Explorer(program, clock.deadline)
    try:
        for position in (*some, space.size - 1):
            explorer.law(space.at(position))
        check_for_all_budgets(explorer.left_open, SignOracle(budgets))
    except (FragmentError, Unsupported, LimitReached):
        return
