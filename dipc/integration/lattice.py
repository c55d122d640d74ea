"""Sums over the integer points of polyhedra: comparisons of integer samples that form no tree.

The discrete counterpart of :mod:`dipc.integration.polyhedral` (DiPC, Lemma 22, by elimination instead of
semilinear sets), on the cells of :mod:`dipc.integration.cells`.  Conditions are ``form >= 0`` with coprime
integer coefficients.  To sum out v:

* conditions in which v has a coefficient c other than 1 and -1 bound v by fractions; the other variables
  in them are split into residue classes modulo the least common multiple of these c (``z = L z' + r``),
  after which dividing by c and rounding the constant leaves the same integer points;
* the sum over a part is ``T(U) - T(L - 1)`` with the antidifference T.

All cells share one denominator, a product of factors ``1 - exp(-rate eps)``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from math import lcm

from flint import fmpq

from dipc.integration.cells import Cell, Points, eliminated, starting_cells, total
from dipc.integration.halfspaces import SLACK, Form, Region, bounds, cheapest, has_interior
from dipc.integration.linear import Linear, plus_multiple, tightened
from dipc.integration.piecewise import Piecewise
from dipc.integration.summation import Factors, antidifference_of_power, common_factors, power_product
from dipc.integration.terms import Terms, substituted, with_power, without
from dipc.numbers.exppoly import ExpPoly, collected
from dipc.numbers.quotient import Quotient


@lru_cache(maxsize=4096)
def lattice_sum(weights: tuple[Piecewise, ...], links: frozenset[Linear]) -> Quotient:
    """The sum of the product of the weights over the integer points where no link is negative.

    >>> p = Piecewise.geometric(fmpq(1), fmpq(0))                            # exp(-eps |i|)
    >>> even = Linear(((0, fmpq(2)), (1, fmpq(-1))), fmpq(0), integer=True)  # 2x >= y
    >>> odd = Linear(((0, fmpq(-2)), (1, fmpq(1))), fmpq(0), integer=True)   # y >= 2x
    >>> lattice_sum((p, p), frozenset({even, odd}))                          # sum of exp(-3 eps |x|)
    (1 + exp(3*eps))/(-1 + exp(3*eps))
    """
    unit = lcm(1, *(w.unit for w in weights))
    cells = list(starting_cells(INTEGERS, weights, links, unit))
    denominator = ExpPoly.of(1)
    remaining = set(range(len(weights)))
    while remaining and cells:
        v = _easiest(cells, remaining)
        remaining.remove(v)
        cells = [part for cell in cells for part in _by_residues(cell, v)]
        cells, factor = _sum_out(v, cells, unit)
        denominator = denominator * factor
    return Quotient(total(cells, unit)) / Quotient(denominator)


def _whole(form: Form) -> Form:
    return Form(*tightened(form.coefficients, form.constant))


def _possible(region: Region) -> bool:
    """False only if no integer point is in the region."""
    return has_interior(frozenset(Form(form.coefficients, form.constant + SLACK) for form in region))


def _order(greater: Form, less: Form, strict: bool) -> Form:
    """``greater >= less``, or ``>``, as a condition on integers."""
    coefficients = plus_multiple(greater.coefficients, -1, less.coefficients)
    kept = tuple((i, c) for i, c in sorted(coefficients.items()) if c)
    return Form(*tightened(kept, greater.constant - less.constant, strict))


INTEGERS = Points(_whole, _possible, _order, step=1)


def _easiest(cells: list[Cell], remaining: set[int]) -> int:
    """The variable with the smallest coefficients, then with the fewest pairs of bounds."""
    union = frozenset(form for cell in cells for form in cell.region)
    largest = {
        v: max((abs(c) for form in union for i, c in form.coefficients if i == v), default=fmpq(1))
        for v in remaining
    }
    least = min(largest.values())
    return cheapest(union, [v for v in remaining if largest[v] == least])


# --- residue classes -------------------------------------------------------------------------


def _by_residues(cell: Cell, v: int) -> Iterator[Cell]:
    """The cell cut into residue classes of other variables, until v has coefficients 1 and -1 only."""
    hard = [form for form in cell.region if abs(dict(form.coefficients).get(v, fmpq(1))) != 1]
    if not hard:
        yield cell
        return
    modulus = lcm(*(int(abs(dict(form.coefficients)[v]).p) for form in hard))
    others = sorted({i for form in hard for i, _ in form.coefficients if i != v})
    for residues in product(range(modulus), repeat=len(others)):
        classes = dict(zip(others, residues, strict=True))
        region = frozenset(_form_in_class(form, classes, modulus) for form in cell.region)
        if _possible(region):
            terms = cell.terms
            for i, residue in classes.items():
                inner = Form(((i, fmpq(modulus)),), fmpq(residue))
                terms = substituted(terms, i, inner, rising=False)
            yield Cell(region, terms)


def _form_in_class(form: Form, classes: dict[int, int], modulus: int) -> Form:
    """``z = modulus * z' + residue`` put into a condition."""
    constant = form.constant + sum((c * classes[i] for i, c in form.coefficients if i in classes), fmpq(0))
    coefficients = tuple((i, c * modulus if i in classes else c) for i, c in form.coefficients)
    return _whole(Form(coefficients, constant))


# --- summation -------------------------------------------------------------------------------


def _sum_out(v: int, cells: list[Cell], unit: int) -> tuple[list[Cell], ExpPoly]:
    """Sum v out of every cell; the denominator that all terms now have in common."""
    powers = (without(exponents, v) for cell in cells for _, _, exponents in cell.terms)
    common = common_factors((m, fmpq(k, unit)) for m, k, _ in powers)
    sums = [(bounds(cell.region, v), _antidifference(cell.terms, v, unit, common)) for cell in cells]
    return eliminated(INTEGERS, v, sums), power_product(common)


def _antidifference(terms: Terms, v: int, unit: int, common: Factors) -> Terms:
    """An antidifference in v, times the common denominator (see :mod:`dipc.integration.summation`)."""
    split = ((n, q, *without(exponents, v), c) for (n, q, exponents), c in terms.items())
    return collected(
        ((n + m - j + n2, q + a, with_power(others, v, j, k)), c * c2)
        for n, q, m, k, others, c in split
        for j, numerator in enumerate(antidifference_of_power(m, fmpq(k, unit), common))
        for (n2, a, _, _), c2 in numerator.in_unit(unit).items()
    )
