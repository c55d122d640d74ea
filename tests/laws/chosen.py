"""Small programs for the laws of changed programs.

Random programs find what nobody thought of; but the few of a default run may offer a change nothing to be
wrong about.  Here every law has programs in which each part of its change reaches the outputs.
"""

from __future__ import annotations

ATOMS = """\
param N = 2
input row[N] in {low, high}
output o in {low, high, open}, n in 0..3
adjacent hamming 1
private eps
x <- 2
k <- Exp(eps, v in 0..1, v*x)
n <- k + count(i in 1..N: row[i] = high)
c <- flip(exp(-eps))
o <- open
for i in 1..N do if c and row[i] = low then o <- row[i] end end
if row[2] = high and not c then o <- row[1] end
"""

ORDERS = """\
input x in {0, 1}
output o in {0, 1, 2} = 0, p in {true, false} = false
adjacent all
private eps
a <- x; b <- a + 1; a <- 2; a <- a + x
r <- Lap(eps, b); r <- r + a
c <- r > 2
if c then exit end
p <- true
o <- disc(r, 0, 1, 2)
"""

EXITS = """\
input y in {0, 1}
output o in {0, 1} = 0, p in {true, false} = false
adjacent all
private eps
c <- flip((1 + y)/3)
o <- 1
if c then exit end
p <- true
"""

ROUNDS = """\
input q[2] in {0, 1}
output out[2] in {bot, top} = bot, n in 0..2
adjacent hamming 1
private eps
t <- uniform 0..1
n <- 0
for i in 1..2 do
  r <- Lap(2*eps, q[i])
  if r >= t then out[i] <- top; n <- n + 1 end
end
"""

CELLS = """\
input q[2] in {0, 1}
output o in 1..2, n in 0..4
adjacent hamming 1
private eps
m <- 0; b[1] <- 0; b[2] <- 0
for i in 1..2 do
  a[i] <- Lap(eps, q[i])
  m <- m + q[i]
end
for i in 1..2 do
  b[i] <- m
  m <- m + q[i]
end
for i in 1..2 do
  d[i] <- i
  d[1] <- 0
end
o <- argmax(a)
n <- max(b[2], d[1])
"""

READ_LATER = """\
input q[2] in {0, 1}
output n in 0..3, o in 0..2
adjacent hamming 1
private eps
a[1] <- 2; a[2] <- 2; n <- 0
for i in 1..2 do
  a[i] <- q[i]
  n <- n + a[2]
end
r <- Lap(eps, 0)
for i in 1..2 do
  r <- Lap(eps, q[i])
  n <- min(n, 2)
end
o <- disc(r, 0, 1, 2)
"""

ENDS_EARLY = """\
input q[2] in {0, 1}
output out[2] in {bot, top} = bot
adjacent hamming 1
private eps
for i in 1..2 do
  out[i] <- top
  c <- flip((1 + q[i])/3)
  if c then exit end
end
"""

LOOP = """\
input y in {0, 1}
output o in {0, 1, 2}
adjacent all
private eps
x <- y; go <- flip(1/3)
while go and x < 2 do
  x <- x + 1
  go <- flip(1/(1 + exp(eps)))
end
o <- x
"""

WEIGHTED = """\
input q[2] in {0, 1}, t in {true, false}, x in {1, 2}
output out[2] in {0, 1, 2, 3}, o in {true, false}
adjacent q[1] <= q'[1] and q[2] + q'[1] >= 1 and x <= x' and (t or not t')
private 2*eps
r <- Lap(eps, q[1] - 2*q[2] + x)
out[1] <- disc(r, 0, 1)
out[2] <- q[1] + 2*q[2]
c <- flip(1/3)
o <- t and (c or q[2] = 1)
"""

COINS = """\
input x in {0, 1}
output o in {0, 1, 2, 3}, p in {1, 2, 4}, b in {true, false}
adjacent all
private eps
c <- flip((1 + x)/3)
b <- c
p <- choose {1: exp(-eps)/2, 4: 1/3, 2: 2/3 - exp(-eps)/2}
o <- choose {2: 1/6, 0: 1/3, 3: 1/8, 1: 3/8}
if c then o <- Exp(eps, v in {0, 1, 2}, v*(x + 1)) else p <- uniform {2, 4} end
"""

OF_AN_ARRAY = """\
input x in {0, 1}
output o in {0, 1, 2, 3}
adjacent all
private eps
a[1] <- NOISE(eps, x); a[2] <- NOISE(2*eps, 0); a[3] <- THIRD
"""
OF_INTEGERS = OF_AN_ARRAY.replace("NOISE", "DLap").replace("THIRD", "1")  # equal ones count
OF_REALS = OF_AN_ARRAY.replace("NOISE", "Lap").replace("THIRD", "Lap(eps, 1)")
ARGMAX, ARGMIN = (f"{OF_INTEGERS}o <- {function}(a)\n" for function in ("argmax", "argmin"))
MAX, MIN = (f"{OF_REALS}s <- {function}(a)\no <- disc(s, 0, 1)\n" for function in ("max", "min"))

LISTED = """\
input x in {0, 1}
output o in {0, 1, 2, 3}, p in {0, 1, 2}
adjacent all
private eps
r <- Lap(eps, x); s <- LapPlus(eps, 0)
m <- max(r, s, 1/2)
o <- disc(m, 1, 2)
u <- DLap(eps, x); v <- DLap(2*eps, 1)
w <- min(u, v) + max(u, 0)
p <- disc(w, 0, 1, 2)
"""

BUDGETS = """\
input x in {0, 1}
output o in {0, 1, 2}, p in {true, false}
adjacent all
private eps, 1/4 for eps in [1/2, 2]
r <- Lap(eps, x); n <- DLap(eps/2, x)
p <- r + 1 > 0 and n >= 1
o <- Exp(eps, v in 0..2, v*x)
"""

COMPARED = """\
input q[2] in {0, 1}
output o in 0..4, h[2] in {-1, 0, 1}
adjacent hamming 1
private eps
u <- DLap(eps, q[1]); v <- uniform 0..2
v <- v + q[2]
if u < v then o <- 0
elif u <= v then o <- 1
elif not (u < v + 2) and q[2] = 1 then o <- 2
elif u - 2 >= v - 1 then o <- 3
else o <- 4 end
h[1] <- disc(u, -1, 0, 1)
h[2] <- 0
for i in 1..2 do if q[i] > 0 and v > 1 then h[2] <- 1 end end
if abs(v) = 3 or u != v and mod(q[1], 2) = 1 then h[2] <- -1 end
"""

CHOSEN: dict[str, tuple[str, ...]] = {
    "renaming": (ATOMS, CELLS),
    "reordering": (ORDERS, EXITS),
    "splitting loops": (ENDS_EARLY, READ_LATER, CELLS, ROUNDS),
    "the first round": (LOOP,),
    "permuting inputs": (WEIGHTED,),
    "dummy samples": (EXITS, LOOP),
    "flip and choose": (COINS,),
    "streaming extrema": (ARGMAX, ARGMIN, MAX, MIN, LISTED),
    "multiple of eps": (BUDGETS,),
    "python": (COMPARED, ROUNDS, LOOP, COINS, ARGMAX),
}
