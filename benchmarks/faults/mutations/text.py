"""Text: JSON and TOML with other values, tables with other cells and lines."""

from __future__ import annotations

import json
import random
import re

from mutations.values import odd_text, spoil_json

__all__ = ["mutate_json", "mutate_lines"]

WORD = re.compile(r'"[^"\n]*"|[^\s,;=\[\]{}"]+')


def mutate_json(data: bytes, rng: random.Random) -> tuple[bytes, bool]:
    if rng.random() < 0.15:
        return mutate_lines(data, rng)
    value = json.loads(data)
    for _ in range(rng.choice((1, 1, 1, 3))):
        value = spoil_json(value, rng)
    text = json.dumps(value)
    if rng.random() < 0.1:
        text = rng.choice((text.replace(":", ":" + "[" * 100_000, 1), text + text, "\ufeff" + text))
    return text.encode("utf-8", "surrogatepass"), True


def mutate_lines(data: bytes, rng: random.Random) -> tuple[bytes, bool]:
    """Of tables and settings, in which there is no checksum that could be mended."""
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    at, what = rng.randrange(len(lines)), rng.randrange(9)
    if what == 0:
        del lines[at]
    elif what == 1:
        lines.insert(rng.randrange(len(lines)), lines[at])
    elif what == 2:
        other = rng.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif what == 3:
        lines[at] += rng.choice((",", ",1", " 1", "\t", '"', "\r", "\0", " = ", ",,,,"))
    elif what == 4:
        lines[at] = rng.choice(("", '"', "# x", "[[[", "x = " + "[" * 100_000, "a," * 100_000, "é" * 1000))
    else:
        words = list(WORD.finditer(lines[at]))
        for word in sorted(
            rng.sample(words, min(len(words), rng.choice((1, 1, 3)))), key=lambda w: -w.start()
        ):
            lines[at] = lines[at][: word.start()] + odd_text(rng) + lines[at][word.end() :]
    text = "\n".join(lines).encode("utf-8", "surrogateescape")
    if rng.random() < 0.1:
        text = rng.choice(
            (text.replace(b"\n", b"\r"), text.decode("latin-1").encode("utf-16"), b"\xff" + text)
        )
    return text, True
