"""Files with hidden Markov models (.hmm): what is declared, and what is asked.

The grammar is ``hmm.lark``.  Families such as ``state n(i) for i in 0..2 emits ... next ...`` are written
out, equal values of a distribution are added, and every name and every sum is checked::

    # randomized response
    observe yes, no
    state does(a) for a in 0..1 emits {yes: 1/4 + a/2, no: 3/4 - a/2} next stop
    param p in (0, 1); prior survey {does(0): 1 - p, does(1): p}
    secret user {does(1)}; secret other {does(0)}
    compare user, other
    private ln(3)     # expect: private
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import lcm
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, cast

from flint import fmpq
from lark import Token, Tree

from dipc.clock import Clock
from dipc.errors import CLAIM_NAME, COMPARISON_NAME, HORIZON_NAME, InputError, LimitReached, Source
from dipc.models.arithmetic import Amount, Grammar, Node, constant, span_of
from dipc.models.hmm import HiddenMarkovModel, Weights
from dipc.models.mixtures import Claim, Pair, Side, changed
from dipc.models.parameters import Finer
from dipc.numbers.exact import Number, rational
from dipc.numbers.parametric import Parametric
from dipc.pufferfish.declared import Numbers, budgets_of, read_claim
from dipc.pufferfish.generators import Generators, Value, has_eps, terms_of
from dipc.pufferfish.laws import spelled
from dipc.pufferfish.question import EVERY_EPS, NOTHING, ZERO, Question
from dipc.signs.eps_range import EpsRange
from dipc.suggest import did_you_mean, nearest

MOST_STATES = 10**5
LONGEST_HORIZON = 10**9
MOST_SHOWN = 6  # states of a cycle
MOST_NAMES = 1000  # that are searched for a similar one
COMPARED = "a comparison is a number in parentheses only, with one `=` for equality: (i = 1)"
MISUSED = dict.fromkeys(("=", "!=", "<", "<=", ">", ">="), COMPARED)
MISUSED["%"] = "the rest of a division is mod(a, b); 30 percent are 30/100"
"""Hints about signs that other languages use otherwise."""
DECLARED_BY = {"state": "state", "observation": "observe"}
CALLED = {"compare": COMPARISON_NAME, "horizon": HORIZON_NAME, "private": CLAIM_NAME}
"""Lines about what is asked, and what a text in their place is called in messages."""

DECLARATIONS = ("param", "where", "let", "table", "observe", "state", "prior", "secret", "start", "compare",
                "horizon", "private")  # fmt: skip
WORDS = {
    word: f"_{word.upper()}"
    for word in (*DECLARATIONS, "emits", "next", "for", "in", "if", "and", "or", "not")
}
WORDS |= {"stop": "STOP", "any": "ANY"}
NAMES = {
    "NAME": "a name", "_ALSO": "", "COLON": "`:`", "LBRACE": "`{`", "RBRACE": "`}`", "ARROW": "`->`",
    "_SEP": "the end of the line", "$END": "",
}  # fmt: skip
GRAMMAR = Grammar(
    Path(__file__).with_name("hmm.lark"), ("file", "claim", "compared", "horizon"), WORDS, NAMES
)


class Replaced(NamedTuple):
    """What takes the place of lines of the file: texts as they would stand there.

    ``at`` is a single eps, for claims t*eps about models without eps.  ``given`` names one secret or
    distribution to look at: both sides of the pairs, one for each prior, are this one.
    """

    compare: Sequence[str] = ()
    horizon: str | None = None
    claim: str | None = None
    at: fmpq | None = None
    given: str | None = None


def read_question(
    source: Source,
    overrides: Mapping[str, Number] | None = None,
    asked: Replaced | None = None,
    clock: Clock | None = None,
) -> Question:
    """The question in a text.

    ``overrides`` are values of ``let`` and ``param``; a value of a parameter with a range must lie inside.
    Raises :class:`InputError` with the place and a hint, :class:`Unsupported` for eps outside of
    ``exp(a*eps)``, :class:`LimitReached` for a model that is too large.  That no probability is
    negative is *not* checked here where it depends on parameters.

    >>> text = "observe a, b; state s emits {a: 1/3, b: 2/3} next stop; state t emits b next stop"
    >>> found = read_question(Source("ab.hmm", text), asked=Replaced(["s, t"], claim="ln(3)"))
    >>> found.model.emissions, found.horizon, found.claim.factor
    ((((0, 1/3), (1, 2/3)), ((1, 1),)), 1, 3)
    """
    given = {name: rational(value, f"`{name}`") for name, value in (overrides or {}).items()}
    try:
        tree = GRAMMAR.parse(source, "file")
    except InputError as error:
        raise _misspelt(error, source) from None
    declarations, unit = [child for child in tree.children if isinstance(child, Tree)], 1
    while True:
        try:
            reader = _Reader(source, declarations, given, unit, clock or Clock())
            return reader.question(asked or Replaced())
        except Finer as finer:
            unit = lcm(unit, finer.unit)


def _misspelt(error: InputError, source: Source) -> InputError:
    """The error with a better hint for a misspelt declaration."""
    if (span := error.span) is None:
        return error
    word = source.text[span.start : span.end]
    before = source.text[: span.start].rstrip(" \t")[-1:]
    near = nearest(word, DECLARATIONS) if before in ("", "\n", ";") else ""
    misused = MISUSED.get(word, "") if word == "%" or "`for`" in error.hint else ""  # after a probability
    hint = f"did you mean `{near}`?" if near else misused or error.hint
    return InputError(error.message, span, hint)


class _Declared(NamedTuple):
    """A state: its declaration, and the values of names there."""

    node: Node
    names: dict[str, Amount]


class _Reader:
    """Reads declarations: numbers first, then observations and names of states, then everything else."""

    def __init__(
        self, source: Source, declarations: list[Node], given: Mapping[str, fmpq], unit: int, clock: Clock
    ) -> None:
        self.declarations = declarations
        self.numbers = Numbers(source, self._numbers(), given, unit, clock)
        self.values, self.source, self.clock = self.numbers.values, source, clock
        self.observations: dict[str, int] = {}
        self.states: dict[str, int] = {}
        self.declared: list[_Declared] = []
        self.sides: dict[str, Weights[Any]] = {}
        self.priors: dict[str, dict[int, Value]] = {}
        self.compared: dict[tuple[str, str | None], Side] = {}
        self.secrets: dict[str, frozenset[int]] = {}
        self.places: dict[str, Any] = {}
        self.notes: dict[str, None] = {}

    def _of(self, *kinds: str) -> Iterator[Node]:
        return (node for node in self.declarations if node.data in kinds)

    def _numbers(self) -> list[Node]:
        """The declarations of numbers, one by one."""
        nodes = self._of("params", "fixed", "table", "where")
        return [
            each
            for node in nodes
            for each in cast("list[Node]", node.children if node.data == "params" else [node])
        ]

    def question(self, asked: Replaced) -> Question:
        """The question, when everything is read."""
        self._observe()
        self._declare()
        emissions, transitions = tuple(self._rows(1)), tuple(self._rows(2))
        for node in self._of("prior", "start", "secret"):
            getattr(self, f"_{node.data}")(node)
        self._check_secrets()
        pairs = self._pairs(asked)
        horizon = self._horizon(transitions, asked)
        rows = (*emissions, *transitions, *(side.weights for side in self.compared.values()))
        split = self.numbers.free.split
        terms = list(terms_of(dict.fromkeys(p for row in rows for _, p in row), split))
        claim, budgets = self._claim(asked, has_eps(terms))
        lift = Generators(self.numbers.free.names, terms, claim.rate if claim else ZERO, budgets, split)

        def lifted(row: Weights[Any]) -> Weights[Parametric]:
            return tuple((i, lift(p)) for i, p in row)

        shown, moved = (tuple(map(lifted, part)) for part in (emissions, transitions))
        model = HiddenMarkovModel(tuple(self.states), tuple(self.observations), shown, moved)
        pairs = changed(pairs, lambda side: side._replace(weights=lifted(side.weights)))
        parameters = lift.parameters(self.numbers.ranges, self.numbers.conditions)
        notes = (*self.notes, *(() if pairs else (NOTHING,)))
        places = self.numbers.places | self.places
        declared = {name: span_of(node, self.source).place for name, node in places.items()}
        return Question(model, parameters, pairs, horizon, claim, self.source.name, notes, places=declared)

    # --- the model -----------------------------------------------------------------------------------

    def _observe(self) -> None:
        places: dict[str, Any] = {}
        names: Iterable[str]
        for child in (child for node in self._of("observe") for child in cast("list[Any]", node.children)):
            if child.data == "numbered":
                names = map(str, self.values.members(child))
            else:
                names = (self.values.family(child.children[0]) for _ in self.values.each(child.children[1]))
            for name in names:
                self.numbers.once(child, places, "the observation", name)
        self.observations = {name: i for i, name in enumerate(places)}

    def _declare(self) -> None:
        for node in self._of("state"):
            place, binders = cast("list[Any]", cast(Node, node.children[0]).children)
            for _ in self.values.each(binders):
                name = self.numbers.once(place, self.places, "the state", self.values.family(place))
                self.states[name] = len(self.states)
                self.declared.append(_Declared(node, self.values.names))
                if len(self.states) > MOST_STATES:
                    raise LimitReached(f"{self.source.name}: more than {MOST_STATES} states")
        if not self.states:
            hint = "write `state NAME emits {...} next {...}`"
            raise InputError(f"{self.source.name}: the model has no states", hint=hint)

    def _rows(self, part: int) -> Iterator[Weights[Any]]:
        """What every state emits (1), or its successors (2)."""
        what, known = ("observation", self.observations) if part == 1 else ("state", self.states)
        names = self.values.names
        for name, declared in zip(self.states, self.declared, strict=True):
            self.clock.tick("reading", len(self.declared))
            self.values.names, node = declared.names, declared.node.children[part]
            if node is None:
                word, more = (("emits", ""), ("next", " or `next stop`"))[part - 1]
                hint = f"add `{word} {{...}}`{more}"
                raise self.values.fail(declared.node.children[0], f"the state `{name}` has no `{word}`", hint)
            row = () if isinstance(node, Token) else self._weights(node, known, what, f"state {name}")
            yield tuple(sorted(((i, p) for i, p in row if p), key=itemgetter(0)))
        self.values.names = names

    def _weights(self, node: Any, known: Mapping[str, int], what: str, whose: str) -> Weights[Any]:
        """The probabilities of a distribution, some of them 0; equal values are added."""
        raw: dict[int, Value] = {}
        items = (
            (item.children for item in node.children)
            if node.data == "weighted"
            else [(node.children[0], None, None)]
        )
        for value, weight, binders in items:
            for _ in self.values.each(binders):
                at = self._known(value, self.values.designation(value), known, what)
                p = fmpq(1) if weight is None else self.values.value(weight)
                raw[at] = raw[at] + p if at in raw else p
        for at, p in raw.items():
            if (number := constant(p)) is not None and not 0 <= number <= 1:
                size = "negative" if number < 0 else "above 1"
                name = list(known)[at]
                raise self.values.fail(node, f"the probability {number} of `{name}` in {whose} is {size}")
        if (total := sum(raw.values(), fmpq(0))) != 1:
            raise self.values.fail(node, f"the probabilities of {whose} sum to {self._text(total)}, not 1")
        return tuple(raw.items())

    def _text(self, value: Value) -> str:
        split = self.numbers.free.split
        lift = Generators(self.numbers.free.names, list(terms_of([value], split)), split=split)
        return spelled(lift(value), lift.parameters(()))

    def _known(self, node: Any, name: str, known: Mapping[str, int], what: str) -> int:
        if (found := known.get(name)) is None:
            hint = did_you_mean(name, list(known)[:MOST_NAMES], f"declare it: `{DECLARED_BY[what]} {name}`")
            raise self.values.fail(node, f"there is no {what} `{name}`", hint)
        return found

    # --- priors, secrets, distributions --------------------------------------------------------------

    def _new(self, token: Any) -> str:
        """The name of a prior, a secret or a distribution."""
        if token in self.values.names:
            raise self.values.fail(token, f"`{token}` is a number already")
        return self.numbers.once(token, self.places, "the name")

    def _start(self, node: Node) -> None:
        name = self._new(node.children[0])
        found = self._weights(node.children[1], self.states, "state", f"start {name}")
        self.sides[name] = tuple(sorted(((i, p) for i, p in found if p), key=itemgetter(0)))

    def _prior(self, node: Node) -> None:
        name = self._new(node.children[0])
        found = self._weights(node.children[1], self.states, "state", f"prior {name}")
        self.priors[name] = dict(sorted(found, key=itemgetter(0)))

    def _secret(self, node: Node) -> None:
        token, families = cast("list[Any]", node.children)
        name, found = self._new(token), set()
        for value, binders in (family.children for family in (families.children if families else ())):
            for _ in self.values.each(binders):
                found.add(self._known(value, self.values.designation(value), self.states, "state"))
        if not found:
            raise self.values.fail(
                token, f"the secret `{name}` is empty", "name the first states it consists of"
            )
        self.secrets[name] = frozenset(found)

    def _check_secrets(self) -> None:
        for name, members in self.secrets.items():
            if not self.priors:
                hint = (
                    f"write `prior NAME {{...}}`, or `start {name} {{...}}` for a distribution given outright"
                )
                raise self.values.fail(self.places[name], f"the secret `{name}` needs a prior", hint)
            if not any(members & prior.keys() for prior in self.priors.values()):
                hint = "it consists of first states: name some that a prior lists"
                raise self.values.fail(
                    self.places[name], f"no prior has a state of the secret `{name}`", hint
                )

    # --- what is asked -------------------------------------------------------------------------------

    def _line(self, kind: str, text: str | None, start: str) -> Any | None:
        """The tree of a line that stands once in the file, or of the text in its place."""
        self.values.source = self.source if text is None else Source(CALLED[kind], text)
        if text is not None:
            return GRAMMAR.parse(self.values.source, start)
        lines = list(self._of(kind))
        if len(lines) > 1:
            first = span_of(lines[0], self.source).line
            raise self.values.fail(lines[1], f"`{kind}` is given twice", f"first in line {first}")
        return lines[0].children[0] if lines else None

    def _comparisons(self, asked: Replaced) -> Iterator[Any]:
        """The trees of all comparisons."""
        if asked.compare:
            yield from (self._line("compare", text, "compared") for text in asked.compare)
        else:
            self.values.source = self.source
            yield from (node.children[0] for node in self._of("compare"))

    def _pairs(self, asked: Replaced) -> tuple[Pair, ...]:
        if asked.given is not None:
            given = cast(Node, self._line("compare", f"{asked.given} -> {asked.given}", "compared")).children[
                0
            ]
            name = self.values.designation(given)
            return tuple(self._compared((given, name), (given, name)))
        found: dict[tuple[str, str, str | None], Pair] = {}
        nodes = 0
        for nodes, node in enumerate(self._comparisons(asked), 1):  # noqa: B007
            left, right, both = node.children[0], node.children[-2], len(node.children) == 3
            for _ in self.values.each(node.children[-1]):
                sides = [(each, self.values.designation(each)) for each in (left, right)]
                if sides[0][1] == sides[1][1]:
                    raise self.values.fail(right, f"`{sides[0][1]}` is compared with itself")
                for pair in self._compared(*sides):
                    for each in (pair, Pair(pair.right, pair.left))[: 1 + both]:
                        prior = each.left.prior or each.right.prior
                        found.setdefault((each.left.name, each.right.name, prior), each)
        if not nodes:
            hint = "write which secrets, distributions or first states are compared: `compare A, B`"
            raise InputError(f"{self.source.name}: there is no `compare`", hint=hint)
        return tuple(found.values())

    def _compared(self, *sides: tuple[Any, str]) -> Iterator[Pair]:
        """The pair under every prior."""
        for node, name in sides:
            if name not in self.secrets and name not in self.sides and name not in self.states:
                known = [*self.secrets, *self.sides, *list(self.states)[:MOST_NAMES]]
                hint = (
                    f"`{name}` is a prior: compare secrets, or declare it by `start`"
                    if name in self.priors
                    else ""
                )
                message = f"there is no secret, distribution or state `{name}`"
                raise self.values.fail(node, message, hint or did_you_mean(name, known))
        secret = any(name in self.secrets for _, name in sides)
        for prior in list[str | None](self.priors) if secret else [None]:
            left, right = (self._side(name, prior) for _, name in sides)
            impossible = [side.name for side in (left, right) if not side.weights]
            for each in impossible:
                note = f"under the prior {prior}, {each} has probability 0 for all parameters: not compared"
                self.notes[note] = None
            if not impossible:
                yield Pair(left, right)

    def _side(self, name: str, prior: str | None) -> Side:
        one: Any = fmpq(1)
        if name in self.secrets and prior is not None:
            weights = ((i, p) for i, p in self.priors[prior].items() if p and i in self.secrets[name])
            side = Side(name, prior, tuple(weights))
        elif name in self.sides:
            side = Side(name, None, self.sides[name])
        else:
            side = Side(name, None, ((self.states[name], one),))
        return self.compared.setdefault((name, side.prior), side)

    def _horizon(self, transitions: Sequence[Weights[Any]], asked: Replaced) -> int | None:
        node = self._line("horizon", asked.horizon, "horizon")
        if node is None:
            return self._until_silence(transitions)
        (value,) = node.children
        if isinstance(value, Token):
            return None
        steps = self.values.whole(value, "a horizon")
        if steps < 1:
            raise self.values.fail(value, f"a horizon is at least 1, not {steps}", "it counts observations")
        if steps > LONGEST_HORIZON:
            raise self.values.fail(value, f"a horizon is at most {LONGEST_HORIZON}", "or `any`: all of them")
        return steps

    def _until_silence(self, transitions: Sequence[Weights[Any]]) -> int:
        """How many observations there are at most: 1 if every state stops."""
        if not any(transitions):
            return 1
        import networkx as nx

        graph: Any = nx.DiGraph((s, t) for s, row in enumerate(transitions) for t, _ in row)
        if nx.is_directed_acyclic_graph(graph):
            return int(nx.dag_longest_path_length(graph, weight=None, default_weight=1)) + 1
        cycle = [s for s, _ in nx.find_cycle(graph)]
        states = list(self.states)
        names = [states[s] for s in cycle]
        shown = [*names[:MOST_SHOWN], *(["..."] if len(names) > MOST_SHOWN else []), names[0]]
        place = self.declared[cycle[0]].node.children[2]
        hint = "write `horizon K` for K observations, or `horizon any` for every number of them"
        raise self.values.fail(place, f"there is no `horizon`, and {' -> '.join(shown)} is a cycle", hint)

    def _claim(self, asked: Replaced, with_eps: bool) -> tuple[Claim | None, EpsRange]:
        """The claim, and the eps that it is about."""
        node = self._line("private", asked.claim, "claim")
        if node is None:
            return None, EVERY_EPS
        claim = read_claim(node, self.values, with_eps, asked.at)
        return claim, budgets_of(node, self.values, with_eps)
