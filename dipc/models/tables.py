"""Tables of transitions (.csv): Markov chains, and decision processes with a column of actions.

The first line has the names of the columns, in any order; lines with ``#`` are comments, or declarations of
model files.  A state without transitions is final::

    from,to,probability
    plus,yes,0.75
    plus,no,0.25
    # label out = {yes}
    # round 1000
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import NamedTuple

from dipc.errors import InputError, Source, Span
from dipc.models.draft import Place
from dipc.models.reading import ModelFile, Reader, number_from_text
from dipc.models.rounding import Rounding
from dipc.numbers.quotient import Quotient

COLUMNS = ("from", "to", "probability")
HEADER = re.compile(r'^(?:#[^\n]*\n|\s*\n)*(?=[^\n#]*\bfrom\b)(?=[^\n]*\bprobability\b)"?\w+"?,', re.I)
DECLARED = re.compile(r"#[ \t]*(?:label|neighbou?rs|start|final|actions|property)\b")
ROUND = re.compile(r"#[ \t]*round[ \t]+(\d+)[ \t]*")
LINE = re.compile(r"[^\n]+")


class _Move(NamedTuple):
    state: str
    action: str | None
    target: str
    probability: str
    place: Place


def read_table(source: Source) -> ModelFile:
    """The model in a table.  Raises :class:`InputError` with the line, and :class:`LimitReached`.

    >>> found = read_table(Source("coin.csv", "from,to,probability\\ns,a,0.5\\ns,b,1/2\\n# label out = {a}"))
    >>> found.model.names, found.model.rows[0]
    (('s', 'a', 'b', '†'), ((1, 1/2), (2, 1/2)))
    """
    reader, rounding, moves = Reader(source), Rounding(None), list[_Move]()
    columns: list[str] | None = None
    for line in LINE.finditer(source.text):
        if line[0].lstrip().startswith("#"):
            if found := ROUND.fullmatch(line[0].strip()):
                rounding = Rounding(int(found[1]))
            elif DECLARED.match(line[0]):
                reader.read(line.start() + line[0].index("#") + 1, line.end())
        elif line[0].strip():
            cells = [cell.strip() for cell in next(csv.reader([line[0]]))]
            if columns is None:
                columns = _columns(cells, Span(source, *line.span()))
            else:
                moves.append(_move(cells, columns, Span(source, *line.span())))
    if columns is None:
        raise InputError(f"{source.name}: the table is empty", hint="it begins with `from,to,probability`")
    draft, rows = reader.draft, dict[tuple[str, str | None], list[_Move]]()
    draft.kind = ("mdp" if "action" in columns else "chain"), (0, 0)
    for move in moves:
        rows.setdefault((move.state, move.action), []).append(move)
    for (state, action), row in rows.items():
        draft.add_row(state, action, list(_targets(row, rounding, source)), row[0].place)
    known = {state for state, _ in rows} | {name for name, _ in draft.final}
    for move in moves:
        if move.target not in known:
            draft.final.append((move.target, move.place))
            known.add(move.target)
    return ModelFile(draft.model(), tuple(reader.properties), notes=rounding.notes)


def _columns(cells: list[str], span: Span) -> list[str]:
    """The names of the columns."""
    found = [cell.lower() for cell in cells]
    if not set(COLUMNS) <= set(found) or len(set(found)) < len(found) or set(found) - {*COLUMNS, "action"}:
        hint = "write `from,to,probability`, or `from,action,to,probability`"
        raise InputError("these are not the columns of a table of transitions", span, hint)
    return found


def _move(cells: list[str], columns: list[str], span: Span) -> _Move:
    """The transition in a line."""
    if len(cells) != len(columns) or not all(cells):
        raise InputError(f"a line has {len(columns)} cells: {','.join(columns)}", span)
    found = dict(zip(columns, cells, strict=True))
    names = found["from"], found.get("action"), found["to"]
    return _Move(*names, found["probability"], (span.start, span.end))


def _targets(row: list[_Move], rounding: Rounding, source: Source) -> Iterator[tuple[str, Quotient, Place]]:
    """The targets of a row with their probabilities, which sum to 1 after the rounding."""
    first = row[0]
    if rounding.multiple is None:
        numbers = [_number(move, source) for move in row]
        total = sum(numbers, Quotient.of(0))
        if total != 1:
            message = f"the probabilities of `{first.state}` sum to {total}, not to 1"
            hint = "a line `# round 1000` takes multiples of 1/1000 that sum to 1"
            raise InputError(message, Span(source, *first.place), hint)
    else:
        exact = rounding.row((move.probability for move in row), f"the row of `{first.state}`")
        numbers = [Quotient.of(p) for p in exact]
    for move, p in zip(row, numbers, strict=True):
        yield move.target, p, move.place


def _number(move: _Move, source: Source) -> Quotient:
    try:
        return number_from_text(move.probability)
    except InputError as error:
        raise InputError(error.message, Span(source, *move.place), error.hint) from None
