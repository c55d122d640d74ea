"""Modules that load when they are first used."""

from __future__ import annotations

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec
from types import ModuleType


def lazily(name: str) -> ModuleType:
    """The module ``name``, to be executed when the first of its attributes is read.

    ``dipc check`` needs neither certificates nor exports: it should not pay for their import.

    >>> lazily("dipc.dipwhile.export.formats").__name__
    'dipc.dipwhile.export.formats'
    """
    if name in sys.modules:
        return sys.modules[name]
    spec = find_spec(name)
    assert spec is not None and spec.loader is not None, name
    spec.loader = LazyLoader(spec.loader)
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
