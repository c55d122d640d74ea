"""The former name of :mod:`dipc.words`."""

from dipc.words import *  # noqa: F403
from dipc.words import __all__ as __all__
