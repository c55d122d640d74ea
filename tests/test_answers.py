"""The JSON of every command that has it: one envelope, the keys of its kind, and no key that says nothing."""

from __future__ import annotations

import json
import shlex
from collections import defaultdict
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from typing import Any

import pytest
from answers import validator

from dipc.cli.main import status

CLOSE = "ln(464575131106459059050161575363926042571025918308245019/10^53)"
"""Just above a least c that is not rational."""

COMMANDS = f"""
check svt1 -D N=1
check svt4 --expect
check svt4 -D N=2 --at 1
check svt1 -D N=1 --pair q=[0] q=[1]
check rand1 none
prove svt1
prove svt3
prove datasynthesizer_34_fixed
prove gap --expect
explain svt4 -D N=2
explain svt1 -D N=1 --pair q=[0] q=[1]
explain sparse --claim "eps/2, exp(-2)"
budget svt1 -D N=1 --epsilon-curve --pair q=[0] q=[1]
budget svt1 --all-sizes
budget datasynthesizer_34_fixed --all-sizes
budget hist2 -D N=1
sweep svt1 --each N=1,2 --claim eps/2
sweep svt1 --each N=0,1 -D c=2 --ask budget --for "(0, 1]"
profile svt1 -D N=1 --epsilon eps/8 --pair q=[0] q=[1]
regions hist2
regions svt1 -D N=1 --pair q=[0] q=[1]
accuracy truncated_geometric --of "out = q"
accuracy nmax1 -D N=2 --of "q[out] = max(q)" --when "q[1] > q[2]" --beta 1/4
expect truncated_geometric --of out
budget nmax1 -D N=2 --range
distribution svt1 -D N=1 --input q=[0]
distribution svt1 -D N=1 --input q=[0] --at 1/2
decide "exists eps: exp(eps) = 2"
decide "forall eps: eps > 1"
model check survey "D[1, 0](X out_1)"
model check survey "D[ln 3, 0](X out_1)"
model check survey --expect
model check survey "X" "P>=1/2 (X out_1)"
model value survey "P=? (X out_1)"
model value survey "D[eps, ?](X out_1)"
model regions survey "D[eps, 0](X out_1)"
model show survey
pufferfish check ex3 --expect
pufferfish check ex2
pufferfish check above --horizon any
pufferfish check weather --claim "{CLOSE}"
pufferfish budget ex3
pufferfish budget above --horizon 3 --curve
pufferfish budget above --horizon any
pufferfish distribution ex3 --given sick
pufferfish distribution response
verify rand1.json --program rand1
verify rand1.json --program rand1 --claim "eps/2" --expect private
verify rand1.json --model survey
verify survey.json --model survey --formula "D[ln 3, 0](X out_1)"
check none
"""

CERTIFICATES = {
    "rand1.json": "check rand1 -D N=1 --certificate",
    "survey.json": 'model check survey "D[ln 3, 0](X out_1)" --certificate',
}
"""The certificates that are verified, by the commands that write them."""

RARE = {
    "check doubts",
    "check reason",
    "budget exact",
    "decide reason",
    "error name",
    "model check reason",
    "model regions reason",
    "pufferfish budget t",
    "pufferfish budget reason",
}
"""Keys that are null in all of these answers; other tests have them."""


@pytest.fixture(autouse=True, scope="module")
def _certificates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """All commands run in a folder with the certificates."""
    folder = tmp_path_factory.mktemp("certificates")
    with chdir(folder), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        for name, command in CERTIFICATES.items():
            assert status([*shlex.split(command), name]) == 0
        yield


@cache
def answers(command: str) -> list[dict[str, Any]]:
    """What a command prints, one or several answers."""
    out = StringIO()
    with redirect_stdout(out), redirect_stderr(StringIO()):
        status([*shlex.split(command), "--json"])
    found = json.loads(out.getvalue())
    return found if isinstance(found, list) else [found]


def texts(value: Any) -> Iterator[Any]:
    """All values without parts in a record, but for times."""
    if isinstance(value, dict):
        value = [part for key, part in value.items() if key != "seconds"]
    parts = value if isinstance(value, list) else None
    if parts is None:
        yield value
    for part in parts or ():
        yield from texts(part)


@pytest.mark.parametrize("command", COMMANDS.strip().splitlines())
def test_every_answer_is_valid(command: str) -> None:
    """Numbers are texts, times are the only floats, and nothing is null, not empty."""
    for found in answers(command):
        validator().validate(found)
        assert not found["question"].keys() & found["answer"].keys()
        assert "" not in texts({key: found["answer"][key] for key in found["answer"] if key == "reason"})
        assert not any(isinstance(x, float) for x in texts(found["answer"]))


def test_every_key_says_something() -> None:
    said: dict[tuple[str, str], bool] = defaultdict(bool)
    for command in COMMANDS.strip().splitlines():
        for found in answers(command):
            for key, value in {**found["question"], **found["answer"]}.items():
                said[found["kind"], key] |= value is not None
    assert {kind for kind, _ in said} == set(validator().schema["properties"]["kind"]["enum"])
    assert {" ".join(name) for name, known in said.items() if not known} == RARE


def test_what_is_private_for_two_inputs_only_says_so() -> None:
    (found,) = answers("check svt1 -D N=1 --pair q=[0] q=[1]")
    assert found["question"]["pair"] == [{"q": ["0"]}, {"q": ["1"]}]
    assert answers("check svt1 -D N=1")[0]["question"]["pair"] is None
