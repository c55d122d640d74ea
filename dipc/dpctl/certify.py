"""Certificates of formulas of dpCTL* about Markov chains without eps: how they are written and compared.

The kernel's own evaluation of the formula runs here as well, in :mod:`dipc.kernel.chains`; where it needs the
probabilities of an ``A U B`` they are solved for, and listed.  So what is written has been checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

from flint import fmpq

from dipc.certificate.format import accepted, fraction, terms
from dipc.clock import Clock
from dipc.dpctl.formula import (
    And,
    EachNext,
    Formula,
    Next,
    Not,
    Or,
    Privacy,
    Probability,
    Property,
    Proposition,
    Query,
    Truth,
    Until,
)
from dipc.dpctl.pipeline import start_states
from dipc.dpctl.verdict import ModelVerdict
from dipc.errors import InputError, InternalError, Unsupported
from dipc.kernel import chains as kernel
from dipc.kernel import formulas
from dipc.kernel.formulas import Detail, Kind, ListedNode
from dipc.kernel.schema import FORMAT, VERSION
from dipc.models.chain import MarkovChain, Mdp, Model
from dipc.models.graph import never_and_surely, predecessors
from dipc.models.linear import absorption
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient

WITH_EPS = "certificates of models with eps"


def verdict_certificate(verdict: ModelVerdict, name: str) -> kernel.Listed:
    """A certificate of a verdict; raises the errors of :func:`model_certificate`, and :class:`InputError` if
    nothing was decided."""
    if verdict.status == "undecided":
        raise InputError(f"no certificate: nothing was decided: {verdict.reason}")
    certificate = model_certificate(verdict.model, verdict.property, name)
    names = (certificate.states[s] for s in certificate.asked)
    if dict(zip(names, certificate.answers, strict=True)) != verdict.at:
        raise InternalError("the kernel answers the formula otherwise")
    return certificate


def model_certificate(
    model: Model, property: Property, name: str = "<model>", clock: Clock | None = None
) -> kernel.Listed:
    """A certificate of the answers at the states that the property asks about.

    Raises :class:`Unsupported` for decision processes, models or formulas with eps and irrational
    probabilities, :class:`InputError` for a query, and :class:`LimitReached` if the kernel would refuse it.
    """
    chain, formula = certifiable(model, property)
    nodes, solver = nodes_of(formula), _Solver(clock or Clock())
    listed = kernel.Asked(
        format=FORMAT,
        version=VERSION,
        statement="chain",
        model=name,
        states=list(chain.names),
        rows=[sorted((t, fraction(p)) for t, p in row) for row in chain.rows],
        labels={name: sorted(chain.labels[name]) for name in names_in(nodes) if name in chain.labels},
        neighbours=list(chain.neighbours),
        asked=list(start_states(model, property)),
        formula=nodes,
    )
    with accepted():
        read = formulas.read_formula(nodes)
        formulas.formula_shown(read)
        found = kernel.Evaluation(kernel.read_chain(listed), read, solver.until).truth[len(nodes) - 1]
    answers: list[Any] = ["holds" if s in found else "fails" for s in listed.asked]
    return kernel.Listed(**vars(listed), untils=solver.items, answers=answers)


def certifiable(model: Model, property: Property) -> tuple[MarkovChain[fmpq], Formula]:
    """The chain with rational rows, and the formula.  Raises :class:`InputError`."""
    formula = property.formula
    if isinstance(formula, Query):
        raise InputError("a query has no certificate", hint="check a formula, for example `P>=1/2 (F goal)`")
    if isinstance(model, Mdp):
        raise Unsupported("certificates of Markov decision processes")
    if not all(isinstance(p, fmpq) or p.is_constant for row in model.rows for _, p in row):
        raise Unsupported(WITH_EPS)
    rows = tuple(tuple((t, _rational(p)) for t, p in row) for row in model.rows)
    return MarkovChain(model.names, model.labels, model.neighbours, model.start, rows), formula


def _rational(p: fmpq | Quotient) -> fmpq:
    if isinstance(p, fmpq):
        return p
    if (found := p.as_rational()) is None:
        raise Unsupported(f"certificates of models with irrational probabilities such as {p}")
    return fmpq(found.numerator, found.denominator)


# --- formulas -----------------------------------------------------------------------------------------


def nodes_of(formula: Formula) -> list[ListedNode]:
    """The nodes of a formula as the kernel reads them, equal ones once; :class:`Unsupported` if it has eps.

    >>> nodes_of(Until(Truth(True), Not(Proposition("a"))))
    [('true', None, []), ('name', 'a', []), ('not', None, [1]), ('U', None, [0, 2])]
    """
    nodes: dict[str, tuple[int, ListedNode]] = {}
    _place(formula, nodes)
    return [node for _, node in nodes.values()]


def names_in(nodes: Sequence[ListedNode]) -> list[str]:
    """The labels and states that occur in a formula."""
    return [str(detail) for kind, detail, _ in nodes if kind == "name"]


def _place(formula: Formula, nodes: dict[str, tuple[int, ListedNode]]) -> int:
    """The number of a formula among the nodes, which it joins if it is new."""
    kind, detail, operands = _node(formula)
    node = kind, detail, [_place(operand, nodes) for operand in operands]
    return nodes.setdefault(repr(node), (len(nodes), node))[0]


def _node(formula: Formula) -> tuple[Kind, Detail, Sequence[Formula]]:
    match formula:
        case Truth(value):
            return "true" if value else "false", None, ()
        case Proposition(name):
            return "name", name, ()
        case Not(operand):
            return "not", None, (operand,)
        case And(operands):
            return ("and", None, operands) if operands else ("true", None, ())
        case Or(operands):
            return ("or", None, operands) if operands else ("false", None, ())
        case Next(operand, count):
            return "X", count, (operand,)
        case EachNext():
            raise Unsupported("certificates of formulas for all k in N")
        case Until(left, right, bound):
            return "U", bound, (left, right)
        case Probability(ends, path):
            low, high = _number(ends.low), _number(ends.high)
            return "P", formulas.Ends(low, high, ends.low_closed, ends.high_closed), (path,)
        case Privacy(epsilon, delta, path):
            if epsilon.rate:
                raise Unsupported(WITH_EPS)
            logarithms = [(fraction(base), fraction(power)) for base, power in epsilon.logarithms]
            return "D", formulas.Budget(fraction(epsilon.constant), logarithms, _number(delta)), (path,)
        case _:
            assert_never(formula)


def _number(value: Quotient | ExpPoly) -> formulas.Quotient:
    """A constant as the kernel reads it: numerator and denominator, which is positive."""
    quotient = Quotient(value) if isinstance(value, ExpPoly) else value
    if not quotient.is_constant:
        raise Unsupported(WITH_EPS)
    above, below = quotient.numerator, quotient.denominator
    sign = below.sign_at(fmpq(1))
    return terms(above * sign), terms(below * sign)


# --- probabilities ------------------------------------------------------------------------------------


class _Solver:
    """Solves for the probabilities of each ``A U B``, and keeps them for the certificate."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.items: list[kernel.Until] = []

    def until(self, rows: Sequence[kernel.Row], left: frozenset[int], right: frozenset[int]) -> kernel.Until:
        """The probabilities, and the distance to ``right``: None where it cannot be reached."""
        numbers = [[(t, fmpq(p.numerator, p.denominator)) for t, p in row] for row in rows]
        never, surely = never_and_surely(numbers, left, right)
        between = frozenset(range(len(rows))) - never - surely
        values = absorption(numbers, between, surely, fmpq(1), lambda: self.clock.tick("states"))
        self.items.append(kernel.Until([fraction(p) for p in values], distances(rows, left, right)))
        return self.items[-1]


