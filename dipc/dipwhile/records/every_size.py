"""The documents of ``dipc prove``: the answer for every size, with its proof in words and as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, astuple
from html import escape
from textwrap import wrap
from typing import assert_never

from dipc.claims.exponent import Exponent, exponent_text
from dipc.claims.rows import Group, Node, Row, data, inner
from dipc.claims.wording import pretty
from dipc.dipwhile.allsizes.answer import AllSizesAnswer
from dipc.dipwhile.allsizes.automaton import Automaton
from dipc.dipwhile.allsizes.linear import Strategy
from dipc.dipwhile.allsizes.question import Question
from dipc.dipwhile.allsizes.verdict import AllSizesVerdict, BrokenFrom, LeastT, Open, ProvedForAll
from dipc.dipwhile.allsizes.wording import HEADS, in_words, proof_in_words, table
from dipc.errors import CLAIM_NAME, Span
from dipc.report.document import Document, Section, html, plain_document

MOST_STRATEGIES = 3
HEADING = "How the samples move"
WIDTH = 76
"""Of a line of the table, in a margin."""


def answer_rows(found: AllSizesAnswer, name: str | None = None) -> Iterator[Node]:
    """The answer as a document; ``name`` is what the program is called."""
    asked, verdict = found.question, found.verdict
    yield from head_rows(found, name)
    if asked.goal is not None:
        yield Row("claim", pretty(str(asked.goal)), "claim", asked.goal.record())
    else:  # as it is written: it is another one for every size
        yield Row("claim", pretty(asked.written) or None, "claim", asked.written or None)
    yield data("verdict", found.status)
    yield from proof_rows(verdict)
    yield from least_rows(found)
    yield from confirmed_rows(verdict)
    yield data("first_broken_N", found.first_broken_N)
    yield Row("verdict", f"{found.status.upper()} {where(found)}".rstrip())
    yield from _counterexample(found)
    yield from _why_open(verdict)
    yield data("notes", list(found.notes))


def head_rows(found: AllSizesAnswer, name: str | None = None) -> Iterator[Node]:
    """The program with its parameters and what its inputs are."""
    asked = found.question
    shown = asked.source.name if name is None else name
    yield Row("program", title(shown, asked, inputs_of(found.verdict)), "program", shown)
    yield data("parameters", {k: str(v) for k, v in asked.parameters.items() if k not in asked.symbolic})
    yield data("sizes", list(asked.sizes))
    yield data("inputs", inputs_of(found.verdict) or None)


def title(name: str, asked: Question, inputs: str) -> str:
    """For example ``svt1  (every N >= 1, c = 1, T = 0, Delta = 1; q: reals)``."""
    told = "; ".join(filter(None, [", ".join(asked.settings), inputs]))
    return f"{name}  ({told})" if told else name


def inputs_of(verdict: AllSizesVerdict) -> str:
    """What the inputs are, for a reader; empty if the automaton was not made."""
    return verdict.automaton.inputs if isinstance(verdict, ProvedForAll) else verdict.inputs


def where(found: AllSizesAnswer) -> str:
    """For which sizes the verdict is."""
    match found.verdict:
        case ProvedForAll():
            return f"for {_sizes(found.question)}" if _sizes(found.question) else ""
        case BrokenFrom(size, known_least=least):
            if not found.question.sizes:
                return f"for {_sizes(found.question)}" if _sizes(found.question) else ""
            at = _size(found.question.sizes, size)
            return f"from {at} on" if least else f"with {at}"
        case Open():
            return ""
        case _:
            assert_never(found.verdict)


def _sizes(asked: Question) -> str:
    fixed = [f"{name} = {value}" for name, value in asked.fixed_sizes.items()]
    every = [f"every {' and '.join(asked.sizes)}"] if asked.sizes else []
    return ", ".join([*every, *fixed])


def _size(sizes: Sequence[str], size: int) -> str:
    return " = ".join([*(sizes or ("N",)), str(size)])


# --- the least t -----------------------------------------------------------------------------


def least_rows(found: AllSizesAnswer, alone: bool = False) -> Iterator[Node]:
    """What is known of the least t, or if ``alone`` why nothing is; for machines also its bounds."""
    least = found.least
    if least is not None:
        text = least_text(least, found.question.sizes)
        why = found.verdict.cycle if isinstance(found.verdict, BrokenFrom) else found.reason if alone else ""
        yield Row("least t", pretty(": ".join(filter(None, [text, why]))))
    elif alone:
        yield Row("least t", pretty(f"not known: {short_reason(found)}"))
    yield data("least_t", None if found.least_t is None else str(found.least_t))
    yield data("attained_at", found.attained_at)
    ends = None if least is None else [str(least.low), None if least.high is None else str(least.high)]
    yield data("least_t_between", ends)


def least_text(least: LeastT, sizes: Sequence[str]) -> str:
    """The least t in words; an end of a range where it is not known."""
    if least.unbounded:
        return "none: no t is enough for every size" if sizes else "none: no t is enough"
    if least.high is None:
        return f"at least {least.low}; no t is proved"
    private = f"({exponent_text(Exponent(least.high))})-private"
    if not least.exact and not least.low:
        return f"at most {least.high}: {private}"
    if not least.exact:
        return f"from {least.low} to {least.high}: {private} for {least.high}"
    size = least.attained_at
    reached = f" (reached with {_size(sizes, size)})" if size is not None and sizes else ""
    return f"{least.high}: {private}" + (f", and not for a smaller t{reached}" if least.high else "")


def confirmed_rows(verdict: AllSizesVerdict) -> Iterator[Node]:
    """The sizes at which the exact engine agrees with the proof."""
    found = verdict.confirmed if isinstance(verdict, ProvedForAll) else None
    record = [dict(zip(found.names, each, strict=True)) for each in found.sizes] if found else []
    text = found.text or None if found else None
    yield Row("confirmed", text, "confirmed", record)


# --- the proof -------------------------------------------------------------------------------


def proof_rows(verdict: AllSizesVerdict) -> Iterator[Node]:
    """The strategies in words, and for machines all of their numbers."""
    if not isinstance(verdict, ProvedForAll):
        yield data("strategies", [])
        return
    automaton, strategies = verdict.automaton, verdict.strategies
    text = pretty(proof_in_words(automaton, strategies))
    yield Row("proof", text, "proof", text)
    several = len(strategies) > 1
    items = (
        tuple(_strategy(automaton, each, f"strategy {n}" if several else ""))
        for n, each in enumerate(strategies, 1)
    )
    yield Group("strategies", tuple(items), MOST_STRATEGIES, "and {} more strategies (see --details)")


def _strategy(automaton: Automaton, strategy: Strategy, label: str) -> Iterator[Row]:
    words = pretty(in_words(automaton, strategy))
    yield Row(label, words if label else None, "words", words)
    yield data("edges", list(strategy.edges))
    yield data("phi", {str(place): str(phi) for place, phi in strategy.potentials.items()})
    deltas = strategy.deltas.items()
    yield data("delta", {str(place): {x: str(d) for x, d in own.items()} for place, own in deltas})
    yield data("shift", [[str(s) for s in shifts] for shifts in strategy.shifts])
    yield data("moves", [asdict(line) for line in table(automaton, strategy)])


def proof_document(verdict: ProvedForAll) -> Document:
    """The table of each strategy: all that a paper would print as the coupling argument."""
    several = len(verdict.strategies) > 1
    return tuple(
        Section(f"Strategy {n}" if several else HEADING, tuple(_table(verdict.automaton, each)))
        for n, each in enumerate(verdict.strategies, 1)
    )


def _table(automaton: Automaton, strategy: Strategy) -> Iterator[Row]:
    """A column for each number; places, branches and changes have lines of their own, which are wrapped."""
    lines = table(automaton, strategy)
    cells = [HEADS[3:], *(astuple(line)[3:] for line in lines)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    padded = (zip(row, widths, strict=True) for row in cells)
    head, *numbers = ("  ".join(cell.ljust(width) for cell, width in row).rstrip() for row in padded)
    yield Row("", f"      {head}")
    before = ("", "", "")
    for line, row in zip(lines, numbers, strict=True):
        about = line.place, line.branch, line.change
        for depth, said in enumerate(about):
            if said and about[: depth + 1] != before[: depth + 1]:
                first = "  " * depth + "when " * (depth == 2)
                wrapped = wrap(said, WIDTH, initial_indent=first, subsequent_indent="  " * depth + "     ")
                yield from (Row("", text) for text in wrapped)
        yield Row("", f"      {row}")
        before = about


# --- against the claim -----------------------------------------------------------------------


def _counterexample(found: AllSizesAnswer) -> Iterator[Node]:
    shown = found.counterexample
    yield from inner("counterexample", () if shown is None else shown.rows())
    if not isinstance(found.verdict, BrokenFrom):
        return
    declared, at = found.verdict.private_on_declared, _size(found.question.sizes, found.verdict.size)
    text = f"the inputs that the program declares are private at {at}" if declared else None
    yield Row("declared", text, "private_on_declared", declared)


def _why_open(verdict: AllSizesVerdict) -> Iterator[Node]:
    if not isinstance(verdict, Open):
        yield data("reason", None)
        return
    yield Row("reason", f"{_line(verdict.span)}{verdict.reason}", "reason", verdict.reason)
    yield data("place", verdict.span.place if verdict.span else None)
    if verdict.span is not None and verdict.span.source.text.strip():
        yield from (Row("", text) for text in verdict.span.excerpt().splitlines())
    yield Row("checked", verdict.checked or None, "checked", verdict.checked or None)


def _line(span: Span | None) -> str:
    """The line of the program, if it is one."""
    return f"line {span.line}: " if span is not None and span.source.name != CLAIM_NAME else ""


# --- other views -----------------------------------------------------------------------------


def short_reason(found: AllSizesAnswer) -> str:
    """What speaks against a proof, in one line."""
    match found.verdict:
        case ProvedForAll():
            return ""
        case BrokenFrom(size, violated):
            at = f"{_size(found.question.sizes, size)}: " if found.question.sizes else ""
            return pretty(f"{at}{violated.counterexample.brief()}")
        case Open(reason, span):
            return _line(span) + reason
        case _:
            assert_never(found.verdict)


def brief(found: AllSizesAnswer) -> str:
    """The answer in one line, for the prompt."""
    claim = f": {found.question.goal}" if found.question.goal else ""
    return f"<{' '.join(filter(None, [found.status, where(found)]))}{claim}>"


def answer_html(found: AllSizesAnswer) -> str:
    """The answer, and the tables of its proof, as HTML."""
    parts = [html(plain_document(answer_rows(found)))]
    proved = found.verdict if isinstance(found.verdict, ProvedForAll) else None
    for n, strategy in enumerate(proved.strategies if proved else (), 1):
        assert proved is not None
        rows = (astuple(line) for line in table(proved.automaton, strategy))
        parts.append(_html_table(f"Strategy {n}" if len(proved.strategies) > 1 else HEADING, rows))
    return "\n".join(parts)


def _html_table(heading: str, rows: Iterable[Sequence[str]]) -> str:
    def cells(tag: str, row: Sequence[str]) -> str:
        end = tag.partition(" ")[0]
        return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{end}>' for cell in row)}</tr>"

    body = "\n".join(cells("td", row) for row in rows)
    titles = cells('th scope="col"', HEADS)
    head = f"<caption>{escape(heading)}</caption>\n<thead>{titles}</thead>"
    return f"<table>\n{head}\n<tbody>\n{body}\n</tbody></table>"
