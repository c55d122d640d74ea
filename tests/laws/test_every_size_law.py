"""Law: what is proved for every size and all inputs holds for the inputs that a program declares.

The programs are those of the other laws, over the whole language: none of them may end in anything but one of
the three answers or an error message.
"""

from __future__ import annotations

from collections import Counter

from campaigns import drawn, many, sown
from hypothesis import given, note
from hypothesis import strategies as st
from strategies import discrete_programs, programs

import dipc
from dipc.errors import InputError


def test_a_proof_for_every_size_holds_for_the_declared_inputs() -> None:
    tally: Counter[str] = Counter()

    def law(text: str) -> None:
        note(text)
        mechanism = dipc.load(text)
        try:
            answer = mechanism.prove(find_least=False)
        except InputError:
            tally["refused"] += 1
            return
        tally[answer.status] += 1
        if answer.status == "private":
            assert mechanism.check().status != "violated"

    examples = st.one_of(programs(), discrete_programs())
    sown(drawn(3, campaign=5)(given(examples)(law)), range(many(3, campaign=20)))
    assert tally["private"] >= 3, tally
