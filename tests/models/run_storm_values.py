"""Values that Storm finds, exactly: python run_storm_values.py MODEL FORMULA...

MODEL is a DRN file or one in the language of PRISM.  Prints, for each formula, the values at the initial
states, in their order, as a JSON list of lists of texts.
"""

import json
import sys
from pathlib import Path


def main(path: str, formulas: list[str]) -> None:
    import stormpy

    parametric = "exp(" in Path(path).read_text(encoding="utf-8")
    number = stormpy.RationalFunction if parametric else stormpy.Rational
    answers = []
    for formula in formulas:
        question = stormpy.parse_property(formula)
        if path.endswith(".drn"):
            model = stormpy.build_model_from_drn[number](path)
        else:
            program = stormpy.parse_prism_program(path)
            model = stormpy.build_model[number](program, stormpy.parse_properties(formula, program))
        result = stormpy.model_checking(model, question, only_initial_states=False)
        answers.append([str(result.get_value(s)) for s in model.initial_states])
    print(json.dumps(answers))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
