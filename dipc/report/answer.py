"""The JSON of every answer: one envelope, with the same keys for every answer of a kind.

    {"format": "dipc answer", "version": 1, "kind": "check", "question": {...}, "answer": {...}}

``answer.schema.json``, a JSON Schema, lists the kinds and their keys; what a row says belongs to the question
or to the answer, as it says there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from dipc.claims.rows import Node, record
from dipc.claims.wording import Record

SCHEMA = Path(__file__).with_name("answer.schema.json")
FORMAT, VERSION = "dipc answer", 1


@cache
def _keys(kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The keys of the question and of the answer."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    parts = schema["$defs"][kind.replace(" ", "_")]["properties"]
    return tuple(parts["question"]["required"]), tuple(parts["answer"]["required"])


def envelope(kind: str, found: Mapping[str, Any]) -> Record:
    """The answer of a kind with these contents; keys that are missing are null.

    What the schema does not know stays if it says something, for a test to see.

    >>> envelope("decide", {"sentence": "forall eps > 0: eps > 0", "decision": "true"})["answer"]["reason"]
    """
    question, answer = _keys(kind)
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind,
        "question": {key: found.get(key) for key in question},
        "answer": {key: found.get(key) for key in answer}
        | {key: x for key, x in found.items() if key not in (*question, *answer) and x is not None},
    }


def answer_text(kind: str, rows: Iterable[Node]) -> str:
    """The JSON of an answer, from its rows."""
    return json.dumps(envelope(kind, record(rows)), indent=2)
