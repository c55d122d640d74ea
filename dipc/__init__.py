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

What is offered here is imported when it is first used: ``import dipc`` alone takes a few milliseconds, so
that the command line can meet Ctrl-C from the start, and pytest can know our plugin without paying for it.
"""

from importlib import import_module

from dipc.systems import SYSTEMS
from dipc.version import __version__ as __version__

TYPE_CHECKING = False  # as in typing, which takes longer to import than all of this
if TYPE_CHECKING:
    from typing import Any

    from dipc.claims.counterexample import Counterexample as Counterexample
    from dipc.claims.privacy import Private as Private
    from dipc.claims.privacy import Violated as Violated
    from dipc.claims.verdict import Undecided as Undecided
    from dipc.claims.verdict import Verdict as Verdict
    from dipc.clock import limits as limits
    from dipc.dipwhile.allsizes.answer import AllSizesAnswer as AllSizesAnswer
    from dipc.dipwhile.decorator import PythonMechanism as PythonMechanism
    from dipc.dipwhile.decorator import mechanism as mechanism
    from dipc.dipwhile.distribution import Distribution as Distribution
    from dipc.dipwhile.explain.explanation import Explanation as Explanation
    from dipc.dipwhile.mechanisms import Mechanism as Mechanism
    from dipc.dipwhile.panels.figures import plot_mechanism as plot_mechanism
    from dipc.dipwhile.panels.page import report_html as report_html
    from dipc.dipwhile.panels.plots import plot_distributions as plot_distributions
    from dipc.dipwhile.panels.plots import plot_functions as plot_functions
    from dipc.dipwhile.panels.plots import plot_region as plot_region
    from dipc.dipwhile.semantics.chain import Chain as Chain
    from dipc.dipwhile.sentences import decide as decide
    from dipc.dpctl.model import MDP as MDP
    from dipc.dpctl.model import MarkovChain as MarkovChain
    from dipc.dpctl.model import load_model as load_model
    from dipc.errors import DipcError as DipcError
    from dipc.errors import FragmentError as FragmentError
    from dipc.errors import InputError as InputError
    from dipc.errors import InternalError as InternalError
    from dipc.errors import LimitReached as LimitReached
    from dipc.errors import Unsupported as Unsupported
    from dipc.errors import WrongType as WrongType
    from dipc.models.values import Atom as Atom
    from dipc.numbers.exppoly import ExpPoly as ExpPoly
    from dipc.numbers.quotient import Quotient as Quotient
    from dipc.pufferfish.hmm import HiddenMarkovModel as HiddenMarkovModel
    from dipc.pufferfish.hmm import PufferfishQuestion as PufferfishQuestion
    from dipc.shipped import load as load
    from dipc.signs.sentence import Decision as Decision
    from dipc.signs.sentence import Sentence as Sentence
    from dipc.testing import assert_accurate as assert_accurate
    from dipc.testing import assert_holds as assert_holds
    from dipc.testing import assert_private as assert_private
    from dipc.testing import assert_pufferfish_private as assert_pufferfish_private

HOMES = {
    module: tuple(names.split())
    for module, names in {
        "clock": "limits",
        "dipwhile.sentences": "decide",
        "signs.sentence": "Decision Sentence",
        "claims.counterexample": "Counterexample",
        "claims.privacy": "Private Violated",
        "claims.verdict": "Undecided Verdict",
        "dipwhile.allsizes.answer": "AllSizesAnswer",
        "dipwhile.distribution": "Distribution",
        "errors": "DipcError FragmentError InputError InternalError LimitReached Unsupported WrongType",
        "dipwhile.explain.explanation": "Explanation",
        "pufferfish.hmm": "HiddenMarkovModel PufferfishQuestion",
        "shipped": "load",
        "dipwhile.mechanisms": "Mechanism",
        "numbers.exppoly": "ExpPoly",
        "numbers.quotient": "Quotient",
        "dipwhile.decorator": "PythonMechanism mechanism",
        "dipwhile.panels.figures": "plot_mechanism",
        "dipwhile.panels.page": "report_html",
        "dipwhile.panels.plots": "plot_distributions plot_functions plot_region",
        "dipwhile.semantics.chain": "Chain",
        "dpctl.model": "MDP MarkovChain load_model",
        "models.values": "Atom",
        "testing": "assert_accurate assert_holds assert_private assert_pufferfish_private",
    }.items()
}
"""The modules that things come from: the same as above, where type checkers read it (a test compares)."""

__all__ = sorted(name for names in HOMES.values() for name in names)


def __getattr__(name: str) -> "Any":
    """Import what was asked for (PEP 562), and with it the views of results: HTML and plots."""
    home = next((module for module, names in HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module 'dipc' has no attribute '{name}'")
    for system in SYSTEMS:
        for views in system.views:
            import_module(f"dipc.{system.folder}.{views}")
    value = globals()[name] = getattr(import_module(f"dipc.{home}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
