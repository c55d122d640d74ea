"""Runs a .sage script with a minimal Sage (no sage.all): python run_sage.py FILE."""

import sys
from importlib import import_module
from pathlib import Path


def main(path: str) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    for module in ("repl", "modules", "flint"):
        names |= {k: v for k, v in vars(import_module(f"sage.all__sagemath_{module}")).items() if k[0] != "_"}
    text = import_module("sage.repl.preparse").preparse_file(Path(path).read_text(encoding="utf-8"))
    exec(compile(text, path, "exec"), names)


if __name__ == "__main__":
    main(sys.argv[1])
