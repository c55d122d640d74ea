"""Models of Storm, through the optional package stormpy: PRISM language, JANI, and sparse models in memory.

Storm builds the model, with exact or parametric probabilities; everything else is ours.  The states are
``0, 1, ...``; floating-point models are refused, since their numbers are not those of the program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import Any

from dipc.errors import InputError, Source, Unsupported
from dipc.models.arithmetic import Amount
from dipc.models.chain import DEAD, Mdp, Model, transitions
from dipc.models.draft import Draft
from dipc.models.reading import number_from_text
from dipc.numbers.quotient import Quotient
from dipc.suggest import did_you_mean

NOWHERE = (0, 0)
JANI = ".jani"


def stormpy() -> Any:
    """The optional package.  Raises :class:`InputError` without it."""
    try:
        import stormpy as package
    except ImportError:
        hint = "install it: pip install 'dipc[storm]'; or export the model to DRN"
        raise InputError("this needs the package stormpy", hint=hint) from None
    return package


def read_symbolic(file: str, parameters: Mapping[str, Amount]) -> Model:
    """The model of a program in the PRISM language or JANI; ``parameters`` set its undefined constants.

    Raises :class:`InputError`, also for what Storm says against the program.
    """
    storm = stormpy()
    try:
        program = storm.parse_jani_model(file)[0] if file.endswith(JANI) else storm.parse_prism_program(file)
        known = {constant.name: constant.type for constant in program.constants if not constant.defined}
        _check_names(parameters, list(known), file)
        numbers = {name: _storm_number(storm, p, known[name].is_integer) for name, p in parameters.items()}
        fixed = {name: number for name, number in numbers.items() if number is not None}
        if fixed:
            program, _ = storm.instantiate_constants(program, fixed)
        kind = storm.RationalFunction if len(fixed) < len(known) else storm.Rational
        sparse = storm.build_model[kind](program, options=storm.BuilderOptions(build_full=True))
    except (RuntimeError, storm.exceptions.StormError) as error:
        raise InputError(f"{file}: Storm refuses the program: {error}") from None
    return model_of(sparse, parameters)


def _check_names(parameters: Mapping[str, Amount], known: list[str], file: str) -> None:
    """Every undefined constant must be set, and no other."""
    for name in parameters:
        if name not in known:
            hint = did_you_mean(name, known, "all constants are defined")
            raise InputError(f"{file}: there is no undefined constant `{name}`", hint=hint)
    for name in known:
        if name not in parameters:
            hint = f"set it: -D {name}=2, or -D '{name}=exp(eps)'"
            raise InputError(f"{file}: the constant `{name}` is undefined", hint=hint)


def _storm_number(storm: Any, value: Amount, is_integer: bool) -> Any:
    """A rational parameter as Storm takes it; None for a function of eps."""
    number = value.value.as_rational()
    if number is None or value.logarithms:
        return None
    return int(number.numerator) if is_integer and number.denominator == 1 else storm.Rational(str(number))


def model_of(sparse: Any, numbers: Mapping[str, Amount] | None = None) -> Model:
    """A sparse model of Storm; ``numbers`` are the values of its parameters.  Raises :class:`InputError`."""
    kinds = {"DTMC": "chain", "MDP": "mdp"}
    name = getattr(getattr(sparse, "model_type", None), "name", "")
    if name not in kinds:
        raise InputError(f"a DTMC or an MDP of stormpy is needed, not {name or type(sparse).__name__}")
    if not (sparse.is_exact or sparse.has_parameters or sparse.supports_parameters):
        hint = "build it exactly: stormpy.build_model[stormpy.Rational](program)"
        raise InputError("the probabilities of this model are floating-point numbers", hint=hint)
    draft = Draft(Source("<storm>", ""), (kinds[name], NOWHERE))
    known = lru_cache(maxsize=None)(partial(number_from_text, numbers=numbers))
    for state, action, row in _rows(sparse, name == "MDP"):
        targets = [(str(t), known(str(value)), NOWHERE) for t, value in row]
        draft.add_row(str(state), action, targets, NOWHERE)
    for label in sorted(sparse.labeling.get_labels() - {"init", "deadlock"}):
        draft.labels[label] = NOWHERE, [(str(s), NOWHERE) for s in sparse.labeling.get_states(label)]
    draft.start += [(str(s), NOWHERE) for s in sparse.initial_states]
    return draft.model()


def _rows(sparse: Any, has_actions: bool) -> Iterator[tuple[int, str | None, list[tuple[int, Any]]]]:
    matrix, named = sparse.transition_matrix, sparse.has_choice_labeling()
    for s in range(sparse.nr_states):
        rows = matrix.get_rows_for_group(s) if has_actions else [s]
        for number, row in enumerate(rows):
            entries = [(e.column, e.value() if callable(e.value) else e.value) for e in matrix.get_row(row)]
            labels = sorted(sparse.choice_labeling.get_labels_of_choice(row)) if named and has_actions else []
            yield s, (labels[0] if labels else str(number)) if has_actions else None, entries


def to_storm(model: Model) -> Any:
    """The model as an exact sparse model of stormpy.

    The label ``init`` marks the start states; the name of every state but ``†`` is a label, too.
    """
    storm = stormpy()
    if any(isinstance(p, Quotient) for _, p in transitions(model)):
        hint = "export it to DRN, which has parameters: `dipc model export MODEL --to drn`"
        raise Unsupported("a model with eps as an object of stormpy", hint=hint)
    kind = storm.models.SparseMdp if isinstance(model, Mdp) else storm.models.SparseDtmc
    matrix, labels = _matrix(storm, model), _state_labels(storm, model)
    components = storm.models.SparseModelComponents[storm.Rational]
    parts = components(transition_matrix=matrix, state_labeling=labels)
    if isinstance(model, Mdp):
        parts.choice_labeling = _choice_labels(storm, model)
    return kind[storm.Rational](parts)


def _matrix(storm: Any, model: Model) -> Any:
    is_mdp = isinstance(model, Mdp)
    builder = storm.datastructures.SparseMatrixBuilder[storm.Rational](0, 0, 0, False, is_mdp, 0)
    groups: Any = model.rows if is_mdp else [(row,) for row in model.rows]
    number = 0
    for rows in groups:
        if is_mdp:
            builder.new_row_group(number)
        for row in rows:
            for t, p in row:
                builder.add_next_value(number, t, storm.Rational(str(p)))
            number += 1
    return builder.build()


def _state_labels(storm: Any, model: Model) -> Any:
    alone = {name: [s] for s, name in enumerate(model.names) if name != DEAD}
    labeling = storm.models.StateLabeling(len(model.names))
    for label, states in {**alone, **model.labels, "init": model.start}.items():
        labeling.add_label(label)
        for s in states:
            labeling.add_label_to_state(label, s)
    return labeling


def _choice_labels(storm: Any, model: Mdp[Any]) -> Any:
    labeling = storm.models.ChoiceLabeling(len(model.names) * len(model.actions))
    for number, action in enumerate(model.actions):
        labeling.add_label(action)
        for s in range(len(model.names)):
            labeling.add_label_to_choice(action, s * len(model.actions) + number)
    return labeling
