"""The chain of a program for model checkers: DRN, the explicit format of Storm, and the language of PRISM.

Probabilities are rational functions of z = exp(eps/u) and, where it occurs, eps.
"""

from __future__ import annotations

from dipc.dipwhile.export.questions import Picture
from dipc.export import markov
from dipc.models.chain import MarkovChain
from dipc.models.values import valuation_text
from dipc.numbers.quotient import Quotient

Edge = tuple[int, Quotient]  # the number of the target, and the probability


def edges(picture: Picture) -> list[list[Edge]]:
    """The edges of every state; a final state has a loop."""
    numbers = {id(node): i for i, node in enumerate(picture.chain)}
    outgoing = [[(numbers[id(target)], p) for target, p in node.edges] for node in picture.chain]
    return [found or [(i, Quotient.one())] for i, found in enumerate(outgoing)]


def labels(picture: Picture) -> dict[int, str]:
    """An identifier for the output of every final state."""
    texts = {number: valuation_text(output) for number, output in picture.outputs.items()}
    names = markov.identifiers(dict.fromkeys(texts.values()))
    return {number: names[text] for number, text in texts.items()}


def as_model(picture: Picture) -> MarkovChain[Quotient]:
    """The chain as a Markov model; final states have the label of their output, and loop."""
    marks = labels(picture)
    states = {mark: frozenset(n for n, other in marks.items() if other == mark) for mark in marks.values()}
    names = tuple(map(str, range(len(picture.chain))))
    return MarkovChain(names, states, (), (0,), tuple(map(tuple, edges(picture))))


def _heading(picture: Picture) -> str:
    """The program and the input, and what the labels stand for, as comments."""
    texts = {mark: valuation_text(picture.outputs[number]) for number, mark in labels(picture).items()}
    lines = (*picture.heading(), *(f"label {mark}: {text}" for mark, text in texts.items()))
    return "".join(f"// {line}\n" for line in lines)


def drn(picture: Picture) -> str:
    """The chain as a DTMC with parameters z = exp(eps/u) and, if it occurs, eps."""
    return _heading(picture) + markov.drn(as_model(picture))


def prism(picture: Picture) -> str:
    """The chain with undefined constants z = exp(eps/u) and, if it occurs, eps."""
    return _heading(picture) + markov.prism(as_model(picture))
