"""What a program says, read off its syntax tree: parameters, sets, inputs, neighbours, distributions."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial

from dipc.dipwhile.rederive.functions import Draw, NotCovered, Pair, at_one, totals
from dipc.dipwhile.rederive.noise import measure
from dipc.dipwhile.rederive.paths import TRUTH, Run, Solved, Stop, all_runs
from dipc.dipwhile.rederive.values import Linear, Plain, Value, as_index, as_number, flat
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.walk import parts, preorder, statements
from dipc.kernel.facts import ZERO
from dipc.kernel.laws import Domain
from dipc.kernel.reading import Refused

InputValue = Plain | tuple[Plain, ...]
Inputs = Mapping[str, InputValue]
Outcome = tuple[Plain, ...]
Known = Mapping[str, Value]


def value_of(expr: ast.Expr, known: Known) -> Value:
    """The value of an expression in parameters."""
    return Run(scalars=dict(known)).value(expr)


def parameters(program: ast.Program, overrides: Mapping[str, Fraction]) -> dict[str, Value]:
    """The values of the parameters; each may use those before it."""
    run = Run()
    for param in program.params:
        run.scalars[param.name] = run.value(param.value)
        if param.name in overrides:
            run.scalars[param.name] = Fraction(overrides[param.name])
    return dict(run.scalars)


def size_of(declaration: ast.Declaration, known: Known) -> int | None:
    """The number of cells of an array, None for a scalar."""
    return None if declaration.size is None else as_index(value_of(declaration.size, known))


def domain_of(declaration: ast.Declaration, known: Known) -> list[Plain]:
    """The values that each cell may have."""
    return Run(scalars=dict(known), atoms=atoms_of(declaration.domain)).members(declaration.domain)


def atoms_of(support: ast.Domain) -> frozenset[str]:
    """The names among the members of a set, and the truth values."""
    return TRUTH | names_in(support.members if isinstance(support, ast.SetOf) else ())


def names_in(values: Iterable[ast.Expr]) -> frozenset[str]:
    return frozenset(value.name for value in values if isinstance(value, ast.Name) and not value.primed)


def atoms_in(program: ast.Program) -> frozenset[str]:
    """Every name that some set or ``choose`` of a program mentions."""
    found = TRUTH.union(*(atoms_of(d.domain) for d in (*program.inputs, *program.outputs)))
    for statement, _ in statements(program.body):
        match statement:
            case ast.Assign(value=ast.Choose(options=options)):
                found |= names_in(value for value, _ in options)
            case ast.Assign(value=ast.Uniform(support=support) | ast.ExpMechanism(support=support)):
                found |= atoms_of(support)
    return found


# --- inputs and neighbours -----------------------------------------------------------------------


def all_inputs(program: ast.Program, known: Known) -> list[Inputs]:
    """Every input of the program, the last cell varying fastest."""
    choices: list[list[InputValue]] = []
    for d in program.inputs:
        domain, size = domain_of(d, known), size_of(d, known)
        cells = 1 if size is None else max(size, 0)
        choices.append(list(domain) if size is None else list(itertools.product(domain, repeat=cells)))
    names = [d.name for d in program.inputs]
    return [dict(zip(names, values, strict=True)) for values in itertools.product(*choices)]


def adjacent(program: ast.Program, u: Inputs, v: Inputs, known: Known) -> bool:
    """Are u and v neighbours?  The symmetric closure of what the program says."""
    if isinstance(program.adjacency, ast.FormulaAdjacency):
        formula, atoms = program.adjacency.formula, atoms_in(program)
        return any(formula_holds(formula, known, a, b, atoms) for a, b in ((u, v), (v, u)))
    named = named_adjacency(program, known)
    if named is None:
        raise Refused("deep: adjacency", "the program does not say which inputs are neighbours")
    kind, limit = named
    return kind == "all" or distance(kind, u, v) <= limit


def distance(kind: str, u: Inputs, v: Inputs) -> Fraction:
    """The distance of two inputs in the metric of an adjacency."""
    pairs = list(zip(flat(u.values()), flat(v[name] for name in u), strict=True))
    if kind == "hamming":
        return Fraction(sum(a != b for a, b in pairs))
    gaps = [abs(as_number(a) - as_number(b)) for a, b in pairs]
    return max(gaps, default=ZERO) if kind == "linf" else sum(gaps, ZERO)


def inputs_at(program: ast.Program, digits: Sequence[int], domains: Sequence[Domain], known: Known) -> Inputs:
    """The input whose cells have these values of their sets."""
    cells: Iterator[Plain] = (domain[i] for domain, i in zip(domains, digits, strict=True))
    sizes = {d.name: size_of(d, known) for d in program.inputs}
    return {x: next(cells) if n is None else tuple(itertools.islice(cells, n)) for x, n in sizes.items()}


def named_adjacency(program: ast.Program, known: Known) -> tuple[str, Fraction] | None:
    """The name and the distance (0 for all inputs) of an adjacency that is not a formula."""
    match program.adjacency:
        case ast.NamedAdjacency(kind="all"):
            return "all", ZERO
        case ast.NamedAdjacency(kind=kind, distance=distance) if distance is not None:
            return kind, as_number(value_of(distance, known))
    return None


def formula_holds(formula: ast.Expr, known: Known, u: Inputs, v: Inputs, atoms: frozenset[str]) -> bool:
    """Does an adjacency formula hold of two inputs, in this order?"""
    return about_pair(known, u, v, atoms).holds(formula)


def about_pair(known: Known, u: Inputs, v: Inputs, atoms: frozenset[str]) -> Run:
    """A run in which the inputs are u, and with a prime v."""
    run = Run(scalars=dict(known), atoms=atoms)
    for name in u:
        put(run, name, u[name])
        put(run, name + "'", v[name])
    return run


def put(run: Run, name: str, value: Value) -> None:
    """Set a scalar or a whole array."""
    if isinstance(value, tuple):
        run.arrays[name] = dict(enumerate(value, start=1))
    else:
        run.scalars[name] = value


def claimed_interval(
    claim: ast.Claim | ast.AccurateClaim, known: Known
) -> tuple[Fraction, Fraction | None, bool, bool]:
    """Low end, high end (None: infinity), and whether they belong to the interval."""
    interval = claim.interval
    if interval is None:
        return ZERO, None, False, False
    low = as_number(value_of(interval.low, known))
    high = None if interval.high is None else as_number(value_of(interval.high, known))
    return low, high, interval.low_closed, interval.high_closed


# --- distributions ----------------------------------------------------------------------------------


def prepared(program: ast.Program, inputs: Inputs, run: Run) -> Run:
    """Inputs and outputs get their start values."""
    run.variables, run.atoms = frozenset(assigned(program.body)), atoms_in(program)
    run.domains = {output.name: frozenset(run.members(output.domain)) for output in program.outputs}
    for name, value in inputs.items():
        put(run, name, value)
    for output in program.outputs:
        if output.start is not None:
            start, size = run.value(output.start), size_of(output, run.scalars)
            put(run, output.name, start if size is None else (start,) * size)
    return run


def assigned(block: ast.Block) -> Iterator[str]:
    """The names of all variables and arrays that a block may assign."""
    for statement, _ in statements(block):
        match statement:
            case ast.Assign(target=ast.Name(name=name) | ast.Index(array=name)) | ast.For(variable=name):
                yield name


def outcome(program: ast.Program, run: Run) -> Outcome:
    """The outputs at the end of a run, cell by cell."""
    result: list[Plain] = []
    for output in program.outputs:
        size = size_of(output, run.scalars)
        array = run.arrays.get(output.name, {})
        if not set(array) <= set(range(1, (size or 0) + 1)):
            raise NotCovered(f"{output.name}, which is assigned outside of its cells")
        cells = [run.scalars.get(output.name)] if size is None else [array.get(i + 1) for i in range(size)]
        for cell in cells:
            if not isinstance(cell, Fraction | str):
                raise Refused("deep: outputs", f"the program does not always assign {output.name} a value")
            result.append(cell)
    return tuple(result)


def distribution(
    program: ast.Program,
    inputs: Inputs,
    known: Known,
    drawn: dict[object, Draw] | None = None,
    sizes: Mapping[str, int] | None = None,
) -> dict[Outcome, Pair]:
    """The exact probability of every outcome that is not impossible, as (numerator, denominator).

    The finite draws on the way are added to ``drawn``: their numbers are taken as they are.  A cell beyond
    the ``sizes`` of its array is not covered.  In a program that never mentions eps each rate is read as a
    multiple of eps, and the probabilities are those at eps = 1.

    >>> from dipc.errors import Source
    >>> from dipc.dipwhile.syntax.parser import parse
    >>> text = "output o in {0, 1} = 0; r <- Lap(eps, 0); if r >= 1 then o <- 1 end"
    >>> distribution(parse(Source("a.dip", text)), {}, {})[Fraction(1),][0]  # exp(-eps)/2
    {(0, Fraction(-1, 1), Fraction(0, 1), Fraction(0, 1)): Fraction(1, 2)}
    """
    solved: Solved = {}
    tables = {} if drawn is None else drawn
    spoken: Iterator[ast.Node] = itertools.chain(
        program.body, [program.claim.epsilon] if program.claim else ()
    )
    unit = not any(isinstance(node, ast.Eps) for part in spoken for node in preorder(part, parts))

    def begin(script: Sequence[int]) -> Run:
        run = Run(script, dict(known), solved=solved, drawn=tables, sizes=sizes or {}, unit=unit)
        return prepared(program, inputs, run)

    paths = (run for _, run in all_runs(begin, partial(whole, program)))
    masses = ((run, run.mass.times(measure(run.rows(), run.samples))) for run in paths)
    law = totals((outcome(program, run), mass) for run, mass in masses if mass.numerator)
    pairs = {key: mass.pair() for key, mass in law.items()}
    return {key: (at_one(p), at_one(q)) for key, (p, q) in pairs.items()} if unit else pairs


def whole(program: ast.Program, run: Run) -> str:
    """The body, and then a choice for every output that is a random integer: which value of its set."""
    with contextlib.suppress(Stop):
        run.block(program.body)
    for output in program.outputs:
        domain = run.members(output.domain)
        if output.name in run.arrays:
            cells = run.arrays[output.name]
            cells.update({i: settled(run, cell, domain) for i, cell in cells.items()})
        elif output.name in run.scalars:
            run.scalars[output.name] = settled(run, run.scalars[output.name], domain)
    return "end"


def settled(run: Run, cell: Value, domain: Sequence[Plain]) -> Value:
    """The value of the domain that a random integer has, by choice; anything else as it is."""
    if not isinstance(cell, Linear):
        return cell
    numbers = (value for value in domain if isinstance(value, Fraction))
    return next((value for value in numbers if run.equal(cell, value)), cell)
