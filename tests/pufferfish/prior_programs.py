"""Programs with priors, for the tests."""

from __future__ import annotations

from functools import cache

from flint import fmpq

from dipc.clock import Clock
from dipc.dipwhile.hub.explored import Explored
from dipc.dipwhile.priors import asked, mixtures
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.errors import Source
from dipc.models.mixtures import Mixtures
from dipc.pufferfish import mixtures as deciding
from dipc.pufferfish import pipeline
from dipc.pufferfish.verdict import Budget, PufferfishVerdict
from dipc.shipped import hidden_programs
from dipc.signs.eps_range import EpsRange

POSITIVE = EpsRange.positive()

EXAMPLE_5, EXAMPLE_6 = (hidden_programs()[name].read_text(encoding="utf-8") for name in ("ex5-events", "ex6"))

SVT = """
{prior}
input  q[2] in {{0, 1}};  output out[2] in {{bot, top}} = bot
{lines}
private eps
t <- Lap(eps/2, 0)
for i in 1..2 do
  r <- Lap(eps/4, q[i])
  if r >= t then out[i] <- top; exit end
end
"""

INDEPENDENT = """
prior independent
  q[1] <- choose {1: a, 0: 1 - a}
  q[2] <- choose {1: b, 0: 1 - b}
end
for i in 1..2 do secret q[i] = 0 vs q[i] = 1 end
"""

EQUAL = """
prior equal
  q[1] <- choose {1: a, 0: 1 - a}
  q[2] <- q[1]
end
for i in 1..2 do secret q[i] = 0 vs q[i] = 1 end
"""


@cache
def program(text: str, **parameters: int) -> CoreProgram:
    return read(Source("p.dip", text), {name: fmpq(value) for name, value in parameters.items()})


@cache
def mixtures_of(core: CoreProgram, eps_range: EpsRange = POSITIVE) -> Mixtures:
    return mixtures(Explored(core), eps_range, Clock())


def decided(core: CoreProgram, claim: str | None = None, at: fmpq | None = None) -> PufferfishVerdict:
    wanted = asked(core, claim, at)
    found = mixtures_of(core, wanted.eps_range)
    question = deciding.question_of(found, wanted.claim, wanted.eps_range)
    deciding.check_claim(question)
    deciding.check_drawn(found, {}, Clock())
    return pipeline.check(question, Clock())


def least(core: CoreProgram, **values: fmpq) -> Budget:
    return pipeline.budget(deciding.question_of(mixtures_of(core), None, POSITIVE, values), Clock())
