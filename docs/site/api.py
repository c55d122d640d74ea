"""The page about the Python API, made from the docstrings: ``python docs/site/api.py`` prints it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import dipc


def page() -> str:
    """Every public name, in the order of the alphabet."""
    head = "# Python API\n\nWhat `import dipc` offers. [In Python and Jupyter](python.md) is the guide.\n"
    public = [name for name in dipc.__all__ if not name.startswith("_")]
    return "\n".join([head, *(part for name in public for part in described(name, getattr(dipc, name)))])


def described(name: str, thing: Any) -> Iterator[str]:
    """A function or class, with its methods."""
    yield f"## `{name}{'' if inspect.isclass(thing) else signature(thing)}`\n"
    yield text(thing)
    if not inspect.isclass(thing):
        return
    for member, value in inspect.getmembers(thing):
        if member.startswith("_") or not inspect.getdoc(value):
            continue
        if callable(value):
            yield f"### `{name}.{member}{signature(value)}`\n\n{text(value)}"
        elif isinstance(value, property):
            yield f"### `{name}.{member}`\n\n{text(value)}"


def signature(function: Any) -> str:
    """The arguments of a function, without their types."""
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    plain = [p.replace(annotation=p.empty) for name, p in found.parameters.items() if name != "self"]
    return str(found.replace(parameters=plain, return_annotation=found.empty))


def text(thing: Any) -> str:
    """A docstring as Markdown: examples are sessions, and roles of Sphinx are code."""
    found = re.sub(
        r":\w+:`~?([^`]+)`|``([^`]+)``", lambda m: f"`{m[1] or m[2]}`", inspect.getdoc(thing) or ""
    )
    blocks = re.split(r"\n\n+", found)
    sessions = (f"```python\n{one}\n```" if one.lstrip().startswith(">>>") else plain(one) for one in blocks)
    return "\n\n".join(sessions) + "\n"


def plain(block: str) -> str:
    """A paragraph, or indented lines as they are; `D[1, 0](X f)` is no link."""
    return f"```text\n{block}\n```" if re.search(r"^\s{2,}\S", block, re.M) else block.replace("](", "]\\(")


if __name__ == "__main__":
    print(page())
