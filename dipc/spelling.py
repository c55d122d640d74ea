"""How names are spelt: letters of any alphabet, ASCII digits and ``_``, in the form NFKC of Unicode.

Two names that look alike but are different texts would be two variables, and a digit of another script or a
superscript would be part of a name: ``x²`` is not the square of x.  So they are refused, each with what is
meant instead.
"""

from __future__ import annotations

import unicodedata

LOOKS_LIKE_EPS = frozenset("ɛєε϶∊")
"""Letters that look like the ``ε`` of the language (after NFKC, which makes it of ``ϵ`` and ``𝜀``)."""


READ_AS_ASCII = str.maketrans(
    # Cyrillic, Greek, and three others
    "асԁеһіјӏорԛѕуѵԝхАВСЕНІЈКМОРԚЅТУԜХΑΒΕΖΗΙΚΜΝΟΡΤΥΧοօɑɡ",
    "acdehijlopqsyvwxABCEHIJKMOPQSTYWXABEZHIKMNOPTYXooag",
)
"""Letters of other alphabets that are drawn like letters of ASCII; most Greek ones of mathematics are not."""


def as_drawn(name: str) -> str:
    """The name in ASCII letters, as far as its letters are drawn like these.

    >>> as_drawn("\\N{CYRILLIC SMALL LETTER O}ut") == "out", as_drawn("größe")
    (True, 'größe')
    """
    return name if name.isascii() else name.translate(READ_AS_ASCII)


def misspelt(name: str) -> str:
    """Why this must not name anything, and what to write instead; empty for a good name.

    >>> misspelt("größe"), misspelt("ϵ"), misspelt("x²")
    ('', 'write `eps`', 'write `x^2` for a power, or `x2` for a name')
    >>> misspelt("µ"), misspelt("ｘ"), misspelt("x१"), misspelt("½")
    ('write `mu`', 'write `x`', 'write `x1`', 'write `1/2`')
    """
    if name.isascii() or (plain_of(name) == name and unicodedata.is_normalized("NFKC", name)):
        return ""
    plain = plain_of(unicodedata.normalize("NFKC", name)).replace("\N{FRACTION SLASH}", "/")
    if plain in LOOKS_LIKE_EPS:
        return "write `eps`"
    base = name.rstrip("".join(letter for letter in name if is_raised(letter)))
    if base != name and base.isascii():
        return f"write `{base}^{plain[len(base) :]}` for a power, or `{plain}` for a name"
    return f"write `{''.join(map(in_ascii, plain))}`"


def plain_of(name: str) -> str:
    """The name with every number of another script as ASCII digits."""
    return "".join(ascii_digit(letter) for letter in name)


def ascii_digit(letter: str) -> str:
    """A digit of any script in ASCII, other letters as they are; what else stands for a number is `_`."""
    if letter.isascii() or not unicodedata.category(letter).startswith("N"):
        return letter
    value = unicodedata.digit(letter, None)
    return "_" if value is None else str(value)


def is_raised(letter: str) -> bool:
    """Is this a superscript digit?"""
    return unicodedata.decomposition(letter).startswith("<super>") and letter.isdigit()


def in_ascii(letter: str) -> str:
    """A Greek letter by its name, other letters as they are."""
    words = unicodedata.name(letter, "").split()
    if words[:1] != ["GREEK"] or words[2:3] != ["LETTER"] or len(words) != 4:
        return letter
    return words[3].capitalize() if words[1] == "CAPITAL" else words[3].lower()


def plain_character(character: str) -> str:
    """What to write instead of a character that begins no token; empty if that is not clear.

    >>> plain_character("（"), plain_character("٣"), plain_character("\\u0301"), plain_character("€")
    ('write `(`', 'write `3`', 'write a letter and its accent as one character', '')
    """
    if unicodedata.combining(character):
        return "write a letter and its accent as one character"
    plain = ascii_digit(unicodedata.normalize("NFKC", character)[:1])
    if plain in LOOKS_LIKE_EPS:
        return "write `eps`"
    return f"write `{plain}`" if plain != character and plain.isascii() and plain.isprintable() else ""
