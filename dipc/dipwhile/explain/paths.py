"""The paths of a program that lead to some outputs, each with its exact probability.

A path is what happens at random on the way: which noise is drawn, which option of a finite choice, and how
every comparison of samples comes out.  The chain of :mod:`dipc.dipwhile.semantics.chain` merges states; here
nothing is merged, so that every sample keeps its name, and the probability of a path is the mass of its last
state.
The chain only tells which states can still lead to the outputs: the others are not walked.

A ``while`` loop is one step: infinitely many ways lead through it, which are summed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from flint import fmpq

from dipc.dipwhile.semantics.adjacency import Input
from dipc.dipwhile.semantics.branching import branches
from dipc.dipwhile.semantics.chain import Chain
from dipc.dipwhile.semantics.evaluate import Datum, Decide, Memory, cell_of, evaluate, function_of_eps, never
from dipc.dipwhile.semantics.loops import run_loop
from dipc.dipwhile.semantics.state import Key, State
from dipc.dipwhile.semantics.step import Move, Outcome, Stepper
from dipc.dipwhile.syntax.ast import Index, Name, Noise
from dipc.dipwhile.syntax.core import Cell, CoreProgram, Draw, Halt, Put, Test
from dipc.errors import InputError, Span
from dipc.integration.linear import Linear
from dipc.numbers.quotient import Quotient

Tick = Callable[[str, int, int | None], None]


@dataclass(frozen=True, slots=True)
class Sample:
    """Noise drawn on a path: ``kind(rate*eps, mean)``, or ``kind(rate/eps, mean)`` if ``inverse``."""

    cell: Cell
    kind: str
    rate: fmpq
    inverse: bool
    mean: fmpq

    @property
    def integer(self) -> bool:
        return self.kind == "DLap"

    @property
    def one_sided(self) -> bool:
        return self.kind == "LapPlus"


class Event(Enum):
    """What a step is."""

    NOISE = "noise"  # a sample is drawn
    CHOICE = "choice"  # an option of a finite distribution, with a probability
    BRANCH = "branch"  # comparisons of samples come out in one way
    LOOP = "loop"  # a whole loop, from its head to one of the states in which it is left
    OUTPUT = "output"  # an output gets a value, with certainty


@dataclass(frozen=True, slots=True)
class Step:
    """Something that happens on a path.

    ``value`` is what ``cell`` gets, a random one as an expression of the numbered samples of the path;
    ``taken`` says which way a test goes.  The ``conditions`` (in normal form, of the samples of the path) are
    those under which it happens.  ``left`` are the values with which a loop is left.
    """

    event: Event
    place: int
    span: Span
    cell: Cell | None = None
    value: Datum | None = None
    sample: int | None = None
    probability: Quotient | None = None
    conditions: tuple[Linear, ...] = ()
    taken: bool | None = None
    left: tuple[tuple[Cell, Datum], ...] = ()

    @property
    def random(self) -> bool:
        """Whether it could have come differently."""
        return self.event is not Event.OUTPUT

    def sign(self, samples: tuple[Sample, ...]) -> tuple[object, ...]:
        """The same for steps on two inputs that make the same random choice.

        Of a comparison it is the form without its constant, which may depend on the input.
        """
        forms = tuple(condition.coefficients for condition in self.conditions)
        if self.sample is not None:
            drawn = samples[self.sample]
            return self.event, self.place, drawn.kind, drawn.rate, drawn.inverse, forms
        chosen = (self.value, self.left) if self.event in (Event.CHOICE, Event.LOOP) else self.taken
        return self.event, self.place, chosen, forms


@dataclass(frozen=True, slots=True)
class Path:
    """One way to an outcome and its exact probability."""

    steps: tuple[Step, ...]
    samples: tuple[Sample, ...]
    outcome: Outcome
    probability: Quotient

    @property
    def choices(self) -> tuple[Step, ...]:
        """The random steps."""
        return tuple(step for step in self.steps if step.random)

    @property
    def signature(self) -> tuple[object, ...]:
        """The same for paths on two inputs that make the same random choices."""
        return tuple(step.sign(self.samples) for step in self.choices)

    @property
    def conditions(self) -> tuple[Linear, ...]:
        return tuple(condition for step in self.steps for condition in step.conditions)

    @property
    def has_loop(self) -> bool:
        return any(step.event is Event.LOOP for step in self.steps)


@dataclass(frozen=True, slots=True)
class Found:
    """The first paths in the order of the program; ``complete`` if these are all."""

    paths: tuple[Path, ...]
    complete: bool

    @property
    def probability(self) -> Quotient:
        return sum((path.probability for path in self.paths), Quotient.of(0))


@dataclass(frozen=True, slots=True)
class Stop:
    """How far the random choices of a path can be made on another input.

    ``step`` is the first of them that cannot, None if all can; then ``path`` is the path that they make
    there, or None if further choices have to be made.  ``reached`` says whether the place of the step is
    reached at all.
    """

    step: Step | None
    path: Path | None
    reached: bool = True


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a walk is; ``known`` are the samples of the path that are live in the state, in its order."""

    state: State
    known: tuple[int, ...] = ()
    samples: tuple[Sample, ...] = ()
    steps: tuple[Step, ...] = ()


