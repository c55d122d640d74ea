"""Certificates of shipped programs, each made once for all tests."""

from __future__ import annotations

import hashlib
import json
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import dipc
from dipc.certificate.format import dumps
from dipc.dipwhile.certify.privacy import certificate
from dipc.kernel.reading import digest

ROOT = Path(__file__).parent.parent

SMALLER: dict[str, dict[str, int]] = (
    {}
    if "DIPC_ALL_SIZES" in os.environ
    else {
        "noisy_max_first": {"N": 2},
        "noisy_max_random": {"N": 2},
        "svt_numeric": {"N": 2},
        "svt3_quarter": {"N": 2},
        "prefix_sums": {"N": 2},
    }
)
"""Parameters with which a slow one takes less; with DIPC_ALL_SIZES=1 all programs are taken as they are."""


def path_of(name: str) -> Path:
    return ROOT / "programs" / f"{name}.dip"


@cache
def certified(
    path: Path,
    claim: str | None = None,
    *,
    adjacent: str | None = None,
    at: str | None = None,
    **parameters: int,
) -> tuple[dipc.Verdict, str]:
    """The verdict and its certificate, perhaps with another claim, adjacency, budget or parameters."""
    text = path.read_text(encoding="utf-8")
    if adjacent is None:
        mechanism = dipc.load(path, **parameters)
    else:
        text = re.sub(r"^adjacent .*$", f"adjacent {adjacent}", text, flags=re.MULTILINE)
        mechanism = dipc.load(text, **parameters)
    verdict = mechanism.check(claim, at=at)
    return verdict, dumps(certificate(mechanism.program, verdict))


def written(
    path: Path,
    claim: str | None = None,
    adjacent: str | None = None,
    at: str | None = None,
    **parameters: int,
) -> str:
    return certified(path, claim, adjacent=adjacent, at=at, **parameters)[1]


def data_of(path: Path, claim: str | None = None, **parameters: int) -> dict[str, Any]:
    """A fresh copy, which a test may alter."""
    data = json.loads(written(path, claim, **parameters))
    assert isinstance(data, dict)
    return data


def sealed(data: dict[str, Any]) -> str:
    """The file of a certificate, with a digest of its own, as a forger writes it."""
    return json.dumps({**data, "digest": digest(data)})


def with_text(data: dict[str, Any], text: str) -> dict[str, Any]:
    """The same certificate with the text of another program."""
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return {**data, "program": {**data["program"], "text": text, "sha256": sha256}}
