"""Certificates of formulas of dpCTL* about Markov models: how they are written and compared.

The kernel's own evaluation of the formula runs here as well, in :mod:`dipc.kernel.chains` and
:mod:`dipc.kernel.processes`; where it needs the probabilities of an ``A U B`` they are solved for, and
listed.  So what is written has been checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, assert_never, cast

from flint import fmpq

from dipc.certificate.format import accepted, fraction, listed_interval, listed_proof, terms
from dipc.clock import Clock
from dipc.dpctl.bounds import Outcome
from dipc.dpctl.formula import (
    ALL,
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
from dipc.dpctl.pipeline import is_symbolic, start_states
from dipc.dpctl.processes import Options, Words
from dipc.dpctl.schedulers import expected, reaching_probabilities
from dipc.dpctl.syntax import show
from dipc.dpctl.verdict import ModelVerdict
from dipc.errors import InputError, InternalError, Unsupported
from dipc.kernel import chains as kernel
from dipc.kernel import curves, facts, formulas, processes
from dipc.kernel.formulas import Kind, ListedNode
from dipc.kernel.reading import Refused
from dipc.kernel.schema import FORMAT, VERSION
from dipc.models.chain import MarkovChain, Mdp, Model
from dipc.models.draft import fmpq_of
from dipc.models.graph import never_and_surely, predecessors
from dipc.models.linear import absorption
from dipc.models.parameters import has_eps
from dipc.numbers.exppoly import ExpPoly, Term
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Holds, nonnegative
from dipc.signs.limits import NoProof
from dipc.signs.search import proof

WITH_EPS = "certificates of models with eps"
WITHOUT_PROOF = "certificates of decision processes where the kernel finds no proof of its own"
AnyListed = kernel.Listed | curves.Listed | processes.Listed


def verdict_certificate(verdict: ModelVerdict, name: str) -> AnyListed:
    """A certificate of a verdict; raises the errors of :func:`model_certificate`, and :class:`InputError` if
    nothing was decided.

    With eps it is about the range that was asked about, or about one eps at which the formula fails.
    """
    if verdict.status == "undecided":
        raise InputError(f"no certificate: nothing was decided: {verdict.reason}")
    if verdict.parameters or verdict.property.variable != EPS:
        raise Unsupported("certificates of models with parameters")
    if not isinstance(verdict.model, Mdp) and is_symbolic(verdict.model, verdict.property.formula):
        certificate: AnyListed = _of_functions(verdict, name)
        same = ("fails" in certificate.answers) == (verdict.status == "fails")
    else:
        certificate = model_certificate(verdict.model, verdict.property, name)
        names = (certificate.states[s] for s in certificate.asked)
        same = dict(zip(names, certificate.answers, strict=True)) == verdict.at
    if not same:
        raise InternalError("the kernel answers the formula otherwise")
    return certificate


def model_certificate(
    model: Model, property: Property, name: str = "<model>", clock: Clock | None = None
) -> kernel.Listed | processes.Listed:
    """A certificate of the answers at the states that the property asks about.

    Raises :class:`Unsupported` for models or formulas with eps, irrational probabilities and what the kernel
    does not prove, :class:`InputError` for a query, and :class:`LimitReached` if the kernel would refuse it.
    """
    formula = property.formula
    if isinstance(formula, Query):
        raise InputError("a query has no certificate", hint="check a formula, for example `P>=1/2 (F goal)`")
    if has_eps(model):
        raise Unsupported(WITH_EPS)
    nodes, solver = nodes_of(formula), _Solver(kernel.Until, _fmpq, fmpq(1), fraction, clock or Clock())
    common = _common(model, property, name, nodes)
    if isinstance(model, Mdp):
        return _of_process(model, property, common, solver)
    listed = kernel.Statement(statement="chain", rows=list(map(_listed_row, model.rows)), **common)
    with accepted():
        read = formulas.read_formula(nodes)
        formulas.formula_shown(read)
        found = kernel.Evaluation(kernel.read_chain(listed), read, solver.until)
    return kernel.Listed(**vars(listed), untils=solver.items, answers=_answers(found, listed))


def _of_process(
    model: Mdp[Any], property: Property, common: dict[str, Any], solver: _Solver
) -> processes.Listed:
    """A certificate about a decision process."""
    rows = [list(map(_listed_row, choices)) for choices in model.rows]
    listed = processes.Statement(statement="process", actions=list(model.actions), rows=rows, **common)
    nodes = formulas.read_formula(listed.formula)
    judge = Words(model, property.eps_range, solver.clock, Options(), True).fixed
    assert judge is not None
    parts: dict[int, Formula] = {}
    _place(cast("Formula", property.formula), {}, False, parts)
    words: list[processes.Word | None] = []

    def word(node: formulas.Node, s: int, t: int) -> processes.Word | None:
        formula = cast("Privacy", parts[nodes.index(node)])
        found = judge.found(formula, s, t)
        if found is None:
            raise Unsupported(f"certificates in which {show(formula)} is undecided for some neighbours")
        words.append((list(found.prefix), list(found.cycle) or [0]) if isinstance(found, Outcome) else None)
        return words[-1]

    try:
        evaluation = processes.Process(listed, nodes, solver.until, word)
    except Refused as refused:
        raise Unsupported(f"{WITHOUT_PROOF} ({refused})") from None
    answers = _answers(evaluation, listed)
    return processes.Listed(**vars(listed), untils=solver.items, words=words, answers=answers)


def _listed_row(row: Sequence[tuple[int, Any]]) -> kernel.Row:
    return sorted((t, fraction(_rational(p))) for t, p in row)


def _common(model: Model, property: Property, name: str, nodes: Sequence[ListedNode]) -> dict[str, Any]:
    """What the statements about chains share."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "model": name,
        "states": list(model.names),
        "labels": {label: sorted(model.labels[label]) for label in names_in(nodes) if label in model.labels},
        "neighbours": list(model.neighbours),
        "asked": list(start_states(model, property)),
        "formula": nodes,
    }


