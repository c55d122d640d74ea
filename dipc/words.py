"""Mechanisms written in Python: the words that stand in them (see :mod:`dipc.dipwhile.python.words`)."""

# ruff: noqa: F403, F405
from dipc.dipwhile.python.words import *

__all__ = ["DLap", "Exp", "Lap", "LapPlus", "argmax", "argmin", "ceil", "choose", "count", "disc", "eps"]
__all__ += ["exp", "flip", "floor", "mod", "uniform"]
