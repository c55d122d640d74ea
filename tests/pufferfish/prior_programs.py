"""Programs with priors, for the tests."""

from __future__ import annotations

from flint import fmpq

from dipc.clock import Clock
from dipc.dipwhile.priors import asked, mixtures
from dipc.dipwhile.semantics.neighbours import Explored
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.errors import Source
from dipc.models.mixtures import Mixtures
from dipc.pufferfish import mixtures as deciding
from dipc.pufferfish.verdict import Budget, PufferfishVerdict
from dipc.signs.eps_range import EpsRange

POSITIVE = EpsRange.positive()

SCORES = """
best <- -1; ties <- 0
for i in 1..{n} do
  v <- john[i] + other[i]
  if v = 0 then noisy <- choose {{0: 2/3, 1: 1/6, 2: 1/6}}
  elif v = 1 then noisy <- uniform {{0, 1, 2}}
  else noisy <- choose {{0: 1/6, 1: 1/6, 2: 2/3}} end
  if noisy > best then best <- noisy; ties <- 1; out <- i
  elif noisy = best then ties <- ties + 1; take <- flip(1/ties); if take then out <- i end end
end
"""

EXAMPLE_5 = """
param  pA in (0, 1), pB in (0, 1), pC in (0, 1)
input  john[3] in {0, 1}, other[3] in {0, 1};  output out in 1..3 = 1
prior
  john[1] <- choose {1: pA, 0: 1 - pA}; other[1] <- choose {1: pA, 0: 1 - pA}
  john[2] <- choose {1: pB, 0: 1 - pB}; other[2] <- choose {1: pB, 0: 1 - pB}
  john[3] <- choose {1: pC, 0: 1 - pC}; other[3] <- choose {1: pC, 0: 1 - pC}
end
secret john[1] = 0 vs john[1] = 1;  private ln(2)
""" + SCORES.format(n=3)

EXAMPLE_6 = """
param  p2 in (0, 1)
input  john[5] in {0, 1}, other[5] in {0, 1};  output out in 1..5 = 1
prior
  john[1] <- uniform {0, 1}; other[1] <- john[1]
  john[2] <- choose {1: p2, 0: 1 - p2}; other[2] <- choose {1: p2, 0: 1 - p2}
  for i in 3..5 do
    john[i] <- choose {1: i/10, 0: 1 - i/10}; other[i] <- choose {1: i/10, 0: 1 - i/10}
  end
end
secret john[1] = 0 vs john[1] = 1;  private ln(2)
""" + SCORES.format(n=5)

NOISY_MAX = """
input  v[3] in 0..2;  output out in 1..3 = 1;  adjacent linf 1;  private 1.233
best <- -1; ties <- 0
for i in 1..3 do
  if v[i] = 0 then noisy <- choose {0: 2/3, 1: 1/6, 2: 1/6}
  elif v[i] = 1 then noisy <- uniform {0, 1, 2}
  else noisy <- choose {0: 1/6, 1: 1/6, 2: 2/3} end
  if noisy > best then best <- noisy; ties <- 1; out <- i
  elif noisy = best then ties <- ties + 1; take <- flip(1/ties); if take then out <- i end end
end
"""

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


def program(text: str, **parameters: int) -> CoreProgram:
    return read(Source("p.dip", text), {name: fmpq(value) for name, value in parameters.items()})


def mixtures_of(core: CoreProgram, eps_range: EpsRange = POSITIVE) -> Mixtures:
    return mixtures(Explored(core), eps_range, Clock())


def decided(core: CoreProgram, claim: str | None = None, at: fmpq | None = None) -> PufferfishVerdict:
    question = asked(core, claim, at)
    found = mixtures_of(core, question.eps_range)
    return deciding.check(found, question.epsilon, question.eps_range, Clock(60), question.delta)


def least(core: CoreProgram, **values: fmpq) -> Budget:
    return deciding.budget(deciding.fixed(mixtures_of(core), values), POSITIVE, Clock(60))
