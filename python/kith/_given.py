"""Which frame an answer was computed for, for as long as this program runs: a stored answer about another is announced."""

from __future__ import annotations

import sys
import threading
import warnings
import weakref
from typing import Any, Mapping, Optional

from .errors import StoredAnswerWarning

#: What a table was handed over as, with how many rows that had then.
Origin = tuple[tuple["weakref.ref[Any]", ...], int]

_WHAT_TO_DO = (
    "the ledger has the answer to this question, and gave it again: nothing was charged, and nothing was read. {why} For an "
    'answer about other data declare another version (version="2026-11"), call import_data(), or name another ledger'
)
_UNKNOWN = "Whether the frame is the one that it was computed for is not known."
_ANOTHER = "It was computed for ANOTHER frame than the one that was handed over now."


class Given:
    """The frames of one session, by table: as objects, never by what is in them."""

    def __init__(self) -> None:
        self._tables: Optional[dict[str, Origin]] = {}

    def add(self, table: str, objects: tuple[object, ...], rows: int) -> None:
        try:
            if self._tables is not None:
                self._tables[table] = (tuple(weakref.ref(each) for each in objects), rows)
        except TypeError:  # lists and the like cannot be recognised later
            self._tables = None

    def same(self, other: "Given") -> Optional[bool]:
        """None: it cannot be known."""
        if self is other:  # one policy: what it holds is what it was given, even when nothing else has that any more
            return True
        if self._tables is None or other._tables is None:
            return None
        if self._tables.keys() != other._tables.keys():
            return False
        return all(_same(mine, other._tables[table]) for table, mine in self._tables.items())

    def __bool__(self) -> bool:
        return self._tables is None or bool(self._tables)


def _same(one: Origin, two: Origin) -> bool:
    if one[1] != two[1] or len(one[0]) != len(two[0]):
        return False
    return all(a() is not None and a() is b() for a, b in zip(one[0], two[0]))


_lock = threading.Lock()
_computed: dict[tuple[str, int, str], Given] = {}


def note(ledger: str, document: Mapping[str, Any], given: Given) -> None:
    """Remembers what a fresh answer was computed for; warns of a stored one about another frame."""
    key = (ledger, int(document["ledger_entry"]), str(document["ledger_hash"]))
    with _lock:
        if not document["stored"]:
            _computed[key] = given
            return
        before = _computed.get(key)
    same = None if before is None else before.same(given)
    if same:
        return
    text = _WHAT_TO_DO.format(why=_UNKNOWN if same is None else _ANOTHER)
    warnings.warn(text, StoredAnswerWarning, stacklevel=_outside())


def _outside() -> int:
    """The level of the first caller who is not in this package, counted from the caller of this."""
    level, frame = 1, sys._getframe(1)
    package = __name__.split(".")[0]
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).split(".")[0] == package:
        frame = frame.f_back
        level += 1
    return level