def _answers(
    found: kernel.Evaluation, asked: kernel.Statement | curves.Statement | processes.Statement
) -> list[Any]:
    holds = found.truth[len(asked.formula) - 1]
    return ["holds" if s in holds else "fails" for s in asked.asked]


def _rational(p: fmpq | Quotient) -> fmpq:
    if isinstance(p, fmpq):
        return p
    if p.as_rational() is None:
        raise Unsupported(f"certificates of models with irrational probabilities such as {p}")
    return fmpq_of(p)


# --- formulas -----------------------------------------------------------------------------------------


def nodes_of(formula: Formula, rated: bool = False) -> list[ListedNode]:
    """The nodes of a formula as the kernel reads them, equal ones once; ``rated`` if it may have eps.

    Raises :class:`Unsupported`.

    >>> nodes_of(Until(Truth(True), Not(Proposition("a"))))
    [('true', None, []), ('name', 'a', []), ('not', None, [1]), ('U', None, [0, 2])]
    """
    if depends_on_eps(formula) and not rated:
        raise Unsupported(WITH_EPS)
    nodes: dict[str, tuple[int, ListedNode]] = {}
    _place(formula, nodes, rated, {})
    return [node for _, node in nodes.values()]


def names_in(nodes: Sequence[ListedNode]) -> list[str]:
    """The labels and states that occur in a formula."""
    return [str(detail) for kind, detail, _ in nodes if kind == "name"]


def _place(
    formula: Formula, nodes: dict[str, tuple[int, ListedNode]], rated: bool, parts: dict[int, Formula]
) -> int:
    """The number of a formula among the nodes, which it joins if it is new; ``parts`` are what they say."""
    kind, detail, operands = _node(formula, rated)
    node = kind, detail, [_place(operand, nodes, rated, parts) for operand in operands]
    number = nodes.setdefault(repr(node), (len(nodes), node))[0]
    parts[number] = formula
    return number


def _node(formula: Formula, rated: bool) -> tuple[Kind, Any, Sequence[Formula]]:
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
            low, high = map(_function, (ends.low, ends.high))
            return "P", formulas.Ends(low, high, ends.low_closed, ends.high_closed), (path,)
        case Privacy(epsilon, delta, path):
            logarithms = [(fraction(base), fraction(power)) for base, power in epsilon.logarithms]
            numbers = fraction(epsilon.constant), logarithms, _function(delta)
            detail = formulas.Rated(*numbers, fraction(epsilon.rate)) if rated else formulas.Budget(*numbers)
            return "D", detail, (path,)
        case _:
            assert_never(formula)


