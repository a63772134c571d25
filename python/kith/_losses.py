"""Losses in words. One that has a delta is never shown without it."""

from __future__ import annotations

from typing import Any, Mapping


def number(value: Any) -> float:
    """A number, also where JSON cannot write it ("inf").

    >>> number("inf"), number(2)
    (inf, 2.0)
    """
    return float(value)


def _decimal(value: float, up: bool) -> float:
    """The nearest decimal of four digits, or the next one if that is on the wrong side; as src/loss/loss_text.cc."""
    nearest = f"{value:.3e}"
    if float(nearest) >= value if up else float(nearest) <= value:
        return float(nearest)
    mantissa, exponent = nearest.split("e")
    whole, last = int(mantissa.replace(".", "")), int(exponent) - 3
    if not up and whole == 1000:  # 0.9999 comes before 1
        whole, last = 10000, last - 1
    return float(f"{whole + 1 if up else whole - 1}e{last}")


def _text(value: Any, up: bool) -> str:
    if value is None:
        return ""
    amount = number(value)
    if amount != amount or amount in (0, float("inf")):
        return "nan" if amount != amount else "∞" if amount else "0"
    decimal = _decimal(amount, up) if amount > 0 else -_decimal(-amount, not up)
    return f"{decimal:.0f}" if 1e4 <= abs(decimal) < 1e9 else f"{decimal:.4g}"


def loss_text(value: Any) -> str:
    """What is lost, at most: four digits, rounded up, with the same digits as everywhere in kith.

    >>> loss_text(0.16780779), loss_text(0.2), loss_text(12345.1), loss_text(3.51e-05), loss_text("inf"), loss_text(None)
    ('0.1679', '0.2', '12350', '3.51e-05', '∞', '')
    """
    return _text(value, True)


def left_text(value: Any) -> str:
    """What is left or allowed: the same, rounded down.

    >>> left_text(0.16780779), left_text(0.99999), left_text(1)
    ('0.1678', '0.9999', '1')
    """
    return _text(value, False)


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
