"""Programs as Python objects: what ``import dipc`` offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from flint import fmpq

import dipc.dipwhile.convert as convert
import dipc.views as views
from dipc.child import held
from dipc.claims.claim import Claim
from dipc.claims.deciding import given_up
from dipc.claims.oracle import SignOracle
from dipc.claims.ratios import Measure
from dipc.claims.verdict import Verdict
from dipc.clock import Clock
from dipc.dipwhile.convert import Inputs, PythonValue, PythonValues
from dipc.dipwhile.distribution import Distribution
from dipc.dipwhile.hub.explored import Explored
from dipc.dipwhile.pipeline import (
    Ask,
    check,
    claim_of,
    distribution,
    eps_range_of,
    goal_of,
    losses_of,
    settled,
)
from dipc.dipwhile.semantics.advice import warnings
from dipc.dipwhile.semantics.chain import Chain
from dipc.dipwhile.semantics.valuations import in_order, output_valuation
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.compile import NO_OVERRIDES, about_secrets, read
from dipc.dipwhile.syntax.constants import evaluate_parameters
from dipc.dipwhile.syntax.core import CoreClaim, CoreProgram
from dipc.dipwhile.syntax.parser import is_accurate, parse, parse_accurate, parse_expression
from dipc.errors import CLAIM_NAME, EPSILON_NAME, InputError, LimitReached, Source, WrongType, check_type
from dipc.lazily import lazily
from dipc.shipped import is_python, python_mechanism, source_of
from dipc.signs.eps_range import EpsRange
from dipc.suggest import methods_with_options_only
from dipc.systems import offered

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    import dipc.certificate.format as certificates
    import dipc.claims.tightness.curves as curves
    import dipc.claims.tightness.greatest as greatest
    import dipc.claims.tightness.least_epsilon as least_epsilon
    import dipc.claims.tightness.losses as loss
    import dipc.dipwhile.allsizes.answer as answer
    import dipc.dipwhile.allsizes.question as all_sizes
    import dipc.dipwhile.certify.privacy as produce
    import dipc.dipwhile.explain.explanation as explanation
    import dipc.dipwhile.export.formats as formats
    import dipc.dipwhile.export.questions as questions
    import dipc.dipwhile.measures as measures
    import dipc.dipwhile.priors as priors
    import dipc.dipwhile.syntax.measures as expressions
    from dipc.signs.sentence import Sentence
else:
    certificates, produce = map(lazily, ("dipc.certificate.format", "dipc.dipwhile.certify.privacy"))
    curves = lazily("dipc.claims.tightness.curves")
    greatest = lazily("dipc.claims.tightness.greatest")
    measures = lazily("dipc.dipwhile.measures")
    expressions = lazily("dipc.dipwhile.syntax.measures")
    priors = lazily("dipc.dipwhile.priors")
    least_epsilon = lazily("dipc.claims.tightness.least_epsilon")
    loss = lazily("dipc.claims.tightness.losses")
    answer = lazily("dipc.dipwhile.allsizes.answer")
    all_sizes = lazily("dipc.dipwhile.allsizes.question")
    explanation = lazily("dipc.dipwhile.explain.explanation")
    formats, questions = map(lazily, ("dipc.dipwhile.export.formats", "dipc.dipwhile.export.questions"))

TEXT = ("\n", "<-", ";")
"""What the text of a program contains, but the name of a file does not."""

MOST_PATHS = 8  # listed in an explanation

Found = TypeVar("Found")


ALSO_ACCURATE = "the claim of accuracy of the program is another question: give it with --claim"


@methods_with_options_only
class Mechanism:
    """A program, checked and unrolled for given parameters.

    >>> coin = Mechanism.load('''
    ...     input  q in {true, false};  output out in {true, false}
    ...     adjacent all
    ...     private eps
    ...     b <- flip(exp(eps) / (1 + exp(eps)))
    ...     if b then out <- q else out <- not q end
    ... ''')
    >>> coin.check().status
    'private'
    >>> coin.check("eps/2").counterexample.epsilon
    1
    >>> coin.distribution(q=True)
    out=true: (exp(eps))/(1 + exp(eps))
    out=false: (1)/(1 + exp(eps))
    """

    def __init__(self, program: CoreProgram, overrides: Mapping[str, fmpq] = NO_OVERRIDES) -> None:
        check_type(program, CoreProgram, "a mechanism is made of a program", "see dipc.load")
        self.program = program
        self.overrides = overrides
        self.explored = Explored(program)

    @staticmethod
    def load(program: str | Path, **parameters: Any) -> Mechanism:
        """A program from a file, from its text, or a shipped one by its name (``"svt1"``).

        ``parameters`` override its ``param`` lines.  Raises :class:`InputError`, or :class:`OSError` if the
        file cannot be read.  For a program that only :meth:`prove` takes, such as one with inputs
        ``in reals``, every other method raises the error.

        A limit (:func:`dipc.limits`) that runs out raises :class:`LimitReached`.
        """
        what, hint = "a program is the name of a file or a text", 'for example dipc.load("svt1", N=3)'
        check_type(program, (str, PathLike), what, hint)
        if isinstance(program, str) and (not program.strip() or any(sign in program for sign in TEXT)):
            source = Source("<text>", program)
        elif is_python(program):
            return Mechanism.load_file(str(program), parameters)
        else:
            source = source_of(program)
        return held(Clock(), lambda: _loaded(source, parameters), (source,))

    @staticmethod
    def load_file(file: str | Path | Source, parameters: Mapping[str, PythonValue]) -> Mechanism:
        """A program from a file that is read or has been, or a shipped one, or a function in Python."""
        if not isinstance(file, Source) and is_python(file):
            return in_python(str(file), parameters)
        source = file if isinstance(file, Source) else source_of(file)
        overrides = {k: convert.to_rational(v, f"the parameter `{k}`") for k, v in parameters.items()}
        return Mechanism(held(Clock(), lambda: read(source, overrides), (source,)), overrides)

    def check(
        self,
        claim: str | None = None,
        *,
        at: PythonValue | None = None,
        pair: Sequence[Inputs] | None = None,
    ) -> Verdict:
        """Decide a claim, by default the program's own, of privacy if it has two.

        ``claim`` is what may follow ``private`` in a program, for example ``"eps/2, exp(-2)"``; ``at``
        decides it for one eps only; ``pair`` for one pair of inputs only (in both directions), each a mapping
        or a text such as ``"q=[0,1]"``, which must be adjacent if the program defines adjacency.

        Returns :class:`Private`, :class:`Violated` or :class:`Undecided`, for example if a limit
        (:func:`dipc.limits`) runs out.  Raises :class:`InputError`.
        """
        ask = self._ask(pair, at)
        accurate = self._accurate(claim)
        if accurate is not None:
            if pair is not None:
                raise InputError("accuracy is about single inputs: leave out `pair`")
            return self._held(
                ask.clock, lambda: measures.check_accurate(self.explored, accurate, ask.at, ask.clock)
            )
        wanted = self._claim(claim)
        goal = claim_of(wanted, ask.at)
        try:
            verdict = self._held(ask.clock, lambda: check(self.explored, wanted, ask))
            notes = [ALSO_ACCURATE] if claim is None and self.program.accurate else []
            return replace(verdict, notes=(*verdict.notes, *notes))
        except LimitReached as limit:
            return given_up(goal, self.explored.space.size, ask.clock, limit)

    def claimed(self, claim: str | None = None) -> Claim | None:
        """What :meth:`check` decides; None if the program makes no claim and none is given."""
        accurate = self._accurate(claim)
        if accurate is not None:
            return measures.accurate_claim(self.program, accurate, None)
        core = self.program.claim if claim is None else self._claim(claim)
        return None if core is None else claim_of(core)

    def _accurate(self, claim: str | None) -> ast.AccurateClaim | None:
        """The claim of accuracy that is meant, if it is one."""
        if is_accurate(claim):
            return parse_accurate(str(claim), CLAIM_NAME)
        return self.program.accurate if claim is None and self.program.claim is None else None

    def prove(self, claim: str | None = None, *, find_least: bool = True) -> answer.AllSizesAnswer:
        """Decide a claim, by default the program's own, for every size and all inputs, as ``dipc prove``.

        A parameter that is the size of an input stands for every integer >= 1, unless it was set when the
        program was loaded.  ``find_least=False`` stops at a proof, and may leave the least t open.

        The answer has a ``status`` (``private``, ``violated``, ``undecided``), the ``least_t``, and a
        ``counterexample`` or a ``reason``.  Raises :class:`InputError`.
        """
        asked = all_sizes.question(self.source, self.overrides, claim)
        return answer.answered(asked, Clock(), find_least)

    def budget(
        self,
        *,
        at: PythonValue | None = None,
        budgets: str | None = None,
        width: PythonValue = "1e-10",
        pair: Sequence[Inputs] | None = None,
        range: bool = False,
        renyi: int | None = None,
    ) -> least_epsilon.LeastEpsilon:
        """The least t such that the program is (t*eps, 0)-private for every eps of ``budgets``.

        Of a program that never mentions eps it is the least epsilon, and ``factor`` is exp(epsilon).

        ``budgets`` is an interval such as ``"(0, 1]"``, by default that of the program's claim, else
        all eps > 0; ``at`` is a single eps instead.  A t that is not found exactly is enclosed to ``width``.
        ``pair`` is as in :meth:`check`.  Instead of the privacy loss, t*eps bounds the ``range``, or the
        ``renyi`` divergence of this integer order.  Raises :class:`InputError`, and :class:`LimitReached` if
        a limit runs out.

        >>> svt = Mechanism.load("programs/svt/svt1.dip")
        >>> found = svt.budget().least
        >>> found.exact, found.attained
        (3/4, False)
        >>> Mechanism.load("programs/noisy_max/nmax1.dip", N=2).budget(range=True).least.exact
        1
        """
        ask = self._ask(pair, at, budgets)
        precision = convert.to_width(width)
        measure = self._measure(range, renyi)
        if not self.program.with_eps:
            ask = replace(ask, at=None, interval=EpsRange.point(fmpq(1)))
            return self._held(
                ask.clock, lambda: least_epsilon.fixed(self._losses(ask, by_output=True), precision)
            )
        return self._held(
            ask.clock,
            lambda: least_epsilon.budget(
                self._losses(ask, by_output=True if measure is None else None), precision, measure
            ),
        )

    def loss_curve(
        self,
        *,
        at: PythonValue | None = None,
        budgets: str | None = None,
        pair: Sequence[Inputs] | None = None,
        range: bool = False,
        renyi: int | None = None,
    ) -> curves.Curve:
        """The exact privacy loss ``max ln(P(u)(o)/P(u')(o))`` as a function of eps, segment by segment.

        The arguments are those of :meth:`budget`.

        >>> hist = Mechanism.load("programs/histogram/hist2.dip", N=1)
        >>> [segment.value for segment in hist.loss_curve().segments]           # the loss is ln of that
        [exp(1/eps)]
        """
        ask = self._ask(pair, at, budgets)
        measure = self._measure(range, renyi)
        return self._held(
            ask.clock,
            lambda: curves.loss_curve(
                self._losses(ask, by_output=True if measure is None else None), measure
            ),
        )

    def _measure(self, range: bool, renyi: int | None) -> Measure | None:
        """What is asked for instead of the privacy loss.  Raises :class:`InputError`."""
        if not range and renyi is None:
            return None
        if range and renyi is not None:
            raise InputError("the range and a Renyi divergence are two questions: ask for one of them")
        if renyi is not None and (isinstance(renyi, bool) or not isinstance(renyi, int) or renyi < 2):
            raise InputError(f"the order of a Renyi divergence is an integer of at least 2, not {renyi!r}")
        if not self.program.with_eps:
            raise InputError("the range and Renyi divergences are not computed of programs without eps")
        return Measure(renyi)

    def profile(
        self,
        epsilon: str | None = None,
        *,
        at: PythonValue | None = None,
        budgets: str | None = None,
        width: PythonValue = "1e-10",
        pair: Sequence[Inputs] | None = None,
    ) -> curves.Profile:
        """The least delta for ``epsilon`` (like ``"eps/2"``, by default the program's), per eps and for all.

        The other arguments are those of :meth:`budget`.

        >>> sparse = Mechanism.load("programs/svt/sparse.dip")
        >>> sparse.profile("eps/2").least.exact
        31/240
        """
        ask, precision = self._ask(pair, at, budgets), convert.to_width(width)
        goal = goal_of(self._claim(epsilon, EPSILON_NAME))
        if epsilon is not None and goal.delta:
            raise InputError(f"`profile` finds the least delta: give an epsilon only, without {goal.delta}")
        return self._held(ask.clock, lambda: curves.profile(self._losses(ask), goal.exponent, precision))

    def accuracy(
        self,
        good: str,
        when: str | None = None,
        *,
        beta: str | None = None,
        at: PythonValue | None = None,
        budgets: str | None = None,
        width: PythonValue = "1e-10",
    ) -> greatest.Accuracy:
        """The least beta with Pr[not ``good``] <= beta for every input, per eps and for all of them.

        ``good`` is a condition on inputs and outputs, ``when`` restricts the inputs and may compare
        ``gap(E)``, the least distance to an input at which E has another value.  With ``beta``, a function of
        eps, the answer has the budgets at which it is enough (``suffices``).  The other arguments are those
        of :meth:`budget`.

        >>> geometric = Mechanism.load("truncated_geometric", N=3)
        >>> found = geometric.accuracy("abs(out - q) <= 1", beta="1/20")
        >>> [piece.value for piece in found.pieces], [each.low.exact for each in found.suffices]
        ([(exp(-eps))/(1 + exp(eps))], ['2*ln(2)'])
        """
        ask, precision = self._ask(None, at, budgets), convert.to_width(width)
        what = expressions.compile_good(parse_expression(good, "<good>"), self.program)
        condition = None
        if when is not None:
            condition = expressions.compile_condition_on_inputs(
                parse_expression(when, "<when>"), self.program
            )
        bound = None if beta is None else measures.read_bound(beta, self.program, "<beta>")

        def found() -> greatest.Accuracy:
            judge = SignOracle(ask.eps_range(self.program.claim))
            values = measures.errors(self.explored, what, condition, judge, ask.clock)
            return greatest.accuracy(values, (good, when), judge, ask.clock, precision, bound)

        return self._held(ask.clock, found)

    def expect(
        self,
        measure: str,
        *,
        input: Inputs | None = None,
        at: PythonValue | None = None,
        budgets: str | None = None,
    ) -> greatest.Expectation:
        """The expectation of ``measure``, a number that depends on the input and the outputs.

        It is an exact function of eps for each input, or for the only one, and the greatest of them.  The
        other arguments are those of :meth:`budget`.

        >>> coin = Mechanism.load("truncated_geometric", N=1)
        >>> coin.expect("(out - q)^2", input="q=0").values[0][1]
        (1)/(1 + exp(eps))
        """
        ask = self._ask(None, at, budgets)
        what = expressions.compile_measure(parse_expression(measure, "<measure>"), self.program)
        only = None if input is None else convert.to_input(self.program, input)

        def found() -> greatest.Expectation:
            judge = SignOracle(ask.eps_range(self.program.claim))
            values = measures.expectations(self.explored, what, only, judge, ask.clock)
            pieces = greatest.greatest(values, judge, ask.clock)
            return greatest.Expectation(measure, judge.budgets, values, pieces)

        return self._held(ask.clock, found)

    def violating_budgets(
        self, claim: str | None = None, *, pair: Sequence[Inputs] | None = None
    ) -> loss.Regions:
        """All eps at which the claim is violated, over all adjacent inputs and all sets of outputs.

        >>> hist = Mechanism.load("programs/histogram/hist2.dip", N=1)
        >>> [(str(r.low), str(r.high.low)) for r in hist.violating_budgets().regions]
        [('0', '1')]
        """
        wanted = self._claim(claim)
        goal = goal_of(wanted)
        ask = self._ask(pair)

        def found() -> loss.Regions:
            losses = self._losses(ask, wanted, goal.by_output)
            goal.validate(losses.judge)
            return loss.violating_budgets(goal, losses)

        return self._held(ask.clock, found)

    def explain(
        self,
        claim: str | None = None,
        *,
        pair: Sequence[Inputs] | None = None,
        output: Inputs | None = None,
        at: PythonValue | None = None,
        paths: int = MOST_PATHS,
    ) -> explanation.Explanation:
        """Where the privacy loss comes from: paths with their samples, and the cost of moving each sample.

        Without a ``pair`` of inputs it explains the counterexample of a violated claim, or the inputs and the
        output that need the greatest budget; ``output`` (with a pair) is one output.  ``at`` is the only eps
        to look at; at most ``paths`` paths are listed, and the others are summed.  Raises
        :class:`InputError`, and :class:`LimitReached` if the claim stays undecided.

        >>> found = Mechanism.load("programs/svt/svt4.dip", N=2).explain()
        >>> [(str(s.by), str(s.cost)) for s in found.routes[0].alignment.shifts]
        [('0', '0'), ('0', '3/4'), ('0', '3/4')]
        >>> found.aligned, found.tightness.least.exact
        (3/2, 21/20)
        """
        if paths < 1:
            raise InputError(f"the number of paths must be positive, not {paths}")
        if self.program.unit:
            message = "the rates of the program are fixed: samples move at a price of multiples of eps"
            raise InputError(message, hint="write the rates with eps, and ask about eps = 1")
        ask = self._ask(pair, at)
        outcome = None if output is None else convert.to_outcome(self.program, output)
        known = self._claim(claim) if claim is not None else self.program.claim
        return self._held(ask.clock, lambda: explanation.explain(self.explored, known, ask, outcome, paths))

    def refuse_option(self, method: str, name: str, value: object) -> None:
        """Raise :class:`WrongType` for an option that is a parameter of the program."""
        if name in self.parameters:
            message = f"`{name}` is a parameter of the program, not an option of `{method}`"
            hint = f"parameters are set when a program is loaded: {self.how_to_set({name: value})}"
            raise WrongType(message, hint=hint)

    def how_to_set(self, parameters: Mapping[str, object]) -> str:
        """The Python code that sets parameters, for advice."""
        file = self.program.source.name
        first = "text" if file.startswith("<") else f'"{file}"'
        return f"dipc.load({', '.join([first, *settings(parameters)])})"

    def _ask(
        self,
        pair: Sequence[Inputs] | None = None,
        at: PythonValue | None = None,
        budgets: str | None = None,
    ) -> Ask:
        """What the options of a question mean for this program.  Raises :class:`InputError`."""
        if at is not None and budgets is not None:
            raise InputError("an interval of eps and a single eps: give only one of the two")
        return Ask(
            pair=None if pair is None else convert.to_pair(self.program, pair),
            at=None if at is None else convert.to_eps(at),
            interval=None if budgets is None else convert.to_eps_range(self.program, budgets),
            clock=Clock(),
        )

    def _held(self, clock: Clock, work: Callable[[], Found]) -> Found:
        """The result of the work within the limits; what it explored stays known."""
        shared = (self.program, self.program.source)
        found, self.explored = held(clock, lambda: (work(), self.explored), shared)
        return found

    def _losses(self, ask: Ask, claim: CoreClaim | None = None, by_output: bool | None = None) -> loss.Losses:
        """The losses for the eps in question, by default those of ``claim`` or of the program's own claim."""
        eps_range = ask.eps_range(claim or self.program.claim)
        return losses_of(self.explored, eps_range, ask.clock, ask.pair, by_output)

    def certificate(self, verdict: Verdict | None = None) -> dict[str, Any]:
        """The certificate of a verdict about all adjacent inputs, by default on the program's own claim.

        It is what ``dipc check --certificate`` writes: ``json.dump`` makes it a file for ``dipc verify``.

        >>> silent = Mechanism.load("input q in {0, 1}; output o in {0}; adjacent all; private eps; o <- 0")
        >>> silent.certificate(silent.check("eps/2"))["claim"]["t"]
        '1/2'

        Raises :class:`InputError` if nothing was decided, and :class:`LimitReached`.
        """
        ask = self._ask()

        def written() -> dict[str, Any]:
            found = settled(check(self.explored, self._claim(None), ask)) if verdict is None else verdict
            return certificates.sealed(produce.certificate(self.program, found))

        return self._held(ask.clock, written)

    def distribution(self, *unnamed: object, **inputs: PythonValues) -> Distribution:
        """The exact output distribution on one input, in the order of the output sets.

        A limit that runs out raises :class:`LimitReached`.
        """
        program = self.program
        if unnamed:
            example = ", ".join(
                f"{v.name}={value}" for v, value in zip(program.inputs, unnamed, strict=False)
            )
            raise WrongType(
                "the inputs of a distribution have names", hint=f"write `distribution({example})`"
            )
        values = convert.to_input(program, inputs)
        law = self._held(Clock(), lambda: distribution(program, values, eps_range_of(program.claim)))
        items = {output_valuation(program, o): law[o] for o in in_order(program, law)}
        return Distribution(items, program.outputs)

    def chain(self, **inputs: PythonValues) -> Chain:
        """The parametrized Markov chain on one input."""
        values = convert.to_input(self.program, inputs)
        return self._held(Clock(), lambda: Chain(self.program, values))

    def export(
        self,
        to: str,
        *,
        claim: str | None = None,
        pair: Sequence[Inputs] | None = None,
        input: Inputs | None = None,
    ) -> str:
        """The claim in another language (mathematica, sage, smtlib, latex), the verdict on it as a theorem
        (coq), or the chain on ``input`` in one (dot, svg, drn, prism).

        ``pair`` restricts the claim to two inputs; ``input`` chooses whose distribution a script shows.
        Raises :class:`InputError`, and :class:`LimitReached` if the claim of a theorem stays undecided, or if
        a limit runs out.
        """
        return self._held(Clock(), lambda: self._exported(to, claim, pair, input))

    def _exported(
        self, to: str, claim: str | None, pair: Sequence[Inputs] | None, input: Inputs | None
    ) -> str:
        chains, claims, verdicts = formats.CHAINS, formats.QUESTIONS, formats.VERDICTS
        if to in chains:
            return chains[to](questions.picture(self.program, convert.to_input(self.program, input or {})))
        if to in verdicts:
            if pair is not None or input is not None:
                raise InputError("a theorem is about all adjacent inputs: leave out `pair` and `input`")
            return verdicts[to](self.program, self.check(claim))
        if to not in claims:
            known = ", ".join([*claims, *verdicts, *chains])
            raise InputError(f"no export to `{to}`", hint=f"one of: {known}")
        inputs = () if input is None else (convert.to_input(self.program, input),)
        return claims[to](questions.question(self.explored, self._claim(claim), inputs, self._ask(pair).pair))

    def sentence(self, claim: str | None = None) -> Sentence:
        """The claim as one sentence of Th_exp: the conjunction of its different inequalities.

        A limit that runs out raises :class:`LimitReached`.
        """
        return self._held(Clock(), lambda: questions.question(self.explored, self._claim(claim)).sentence)

    def plot(self, what: str = "all", claim: str | None = None, **options: Any) -> Figure:
        """What ``dipc plot`` draws: the loss against the claim, the least delta, and more.

        ``what`` and the options (``pair``, ``at``, ``low``, ``high``, ``log`` ...) are those of
        :func:`dipc.plot_mechanism`.  ``.savefig("loss.png")`` writes the figure.
        """
        return views.plot(self, what=what, claim=claim, **options)

    def report(self, file: str | Path | None = None, claim: str | None = None, **options: Any) -> Path:
        """Write what ``dipc report`` writes, a page of HTML, and return its path.

        ``file`` is by default named after the program, in the current folder; the options (``title``,
        ``at`` ...) are those of :func:`dipc.report_html`.
        """
        return views.page(self, file, claim=claim, **options)

    def pufferfish(self, **fixed: PythonValue) -> Any:
        """The question what the program's secrets reveal to an attacker with one of its priors.

        Without a prior, all neighbouring inputs are compared: differential privacy, with any number as
        epsilon.  ``fixed`` are numbers for parameters of which the program gives a range.

        >>> coin = Mechanism.load('''
        ...     param p in (0, 1);  input q in {0, 1};  output out in {0, 1};  private ln(2)
        ...     prior
        ...       q <- choose {1: p, 0: 1 - p}
        ...     end
        ...     secret q = 0 vs q = 1
        ...     out <- choose {q: 2/3, 1 - q: 1/3}
        ... ''')
        >>> coin.pufferfish().check().status, coin.pufferfish().budget().low
        ('private', 2)
        """
        (about_secrets,) = offered("about secrets")
        return about_secrets(priors.ProgramSecrets(self.explored)).fix(**fixed)

    @property
    def source(self) -> Source:
        """The text of the program."""
        return self.program.source

    @property
    def commented(self) -> Source:
        """The text with the comments of its author, such as ``# expect: violated``."""
        return self.source

    @cached_property
    def parameters(self) -> dict[str, str]:
        """The values of the parameters, as text."""
        return {name: str(value) for name, value in self.program.parameters}

    @cached_property
    def replaced(self) -> dict[str, str]:
        """The values in the text of those parameters that were set to others when it was loaded."""
        try:
            written = evaluate_parameters(parse(self.program.source).params, {})
        except InputError:  # a text in another language, or that has a value only for what was set
            return {}
        return {name: str(value) for name, value in written.items() if str(value) != self.parameters[name]}

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about what is allowed but hardly ever meant: noise that grows with eps."""
        return warnings(self.program)

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        return f"<Mechanism {self.source.name}{f' ({values})' if values else ''}>"

    def _repr_html_(self) -> str:
        return views.html(self)

    def _claim(self, text: str | None, name: str = CLAIM_NAME) -> CoreClaim:
        """The claim in a text, by default the program's own; messages call the text ``name``."""
        if text is not None:
            return convert.to_claim(self.program, text, name)
        claim = self.program.claim
        if claim is not None and claim.number and self.program.question.priors:
            raise about_secrets(claim)
        if claim is None and self.program.accurate is not None:
            message = "the program claims accuracy, and this is about (epsilon, delta)-privacy"
            raise InputError(message, hint='`dipc check` decides it; or give a claim: `--claim "eps"`')
        if claim is None:
            hint = 'add a line such as: private eps    (or give a claim: `check("eps")`, `--claim "eps"`)'
            raise InputError(f"{self.program.source.name}: the program makes no claim", hint=hint)
        return claim


class OnlyProved(Mechanism):
    """A program that only ``prove`` takes; everything else raises what ``check`` has against it.

    >>> text = "input q in reals; output o in {0, 1}; adjacent linf 1; private eps; o <- disc(q, 0, 1)"
    >>> Mechanism.load(text).check()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    dipc.errors.FragmentError: <text>:1:12: outside the decidable fragment: `q` ranges over all reals, ...
    """

    def __init__(self, asked: all_sizes.Question, refusal: InputError) -> None:
        self._asked = asked
        self._refusal = refusal
        self.overrides = asked.overrides

    def __getattr__(self, name: str) -> Any:
        raise self._refusal if name in ("program", "explored") else AttributeError(name)

    @property
    def source(self) -> Source:
        return self._asked.source

    @cached_property
    def parameters(self) -> dict[str, str]:
        return {name: str(value) for name, value in self._asked.parameters.items()}


def in_python(
    name: str, parameters: Mapping[str, PythonValue], declarations: Mapping[str, str] | None = None
) -> Mechanism:
    """The function that a name such as ``file.py:f`` means, with its declarations if it has no decorator."""
    made = python_mechanism(name, declarations)
    mechanism: Mechanism = made.with_parameters(**parameters) if parameters else made
    return mechanism


def _loaded(source: Source, parameters: Mapping[str, PythonValue]) -> Mechanism:
    """The program, also if only ``prove`` takes it; otherwise raises what ``check`` has against it."""
    try:
        return Mechanism.load_file(source, parameters)
    except InputError as error:
        refusal = error
    overrides = {k: convert.to_rational(v, f"the parameter `{k}`") for k, v in parameters.items()}
    try:
        asked = all_sizes.question(source, overrides, needs_claim=False)
        all_sizes.finite_version(asked.program, source, overrides)
    except InputError:
        raise refusal from None
    return OnlyProved(asked, refusal)


def settings(parameters: Mapping[str, object]) -> list[str]:
    """Parameters with their values, as Python arguments."""
    return [f"{name}={value!r}" for name, value in parameters.items()]


def read_secrets(source: Source, parameters: Mapping[str, PythonValue]) -> priors.ProgramSecrets:
    """The secrets of the program in a text, for questions about them."""
    return priors.ProgramSecrets(Mechanism.load_file(source, parameters).explored)
