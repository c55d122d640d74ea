"""``python -m dipc``."""

from dipc.cli.main import run

if __name__ == "__main__":
    run()
