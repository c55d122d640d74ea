"""``python -m dipc``, and the console script.

The modules of the command line take some tenths of a second to import.  Ctrl-C is handled before that.
"""

from importlib import import_module

from dipc.process import leave_at_once


def run() -> None:
    """Entry point of the console script."""
    leave_at_once()
    import_module("dipc.cli.main").run()


if __name__ == "__main__":
    run()
