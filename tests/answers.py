"""The JSON of answers, for tests that look at its parts."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import jsonschema

from dipc.report.answer import SCHEMA


class Said(dict[str, Any]):
    """What an answer says; a key that is null is as good as missing."""

    def __missing__(self, key: str) -> None:
        return None


@cache
def validator() -> Any:
    """The JSON Schema of the package, checked itself."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def contents(text: str) -> Any:
    """What an answer says of question and answer, or a list of such; valid by the schema."""
    found = json.loads(text)
    if isinstance(found, list):
        return [_contents(each) for each in found]
    return _contents(found)


def _contents(found: Any) -> Any:
    validator().validate(found)
    said = {**found["question"], **found["answer"]}
    return Said({key: value for key, value in said.items() if value is not None})
