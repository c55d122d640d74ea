"""Law: what is proved for every size and all inputs holds for the inputs that a program declares.

The programs are those of the other laws, over the whole language: none of them may end in anything but one of
the three answers or an error message.
"""

from __future__ import annotations

import os
from collections import Counter

from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st
from patience import PATIENCE
from strategies import discrete_programs, programs

import dipc
from dipc.errors import InputError

EXAMPLES = os.environ.get("DIPC_LAW_EXAMPLES")

law_settings = settings(
    max_examples=int(EXAMPLES or 20),
    derandomize=EXAMPLES is None,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    print_blob=False,
)


def test_a_proof_for_every_size_holds_for_the_declared_inputs() -> None:
    tally: Counter[str] = Counter()

    @law_settings
    @given(st.one_of(programs(), discrete_programs()))
    def law(text: str) -> None:
        note(text)
        mechanism = dipc.load(text)
        try:
            answer = mechanism.prove(find_least=False, time_limit=PATIENCE)
        except InputError:
            tally["refused"] += 1
            return
        tally[answer.status] += 1
        if answer.status == "private":
            assert mechanism.check(time_limit=PATIENCE).status != "violated"

    law()
    assert tally["private"] >= 4, tally
