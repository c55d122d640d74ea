"""Notes on outputs that never change, or never take some of their values."""

from __future__ import annotations

import pytest

import dipc

HEAD = "input q in {0, 1}\noutput OUTPUTS\nadjacent all\nprivate 9*eps\n"


@pytest.mark.parametrize(
    ("outputs", "body", "notes"),
    [
        ("o in 0..2", "r <- Lap(eps, q)\no <- disc(r, 0, 1)", ["`o` never takes the value 2 of its set"]),
        ("o in 0..2", "r <- Lap(eps, q)\no <- disc(r, 0, 1, 2)", []),
        (
            "o in 0..9",
            "r <- Lap(eps, q)\no <- disc(r, 0, 1)",
            ["`o` never takes the values 2, 3, 4 and 5 others of its set"],
        ),
        (
            "o in {0, 1}, w in {bot, top}",
            "r <- Lap(eps, q)\no <- disc(r, 0, 1)\nw <- top",
            ["`w` is always top"],
        ),
        ("o in {0, 1}, w in {top}", "r <- Lap(eps, q)\no <- disc(r, 0, 1)\nw <- top", []),
        ("o in {bot, 0, 1} = bot", "r <- Lap(eps, q)\no <- disc(r, 0, 1)", []),
        ("o[2] in {0, 1}", "r <- Lap(eps, q)\no[1] <- disc(r, 0, 1)\no[2] <- 0", []),
        ("o in {0, 1} = 0", "o <- 0", ["there is only one possible output, whatever the input"]),
    ],
)
def test_what_outputs_never_say(outputs: str, body: str, notes: list[str]) -> None:
    assert [*dipc.load(HEAD.replace("OUTPUTS", outputs) + body).check().notes] == notes


def test_two_inputs_say_nothing_of_others() -> None:
    body = "r <- Lap(eps, q)\nif q = 0 then o <- disc(r, 0, 1) else o <- disc(r, 0, 2) end"
    mechanism = dipc.load(HEAD.replace("OUTPUTS", "o in 0..2") + body)
    assert mechanism.check(pair=("q=0", "q=0")).notes == ()
