"""Losses in words. One that has a delta is never shown without it."""

from __future__ import annotations

from typing import Any, Mapping


def number(value: Any) -> float:
    """A number, also where JSON cannot write it ("inf").

    >>> number("inf"), number(2)
    (inf, 2.0)
    """
    return float(value)


def loss_text(value: Any) -> str:
    return "" if value is None else f"{number(value):.4g}"


def total_text(document: Mapping[str, Any], value: Any, when: str, delta: str = "delta") -> str:
    """A total with its delta where it has one: without it the loss would not be bounded. ``when``: "in all"."""
    capped = document.get("with_delta")
    if capped is None:
        return f"{loss_text(value)} {when}"
    under = "" if capped["mu_cap"] > 0 else " under this policy"
    return f"{when} ({loss_text(value)}, {loss_text(capped[delta])}), the answers to come{under} included"


def once_text(plain: Mapping[str, Any]) -> str:
    """The loss of one answer: pure, pure beside a delta, or a Gaussian one."""
    delta = plain.get("delta", 0)
    if "mu" not in plain:
        return f"({loss_text(plain['epsilon'])}, {loss_text(delta)})" if delta else loss_text(plain["epsilon"])
    pure = "" if plain["epsilon"] is None else f" (a pure loss of {loss_text(plain['epsilon'])})"
    return f"a Gaussian loss of {loss_text(plain['mu'])}{f' beside a delta of {loss_text(delta)}' if delta else ''}{pure}"


def caps_text(document: Mapping[str, Any]) -> str:
    """What holds under caps, as every front end says it; nothing without any."""
    return str(document["with_delta"]["in_words"]) if "with_delta" in document else ""


def delta_of(document: Mapping[str, Any]) -> float:
    return number(document["with_delta"]["delta"]) if "with_delta" in document else 0.0
