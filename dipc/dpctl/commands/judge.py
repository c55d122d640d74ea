"""What ``dipc verify`` compares of a certificate about a Markov model."""

from __future__ import annotations

from dipc.cli.terminal import say
from dipc.cli.verify import Expected, judged_model
from dipc.clock import Clock
from dipc.dpctl.certify import is_about, listed_model, other_model
from dipc.dpctl.model import MarkovModel, load_model
from dipc.dpctl.syntax import parse_property
from dipc.errors import InputError, Source
from dipc.kernel import chains
from dipc.kernel.privacy import shown


def judge(certificate: chains.Certificate, wanted: Expected, clock: Clock) -> int:
    """Compare an accepted certificate with what is wanted, and print it; the exit status."""
    if wanted.claim is not None:
        raise InputError("--claim is about programs, the certificate is about a Markov model")
    if wanted.model is None and wanted.definitions:
        raise InputError("-D sets numbers of a model", hint="name its file with --model")
    expected = wanted.expect or "holds"
    answer = "holds" if certificate.status == "holds" else "fails at a state asked about"
    differences = [] if certificate.status == expected else [f"the formula {answer} (expected: {expected})"]
    model = load_model(wanted.model, wanted.definitions) if wanted.model is not None else None
    if wanted.neighbours is not None:
        if model is None:
            raise InputError("--neighbours are those of a model", hint="name its file with --model")
        model = model.with_neighbours(wanted.neighbours)
    formula = _formula(certificate, model, wanted.formula)  # which may define propositions of the model
    if model is not None:
        differences += other_model(certificate, model.model)
    if not differences and formula is None:
        differences.append("the formula, or the states that it is asked at")
    status = judged_model(certificate, wanted, differences, "states, rows, labels and neighbours")
    if formula is not None and not differences:
        say(f"formula: {shown(formula)}")
    return status


def _formula(certificate: chains.Certificate, model: MarkovModel | None, text: str | None) -> str | None:
    """Where the formula was asked for; None if another one was."""
    if text is not None:
        chain = listed_model(certificate) if model is None else model.model
        asked = (
            parse_property(Source("<formula>", text), chain, defined=lambda name, span: True)
            if model is None
            else model.property(text)
        )
        return "as in --formula" if is_about(certificate, chain, asked) else None
    if model is None:
        return "in the certificate (no --formula given)"
    for line in model.properties:
        if is_about(certificate, model.model, parse_property(line.source, model.model, model.numbers)):
            return f"property {line.name} of the model"
    return None
