"""Probabilities of path formulas on chains, against the exact engine of Storm 2."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import assert_never

import pytest
from dpctl.fast import path_probabilities
from dpctl.oracle import holding
from dpctl.random_chains import random_chain, random_path
from export_tools import run, tool

from dipc.dpctl.formula import And, Formula, Next, Not, Or, Privacy, Probability, Proposition, Truth, Until
from dipc.models.chain import MarkovChain


def drn(chain: MarkovChain) -> str:
    lines = ["@type: DTMC", "@value_type: rational", "@parameters", "", "@reward_models", ""]
    lines += ["@nr_states", str(len(chain.rows)), "@nr_choices", str(len(chain.rows)), "@model"]
    for s, row in enumerate(chain.rows):
        names = [name for name, states in chain.labels.items() if s in states] + ["init"] * (s == 0)
        lines.append(" ".join([f"state {s}", *names, chain.names[s]]))
        lines += ["\taction 0", *(f"\t\t{t} : {p}" for t, p in sorted(row))]
    return "\n".join(lines) + "\n"


def text(formula: Formula) -> str:
    """A formula as Storm reads it."""
    match formula:
        case Truth(value):
            return "true" if value else "false"
        case Proposition(name):
            return f'"{name}"'
        case Not(f):
            return f"!({text(f)})"
        case And(parts):
            return "(" + " & ".join(map(text, parts)) + ")"
        case Or(parts):
            return "(" + " | ".join(map(text, parts)) + ")"
        case Next(f, count):
            return "(X " * count + text(f) + ")" * count  # X without parentheses takes all that follows
        case Until(f, g, None):
            return f"(({text(f)}) U ({text(g)}))"
        case Until(f, g, 0):
            return text(g)
        case Until(f, g, bound):
            return text(Or((g, And((f, Next(Until(f, g, bound - 1)))))))
        case Probability() | Privacy():
            raise AssertionError("no nested P and D here")
        case _:
            assert_never(formula)


@pytest.mark.export
def test_storm_agrees(tmp_path: Path) -> None:
    python, rng = tool("stormpy"), Random(2026)
    cases = []
    for _ in range(60):
        chain = random_chain(rng)
        # A label of no state is unknown to Storm.
        chain = MarkovChain(
            chain.names,
            {name: states or frozenset([0]) for name, states in chain.labels.items()},
            (),
            (),
            chain.rows,
        )
        cases.append((chain, [random_path(rng, rng.randint(1, 3)) for _ in range(5)]))
    file = tmp_path / "questions.json"
    file.write_text(json.dumps([(drn(chain), list(map(text, paths))) for chain, paths in cases]))
    done = run([python, str(Path(__file__).with_name("run_storm.py")), str(file)])
    assert done.returncode == 0, done.stderr
    compared = 0
    for (chain, paths), answers in zip(cases, json.loads(done.stdout.splitlines()[-1]), strict=True):
        for path, answer in zip(paths, answers, strict=True):
            if answer is not None:
                ours = path_probabilities(chain, path, lambda f, c=chain: holding(c, f))
                assert [Fraction(int(p.p), int(p.q)) for p in ours] == list(map(Fraction, answer)), path
                compared += 1
    assert compared > 200, done.stderr
