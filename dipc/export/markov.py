"""Markov models as text: our own format, DRN for Storm, the language of PRISM.

What is written in our own format and in DRN is read back as the same model.  In DRN and PRISM probabilities
are rational functions of z = exp(eps/u) and, where it occurs, eps.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from itertools import chain, groupby
from typing import Any

from flint import fmpq

from dipc.errors import InputError
from dipc.export.operators import ARITHMETIC, EXACT, PLAIN, Dialect, Pattern, Style, unit_of, write
from dipc.models.chain import DEAD, Mdp, Model, transitions
from dipc.models.names import RESERVED
from dipc.models.reading import WITH_MEANING
from dipc.numbers.quotient import Quotient

PRISM = Dialect(ARITHMETIC | {"^": Pattern("pow({0}, {1})")})
PLAIN_NAME = re.compile(r"[^\W\d]\w*", re.ASCII)
PLAIN_WORD = re.compile(r"[^\s\",\[\]/]+")
QUOTED = {*WITH_MEANING, "property"}
PRISM_WORDS = frozenset(
    """A C E F G I P R S U W X bool clock const ctmc dtmc double endinit endinvariant endmodule endrewards
    endsystem false filter formula func global init int invariant label max mdp min module nondeterministic
    pow pta rate rewards stochastic system true deadlock s z w v eps""".split()  # noqa: SIM905
)
IN_COMMENTS = {"label", "final", "neighbours", "start", "actions"}
PER_LINE = 8  # pairs of neighbours
Pairs = Sequence[tuple[int, int]]


def choices_of(model: Model, state: int) -> Iterator[tuple[str | None, Sequence[tuple[int, Any]]]]:
    """The rows of a state: in a decision process one for each action."""
    rows: Any = model.rows[state]
    yield from zip(model.actions, rows, strict=True) if isinstance(model, Mdp) else [(None, rows)]


def goes_to_dead(model: Model, row: Sequence[tuple[int, Any]]) -> bool:
    """Whether a row stands for "no transitions"."""
    return len(row) == 1 and model.names[row[0][0]] == DEAD


def labels_by_state(model: Model) -> list[list[str]]:
    """The labels of each state."""
    found: list[list[str]] = [[] for _ in model.names]
    for label, states in model.labels.items():
        for state in states:
            found[state].append(label)
    return found


def quoted(name: str, plain: Callable[[str], object]) -> str:
    """A name, in quotes unless it is plain.  Raises :class:`InputError` if it cannot be written."""
    if '"' in name or "\n" in name or "\r" in name:
        raise InputError(f"the name {name!r} cannot be written to a file", hint="rename it")
    return name if plain(name) else f'"{name}"'


# --- our own format ----------------------------------------------------------------------------------


def dpm(model: Model) -> str:
    """The model as a ``.dpm`` file.  Raises :class:`InputError` for names that cannot be written.

    >>> from dipc.errors import Source
    >>> from dipc.models.reading import read_model
    >>> print(dpm(read_model(Source("a", "chain; a -> {b: exp(-eps), c: 1 - exp(-eps)}; final b, c")).model))
    chain
    a -> {b: exp(-eps), c: 1 - exp(-eps)}
    final b, c
    start a, b, c
    <BLANKLINE>
    """
    names, written = [_dpm_name(name) for name in model.names], Numbers(EXACT)
    lines = ["mdp" if isinstance(model, Mdp) else "chain"]
    if isinstance(model, Mdp):
        lines.append(f"actions {', '.join(map(_dpm_name, model.actions))}")
    states = [s for s, name in enumerate(model.names) if name != DEAD]
    for final, group in groupby(
        states, lambda s: all(goes_to_dead(model, r) for _, r in choices_of(model, s))
    ):
        if final:
            lines.append(f"final {', '.join(names[s] for s in group)}")
        else:
            lines += chain.from_iterable(_dpm_rows(model, s, names, written) for s in group)
    for label, members in model.labels.items():
        lines.append(f"label {_dpm_name(label)} = {{{', '.join(names[s] for s in sorted(members))}}}")
    lines += _lists("neighbours ", [f"{names[s]} ~ {names[t]}" for s, t in model.neighbours])
    lines.append(f"start {', '.join(names[s] for s in model.start)}")
    return "\n".join(lines) + "\n"


def table(model: Model) -> str:
    """The transitions as a ``.csv`` file, with the rest of the model in its comments."""
    written, lines, is_mdp = Numbers(EXACT), StringIO(), isinstance(model, Mdp)
    rest = [line for line in dpm(model).splitlines() if line.partition(" ")[0] in IN_COMMENTS]
    rows = csv.writer(lines, lineterminator="\n")
    rows.writerow(["from", *["action"] * is_mdp, "to", "probability"])
    for s, name in enumerate(model.names):
        for action, row in choices_of(model, s) if name != DEAD else ():
            if not goes_to_dead(model, row):
                marks = [action] * is_mdp
                rows.writerows([name, *marks, model.names[t], written(p)] for t, p in row)
    if any(name.startswith("#") or name != name.strip() for name in model.names):
        raise InputError("a state whose name begins with # or a blank cannot be written", hint="rename it")
    return lines.getvalue() + "".join(f"# {line}\n" for line in rest)


def _dpm_name(name: str) -> str:
    return quoted(name, lambda text: PLAIN_NAME.fullmatch(text) and text not in QUOTED)


def _dpm_rows(model: Model, state: int, names: Sequence[str], written: Numbers) -> Iterator[str]:
    for action, row in choices_of(model, state):
        if goes_to_dead(model, row):
            continue
        if any(model.names[t] == DEAD for t, _ in row):
            message = f"`{model.names[state]}` goes to {DEAD} with a probability: .dpm files cannot say that"
            raise InputError(message, hint="export --to drn")
        mark = "" if action is None else f" [{_dpm_name(action)}]"
        yield f"{names[state]}{mark} -> {{{', '.join(f'{names[t]}: {written(p)}' for t, p in row)}}}"


def _lists(word: str, items: Sequence[str]) -> Iterator[str]:
    for start in range(0, len(items), PER_LINE):
        yield word + ", ".join(items[start : start + PER_LINE])


class Numbers:
    """Writes probabilities, each different one once."""

    def __init__(self, style: Style, dialect: Dialect = PLAIN) -> None:
        self.style, self.dialect = style, dialect
        self._known: dict[Quotient, str] = {}

    def __call__(self, p: fmpq | Quotient) -> str:
        if isinstance(p, fmpq):
            return str(p)
        if (found := self._known.get(p)) is None:
            found = self._known[p] = write(self.style.function(p), self.dialect)
        return found


# --- model checkers ----------------------------------------------------------------------------------


def symbols(functions: Iterable[Quotient], unit: int) -> dict[str, str]:
    """The symbols that rational functions over the unit mention, with what they stand for."""
    terms = [t for p in functions for f in (p.numerator, p.denominator) for t in f.terms()]
    known = {
        "eps": (any(t.power for t in terms), "the privacy budget"),
        "z": (any(t.rate for t in terms), f"exp(eps/{unit})" if unit != 1 else "exp(eps)"),
        "w": (any(t.constant for t in terms), f"exp(1/{unit})"),
        "v": (any(t.inverse for t in terms), f"exp(1/({unit}*eps))"),
    }
    return {name: text for name, (occurs, text) in known.items() if occurs}


def over_symbols(model: Model, dialect: Dialect = PLAIN) -> tuple[Numbers, Mapping[str, str]]:
    """How numbers are written for model checkers, and the symbols in them."""
    functions = dict.fromkeys(p for _, p in transitions(model) if isinstance(p, Quotient))
    unit = unit_of(functions)
    return Numbers(Style(unit), dialect), symbols(functions, unit)


def _is_numbered(model: Model) -> bool:
    """Whether the names of the states are their numbers."""
    return model.names == tuple(map(str, range(len(model.names))))


def _is_plain_word(name: str) -> bool:
    return name not in RESERVED and PLAIN_WORD.fullmatch(name) is not None


def drn(model: Model) -> str:
    """The model as DRN; names of states, neighbours and the meaning of parameters are comments.

    Raises :class:`InputError` for names that cannot be written, and for a label ``init``.
    """
    if "init" in model.labels:
        raise InputError("the label `init` has a meaning of its own in DRN", hint="rename it")
    written, known = over_symbols(model)
    names = [", ".join(quoted(name, _is_plain_word) for name in model.names)] * (not _is_numbered(model))
    empty = [quoted(label, _is_plain_word) for label, states in model.labels.items() if not states]
    lines = [*(f"// names {each}" for each in names), *_lists("// labels ", empty)]
    lines += _lists("// neighbours ", [f"{s} ~ {t}" for s, t in model.neighbours])
    lines += [f"// {name} = {text}" for name, text in known.items()]
    lines += [f"@type: {'MDP' if isinstance(model, Mdp) else 'DTMC'}"]
    lines += [f"@value_type: {'parametric' if known else 'rational'}", "@parameters", " ".join(known)]
    choices = len(model.names) * (len(model.actions) if isinstance(model, Mdp) else 1)
    lines += ["@reward_models", "", "@nr_states", str(len(model.names))]
    lines += ["@nr_choices", str(choices), "@model"]
    marks, start = labels_by_state(model), set(model.start)
    for state, own in enumerate(marks):
        words = [quoted(label, _is_plain_word) for label in sorted(own)]
        lines.append(" ".join([f"state {state}", *(["init"] if state in start else []), *words]))
        for action, row in choices_of(model, state):
            lines.append("\taction " + ("0" if action is None else quoted(action, _is_plain_word)))
            lines += [f"\t\t{t} : {written(p)}" for t, p in row]
    return "\n".join(lines) + "\n"


def prism(model: Model) -> str:
    """The model as a module of PRISM with one variable; names that PRISM does not allow are changed."""
    written, known = over_symbols(model, PRISM)
    labels, actions = identifiers(model.labels), identifiers(model.actions if isinstance(model, Mdp) else ())
    lines = [] if _is_numbered(model) else [f"// s={s}: {name}" for s, name in enumerate(model.names)]
    lines += [f"// {new}: {old}" for old, new in {**labels, **actions}.items() if old != new]
    lines += [f"// {name} = {text}" for name, text in known.items()]
    lines += ["mdp" if isinstance(model, Mdp) else "dtmc", "", *(f"const double {name};" for name in known)]
    lines += ["", "module model", f"  s : [0..{max(1, len(model.names) - 1)}];"]
    for state in range(len(model.names)):
        for action, row in choices_of(model, state):
            moves = " + ".join(f"{written(p)} : (s'={t})" for t, p in row)
            lines.append(f"  [{'' if action is None else actions[action]}] s={state} -> {moves};")
    lines += ["endmodule", "", f"init {_among(model.start)} endinit", ""]
    lines += [
        f'label "{labels[label]}" = {_among(sorted(states))};' for label, states in model.labels.items()
    ]
    return "\n".join(lines) + "\n"


def _among(states: Iterable[int]) -> str:
    return " | ".join(f"s={state}" for state in states) or "false"


SIGNS = {"-": "m", "/": "over", ".": "p"}
"""What identifiers have for the signs of numbers."""


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """A different identifier for every name, the name itself where that is possible.

    >>> identifiers(["a", "out = 1", "out=1", "max"])
    {'a': 'a', 'out = 1': 'out_1', 'out=1': 'out_1_', 'max': 'max_'}
    """
    found: dict[str, str] = {}
    for name in names:
        plain = name.isascii() and name.isidentifier()
        spoken = re.sub(r"[-/.](?=\d)", lambda sign: SIGNS[sign[0]], name)
        new = name if plain else re.sub(r"\W+", "_", spoken, flags=re.ASCII).strip("_")
        new = f"_{new}" if not new or new[0].isdigit() else new
        while new in PRISM_WORDS or new in found.values():
            new += "_"
        found[name] = new
    return found
