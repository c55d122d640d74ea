"""Markov chains as dynamic Bayesian networks of pgmpy, and back.

The states of the chain are the joint values of the variables of a slice, so a hidden Markov model with the
hidden variable Z and the observation X is a chain of pairs with the labels "X=0", "X=1", ...
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from flint import fmpq

from dipc.errors import InputError, LimitReached, WrongType
from dipc.models.chain import DEAD, MarkovChain
from dipc.models.names import as_declared
from dipc.models.rounding import Rounding

COMPLETE = "call `initialize_initial_state()`, and add the tables of both slices"
MOST_PAIRS = 10**7  # of joint values
Table = tuple[list[tuple[str, int]], dict[tuple[int, ...], list[fmpq]], list[str]]
"""The parents of a variable with their slices, its probabilities for their values, and its own values."""


def chain_parts(network: Any, rounding: Rounding) -> dict[str, Any]:
    """The ``rows``, ``labels`` and ``start`` states of a network with two slices; the start is slice 0.

    Raises :class:`InputError`, and :class:`LimitReached` for too many joint values.
    """
    if not all(hasattr(network, name) for name in ("get_slice_nodes", "get_cpds")):
        raise WrongType("a dynamic Bayesian network is expected", hint="pgmpy.models.DynamicBayesianNetwork")
    first, second = (
        {str(node[0]): _table(network, node, rounding) for node in network.get_slice_nodes(t)} for t in (0, 1)
    )
    if not first or first.keys() != second.keys():
        raise InputError("both slices need the same variables", hint=COMPLETE)
    if prod(len(values) ** 2 for _, _, values in first.values()) > MOST_PAIRS:
        raise LimitReached(f"more than {MOST_PAIRS} transitions between the joint values of the variables")
    places = product(*(range(len(values)) for *_, values in first.values()))
    joint = [dict(zip(first, each, strict=True)) for each in places]
    names = [_name(first, each) for each in joint]
    labels: dict[str, list[str]] = {}
    for name, each in zip(names, joint, strict=True) if len(first) > 1 else ():
        for variable, place in each.items():
            labels.setdefault(_quoted(f"{variable}={first[variable][2][place]}"), []).append(name)
    rows = {}
    for name, here in zip(names, joint, strict=True):
        following = ((t, _probability(second, here, there)) for t, there in zip(names, joint, strict=True))
        row = {t: Fraction(int(p.p), int(p.q)) for t, p in following if p}
        if name != DEAD:
            rows[name] = {} if list(row) == [DEAD] else row  # a final state
    start = [name for name, each in zip(names, joint, strict=True) if _probability(first, each, each)]
    return {"rows": rows, "labels": labels, "start": start}


def _name(tables: Mapping[str, Table], each: Mapping[str, int]) -> str:
    """The name of a state: the values of the variables, with their names if there are several."""
    words = [f"{name}={tables[name][2][place]}" for name, place in each.items()]
    return _quoted(", ".join(words) if len(words) > 1 else words[0].partition("=")[2])


def _quoted(word: str) -> str:
    return as_declared(word.replace('"', "'"))


def _table(network: Any, node: Any, rounding: Rounding) -> Table:
    table = network.get_cpds(node)
    if table is None:
        raise InputError(f"{node[0]} has no table in slice {node[1]}", hint=COMPLETE)
    _, *parents = [(str(v[0]), int(v[1])) for v in table.variables]
    size, *sizes = map(int, table.cardinality)
    rows = {}
    for places in product(*map(range, sizes)):
        column = [table.values[(own, *places)] for own in range(size)]
        rows[places] = rounding.row(column, f"the table of {node[0]} in slice {node[1]}")
    return parents, rows, list(map(str, table.state_names[table.variables[0]]))


def _probability(tables: Mapping[str, Table], here: Mapping[str, int], there: Mapping[str, int]) -> fmpq:
    """The probability of the values there in slice 1, if those in slice 0 are here."""
    found = fmpq(1)
    for name, (parents, rows, _) in tables.items():
        places = tuple((there if t else here)[variable] for variable, t in parents)
        found *= rows[places][there[name]]
    return found


def network_of(model: MarkovChain[Any]) -> Any:
    """The network of a chain: the variable "state" in two slices; pgmpy makes floats of its probabilities.

    Raises :class:`InputError` for functions of eps, and without pgmpy.
    """
    rows: Any = model.rows
    if not isinstance(rows[0][0][1], fmpq):
        raise InputError("only a chain with rational probabilities is a dynamic Bayesian network")
    try:
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DynamicBayesianNetwork
    except ImportError:
        raise InputError("pgmpy is not installed", hint="pip install pgmpy") from None
    now, later, size = ("state", 0), ("state", 1), len(rows)
    names, start = list(map(as_declared, model.names)), set(model.start)
    table = [[Fraction(str(dict(row).get(t, 0))) for row in rows] for t in range(size)]
    first = [[Fraction(s in start, len(start))] for s in range(size)]
    network = DynamicBayesianNetwork([(now, later)])
    network.add_cpds(
        TabularCPD(now, size, first, state_names={now: names}),
        TabularCPD(later, size, table, [now], [size], state_names={now: names, later: names}),
    )
    return network
