"""Output probabilities that Storm finds: python run_storm.py MODEL POINTS.

The model is a .drn or .prism file; POINTS is a JSON list of {symbol: rational as text}.  Prints a JSON
object, label -> [the rational function, its values at the points].
"""

import json
import re
import sys
from fractions import Fraction
from pathlib import Path


def main(path: str, points: list[dict[str, str]]) -> None:
    import stormpy

    text = Path(path).read_text(encoding="utf-8")
    function = stormpy.RationalFunction
    program = None if path.endswith(".drn") else stormpy.parse_prism_program(path)
    found = {}
    for name in re.findall(r"^// label (\S+):", text, re.MULTILINE):
        question = f'P=? [F "{name}"]'
        if program is None:
            parametric = "@value_type: parametric" in text
            model = stormpy.build_model_from_drn[function if parametric else stormpy.Rational](path)
        else:
            model = stormpy.build_model[function](program, stormpy.parse_properties(question, program))
        result = stormpy.model_checking(model, stormpy.parse_property(question))
        formula = str(result.get_value(model.initial_states[0]))
        found[name] = [formula, [str(value(formula, point)) for point in points]]
    print(json.dumps(found))


def value(formula: str, point: dict[str, str]) -> Fraction:
    """A function as Storm prints it (+ - * / ^ and integers), evaluated in exact fractions."""
    code = re.sub(r"\d+", r"F(\g<0>)", formula).replace("^F(", "**int(")
    return eval(code, {"F": Fraction, "int": int} | {s: Fraction(v) for s, v in point.items()})


if __name__ == "__main__":
    main(sys.argv[1], json.loads(Path(sys.argv[2]).read_text()))
