"""The witness against (eps, delta)-privacy: an exact counterexample that people can read and check."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flint import fmpq

from dipc.claims.claim import Witness
from dipc.claims.rows import Row, broken_rows, data, eps_row, input_rows, number_row, output_row
from dipc.claims.wording import digits_apart, pretty
from dipc.models.values import Valuation, show_valuation, valuation_text
from dipc.numbers.exact import Exact
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import Interval

INFINITE = "the neighbour never gives this output: no multiple of eps would do (infinite privacy loss)"


@dataclass(frozen=True, slots=True, repr=False)
class Counterexample(Witness):
    """``P(input in outputs) > exp(t*eps) * P(neighbour in outputs) + delta`` at ``epsilon``.

    ``bound`` is the right-hand side and ``excess`` the difference; ``regions`` are the intervals of eps
    on which this pair of inputs violates the claim with some set of outputs.  If outputs stand for events,
    such as ``out <= -1``, ``events`` has the text of each.
    """

    input: Valuation
    neighbour: Valuation
    outputs: tuple[Valuation, ...]
    epsilon: fmpq
    probability: Quotient
    neighbour_probability: Quotient
    bound: Quotient
    excess: Quotient
    regions: tuple[Interval, ...]
    events: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", Exact(self.epsilon))  # an ordinary rational number for others

    @property
    def infinite_loss(self) -> bool:
        """Whether these outputs are impossible on the neighbour: no epsilon would suffice."""
        return not self.neighbour_probability

    def __str__(self) -> str:
        numbers, digits = (self.probability, self.neighbour_probability, self.bound), self._digits
        p, q, bound = (number.decimal(self.epsilon, digits) for number in numbers)
        return "\n".join(
            (
                f"u:  {show_valuation(self.input)}",
                f"u': {show_valuation(self.neighbour)}",
                f"output: {' or '.join(self.events or map(show_valuation, self.outputs))}",
                f"at eps = {self.epsilon}: P(u) = {p}, more than {bound}; P(u') = {q}",
            )
        )

    def __repr__(self) -> str:
        first = self.events[0] if self.events else show_valuation(self.outputs[0])
        outputs = f"{first}{' or ...' if len(self.outputs) > 1 else ''}"
        return (
            f"<Counterexample {show_valuation(self.input)} against {show_valuation(self.neighbour)}, "
            f"output {outputs}, eps = {self.epsilon}>"
        )

    @property
    def sides(self) -> tuple[Quotient, Quotient]:
        return self.probability, self.bound

    def brief(self) -> str:
        """For example ``q = 0 against q = 1: out = 0 at eps = 1``."""
        u, v = valuation_text(self.input), valuation_text(self.neighbour)
        return f"{u} against {v}: {self._outputs} at eps = {self.epsilon}"

    @property
    def _digits(self) -> int:
        """How many digits are shown: what is more must look so."""
        return digits_apart(self.probability, self.bound, self.epsilon)

    @property
    def _outputs(self) -> str:
        return " or ".join(self.events or map(valuation_text, self.outputs))

    def rows(self) -> Iterator[Row]:
        """u, u', the outputs, eps, the exact numbers and where the claim is violated."""
        yield from input_rows(self.input, self.neighbour)
        yield output_row(self.outputs, self.events)
        yield from (data("events", [*self.events]),) if self.events else ()
        yield eps_row(self.epsilon)
        digits = self._digits
        for label, key in {"P(u)": "probability", "P(u')": "neighbour_probability", "bound": "bound"}.items():
            yield number_row(label, key, getattr(self, key), self.epsilon, digits)
        yield number_row("excess", "excess", self.excess, self.epsilon)
        if self.infinite_loss:
            yield Row("", pretty(INFINITE))
        yield from broken_rows(self.regions, "these two inputs")
