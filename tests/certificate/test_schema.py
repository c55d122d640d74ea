"""Declared formats: what is written is read back, and nothing else is read."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any, Literal

import pytest
from certificate.altered import places

from dipc.kernel.reading import Refused
from dipc.kernel.schema import MAX_DIGITS, check_version, read, write


@dataclass(frozen=True)
class Leaf:
    leaf: list[int] | None


@dataclass(frozen=True)
class Pair:
    name: str
    both: tuple[int, Fraction]


@dataclass(frozen=True)
class Tree:
    is_open: bool
    items: list[Pair | Leaf]
    number: Fraction | list[Fraction]
    word: Literal["low", "high"]
    named: dict[str, int]
    term: tuple[Fraction] | tuple[Fraction, int]
    inner: Tree | None


def random_tree(random: Random) -> Tree:
    def fraction() -> Fraction:
        return Fraction(random.randint(-9, 9), random.randint(1, 9))

    def item() -> Pair | Leaf:
        if random.random() < 0.5:
            return Pair(random.choice("ab"), (random.randint(-5, 5), fraction()))
        return Leaf(random.choice([None, [], [1, 2]]))

    items = [item() for _ in range(random.randint(0, 4))]
    number = random.choice([fraction(), [fraction()]])
    word: Any = random.choice(["low", "high"])
    term = random.choice([(fraction(),), (fraction(), 3)])
    inner = random_tree(random) if random.random() < 0.3 else None
    return Tree(random.random() < 0.5, items, number, word, {"a": 1} if inner else {}, term, inner)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_written_is_read_back(seed: int) -> None:
    tree = random_tree(Random(seed))
    assert read(Tree, write(tree), "tree") == tree


@pytest.mark.parametrize("seed", range(20))
def test_what_is_read_is_what_is_written(seed: int) -> None:
    """Whatever is put in any place: it is refused there, or was meant, and is written as it was."""
    written = write(random_tree(Random(seed)))
    others: list[Any] = [None, True, 1, 1.0, "1", "2/2", "x", [], [1], ["1"], {}, {"leaf": None}]
    for where in places(written):
        for other in others:
            data = {"whole": write(random_tree(Random(seed)))}
            inner: Any = data
            path = ("whole", *where)
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = other
            try:
                tree = read(Tree, data["whole"], "tree")
            except Refused as refused:
                assert refused.args[0].startswith(", ".join(["tree", *map(str, where)])), (where, other)
            else:
                again = write(tree)
                assert again == data["whole"] and repr(again) == repr(data["whole"])


WHOLE: Any = {
    "is_open": True,
    "items": [{"name": "a", "both": [1, "1/2"]}, {"leaf": None}],
    "number": "1",
    "word": "low",
    "named": {"a": 1},
    "term": ["1", 2],
    "inner": None,
}
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"is_open": 1}, "tree, is_open: true or false is expected"),
    ({"more": 1}, "tree: the field 'more' is not known"),
    ({"items": [{"name": "a"}]}, "tree, items, 0: the field 'both' is missing"),
    ({"items": [{"name": "a", "both": [True, "1/2"]}]}, "tree, items, 0, both, 0: an integer is expected"),
    ({"items": [{"name": "a", "both": [1]}]}, "tree, items, 0, both: a list of 2 is expected"),
    ({"items": [{"leaf": None, "name": "a"}]}, "tree, items, 0: the field"),
    ({"items": [None]}, "tree, items, 0: none of the expected kinds of values"),
    ({"items": {}}, "tree, items: a list is expected"),
    ({"number": "2/4"}, "tree, number: '2/4' is not in lowest terms"),
    ({"number": ["1", 0.5]}, "tree, number, 1: a string is expected"),
    ({"number": "1/0"}, "tree, number: '1/0' is not"),
    ({"number": "1e9"}, "tree, number: '1e9' is not a rational number"),
    ({"number": "1" * (MAX_DIGITS + 1)}, "tree, number: '1111"),
    ({"word": "Low"}, "tree, word: one of low, high is expected"),
    ({"word": None}, "tree, word: one of low, high is expected"),
    ({"named": {"a": True}}, "tree, named, a: an integer is expected"),
    ({"named": []}, "tree, named: an object is expected"),
    ({"term": []}, "tree, term: none of the expected kinds"),
    ({"term": ["1", 2, 3]}, "tree, term: none of the expected kinds"),
    ({"term": ["1", "2"]}, "tree, term, 1: an integer is expected"),
    ({"inner": {}}, "tree, inner: the field 'is_open' is missing"),
    ({"number": float("nan")}, "tree, number: none of the expected kinds"),
]


@pytest.mark.parametrize(("change", "reason"), REFUSED)
def test_what_is_not_declared_is_refused_with_its_place(change: dict[str, Any], reason: str) -> None:
    read(Tree, WHOLE, "tree")
    with pytest.raises(Refused) as refused:
        read(Tree, WHOLE | change, "tree")
    assert str(refused.value).startswith(reason)


def test_versions() -> None:
    check_version({"format": "dipc certificate", "version": 3}, "dipc check")
    for data, words in (
        ({"format": "dipc certificate", "version": 2}, "write a new one with dipc check"),
        ({"format": "dipc certificate", "version": 4}, "only 'dipc certificate' version 3 is known"),
        ({"format": "dipc certificate", "version": True}, "only"),
        ({"format": "dipc certificate", "version": "3"}, "only"),
        ({"format": "dipc", "version": 3}, "only"),
        ({"version": 2}, "only"),
        ([], "only"),
    ):
        with pytest.raises(Refused, match=f"^format: .*{words}"):
            check_version(data, "dipc check")