def _function(p: Quotient, wanted: EpsRange = ALL) -> formulas.Quotient:
    """A number as the kernel reads it: numerator and denominator, which is positive inside the range."""
    sign = p.denominator.sign_at(wanted.inside)
    return terms(p.numerator * sign), terms(p.denominator * sign)


# --- probabilities ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Solver:
    """Solves for the probabilities of each ``A U B``, and keeps them for the certificate as ``items``."""

    item: Callable[[Any, list[int | None]], Any]
    number: Callable[[Any], Any]  # of one of the kernel
    one: Any
    listed: Callable[[Any], Any]
    clock: Clock
    items: list[Any] = field(default_factory=list)

    def until(
        self, rows: Sequence[Any], left: frozenset[int], right: frozenset[int], most: bool | None = None
    ) -> Any:
        """The probabilities, and the ranks that show them; ``most`` if ``rows`` are those of every action."""
        if most is None:
            numbers = [[(t, self.number(p)) for t, p in row] for row in rows]
            never, surely = never_and_surely(numbers, left, right)
            between = frozenset(range(len(rows))) - never - surely
            values = absorption(numbers, between, surely, self.one, self.tick)
            rows = [(row,) for row in numbers]
        else:
            rows = [[tuple((t, self.number(p)) for t, p in row) for row in choices] for choices in rows]
            values = self._extremes(rows, left, right, most)
        found = ranks(rows, values, left, right, most is not False)
        self.items.append(self.item([self.listed(p) for p in values], found))
        return self.items[-1]

    def tick(self) -> None:
        self.clock.tick("states")

    def _extremes(
        self, choices: Sequence[Any], left: frozenset[int], right: frozenset[int], most: bool
    ) -> list[Any]:
        """The largest probabilities; the least ones are those of never coming to where B can be avoided."""
        fixed = [rows if s in left - right else [((s, self.one),)] for s, rows in enumerate(choices)]
        if most:
            return reaching_probabilities(fixed, right, self.one, self.tick)
        avoiding = set(range(len(fixed))) - right
        while gone := {s for s in avoiding if not any(avoiding.issuperset(dict(r)) for r in fixed[s])}:
            avoiding -= gone
        return [self.one - p for p in reaching_probabilities(fixed, avoiding, self.one, self.tick)]


def ranks(
    choices: Sequence[Any], values: Sequence[Any], left: frozenset[int], right: frozenset[int], most: bool
) -> list[int | None]:
    """How far each state of ``left`` is from ``right``: under a best action, or, if not ``most``, the worst.

    >>> rows = [[(0, 1), (1, 1)], [(2, 1)], [(2, 1)], [(3, 1)]]
    >>> ranks([[row] for row in rows], [1, 1, 1, 0], frozenset([0, 1, 3]), frozenset([2]), True)
    [2, 1, 0, None]
    """
    edges = [[edge for row in rows for edge in row] for rows in choices]
    before = predecessors(edges, left - right)
    found: list[int | None] = [0 if s in right else None for s in range(len(choices))]
    layer, distance = sorted(right), 0
    while layer:
        distance += 1
        near = dict.fromkeys(s for t in layer for s in before[t] if found[s] is None)
        layer = []
        for s in near:
            good = [any(found[t] is not None for t, _ in row) for row in choices[s]]
            if most and len(good) > 1:
                means = [expected(row, values) == values[s] for row in choices[s]]
                good = [here and mean for here, mean in zip(good, means, strict=True)]
            layer += [s] if (any(good) if most else all(good)) else []
        for s in layer:
            found[s] = distance
    return found


# --- functions of eps ---------------------------------------------------------------------------------


def _of_functions(verdict: ModelVerdict, name: str) -> curves.Listed:
    """A certificate about eps."""
    wanted, property, model = verdict.property.eps_range, verdict.property, verdict.model
    if verdict.status == "fails":
        place = None if verdict.witness is None else verdict.witness.epsilon
        if not isinstance(place, fmpq):
            raise Unsupported("certificates of formulas that fail at irrational eps only")
        wanted = EpsRange.point(place)
    numbers: dict[Quotient, int] = {}
    rows = [
        sorted((t, numbers.setdefault(Quotient.one() * p, len(numbers))) for t, p in row)
        for row in cast("Any", model.rows)
    ]
    listed = partial(_function, wanted=wanted)
    common = _common(model, property, name, nodes_of(cast(Formula, property.formula), rated=True))
    asked = curves.Statement(statement="curves", numbers=list(map(listed, numbers)), rows=rows, **common)
    signs = _Prover(listed_interval(wanted), wanted)
    solver = _Solver(curves.Until, _quotient, Quotient.one(), listed, Clock())

    def until(*question: Any) -> kernel.Until:
        found, curve = solver.until(*question), partial(signs.curve, step="until")
        return kernel.Until(list(map(curve, found.values)), found.ranks)  # type: ignore[arg-type]

    with accepted():
        found = _Writer(asked, signs, until)
    piece = curves.Piece(signs.on, signs.items, solver.items)
    return curves.Listed(**vars(asked), pieces=[piece], answers=_answers(found, asked))


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


