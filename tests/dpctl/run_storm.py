"""Exact probabilities of path formulas that Storm finds: python run_storm.py QUESTIONS.

QUESTIONS is a JSON list of [DRN text, [formula, ...]].  Prints a JSON list with, for every model, the values
of each formula in all states, or null where Storm fails.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory


def main(questions: list[tuple[str, list[str]]]) -> None:
    import stormpy

    answers = []
    for text, formulas in questions:
        with TemporaryDirectory() as folder:
            file = Path(folder, "model.drn")
            file.write_text(text, encoding="utf-8")
            model = stormpy.build_model_from_drn[stormpy.Rational](str(file))
        values = []
        for formula in formulas:
            question = stormpy.parse_property(f"P=? [{formula}]")
            try:
                result = stormpy.model_checking(model, question, only_initial_states=False)
                values.append([str(result.get_value(s)) for s in range(model.nr_states)])
            except RuntimeError as error:  # "Invalid item count", on some formulas
                print(error, file=sys.stderr)
                values.append(None)
        answers.append(values)
    print(json.dumps(answers))


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()))
