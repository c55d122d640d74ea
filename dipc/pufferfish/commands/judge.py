"""What ``dipc verify`` compares of a certificate about a hidden Markov model, or a program with secrets."""

from __future__ import annotations

from dipc.cli.verify import Expected, judged_model, other_status
from dipc.clock import Clock
from dipc.errors import InputError
from dipc.kernel import pufferfish
from dipc.pufferfish.certify import other_question
from dipc.pufferfish.programs import ProgramQuestion
from dipc.pufferfish.question import Question
from dipc.pufferfish.reading import Replaced, read_question
from dipc.shipped import holds_program, located_hidden, source_of
from dipc.systems import offered


def judge(certificate: pufferfish.Certificate, wanted: Expected, clock: Clock) -> int:
    """Compare an accepted certificate with what is wanted, and print it; the exit status."""
    if wanted.formula is not None or wanted.neighbours is not None:
        raise InputError("--formula and --neighbours are about Markov chains whose states are seen")
    if wanted.model is None and (wanted.definitions or wanted.claim is not None):
        raise InputError("-D and --claim change what a model asks", hint="name its file with --model")
    differences = other_status(certificate.status, wanted)
    if wanted.model is not None:
        differences += other_question(certificate, _question(wanted.model, wanted))
    return judged_model(certificate, wanted, differences, "numbers, pairs, horizon and c")


def _question(file: str, wanted: Expected) -> Question:
    """What a model asks, or a program with priors."""
    source = source_of(file, located_hidden)
    if holds_program(file, source):
        (read_secrets,) = offered("secrets")
        return ProgramQuestion(read_secrets(source, wanted.definitions)).as_model(wanted.claim)
    return read_question(source, wanted.definitions, Replaced(claim=wanted.claim))
