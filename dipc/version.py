"""The version of dipc, which its lowest parts may tell."""

__version__ = "0.1.0"