def distances(rows: Sequence[kernel.Row], left: frozenset[int], right: frozenset[int]) -> list[int | None]:
    """The length of a shortest path from each state to ``right`` through states of ``left``.

    >>> distances([[(0, 1), (1, 1)], [(2, 1)], [(2, 1)], [(3, 1)]], frozenset([0, 1, 3]), frozenset([2]))
    [2, 1, 0, None]
    """
    before = predecessors(rows, left - right)
    ranks: list[int | None] = [0 if s in right else None for s in range(len(rows))]
    layer, distance = sorted(right), 0
    while layer:
        distance += 1
        layer = [s for s in dict.fromkeys(s for t in layer for s in before[t]) if ranks[s] is None]
        for s in layer:
            ranks[s] = distance
    return ranks


# --- comparing with a text ----------------------------------------------------------------------------


def other_model(certificate: kernel.Certificate, model: Model) -> list[str]:
    """What the chain of a certificate has otherwise than a model: its states, rows, labels or neighbours.

    Of the labels only those that occur in the formula are listed, and compared.
    """
    if isinstance(model, Mdp):
        return ["the kind of model (the model is a decision process)"]
    chain, names = certificate.chain, names_in(certificate.listed.formula)
    parts = {
        "states": tuple(chain.states) == model.names,
        "rows": [dict(row) for row in listed_model(certificate).rows] == [dict(row) for row in model.rows],
        "labels": all(model.states_of(name) == chain.states_of(name) for name in names),
        "neighbours": set(map(frozenset, chain.neighbours)) == set(map(frozenset, model.neighbours)),
    }
    return [f"the {part} (the model has others)" for part, same in parts.items() if not same]


def listed_model(certificate: kernel.Certificate) -> MarkovChain[fmpq]:
    """The chain that a certificate lists; its start states are those asked about."""
    chain = certificate.chain
    rows = tuple(tuple((t, fmpq(p.numerator, p.denominator)) for t, p in row) for row in chain.rows)
    pairs = tuple((min(pair), max(pair)) for pair in chain.neighbours)
    return MarkovChain(tuple(chain.states), chain.labels, pairs, tuple(chain.asked), rows)


def is_about(certificate: kernel.Certificate, model: Model, property: Property) -> bool:
    """Whether a certificate answers this property: its formula, at the states that it asks about."""
    formula, asked = property.formula, set(start_states(model, property))
    if isinstance(formula, Query) or asked != set(certificate.chain.asked):
        return False
    try:
        return nodes_of(formula) == certificate.listed.formula
    except Unsupported:
        return False