@dataclass
class Walk:
    """All ways through a program on one input.

    >>> from dipc.dipwhile.syntax.compile import read
    >>> from dipc.errors import Source
    >>> text = "input q in {0, 1}; output o in {false, true}; r <- Lap(eps, q); o <- r > 0"
    >>> program = read(Source("sign", text))
    >>> [(str(*path.outcome), path.probability) for path in Walk(program, {("q", 0): fmpq(0)}).paths().paths]
    [('true', 1/2), ('false', 1/2)]
    """

    program: CoreProgram
    inputs: Input
    tick: Tick = lambda *_: None
    stepper: Stepper = field(init=False)

    def __post_init__(self) -> None:
        self.stepper = Stepper(self.program)
        self._names = frozenset(v.name for v in self.program.inputs)
        self._outputs = frozenset(cell for v in self.program.outputs for cell in v.cells)

    def paths(self, outcomes: Iterable[Outcome] | None = None, most: int | None = None) -> Found:
        """The paths to some outcomes (by default to all), and to no more than ``most`` of them."""
        wanted = None if outcomes is None else frozenset(outcomes)
        useful = None if wanted is None else self._leading_to(wanted)
        found: list[Path] = []
        for path in self._walked(useful):
            if wanted is None or path.outcome in wanted:
                if len(found) == most:
                    return Found(tuple(found), False)
                found.append(path)
        return Found(tuple(found), True)

    def follow(self, path: Path) -> Stop:
        """Make the random choices of a path on this input, as long as they are possible."""
        wanted, choices = path.signature, path.choices
        farthest: dict[int, bool] = {
            0: False
        }  # choices made, and whether the place of the next one is reached
        all_made = False
        todo = [_Place(self.stepper.start())]
        while todo:
            place = todo.pop()
            made = tuple(step.sign(place.samples) for step in place.steps if step.random)
            if made != wanted[: len(made)] or not place.state.joint.mass():
                continue
            if len(made) == len(wanted):
                all_made = True
                if isinstance(self.program.code[place.state.pc], Halt):
                    return Stop(None, self._ended(place))
            else:
                here = place.state.pc == choices[len(made)].place
                farthest[len(made)] = farthest.get(len(made), False) or here
            todo += self._after(place)
        if all_made:
            return Stop(None, None)
        made_most = max(farthest)
        return Stop(choices[made_most], None, farthest[made_most])

    def _leading_to(self, wanted: frozenset[Outcome]) -> frozenset[Key]:
        """The states from which one of the outcomes can be reached."""
        useful: set[Key] = set()
        for node in reversed(Chain(self.program, self.inputs).nodes):  # ordered by place: targets come later
            if node.outcome in wanted or any(target.state.key in useful for target, _ in node.edges):
                useful.add(node.state.key)
        return frozenset(useful)

    def _walked(self, useful: frozenset[Key] | None) -> Iterator[Path]:
        todo = [_Place(self.stepper.start())]
        done = 0
        while todo:
            place = todo.pop()
            done += 1
            self.tick("paths", done, None)
            if useful is not None and place.state.key not in useful:
                continue
            if isinstance(self.program.code[place.state.pc], Halt):
                if place.state.joint.mass():
                    yield self._ended(place)
                continue
            todo += reversed(self._after(place))

    def _ended(self, place: _Place) -> Path:
        state = place.state
        return Path(place.steps, place.samples, self.stepper.outcome(state), state.joint.mass())

    def _after(self, place: _Place) -> list[_Place]:
        instruction = self.program.code[place.state.pc]
        match instruction:
            case Halt():
                return []
            case Test(is_loop=True):
                return self._through(place, instruction)
            case Draw(distribution=Noise() as noise):
                return self._noise(place, instruction, noise)
            case _:
                moves = self.stepper.moves(place.state, self.inputs)
                return [self._moved(place, move) for move in moves if move.branch.joint]

    def _moved(self, place: _Place, move: Move) -> _Place:
        """After a finite choice, an assignment, a test or a jump."""
        instruction = self.program.code[place.state.pc]
        conditions = _global(move.branch.conditions, place.known)
        cell = self._target(instruction, place, move)
        value = _named(move.env.get(cell), place.known) if cell is not None else None
        step: Step | None = None
        match instruction:
            case Draw(span=span):
                step = Step(
                    Event.CHOICE,
                    place.state.pc,
                    span,
                    cell,
                    value,
                    probability=move.probability,
                    conditions=conditions,
                )
            case Put(span=span) if conditions:
                step = Step(Event.BRANCH, place.state.pc, span, cell, value, conditions=conditions)
            case Put(span=span) if cell in self._outputs:
                step = Step(Event.OUTPUT, place.state.pc, span, cell, value)
            case Test(span=span) if conditions:
                taken = move.pc == place.state.pc + 1
                step = Step(Event.BRANCH, place.state.pc, span, conditions=conditions, taken=taken)
        return self._arrived(place, move, place.known, place.samples, step)

    def _noise(self, place: _Place, draw: Draw, noise: Noise) -> list[_Place]:
        """After a sample; its parameters are evaluated along the same branches as the sample itself."""
        memory = self._memory(place)

        def run(decide: Decide) -> tuple[Cell, Quotient, Datum]:
            cell = cell_of(draw.target, memory, decide)
            rate = function_of_eps(noise.rate, memory, decide)
            return cell, rate, evaluate(noise.mean, memory, decide)

        moves = self.stepper.moves(place.state, self.inputs)
        found = []
        for move, branch in zip(moves, branches(run, place.state.joint), strict=True):
            cell, rate, mean = branch.value
            term = rate.numerator.as_term()
            assert term is not None, "the stepper has checked the rate"
            assert isinstance(mean, fmpq), "the stepper has checked the mean"
            number = len(place.samples)
            sample = Sample(cell, noise.kind, term.coefficient, term.power == -1, mean)
            step = Step(
                Event.NOISE,
                place.state.pc,
                draw.span,
                cell,
                sample=number,
                conditions=_global(move.branch.conditions, place.known),
            )
            known = (*place.known, number)
            found.append(self._arrived(place, move, known, (*place.samples, sample), step))
        return found

    def _through(self, place: _Place, loop: Test) -> list[_Place]:
        """After a loop, in each of the states in which it is left."""
        before = place.state.env
        states, _ = run_loop(self.stepper, place.state, self.inputs, lambda steps: None)
        found = []
        for state in states:
            env = {c: before.get(c, v) if isinstance(v, Linear) else v for c, v in state.env.items()}
            known = tuple(place.known[old] for old in order_of(env))
            left = tuple(
                sorted((c, v) for c, v in env.items() if not isinstance(v, Linear) and before.get(c) != v)
            )
            step = Step(Event.LOOP, place.state.pc, loop.span, left=left)
            found.append(_Place(state, known, place.samples, (*place.steps, step)))
        return found

    def _arrived(
        self,
        place: _Place,
        move: Move,
        known: tuple[int, ...],
        samples: tuple[Sample, ...],
        step: Step | None,
    ) -> _Place:
        live = self.stepper.live[move.pc]
        order = order_of({cell: value for cell, value in move.env.items() if cell in live})
        steps = place.steps if step is None else (*place.steps, step)
        state = self.stepper.arrived(place.state, move)
        return _Place(state, tuple(known[old] for old in order), samples, steps)

    def _target(self, instruction: object, place: _Place, move: Move) -> Cell | None:
        """The cell that an instruction assigns."""
        match instruction:
            case Put(target=Name(name=name)) | Draw(target=Name(name=name)):
                return name, 0
            case Put(target=Index() as target) | Draw(target=Index() as target):
                try:
                    return cell_of(target, self._memory(place), never)
                except InputError:  # the index depends on comparisons of samples
                    changed = (c for c, v in move.env.items() if place.state.env.get(c) is not v)
                    return next(changed, None)
            case _:
                return None

    def _memory(self, place: _Place) -> Memory:
        program = self.program
        return Memory(place.state.env, self.inputs, self._names, program.variables, dict(program.arrays))


def order_of(env: Mapping[Cell, Datum]) -> dict[int, int]:
    """Sample numbers in a state with these variables, as in a state without dead ones."""
    order: dict[int, int] = {}
    for _, value in sorted(env.items(), key=lambda item: item[0]):
        if isinstance(value, Linear):
            for sample in value.samples:
                order.setdefault(sample, len(order))
    return order


def _global(conditions: Iterable[Linear], known: tuple[int, ...]) -> tuple[Linear, ...]:
    """Conditions of the samples of a state as conditions of the samples of the path, in normal form."""
    names = dict(enumerate(known))
    return tuple(condition.renamed(names).condition(strict=False) for condition in conditions)


def _named(value: Datum | None, known: tuple[int, ...]) -> Datum | None:
    return value.renamed(dict(enumerate(known))) if isinstance(value, Linear) else value
