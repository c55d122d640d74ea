"""DRN, the explicit format of the model checker Storm: the chain with rational functions on its edges."""

from __future__ import annotations

from dipc.export.operators import PLAIN, write
from dipc.export.states import edges, labels, meaning, style_of, symbols_of
from dipc.export.subject import Picture


def drn(picture: Picture) -> str:
    """The chain as a DTMC with parameters z = exp(eps/u) and, if it occurs, eps.

    The final states of an output have its label, and loop.
    """
    style, marks = style_of(picture), labels(picture)
    symbols = symbols_of(picture, style)
    lines = [*(f"// {line}" for line in (*picture.heading(), *meaning(picture))), "@type: DTMC"]
    kinds = ["parametric", "@parameters", " ".join(symbols)] if symbols else ["rational"]
    lines += ["@value_type: " + kinds[0], *kinds[1:]]
    size = str(len(picture.chain))
    lines += ["@reward_models", "", "@nr_states", size, "@nr_choices", size, "@model"]
    for number, outgoing in enumerate(edges(picture)):
        names = [*(["init"] if number == 0 else []), *([marks[number]] if number in marks else [])]
        lines.append(" ".join([f"state {number}", *names]))
        lines.append("\taction 0")
        lines += [f"\t\t{target} : {write(style.function(p), PLAIN)}" for target, p in outgoing]
    return "\n".join(lines) + "\n"
