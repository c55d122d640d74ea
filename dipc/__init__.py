"""dipc decides differential privacy.

>>> import dipc
>>> survey = dipc.load('''
...     input q in {true, false};  output out in {true, false}
...     adjacent all
...     private eps
...     truth <- flip(exp(eps) / (1 + exp(eps)))
...     if truth then out <- q else out <- not q end
... ''')
>>> print(survey.check())
private: (eps)-private for every eps in (0, inf)
>>> survey.check("1/2*eps").counterexample.epsilon
1
"""

from dipc.decision.reading import decide
from dipc.decision.sentence import Decision, Sentence
from dipc.decision.verdict import Counterexample, Private, Undecided, Verdict, Violated
from dipc.distribution import Distribution
from dipc.errors import (
    DipcError,
    FragmentError,
    InputError,
    InternalError,
    LimitReached,
    Unsupported,
    WrongType,
)
from dipc.mechanism import Mechanism
from dipc.probability.exppoly import ExpPoly
from dipc.probability.quotient import Quotient
from dipc.probability.surd import Surd
from dipc.python.decorator import PythonMechanism, mechanism
from dipc.report import notebook as _notebook  # noqa: F401 (registers the views of results)
from dipc.report.plots import plot_distributions, plot_functions, plot_region
from dipc.semantics.chain import Chain
from dipc.syntax.values import Atom
from dipc.testing import assert_private

__version__ = "0.1.0"

load = Mechanism.load

__all__ = [
    "Atom",
    "Chain",
    "Counterexample",
    "Decision",
    "DipcError",
    "Distribution",
    "ExpPoly",
    "FragmentError",
    "InputError",
    "InternalError",
    "LimitReached",
    "Mechanism",
    "Private",
    "PythonMechanism",
    "Quotient",
    "Sentence",
    "Surd",
    "Undecided",
    "Unsupported",
    "Verdict",
    "Violated",
    "WrongType",
    "assert_private",
    "decide",
    "load",
    "mechanism",
    "plot_distributions",
    "plot_functions",
    "plot_region",
]
