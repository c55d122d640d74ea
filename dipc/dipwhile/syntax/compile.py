"""Syntax tree to core program: the entry to the front end.

The passes, in order: names, parameters, declarations; on the text arrays, places of eps, kinds and rules;
unrolling, and what depends on values; adjacency and claim.  Each refuses what it finds wrong; the last two
are here, the others are modules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple, assert_never

from flint import fmpq

from dipc.claims.ratios import Measure
from dipc.dipwhile.syntax import ast, questions, types
from dipc.dipwhile.syntax.arrays import array_sizes
from dipc.dipwhile.syntax.certain import check_certain, compile_about, refuse_names
from dipc.dipwhile.syntax.constants import check_known, declare, declare_input, evaluate, evaluate_parameters
from dipc.dipwhile.syntax.core import (
    CoreAdjacency,
    CoreClaim,
    CoreProgram,
    CoreQuestion,
    Variable,
)
from dipc.dipwhile.syntax.everywhere import check_everywhere, empty_ranges
from dipc.dipwhile.syntax.functions import check_call
from dipc.dipwhile.syntax.layout import METRICS
from dipc.dipwhile.syntax.names import Names, check_names, collect_names, target_name
from dipc.dipwhile.syntax.pairwise import of_pairs
from dipc.dipwhile.syntax.parser import parse
from dipc.dipwhile.syntax.printer import as_written
from dipc.dipwhile.syntax.printer import show as written
from dipc.dipwhile.syntax.simplify import why_no_value
from dipc.dipwhile.syntax.unroll import Constants, substitute, unroll
from dipc.dipwhile.syntax.walk import nodes, parts, preorder, rebuilt, statements
from dipc.errors import InputError, Source, Span
from dipc.models.values import Atom, show
from dipc.signs.eps_range import EpsRange
from dipc.suggest import did_you_mean

NO_OVERRIDES: Mapping[str, fmpq] = MappingProxyType({})


def read(source: Source, overrides: Mapping[str, fmpq] = NO_OVERRIDES) -> CoreProgram:
    """Text to core program.

    >>> core = read(Source("a.dip", "param N = 2; output o[N] in {0, 1}; for i in 1..N do o[i] <- 0 end"))
    >>> core.arrays, len(core.code)
    ((('o', 2),), 3)
    """
    return compile_program(parse(source), source, overrides)


def compile_program(
    program: ast.Program, source: Source, overrides: Mapping[str, fmpq] = NO_OVERRIDES, sampled: bool = False
) -> CoreProgram:
    """Check and unroll a program.

    ``sampled``: for ``dipc prove``, with some values of each infinite set, samples inside a ``while`` and the
    claim for the sizes as declared.
    """
    accurate, program = program.accurate, replace(program, accurate=None)
    names = collect_names(program)
    spoken: Iterator[ast.Node] = chain(program.body, [program.claim.epsilon] if program.claim else ())
    with_eps = any(isinstance(part, ast.Eps) for node in spoken for part in preorder(node, parts))
    unit = None if with_eps else in_units_of_eps(program)
    program = unit or program
    questions.check_unknowns(program, overrides)
    parameters = evaluate_parameters(program.params, overrides)
    inputs = tuple(declare_input(declaration, parameters, sampled) for declaration in program.inputs)
    outputs = tuple(declare(declaration, parameters, sampled) for declaration in program.outputs)
    if not outputs:
        hint = "declare one: `output b in {true, false}`"
        raise InputError("the program has no output", Span(source, 0, 0), hint)
    check_names(program, names)
    end = len(source.text.rstrip())
    variables = (*inputs, *outputs)
    unlisted = {d.name: d.domain for d in program.outputs if isinstance(d.domain, ast.Unlisted)}
    arrays = check_everywhere(program, variables, unlisted, names.locals, noise_in_loops=sampled)

    code = unroll(program.body, parameters, Span(source, end, end))
    sizes = array_sizes(code, variables, arrays)
    types.check_constants(code)
    listed = {output.name: output for output in outputs if output.name not in unlisted}
    check_certain(code, sizes, listed, everywhere=sampled)

    adjacency = program.adjacency
    claim = replace(program.claim, sizes=()) if program.claim and sampled else program.claim
    relation = compile_adjacency(adjacency, names, inputs, parameters) if adjacency else None
    return CoreProgram(
        source=source,
        parameters=tuple(parameters.items()),
        inputs=inputs,
        outputs=outputs,
        adjacency=relation,
        claim=compile_claim(claim, parameters, inputs, relation) if claim else None,
        code=code,
        variables=names.variables,
        arrays=tuple(sizes.items()),
        empty_ranges=empty_ranges(program, parameters),
        with_eps=with_eps,
        accurate=accurate,
        unit=unit is not None,
        question=CoreQuestion(
            questions.compile_unknowns(program.unknowns, parameters),
            tuple(questions.compile_prior(prior, program, parameters, inputs) for prior in program.priors),
            tuple(s for line in program.secrets for s in questions.secrets(line, names, inputs, parameters)),
        ),
    )


def in_units_of_eps(program: ast.Program) -> ast.Program | None:
    """A program that never mentions eps, each rate r read as r*eps; None if it draws no noise with a rate.

    At eps = 1 both mean the same.
    """
    drawn = False

    def scaled(node: ast.Node) -> ast.Node:
        nonlocal drawn
        match node:
            case ast.Noise(rate=rate) | ast.ExpMechanism(rate=rate):
                drawn, span = True, rate.span
                return replace(node, rate=ast.Binary(ast.Op.MUL, rate, ast.Eps(span=span), span=span))
        return node if isinstance(node, ast.Expr) else rebuilt(node, scaled)

    body = tuple([rebuilt(statement, scaled) for statement in program.body])
    return replace(program, body=body) if drawn else None


# --- the claim and the adjacency -------------------------------------------------------------


def compile_claim(
    claim: ast.Claim,
    parameters: Mapping[str, fmpq],
    inputs: Sequence[Variable] = (),
    adjacency: CoreAdjacency | None = None,
) -> CoreClaim:
    """The claim with its constants evaluated: see :func:`compile_epsilon`.

    Its epsilon may depend on the pair of ``inputs``.
    """
    constants = dict(parameters)
    refuse_sizes(claim, constants)
    epsilon, of_pair = of_pairs(claim.epsilon, inputs, adjacency, constants)
    text = as_written(claim.epsilon) if of_pair else ""
    epsilon = epsilon if of_pair else compile_epsilon(epsilon, constants)
    delta = None if claim.delta is None else compile_delta(claim.delta, constants)
    measure = compile_measure(claim, constants)
    if measure is not None and of_pair:
        message = f"the epsilon of `{measure}` is one for all pairs of inputs"
        raise InputError(message, claim.epsilon.span, "an epsilon of each pair is for `private EPSILON`")
    budgets = compile_interval(claim.interval, constants)
    number = measure is None and not of_pair and is_number(epsilon)
    return CoreClaim(epsilon, delta, budgets, claim.span, measure, of_pair, text, number)


def compile_measure(claim: ast.Claim, constants: Constants) -> Measure | None:
    """What a claim bounds, if it is not the privacy loss, with the order evaluated."""
    if claim.measure is None:
        return None
    if claim.order is None:
        return Measure()
    order = evaluate(claim.order, constants, "the order")
    if order.q != 1 or order < 2:
        hint = "for example `renyi 2, eps`"
        raise InputError(
            f"the order is an integer of at least 2, not `{show(order)}`", claim.order.span, hint
        )
    return Measure(int(order.p))


def is_number(epsilon: ast.Expr) -> bool:
    """Whether a compiled epsilon is one such as ``ln(2)`` or ``eps + 1``, and not a multiple of eps."""
    exponent = questions.exponent_of(epsilon)
    functions = any(isinstance(base, ast.Expr) for base in exponent or ())
    return slope(epsilon) is None and exponent is not None and not functions


def refuse_sizes(claim: ast.Claim, constants: Constants) -> None:
    """``private eps for all N`` is a claim about infinitely many programs."""
    if claim.sizes:
        names = [size.name for size in claim.sizes]
        one = ", ".join(f"{name} = {show(constants[name])}" for name in names if name in constants)
        rest = written(replace(claim, sizes=()))
        hint = f"`dipc prove` decides it; for {one or 'one size'} alone write `private {rest}`"
        message = f"`dipc check` decides a claim for one {names[0]}, not for all {', '.join(names)}"
        raise InputError(message, claim.sizes[0].span, hint)


class Asks(NamedTuple):
    """Whether a program claims a number such as ``ln(2)``, has a prior, or is for ``dipc prove`` only.

    ``claims`` are two, of privacy and of accuracy, or none.
    """

    claims_number: bool = False
    has_prior: bool = False
    every_size: bool = False
    claims: tuple[str, ...] = ()


def asks(source: Source) -> Asks:
    """What a program can be asked, without unrolling it; nothing special if it is broken.

    >>> asks(Source("a.dip", "param N = 2; private ln(N); output o in {0, 1}; o <- 0"))
    Asks(claims_number=True, has_prior=False, every_size=False, claims=())
    """
    try:
        program = parse(source)
        if is_for_every_size(program):
            return Asks(has_prior=bool(program.priors), every_size=True)
        parameters = evaluate_parameters(program.params, NO_OVERRIDES)
        claim, number = program.claim, False
        if claim and claim.measure is None and not any(isinstance(n, ast.Fold) for n in nodes(claim.epsilon)):
            number = is_number(substitute(claim.epsilon, parameters))
    except InputError:
        return Asks()
    both = (written(claim), f"accurate {written(program.accurate)}") if claim and program.accurate else ()
    return Asks(number, bool(program.priors), claims=both)


def is_for_every_size(program: ast.Program) -> bool:
    """Whether a program has what only ``dipc prove`` takes: infinite sets, ``for all N``, noise in loops."""
    claimed = program.claim is not None and bool(program.claim.sizes)
    unlisted = any(isinstance(d.domain, ast.Unlisted) for d in (*program.inputs, *program.outputs))
    loops: Iterator[ast.Node] = (s for s, _ in statements(program.body) if isinstance(s, ast.While))
    drawn = any(isinstance(part, ast.Noise) for loop in loops for part in preorder(loop, parts))
    return claimed or unlisted or drawn


def about_secrets(claim: CoreClaim) -> InputError:
    """The error for a number that is claimed of the secrets of a program."""
    message = "the claim is about the secrets of the program, and what an attacker knows of them"
    return InputError(message, claim.epsilon.span, "`dipc pufferfish check` decides it")


EPSILON_HINT = "for example `eps/2`, `ln(3)`, `ln(1 + (exp(eps) - 1)/4)` or, with a delta, `2*eps, 1/100`"


def compile_epsilon(epsilon: ast.Expr, constants: Constants) -> ast.Expr:
    """``t*eps``, or a sum of such, of numbers and of multiples of ``ln(...)``; t >= 0 if it is alone."""
    check_claim_names(epsilon, constants)
    result = substitute(epsilon, constants)
    for node in nodes(result):
        if reason := why_no_value(node):
            raise InputError(reason, node.span, EPSILON_HINT)
    value, span = slope(result), epsilon.span
    if value is not None:
        if value < 0:
            message = f"the epsilon of the claim is negative: `{show(value)}*eps`"
            raise InputError(message, span, EPSILON_HINT)
        return ast.Binary(ast.Op.MUL, ast.Number(value, span=span), ast.Eps(span=span), span=span)
    exponent = questions.exponent_of(result)
    if exponent is None:
        message = "the epsilon of the claim must be a sum of multiples of eps, numbers and logarithms"
        raise InputError(message, span, EPSILON_HINT)
    for argument, power in exponent.items():
        if isinstance(argument, fmpq):
            questions.rational_power(argument, power, span)
        elif isinstance(argument, ast.Expr):
            for node in nodes(argument):
                check_delta_node(node, "the argument of `ln`")
    return result


def slope(expr: ast.Expr) -> fmpq | None:
    """The t of an expression equal to ``t*eps``; None for other forms."""
    form = questions.exponent_of(expr)
    return form.get("eps", fmpq(0)) if form is not None and form.keys() <= {"eps"} else None


def compile_delta(delta: ast.Expr, constants: Constants, what: str = "delta") -> ast.Expr:
    """Numbers, eps and exp, joined by ``+ - * / ^``; messages call it ``what``."""
    check_claim_names(delta, constants)
    result = substitute(delta, constants)
    for node in nodes(result):
        check_delta_node(node, what)
    if isinstance(result, ast.Number) and result.value < 0:
        hint = "choose it between 0 and 1"
        raise InputError(f"{what} is `{show(result.value)}`, not a probability", delta.span, hint)
    return result


def check_delta_node(node: ast.Expr, what: str = "delta") -> None:
    """Is this an operation that delta, or the argument of a logarithm, may use?"""
    if reason := why_no_value(node):
        raise InputError(reason, node.span)
    match node:
        case ast.Number() | ast.Eps() | ast.Unary(ast.Op.NEG) | ast.Call("exp"):
            return
        case ast.Binary(ast.Op.POW, _, exponent) if not isinstance(exponent, ast.Number):
            hint = "write `exp(x)` for the power of e"
            raise InputError("an exponent must be a constant integer", exponent.span, hint)
        case ast.Binary(op) if op in ast.ARITHMETIC:
            return
    message = f"{what} must be built from numbers, `eps`, and `exp` with `+ - * / ^`"
    raise InputError(message, node.span, "for example `exp(-2*eps)/4`")


def check_claim_names(expr: ast.Expr, constants: Constants) -> None:
    """The claim may name parameters only."""
    for node in nodes(expr):
        match node:
            case ast.Name(name) | ast.Index(name):
                if name not in constants or isinstance(node, ast.Index) or node.primed:
                    near = did_you_mean(name, {*constants, "eps"})
                    if name.lower() in ("delta", "δ"):
                        near = "delta is a number or a function of eps, such as `1/100` or `exp(-2*eps)`"
                    raise InputError(f"the claim must not depend on `{name}`", node.span, near)
            case ast.Call(function) if function != "ln":
                check_call(node)
            case ast.Fold():
                raise InputError(f"`{node.kind}` is not allowed in a claim", node.span, EPSILON_HINT)


def compile_interval(interval: ast.Interval | None, constants: Constants) -> EpsRange:
    """The interval with its ends evaluated; refuses one that is empty or has other than positive numbers."""
    if interval is None:
        return EpsRange.positive()
    low = evaluate(interval.low, constants, "the lower end")
    if isinstance(interval.high, ast.Name) and interval.high.name.lower() in INFINITY - constants.keys():
        hint = "write `inf`: `(0, inf)`"
        raise InputError(f"unknown name `{interval.high.name}`", interval.high.span, hint)
    high = None if interval.high is None else evaluate(interval.high, constants, "the upper end")
    if low < 0:
        raise InputError("eps is positive", interval.low.span, "start the interval at 0: `(0, 1]`")
    if low == 0 and interval.low_closed:
        raise InputError("eps is positive: 0 is not allowed", interval.low.span, "leave 0 out: `(0, 1]`")
    if high is None and interval.high_closed:
        raise InputError("infinity is not a value of eps", interval.span, "leave it out: `(0, inf)`")
    if high is not None and questions.is_empty(interval, low, high):
        raise InputError("the interval is empty", interval.span, "its lower end comes first: `(0, 1]`")
    return EpsRange(low, high, interval.low_closed, interval.high_closed)


INFINITY = frozenset({"inf", "infinity", "infty", "oo"})
"""What infinity is called elsewhere, in small letters."""


def compile_adjacency(
    adjacency: ast.Adjacency, names: Names, inputs: Sequence[Variable], constants: Constants
) -> CoreAdjacency:
    """The adjacency with constants evaluated and folds unrolled."""
    match adjacency:
        case ast.NamedAdjacency(kind):
            distance = compile_distance(adjacency, constants)
            atoms = [(v.name, value) for v in inputs for value in v.domain if isinstance(value, Atom)]
            if kind in ("linf", "l1") and atoms:
                message = f"`{kind}` measures numbers, but `{atoms[0][0]}` may be `{show(atoms[0][1])}`"
                hint = "use `hamming 1`, which counts the inputs that differ, or a formula"
                raise InputError(message, adjacency.span, hint)
            return CoreAdjacency(kind, distance, None, adjacency.span)
        case ast.FormulaAdjacency(formula):
            core = compile_formula(formula, names, inputs, constants)
            return CoreAdjacency("formula", None, core, adjacency.span)
        case _:
            assert_never(adjacency)


def compile_distance(adjacency: ast.NamedAdjacency, constants: Constants) -> fmpq | None:
    """The distance of neighbours, which every metric but ``all`` needs."""
    kind, written = adjacency.kind, adjacency.distance
    if kind == "all":
        if written is None:
            return None
        hint = "any two inputs are neighbours: `adjacent all`"
        raise InputError("`all` takes no distance", written.span, hint)
    hint = f"write `adjacent {kind} 1`"
    if written is None:
        raise InputError(f"`{kind}` is missing its distance", adjacency.span, hint)
    check_known(written, constants)
    distance = evaluate(written, constants, "the distance")
    if distance < 0:
        raise InputError(f"the distance is negative: `{show(distance)}`", written.span, hint)
    if kind == "hamming" and distance.q != 1:
        message = f"`hamming` counts inputs that differ: `{show(distance)}` is not an integer"
        raise InputError(message, written.span, hint)
    return distance


def compile_formula(
    expr: ast.Expr, names: Names, inputs: Sequence[Variable], constants: Constants
) -> ast.Expr:
    """A Boolean expression over the inputs and the primed inputs."""
    bound = {node.variable for node in nodes(expr) if isinstance(node, ast.Fold)}
    others = (names.outputs | names.locals) - bound
    refuse_names(expr, others, "an input", "an adjacency formula refers to inputs only")
    if isinstance(expr, ast.Name) and expr.name not in names.inputs:  # probably meant as a metric
        hint = did_you_mean(expr.name, METRICS, METRIC_HINT)
        raise InputError(f"unknown adjacency `{expr.name}`", expr.span, hint)
    core = compile_about(expr, inputs, constants, "an adjacency formula", atoms=names.atoms, primes=True)
    check_both_sides(expr, names)
    return core


def compile_condition(expr: ast.Expr, program: CoreProgram) -> ast.Expr:
    """A Boolean expression over the outputs of a program, as a proposition about them."""
    outputs = {output.name for output in program.outputs}
    hint = f"a proposition refers to outputs only: {', '.join(sorted(outputs))}"
    refuse_names(expr, program.variables - outputs, "an output", hint)
    return compile_about(expr, program.outputs, dict(program.parameters), "a proposition")


METRIC_HINT = "choose `linf`, `l1`, `hamming`, `all`, or a formula such as `abs(q - q') <= 1`"


def check_both_sides(expr: ast.Expr, names: Names) -> None:
    """A formula that mentions only one of the two inputs does not relate pairs."""
    mentioned = {
        node.primed
        for node in nodes(expr)
        if isinstance(node, ast.Name | ast.Index) and target_name(node) in names.inputs
    }
    if mentioned != {True, False}:
        example = min(names.inputs, default="q")
        missing = f"`{example}`" if True in mentioned else f"`{example}'`"
        message = f"an adjacency formula relates an input to its neighbour, but {missing} is missing"
        raise InputError(message, expr.span, f"for example `adjacent abs({example} - {example}') <= 1`")