class _Writer(curves.Curves):
    """The evaluation of the kernel, which needs no refined chains."""

    def split(self, level: Any, i: int) -> Iterator[Any]:
        raise Unsupported("certificates of nested path operators in models with eps")


def _as_polynomial(f: facts.Function) -> ExpPoly:
    found = [Term(_fmpq(c), n, *map(_fmpq, rest)) for (n, *rest), c in f.items()]
    return ExpPoly.from_terms(found)


def _fmpq(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)


def _quotient(p: formulas.Curve | Fraction) -> Quotient:
    curve = formulas.Curve.of(p)
    return Quotient(_as_polynomial(curve.above), _as_polynomial(curve.below))


# --- comparing with a text ----------------------------------------------------------------------------


def other_model(certificate: kernel.Certificate, model: Model) -> list[str]:
    """What the chain of a certificate has otherwise than a model: its states, rows, labels or neighbours.

    Of the labels only those that occur in the formula are listed, and compared.
    """
    about_process = isinstance(certificate, processes.Certificate)
    if isinstance(model, Mdp) is not about_process:
        kind = "decision process" if isinstance(model, Mdp) else "chain"
        return [f"the kind of model (the model is a {kind})"]
    chain, names = certificate.chain, names_in(certificate.listed.formula)
    parts = {
        "states": tuple(chain.states) == model.names,
        "rows": _as_mappings(listed_model(certificate)) == _as_mappings(model),
        "labels": all(model.states_of(name) == chain.states_of(name) for name in names),
        "neighbours": set(map(frozenset, chain.neighbours)) == set(map(frozenset, model.neighbours)),
    }
    if isinstance(model, Mdp):
        parts["actions"] = tuple(cast("Any", certificate.listed).actions) == model.actions
    return [f"the {part} (the model has others)" for part, same in parts.items() if not same]


def _as_mappings(model: Model) -> list[list[dict[int, Any]]]:
    """The rows of every state, without an order."""
    return [list(map(dict, rows if isinstance(model, Mdp) else [rows])) for rows in cast("Any", model.rows)]


def listed_model(certificate: kernel.Certificate) -> Model:
    """The model that a certificate lists; its start states are those asked about."""
    chain: Any = certificate.chain
    number: Any = _quotient if isinstance(certificate, curves.Certificate) else _fmpq
    pairs = tuple((min(pair), max(pair)) for pair in chain.neighbours)
    common = tuple(chain.states), chain.labels, pairs, tuple(chain.asked)

    def row_of(row: Any) -> Any:
        return tuple((t, number(p)) for t, p in row)

    if isinstance(certificate, processes.Certificate):
        listed: Any = certificate.listed
        rows = tuple(tuple(map(row_of, choices)) for choices in listed.rows)
        return Mdp(*common, tuple(listed.actions), rows)
    return MarkovChain(*common, tuple(map(row_of, chain.rows)))


def is_about(certificate: kernel.Certificate, model: Model, property: Property) -> bool:
    """Whether a certificate answers this property: its formula, at the states that it asks about."""
    formula, asked = property.formula, set(start_states(model, property))
    if isinstance(formula, Query) or asked != set(certificate.chain.asked):
        return False
    about_eps = isinstance(certificate, curves.Certificate)
    if isinstance(certificate, curves.Certificate):
        on, wanted = certificate.on, listed_interval(property.eps_range)
        if on != wanted and (certificate.status == "holds" or on.low != on.high or not wanted.has(on.low)):
            return False
    try:
        return nodes_of(formula, about_eps) == cast("object", certificate.listed.formula)
    except Unsupported:
        return False
