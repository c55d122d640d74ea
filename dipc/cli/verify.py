"""``dipc verify``: check a certificate."""

from __future__ import annotations

from pathlib import Path

import click

from dipc.certificate.kernel import MAX_STEPS, Refused
from dipc.certificate.kernel import check as checked
from dipc.certificate.rederive import rederive
from dipc.certificate.slow.functions import NotCovered

ACCEPTED, REFUSED, NOT_COVERED = 0, 1, 3


@click.command()
@click.argument("file", type=click.Path())
@click.option("--program", type=click.Path(), metavar="FILE", help="Refuse unless it is about this program.")
@click.option("--steps", type=int, default=MAX_STEPS, show_default=True, help="Refuse after so much work.")
@click.option("--deep", is_flag=True, help="Also derive the distributions anew from the program text.")
def verify(file: str, program: str | None, steps: int, deep: bool) -> int:
    """Check the certificate FILE, written by 'dipc check --certificate'.

    The same check without dipc: python dipc/certificate/kernel.py FILE.

    \b
    Exit status: 0 accepted, 1 refused, 2 a file cannot be read, 3 --deep does not cover the program.
    """
    data = Path(file).read_bytes()
    source = None if program is None else Path(program).read_bytes()
    try:
        certificate = checked(data, source, steps)
        accepted, trusted = certificate.summary()
        if deep:
            trusted = f"derived: {rederive(certificate)}; nothing but the meaning of programs is trusted"
    except Refused as refused:
        click.echo(f"refused: {refused}")
        return REFUSED
    except NotCovered as limit:
        click.echo(f"{accepted}\n{trusted}\nnot derived: the slow route does not cover {limit}")
        return NOT_COVERED
    click.echo(f"{accepted}\n{trusted}")
    return ACCEPTED
