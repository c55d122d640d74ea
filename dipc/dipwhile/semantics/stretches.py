"""Stretches of assignments, executed on one store for each state.

A step copies the state, so that n assignments to n variables take n^2 / 2 copies of a value.  Here nothing is
copied as long as the steps one by one would do no more than put values: nothing is drawn or compared, no
sample is renumbered, no equal states meet.  What comes out is what the steps would give, object by object.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from dipc.dipwhile.semantics.evaluate import Datum, InputNeeded, Memory, never
from dipc.dipwhile.semantics.state import State
from dipc.dipwhile.semantics.step import Stepper
from dipc.dipwhile.syntax.core import Cell, Put
from dipc.errors import InputError
from dipc.integration.linear import Linear
from dipc.models.values import Value


def stretched(
    stepper: Stepper, states: Sequence[State], inputs: Mapping[Cell, Value], stops: Container[int]
) -> list[State]:
    """Different states, all at one place, after the stretch that begins there; nothing if none does.

    It ends before a place of ``stops``, where other states wait, and before what must be done step by step.
    """
    code, start = stepper.program.code, states[0].pc
    if not isinstance(code[start], Put):
        return []
    stores = [dict(state.env) for state in states]
    memories = [stepper.memory(store, inputs) for store in stores]  # of what the stores hold at any time
    pc, forgets = start, False
    while not forgets and isinstance(put := code[pc], Put):
        assigned = _assigned(stepper, put, memories)
        dead = stepper.live.dropped(pc, pc + 1)
        changes = list(zip(stores, assigned, strict=False))
        lost = [store[c] for store, (cell, _) in changes for c in {cell, *dead} if c in store]
        if not changes or any(isinstance(v, Linear) for v in (*lost, *(v for _, v in assigned))):
            break
        stepper.count(len(states))
        for store, (cell, value) in changes:
            store[cell] = value
            for c in dead:
                store.pop(c, None)
        pc += 1
        # different states that lose no value stay different, and one state alone meets nobody
        forgets = pc in stops or (len(states) > 1 and bool(lost))
    if pc == start:
        return []
    return [State(pc, store, state.joint) for store, state in zip(stores, states, strict=True)]


def _assigned(stepper: Stepper, put: Put, memories: Sequence[Memory]) -> list[tuple[Cell, Datum]]:
    """What each state assigns; nothing if one of them compares samples, fails, or needs an input."""
    try:
        # where this fails is told by the step that follows, so places do not matter
        return [stepper.assigned(put, put.written, memory, never) for memory in memories]
    except (InputError, InputNeeded):
        return []
