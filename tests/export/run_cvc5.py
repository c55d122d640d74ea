"""Runs an SMT-LIB script under cvc5, a limited number of steps for every query: python run_cvc5.py FILE."""

import sys


def main(path: str) -> None:
    import cvc5

    solver = cvc5.Solver()
    solver.setOption("rlimit-per", "20000")  # not seconds: the answers are the same on a slow machine
    parser = cvc5.InputParser(solver)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, path)
    symbols = parser.getSymbolManager()
    while not (command := parser.nextCommand()).isNull():
        answer = command.invoke(solver, symbols)
        if answer and answer.strip() != "unsupported":  # how to behave on errors: cvc5 stops anyway
            print(answer.strip())


if __name__ == "__main__":
    main(sys.argv[1])
