"""Options of analyses and estimates, and what is wrong with those that were given, in Python's words."""

from __future__ import annotations

import difflib
import math
import os
from typing import Any, Iterable, Mapping, Optional

from ._analyses import ANALYSES
from .errors import InvalidArgument

def named(options: Iterable[str]) -> str:
    return ", ".join("from_=" if each == "from" else f"{each}=" for each in options)


def unknown(what: str, given: Iterable[str], known: Iterable[str]) -> Optional[InvalidArgument]:
    """An exception for the first option that is not known."""
    known = list(known)
    for each in given:
        if each not in known:
            near = difflib.get_close_matches(each, known, 1)
            meant = f"did you mean {near[0]}=? " if near else ""
            return InvalidArgument(f"{what} has no option {each}=", where=what, hint=f"{meant}its options are {named(known)}", parameter=each)
    return None


def explained(analysis: str, options: Mapping[str, Any], refused: InvalidArgument) -> InvalidArgument:
    """The same refusal, about the keywords that were given."""
    if refused.where != "options" or analysis not in ANALYSES:
        return refused
    must, may = ANALYSES[analysis]
    wrong = unknown(analysis, options, (*must, *may))
    if wrong is not None:
        return wrong
    missing = [each for each in must if options.get(each) is None]
    if missing:
        return InvalidArgument(
            f"{analysis} needs {named(missing)}", where=analysis, hint=f"its options are {named((*must, *may))}", parameter=missing[0]
        )
    option = refused.parameter
    if option not in options:
        return refused
    return InvalidArgument(f"{option}= cannot be a value of type {type(options[option]).__name__}", where=analysis, hint=refused.hint, parameter=option)


def a_price(where: str, epsilon: object) -> float:
    """A price that must be said.

    >>> a_price("analyse", None)
    Traceback (most recent call last):
    ...
    kith.errors.InvalidArgument: a price is needed, and there is no default
      at: analyse
      try: epsilon=0.1
    """
    if epsilon is None:
        raise InvalidArgument("a price is needed, and there is no default", where=where, hint="epsilon=0.1", parameter="epsilon")
    return a_number("epsilon", epsilon)


def a_number(name: str, value: object) -> float:
    found = as_json(name, value)
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        raise InvalidArgument(f"{name}= must be a number, and not {type(value).__name__}", where=name, hint=f"{name}=0.1", parameter=name)
    return found


def nothing_unnamed(where: str, unnamed: tuple[object, ...], hint: str) -> None:
    if unnamed:
        raise InvalidArgument("what it costs, and whatever else is said, is said by name", where=where, hint=hint)


def as_json(name: str, value: Any) -> Any:
    """A value for a request: numbers of numpy's, tuples, arrays and paths too, but nothing that is no number.

    >>> as_json("ranks", (0.1, 0.5))
    [0.1, 0.5]
    >>> as_json("epsilon", float("nan"))
    Traceback (most recent call last):
    ...
    kith.errors.InvalidArgument: epsilon= must be a finite number
      at: epsilon=nan
      try: a number such as 0.1
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidArgument(f"{name}= must be a finite number", where=f"{name}={float(value)}", hint="a number such as 0.1", parameter=name)
        return float(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {str(key): as_json(str(key), each) for key, each in value.items()}
    if hasattr(value, "tolist"):
        return as_json(name, value.tolist())
    if isinstance(value, (list, tuple, range, set, frozenset)) or hasattr(value, "to_list"):
        return [as_json(name, each) for each in (value.to_list() if hasattr(value, "to_list") else value)]
    raise InvalidArgument(f"{name}= cannot be a {type(value).__name__}", where=name, hint="numbers, texts, and lists of them", parameter=name)
