import sys

R = QQ['eps,z,w,v']     # z = exp(eps/u), w = exp(1/u), v = exp(1/(u*eps))
K = Frac(R)
eps, z, w, v = R.gens()
u = {unit}
results = []


def check(name, holds):
    results.append(bool(holds))
    print("PASS" if holds else "FAIL", name)


def sign(f, r):
    """The exact sign of a polynomial f at a rational eps = r."""
    r = QQ(r)
    value = dict()
    for (n, a, k, b), c in f.dict().items():
        e = (a*r + k + (b/r if b else 0))/u
        value[e] = value.get(e, QQ(0)) + c*r**n
    value = [(e, c) for e, c in value.items() if c != 0]
    if not value:
        return 0
    bits = 64
    while True:
        B = RealBallField(bits)
        ball = sum(B(c)*B(e).exp() for e, c in value)
        if ball > 0:
            return 1
        if ball < 0:
            return -1
        bits *= 2


def chain(f):
    """f_0 = f, f_k = f_(k-1)' - a_k f_(k-1), with the exponents a_k in ascending order, until 0."""
    links, exponents = [], []
    for a in sorted(set(m[1] for m in f.dict())):
        for _ in range(max(m[0] for m in f.dict() if m[1] == a) + 1):
            links.append(f)
            exponents.append(a/u)
            f = f.derivative(eps) + z/u*f.derivative(z) - a/u*f if f else f
            f = R(f)
    return links, exponents, f


def changes(links, r):
    signs = [s for s in (sign(f, r) for f in links) if s]
    return sum(1 for s, t in zip(signs, signs[1:]) if s != t)


def roots(f, low, high):
    """Intervals (a, b] with one root each of f in (low, high), high None: infinity.  None: not settled."""
    links, _, rest = chain(f)
    assert rest == 0
    if high is None:
        high = low + 1
        while changes(links, high) or not sign(f, high):
            high *= 2
    pending, found = [(QQ(low), QQ(high))], []
    while pending:
        a, b = pending.pop()
        bound = changes(links, a) - changes(links, b)
        if bound == 0:
            continue
        if bound == 1:
            if b != high or sign(f, b):
                found.append((a, b))
        elif b - a < 1/2**64:
            return None
        else:
            pending += [(a, (a + b)/2), ((a + b)/2, b)]
    return sorted(found)

