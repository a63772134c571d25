"""What is raised, by code. No text of an error holds a data value."""

from __future__ import annotations

import json
from typing import Any, Mapping, NoReturn


class KithError(Exception):
    """Something that was not done, and why.

    ``what`` is one sentence, ``where`` the part of the request, policy or file that it is about, ``hint`` how to go on,
    ``parameter`` the part of the request that may be changed, and ``code`` the name that documents and servers use.
    ``charged`` is "no", "yes" or "maybe": whether what failed was charged.

    >>> raise InvalidArgument("there is no such table", where="peple", hint="did you mean people?")
    Traceback (most recent call last):
    ...
    kith.errors.InvalidArgument: there is no such table
      at: peple
      try: did you mean people?
    """

    code = "internal"

    def __init__(self, what: str, *, where: str = "", hint: str = "", parameter: str = "", charged: str = "no") -> None:
        self.what = what
        self.where = where
        self.hint = hint
        self.parameter = parameter
        self.charged = charged
        lines = [what]
        if where:
            lines.append(f"  at: {where}")
        if hint:
            lines.append(f"  try: {hint}")
        super().__init__("\n".join(lines))


class InvalidArgument(KithError):
    """Bad usage, policy or model: the caller can mend it. Usually nothing was charged: ``charged`` says it."""

    code = "invalid_argument"


class NoSuchField(InvalidArgument, KeyError):
    """A document has no field of this name."""

    def __str__(self) -> str:  # that of KeyError would quote it
        return str(self.args[0])


class BudgetExhausted(KithError):
    """The privacy budget does not allow it. Usually nothing was charged: ``charged`` says it."""

    code = "budget_exhausted"


class UnsupportedQuery(KithError):
    """The question cannot be answered privately, or not by kith. Usually nothing was charged: ``charged`` says it."""

    code = "unsupported_query"


class StorageError(KithError):
    """A file, disk, engine or server failed."""

    code = "storage"


class Cancelled(KithError):
    """It was stopped, or the time was up; the text says whether the charge was kept."""

    code = "cancelled"


class InternalError(KithError):
    """A bug in kith."""

    code = "internal"


class StoredAnswerWarning(UserWarning):
    """An answer came from the ledger, and is not known to be about the frame that was handed over."""


BY_CODE: Mapping[str, type[KithError]] = {
    each.code: each
    for each in (InvalidArgument, BudgetExhausted, UnsupportedQuery, StorageError, Cancelled, InternalError)
}

# Where an error is about a part of a request, what that part is called here.
_HINTS: Mapping[str, str] = {
    "account.household": ".budget() shows what is left",
    "account.one_sided": ".budget() shows what is left",
    "approval": "approval=NUMBER",
    "budget": ".budget() shows what is left",
    "columns": ".columns() lists tables and columns",
    "cumulative.cells": "cells=",
    "cumulative.column": "column=",
    "cumulative.where": "where=",
    "cutoff.at_most": "at_most=",
    "cutoff.table": "table=",
    "import": ".import_data()",
    "kmeans.columns": 'columns=["x", "y"]',
    "kmeans.steps": "steps=",
    "learn.features": 'features=["age", "hours"]',
    "learn.holdout": "holdout=",
    "learn.label": "label=",
    "learn.positive": "positive=",
    "learn.where": "where=",
    "login": "kith.connect(url, token)",
    "percentiles.cells": "cells=",
    "percentiles.ranks": "ranks=[0.1, 0.5, 0.9]",
    "price": "epsilon=0.1 or error=50",
    "price.epsilon": "epsilon=",
    "price.error": "error=",
    "price.split": "split=",
    "question": ".ask(...)",
    "regression.features": 'features=["age", "schooling"]',
    "request.unit": 'unit="person" or unit="household"',
    "survival.compare": "compare=",
    "survival.step": "step=",
    "survival.time": "time=",
    "synthetic.columns": 'columns=["sex", "age"]',
    "synthetic.parts": "parts=16",
    "synthetic.rows": "rows=",
    "synthetic.together": 'together=["ill"]',
    "top.k": "count=",
    "estimate.confidence": "confidence=0.95",
}


def from_document(document: Mapping[str, Any]) -> KithError:
    """The exception for {"error": {...}}."""
    error = document["error"]
    parameter = str(error.get("parameter", ""))
    hint = str(error.get("hint", ""))
    of, _, option = parameter.partition(".")
    known = _HINTS.get(parameter, f"{option}=" if of == "estimate" else "")
    if known:
        hint = f"{hint} ({known})" if hint else known
    kind = BY_CODE.get(str(error.get("code", "")), InternalError)
    charged = str(error.get("charged", "maybe"))
    return kind(str(error.get("what", "")), where=str(error.get("where", "")), hint=hint, parameter=parameter, charged=charged)


def raise_document(text: str) -> NoReturn:
    raise from_document(json.loads(text)) from None
