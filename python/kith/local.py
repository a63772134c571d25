"""Policies in this process."""

from __future__ import annotations

import io
import json
import logging
import os
import tempfile
import warnings
from typing import Any, Mapping, Optional, Sequence, Union

from . import _native, frames
from ._extras import need
from ._given import Given, note
from .errors import InvalidArgument, raise_document
from .options import a_number, as_json, unknown
from .policy import Policy
from .reports import Comparison, Estimate, Transferred
from .session import Json, Session

_log = logging.getLogger("kith")

_ANSWERS = ("release", "plan/release", "analyses")

Model = Union[Mapping[str, Any], str, "os.PathLike[str]", Policy]


def _finish(outcome: _native.Outcome) -> Json:
    worked, text, notices = outcome
    for notice in notices:
        if notice.startswith("WARNING"):
            warnings.warn(notice, UserWarning, stacklevel=4)
        else:
            _log.info("%s", notice)
    if not worked:
        raise_document(text)
    found: Json = json.loads(text) if text else {}
    return found


class LocalSession(Session):
    """A policy in this process, with its data and its ledger."""

    def __init__(
        self,
        path: str,
        held: Mapping[str, _native.Frame],
        *,
        threads: int = 0,
        memory_bytes: int = 0,
        timeout: Optional[float] = None,
        mark: str = "",
        folder: Optional["tempfile.TemporaryDirectory[str]"] = None,
        given: Optional[Given] = None,
    ) -> None:
        self.path = path
        self.mark = mark
        self._given = given  # the frames, as objects: only for a policy in memory
        self._folder = folder  # of data without a ledger: gone with the session
        opened, outcome = _native.open_policy(path, dict(held), threads, memory_bytes, timeout, folder is None)
        _finish(outcome)
        assert opened is not None
        self._policy = opened

    def _ask(self, what: str, body: Optional[Mapping[str, Any]], timeout: Optional[float]) -> Json:
        document = _finish(self._policy.ask(what, json.dumps(body or {}), timeout))
        if self._given and what in _ANSWERS:
            note(self.path, document, self._given)
        return document

    def __repr__(self) -> str:
        return f"kith.open({self.path!r})"


def open(
    policy: Union[str, "os.PathLike[str]", Policy],
    *,
    threads: int = 0,
    memory_bytes: int = 0,
    timeout: Optional[float] = None,
) -> Session:
    """Opens a policy: the path of a policy.toml, or a ``kith.Policy``.

    ``threads`` and ``memory_bytes`` limit what is used of the machine; 0 stands for all cores and 60 % of the memory.
    """
    if isinstance(policy, Policy):
        path, mark, folder = policy.write()
        return LocalSession(
            path,
            policy.held,
            threads=threads,
            memory_bytes=memory_bytes,
            timeout=timeout,
            mark=mark,
            folder=folder,
            given=policy.given,
        )
    if not isinstance(policy, (str, os.PathLike)):
        frame = frames.is_frame(policy)
        raise InvalidArgument(
            "a frame has no policy: nothing says what its units are and what may leave" if frame else "this is no policy",
            where="kith.open",
            hint="kith.open(kith.Policy(tables={\"people\": frame}, ...))" if frame else "the path of a policy.toml, or a kith.Policy",
        )
    return LocalSession(os.fspath(policy), {}, threads=threads, memory_bytes=memory_bytes, timeout=timeout)


def transfer(
    model: Model,
    *,
    plain: Optional[float] = None,
    dependent: Optional[float] = None,
    delta: Optional[float] = None,
    timeout: Optional[float] = None,
) -> Transferred:
    """What a plain loss becomes under a model of dependence, or the plain loss that a dependent one allows.

    ``model``: a dict as in a model.json, or the path of one, or of a policy, or a ``kith.Policy``.

    >>> pair = transfer({"kind": "group", "size": 2, "odds_ratio": 4}, dependent=1.0)
    >>> 0.5 < pair.plain < 1.0
    True
    """
    if (plain is None) == (dependent is None):
        raise InvalidArgument("one of plain and dependent must be given", hint="plain=0.25 or dependent=1.0")
    body: Json = {name: a_number(name, value) for name, value in (("plain", plain), ("dependent", dependent), ("delta", delta)) if value is not None}
    if isinstance(model, Mapping):
        body["model"] = as_json("model", model)
        return Transferred(_finish(_native.compute("transfer", json.dumps(body), timeout)))
    if isinstance(model, Policy):
        with tempfile.TemporaryDirectory(prefix="kith-") as folder:
            body["file"] = os.path.join(folder, "policy.toml")
            with io.open(body["file"], "w", encoding="utf-8") as file:
                file.write(model.to_toml())
            return Transferred(_finish(_native.compute("transfer/file", json.dumps(body), timeout)))
    if not isinstance(model, (str, os.PathLike)):
        raise InvalidArgument("this is no model", where="kith.transfer", hint='a dict such as {"kind": "group", "size": 2}, a file, or a kith.Policy')
    body["file"] = os.fspath(model)
    return Transferred(_finish(_native.compute("transfer/file", json.dumps(body), timeout)))


