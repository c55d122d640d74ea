"""Certificates of formulas of dpCTL* about Markov chains without eps: how they are written and compared.

The kernel's own evaluation of the formula runs here as well, in :mod:`dipc.kernel.chains`; where it needs the
probabilities of an ``A U B`` they are solved for, and listed.  So what is written has been checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, assert_never, cast

from flint import fmpq

from dipc.certificate.format import accepted, fraction, listed_interval, listed_proof, terms
from dipc.clock import Clock, unlimited
from dipc.dpctl.formula import (
    EPS,
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
    depends_on_eps,
)
from dipc.dpctl.pipeline import has_eps, start_states
from dipc.dpctl.verdict import ModelVerdict
from dipc.errors import InputError, InternalError, Unsupported
from dipc.kernel import chains as kernel
from dipc.kernel import curves, facts, formulas
from dipc.kernel.formulas import Detail, Kind, ListedNode
from dipc.kernel.schema import FORMAT, VERSION
from dipc.models.chain import MarkovChain, Mdp, Model
from dipc.models.graph import never_and_surely, predecessors
from dipc.models.linear import absorption
from dipc.numbers.exppoly import ExpPoly, Term
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Holds, nonnegative
from dipc.signs.limits import NoProof
from dipc.signs.search import proof

WITH_EPS = "certificates of models with eps"
Numbers = Callable[[Probability | Privacy], Any]
AnyListed = kernel.Listed | curves.Listed


def verdict_certificate(verdict: ModelVerdict, name: str) -> AnyListed:
    """A certificate of a verdict; raises the errors of :func:`model_certificate`, and :class:`InputError` if
    nothing was decided.

    With eps it is about the range that was asked about, or about one eps at which the formula fails.
    """
    if verdict.status == "undecided":
        raise InputError(f"no certificate: nothing was decided: {verdict.reason}")
    if verdict.parameters or verdict.property.variable != EPS:
        raise Unsupported("certificates of models with parameters")
    if not isinstance(verdict.model, Mdp) and (
        has_eps(verdict.model) or depends_on_eps(verdict.property.formula)
    ):
        return _of_functions(verdict, name)
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
    return _nodes(formula, _constants)


def _nodes(formula: Formula, numbers: Numbers) -> list[ListedNode]:
    nodes: dict[str, tuple[int, ListedNode]] = {}
    _place(formula, nodes, numbers)
    return [node for _, node in nodes.values()]


def names_in(nodes: Sequence[ListedNode]) -> list[str]:
    """The labels and states that occur in a formula."""
    return [str(detail) for kind, detail, _ in nodes if kind == "name"]


def _place(formula: Formula, nodes: dict[str, tuple[int, ListedNode]], numbers: Numbers) -> int:
    """The number of a formula among the nodes, which it joins if it is new."""
    kind, detail, operands = _node(formula, numbers)
    node = kind, detail, [_place(operand, nodes, numbers) for operand in operands]
    return nodes.setdefault(repr(node), (len(nodes), node))[0]


def _node(formula: Formula, numbers: Numbers) -> tuple[Kind, Detail, Sequence[Formula]]:
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
        case Probability(_, path):
            return "P", numbers(formula), (path,)
        case Privacy(_, _, path):
            return "D", numbers(formula), (path,)
        case _:
            assert_never(formula)


def _constants(formula: Probability | Privacy) -> Detail:
    """The numbers of a P or D, without eps."""
    match formula:
        case Probability(ends):
            low, high = _number(ends.low), _number(ends.high)
            return formulas.Ends(low, high, ends.low_closed, ends.high_closed)
        case Privacy(epsilon, delta):
            if epsilon.rate:
                raise Unsupported(WITH_EPS)
            logarithms = [(fraction(base), fraction(power)) for base, power in epsilon.logarithms]
            return formulas.Budget(fraction(epsilon.constant), logarithms, _number(delta))


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
        numbers = [[(t, _rational_of(p)) for t, p in row] for row in rows]
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


# --- functions of eps ---------------------------------------------------------------------------------


def _of_functions(verdict: ModelVerdict, name: str) -> curves.Listed:
    """A certificate about eps."""
    wanted, property = verdict.property.eps_range, verdict.property
    if verdict.status == "fails":
        place = None if verdict.witness is None else verdict.witness.epsilon
        if not isinstance(place, fmpq):
            raise Unsupported("certificates of formulas that fail at irrational eps only")
        wanted = EpsRange.point(place)
    numbers: dict[Quotient, int] = {}
    rows = [
        sorted((t, numbers.setdefault(Quotient.one() * p, len(numbers))) for t, p in row)
        for row in cast("Any", verdict.model.rows)
    ]
    nodes = _nodes(cast(Formula, property.formula), _rated)
    model = verdict.model
    asked = curves.Asked(
        format=FORMAT,
        version=VERSION,
        statement="curves",
        model=name,
        states=list(model.names),
        numbers=[_function(p, wanted) for p in numbers],
        rows=rows,
        labels={label: sorted(model.labels[label]) for label in names_in(nodes) if label in model.labels},
        neighbours=list(model.neighbours),
        asked=list(start_states(model, property)),
        formula=cast("Any", nodes),
    )
    on = listed_interval(wanted)
    signs = _Prover(on, wanted)
    solver = _CurveSolver(signs)
    with accepted():
        found = _Writer(asked, signs, solver.until).truth[len(nodes) - 1]
    answers: list[Any] = ["holds" if s in found else "fails" for s in asked.asked]
    if ("fails" in answers) != (verdict.status == "fails"):
        raise InternalError("the kernel answers the formula otherwise")
    piece = curves.Piece(on, signs.items, solver.items)
    return curves.Listed(**vars(asked), pieces=[piece], answers=answers)


class _Prover(curves.Signs):
    """Proves the signs that the kernel asks for, and lists them."""

    def __init__(self, on: facts.Interval, wanted: EpsRange) -> None:
        super().__init__(on, (), "piece 0")
        self.wanted, self.items = wanted, list[curves.Sign]()

    def item(self, f: facts.Function) -> curves.Sign:
        g = _as_polynomial(f)
        holds = isinstance(nonnegative(g, self.wanted), Holds)
        try:
            found = proof(g if holds else -g, self.wanted, strict=not holds)
        except NoProof:
            raise Unsupported(
                f"certificates about the function {g}, whose sign changes or is not proved"
            ) from None
        self.items.append(curves.Sign(holds, listed_proof(found, g if holds else -g)))
        return self.items[-1]


class _CurveSolver:
    """Solves for the probabilities of each ``A U B`` as functions of eps."""

    def __init__(self, signs: _Prover) -> None:
        self.signs, self.items = signs, list[curves.Until]()

    def until(self, rows: Sequence[Any], left: frozenset[int], right: frozenset[int]) -> kernel.Until:
        numbers = [[(t, _quotient(p)) for t, p in row] for row in rows]
        never, surely = never_and_surely(numbers, left, right)
        between = frozenset(range(len(rows))) - never - surely
        values = absorption(numbers, between, surely, Quotient.one(), unlimited)
        ranks = distances(rows, left, right)
        self.items.append(curves.Until([_function(p, self.signs.wanted) for p in values], ranks))
        listed: Any = [self.signs.curve(p, "until") for p in self.items[-1].values]
        return kernel.Until(listed, ranks)


class _Writer(curves.Curves):
    """The evaluation of the kernel, which needs no refined chains."""

    def split(self, level: Any, i: int) -> Iterator[Any]:
        raise Unsupported("certificates of nested path operators in models with eps")


def _signed(p: Quotient, wanted: EpsRange) -> tuple[ExpPoly, ExpPoly]:
    """Numerator and denominator, which is positive inside the range."""
    sign = p.denominator.sign_at(wanted.inside)
    return p.numerator * sign, p.denominator * sign


def _function(p: Quotient, wanted: EpsRange) -> formulas.Quotient:
    above, below = _signed(p, wanted)
    return terms(above), terms(below)


def _as_polynomial(f: facts.Function) -> ExpPoly:
    found = [Term(_rational_of(c), n, *map(_rational_of, rest)) for (n, *rest), c in f.items()]
    return ExpPoly.from_terms(found)


def _rational_of(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)


def _quotient(p: curves.Curve | Fraction) -> Quotient:
    curve = curves.Curve.of(p)
    return Quotient(_as_polynomial(curve.above), _as_polynomial(curve.below))


def _rated(formula: Probability | Privacy) -> Any:
    """The numbers of a P or D, which may depend on eps."""
    match formula:
        case Probability(ends):
            low, high = (_function(end, EpsRange.positive()) for end in (ends.low, ends.high))
            return formulas.Ends(low, high, ends.low_closed, ends.high_closed)
        case Privacy(epsilon, delta):
            logarithms = [(fraction(base), fraction(power)) for base, power in epsilon.logarithms]
            rates = fraction(epsilon.rate), fraction(epsilon.constant)
            return curves.Rated(*rates, logarithms, _function(delta, EpsRange.positive()))


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
    chain: Any = certificate.chain
    number: Any = _quotient if isinstance(certificate, curves.Certificate) else _rational_of
    rows = tuple(tuple((t, number(p)) for t, p in row) for row in chain.rows)
    pairs = tuple((min(pair), max(pair)) for pair in chain.neighbours)
    return MarkovChain(tuple(chain.states), chain.labels, pairs, tuple(chain.asked), rows)


def is_about(certificate: kernel.Certificate, model: Model, property: Property) -> bool:
    """Whether a certificate answers this property: its formula, at the states that it asks about."""
    formula, asked = property.formula, set(start_states(model, property))
    if isinstance(formula, Query) or asked != set(certificate.chain.asked):
        return False
    if isinstance(certificate, curves.Certificate):
        on, wanted = certificate.on, listed_interval(property.eps_range)
        part = on == wanted or (certificate.status == "fails" and on.low == on.high and wanted.has(on.low))
        return part and _nodes(formula, _rated) == cast("Any", certificate.listed.formula)
    try:
        return nodes_of(formula) == certificate.listed.formula
    except Unsupported:
        return False
