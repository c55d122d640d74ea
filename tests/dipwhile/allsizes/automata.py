"""Automata made by hand or by chance, and what a strategy must satisfy, written down a second time."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from flint import fmpq

from dipc.dipwhile.allsizes.automaton import Automaton, Edge, Form, Guard, Place, Sample


def form(constant=0, **terms):
    """``form(1, s0=2, rT=-1)`` is 1 + 2 (sample 0) - rT."""
    symbols = sorted(terms, key=lambda name: (name[0] != "s", name))
    return Form(
        tuple((int(n[1:]) if n[0] == "s" else n, fmpq(terms[n])) for n in symbols if terms[n]), fmpq(constant)
    )


def lap(rate, mean=None, kind="Lap"):
    return Sample(kind, fmpq(rate), mean or form())


def edge(source, target, samples=(), guards=(), sets=None, cost=0, decisions=()):
    return Edge(
        source,
        target,
        tuple(samples),
        tuple(one if isinstance(one, Guard) else Guard(one) for one in guards),
        tuple((sets or {}).items()),
        fmpq(cost),
        decisions=tuple(decisions),
    )


def automaton(places, edges, start=0):
    """``places``: the names that are live in each, in one string."""
    return Automaton(
        tuple(Place(f"place {n}", live=tuple(live.split())) for n, live in enumerate(places)),
        tuple(edges),
        start,
        ("N",),
        "q: reals",
    )


def asking(source, target, holds, rate, live="rT"):
    """``r <- Lap(rate*eps, q[i])``, compared with the threshold: one edge for each label."""
    keep = {"rT": form(rT=1)} if live else {}
    for label in (1, -1):
        sign = 1 if holds else -1
        samples = [lap(rate, form(label))] if rate else []
        guard = form(s0=sign, rT=-sign) if rate else form(sign * label, rT=-sign)
        yield edge(source, target, samples, [guard], keep, decisions=(f"{holds} {target}",))


def above_threshold(count=1, query=None, forever=False):
    """``svt1`` (c = count): rT <- Lap(eps/2, T); top counts, and exits at c unless ``forever``."""
    rate = fmpq(1, 4 * count) if query is None else query
    edges = [edge(0, 1, [lap(fmpq(1, 2))], sets={"rT": form(s0=1)})]
    end = count + 1
    for n in range(1, count + 1):
        last = n == count and not forever
        edges += asking(n, n, False, rate)
        edges += asking(n, n if forever else n + 1, True, rate, "" if last else "rT")
        edges.append(edge(n, end, decisions=("left",)))
    return automaton(["", *["rT"] * count, ""], edges)


def used_later():
    """A stored sample is published with a private value, with the sign that a public coin shows later."""
    edges = [edge(0, 1, [lap(1)], sets={"x": form(s0=1)})]
    for sign in (1, -1):
        for label in (1, -1):
            guard = Guard(form(sign * label, x=1), True)
            edges.append(edge(1, 2, guards=[guard], decisions=(f"{sign}",)))
    return automaton(["", "x", ""], edges)


def random_form(random, samples, live):
    names = [f"s{n}" for n in range(samples)] + list(live)
    chosen = random.sample(names, min(len(names), random.randint(0, 2)))
    return form(
        random.choice((0, 0, 1, -1)), **{name: random.choice((1, -1, 1, fmpq(1, 2))) for name in chosen}
    )


def random_guard(random, samples, live):
    """Mostly one that a fresh sample can keep."""
    found = random_form(random, samples, live)
    if samples and random.random() < 0.9:
        symbol, terms = random.randrange(samples), dict(found.terms)
        terms[symbol] = fmpq(random.choice((1, -1)))
        found = Form(
            tuple(sorted(terms.items(), key=lambda term: (isinstance(term[0], str), term[0]))), found.constant
        )
    return Guard(found, random.random() < 0.2)


def random_edge(random, source, target, lives, kinds=("Lap", "LapPlus")):
    samples, live = [], lives[source]
    for n in range(random.randint(0, 2)):
        mean = random_form(random, n, live)
        samples.append(lap(random.choice((1, 2, fmpq(1, 2))), mean, random.choice(kinds)))
    guards = [
        random_guard(random, len(samples), live)
        for _ in range(random.randint(0, len(samples) or 1) // random.randint(1, 2))
    ]
    sets = {name: random_form(random, len(samples), live) for name in lives[target]}
    decisions = (str(random.randint(0, 1)),)
    return edge(source, target, samples, guards, sets, random.choice((0, 0, 0, 1)), decisions)


def random_automaton(seed, places=4, cycles=True, kinds=("Lap", "LapPlus")):
    random = Random(seed)
    lives = [(), *(tuple("xy"[: random.randint(0, 2)]) for _ in range(places - 1))]
    edges = []
    for target in range(1, places):
        for _ in range(random.randint(1, 2)):
            edges.append(random_edge(random, random.randrange(target), target, lives, kinds))
    if cycles:
        for _ in range(random.randint(0, 2)):
            source, target = sorted((random.randrange(1, places), random.randrange(1, places)), reverse=True)
            edges.append(random_edge(random, source, target, lives, kinds))
    return automaton([" ".join(live) for live in lives], edges)


def value(form, shifts, deltas):
    """A form under a strategy."""
    moved = (a * (shifts[symbol] if isinstance(symbol, int) else deltas[symbol]) for symbol, a in form.terms)
    return sum(moved, form.constant)


def violations(automaton, strategy):
    """The conditions of section 3 that a strategy breaks."""
    phi, deltas = strategy.potentials, strategy.deltas
    yield from (f"potential {place}" for place, x in phi.items() if x < 0)
    for number, shifts in zip(strategy.edges, strategy.shifts, strict=True):
        one = automaton.edges[number]
        spent = one.cost
        for n, (sample, shift) in enumerate(zip(one.samples, shifts, strict=True)):
            move = shift - value(sample.mean, shifts[:n], deltas[one.source])
            spent += sample.rate * abs(move)
            if (sample.kind == "LapPlus" and move < 0) or (sample.kind == "DLap" and shift.q != 1):
                yield f"edge {number}: sample {n}"
        for guard in one.guards:
            x = value(guard.form, shifts, deltas[one.source])
            if x < 0 or (guard.equal and x):
                yield f"edge {number}: guard"
        for name, set_to in one.sets:
            if value(set_to, shifts, deltas[one.source]) != deltas[one.target][name]:
                yield f"edge {number}: {name}"
        if {name for name, _ in one.sets} != set(automaton.places[one.target].live):
            yield f"edge {number}: live"
        if phi[one.source] < spent + phi[one.target]:
            yield f"edge {number}: cost"


def layered(automaton, rounds):
    """The edges after the first, so many times at most; ``left`` edges only at the end."""
    size, edges = len(automaton.places), []
    for n in range(rounds + 1):
        for one in automaton.edges:
            first, left = one.source == automaton.start, one.decisions == ("left",)
            if n == 0 if first else left == (n == rounds):
                ahead = 0 if first or left else size
                edges.append(replace(one, source=one.source + n * size, target=one.target + n * size + ahead))
    return replace(automaton, places=automaton.places * (rounds + 1), edges=tuple(edges))