def compare(model: Mapping[str, Any], *, dependent: float, counts: int = 1, timeout: Optional[float] = None) -> Comparison:
    """The noise of counts for a dependent loss, beside that without dependence and of groups."""
    if not isinstance(model, Mapping):
        raise InvalidArgument("this is no model", where="kith.compare", hint='a dict such as {"kind": "group", "size": 2}')
    body = {"model": as_json("model", model), "dependent": a_number("dependent", dependent), "counts": counts}
    return Comparison(_finish(_native.compute("compare", json.dumps(body), timeout)))


def estimate(
    of: str,
    data: object = None,
    *,
    source: str,
    counts: Optional[Sequence[int]] = None,
    table: Optional[Sequence[int]] = None,
    concordance: Optional[str] = None,
    prevalence: Optional[str] = None,
    pairs: Optional[int] = None,
    policy: Optional[Union[str, "os.PathLike[str]"]] = None,
    confidence: Optional[float] = None,
    epsilon: Optional[float] = None,
    timeout: Optional[float] = None,
    **options: Any,
) -> Estimate:
    """The strength to declare, from public or consented data: never from those that are to be protected.

    ``of``: pairs, households, chain, network or distances. ``data``: a file or a frame. ``source``: "public" or
    "consented". ``options``: those of ``kith estimate`` and this kind of study: ``left="a"``, ``exchangeable=True``.

    >>> estimate("pairs", counts=[270, 18, 12], source="public").declaration.splitlines()[0]
    '[dependence]'
    """
    named = dict(counts=counts, table=table, concordance=concordance, prevalence=prevalence, pairs=pairs, confidence=confidence, epsilon=epsilon)
    given = {**options, **{name: value for name, value in named.items() if value is not None}}
    if policy is not None:
        given["policy"] = os.fspath(policy)
    wrong = unknown(f"estimate of {of}", given, _finish(_native.compute("estimate/options", "{}", None)).get(of, given))
    if wrong is not None:
        raise wrong
    body: Json = {"of": of, "source": source, **{name: as_json(name, value) for name, value in given.items()}}
    if data is None or isinstance(data, (str, os.PathLike)):
        if data is not None:
            body["file"] = os.fspath(data)
        return _estimated(_finish(_native.compute("estimate", json.dumps(body), timeout)), body)
    with tempfile.TemporaryDirectory(prefix="kith-") as folder:
        body["file"] = _as_csv(data, folder)
        found = _finish(_native.compute("estimate", json.dumps(body), timeout))
    return _estimated(json.loads(json.dumps(found).replace(json.dumps(body["file"])[1:-1], "a frame")), body)


def _estimated(found: Json, body: Json) -> Estimate:
    unbounded = any(str(each.get("odds_ratio")) == "inf" for each in found.get("strengths", []))
    if not unbounded or body["of"] != "households" or body.get("common"):
        return Estimate(found)
    return Estimate(
        found,
        "common=True, which assumes one odds ratio for any two members of groups of all sizes and needs fewer data: here each "
        "size and each number of others with a yes has a limit of its own, and one of them has none",
    )


def _as_csv(data: object, folder: str) -> str:
    if not frames.is_frame(data):
        raise InvalidArgument("the study is neither a file nor a frame", hint="give a path, or a pandas or polars frame")
    path = os.path.join(folder, "study.csv")
    if hasattr(data, "to_csv"):
        data.to_csv(path, index=False)
    elif hasattr(data, "write_csv"):
        data.write_csv(path)
    else:
        need("pyarrow.csv").write_csv(need("pyarrow").table(data), path)
    return path
