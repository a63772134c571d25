"""Policies as Python objects, for frames in memory."""

from __future__ import annotations

import datetime
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Optional, Union

from . import _native, frames
from ._given import Given
from .errors import InvalidArgument, StorageError

if TYPE_CHECKING:
    from .reports import ImportReport

_FIRST_LINE = "# Written by kith.Policy; it is rewritten whenever that is opened."
_SYNTHETIC = (
    "WITHOUT A LEDGER: nothing limits what is asked in all, and nothing is remembered. This is for synthetic data; about "
    "people it is no guarantee."
)


_PARTS = {
    "unit": 'unit={"table": "people", "key": "id", "max_rows": 1, "presence": "secret"}',
    "columns": 'columns={"people": {"age": {"lower": 0, "upper": 100}}}',
    "dependence": 'dependence={"source": "public", "kind": "independent"}',
    "budget": 'budget={"epsilon": 1.0}, or epsilon=1.0',
}
_KEYS = {
    "budget": ("delta", "questions", "keys_delta", "caps"),
    "unit": ("table", "key", "row", "max_rows", "presence"),
    "dependence": ("kind", "source", "by", "size", "odds_ratio", "attribute", "shared", "ties", "confidence"),
}


def _in_a_part(name: str) -> str:
    for part, keys in _KEYS.items():
        if name in keys:
            beside = '"epsilon": 1.0, ' if part == "budget" else ""
            return f'{part}={{{beside}"{name}": ...}}'
    return "its parts are tables, unit, columns, dependence, epsilon or budget, ledger, name and version, as docs/guide/policy.md has them"


class _Unsaid:
    def __repr__(self) -> str:
        return "<must be said>"


_UNSAID = _Unsaid()


class Policy:
    """What a policy.toml says, as an object, with tables that may be frames in memory.

    ``tables``: by name, a frame (pandas, polars, pyarrow, anything with ``__arrow_c_stream__``), a file, or a dict with
    ``source`` and what else a table may have (``public``, ``key``, ``max_rows`` ...). ``unit``, ``columns``,
    ``dependence`` and ``budget`` are the parts of the file, with the same keys; ``epsilon`` stands for
    ``budget={"epsilon": ...}``. Nothing that affects privacy has a default.

    Values that do not match ``columns`` are no error. They are read as NULL, or as the nearest bound, and in a ``required``
    column as the first declared value: look at ``check_data()`` before the first question.

    ``ledger`` is the file that remembers what was spent. It must be said: ``ledger=None`` is for synthetic data alone,
    and every answer says so. Frames are read as they are when they are asked about; whoever changes them, or hands over
    others, declares another ``version``. Unless the policy promises something (``data={"frozen": True}``: nothing changes
    under this version; ``data={"public_columns": "fixed"}``), every charge is to all public cells, and ``by`` is refused.

    >>> Policy(tables={"t": "people.parquet"}, unit={"table": "t", "row": True, "presence": "secret"},
    ...        columns={"t": {"age": {"lower": 0, "upper": 100}}},
    ...        dependence={"source": "public", "kind": "independent"}, epsilon=1.0)
    Traceback (most recent call last):
    ...
    kith.errors.InvalidArgument: no ledger was named, so that nothing would remember what was spent
      at: kith.Policy
      try: ledger="people.ledger"; for synthetic data alone ledger=None
    """

    def __init__(
        self,
        *,
        tables: Mapping[str, object],
        unit: Mapping[str, Any],
        columns: Mapping[str, Mapping[str, Mapping[str, Any]]],
        dependence: Mapping[str, Any],
        epsilon: Optional[float] = None,
        budget: Optional[Mapping[str, Any]] = None,
        ledger: Union[str, "os.PathLike[str]", None, _Unsaid] = _UNSAID,
        name: Optional[str] = None,
        version: Optional[str] = None,
        data: Optional[Mapping[str, Any]] = None,
        **sections: Mapping[str, Any],
    ) -> None:
        if isinstance(ledger, _Unsaid):
            raise InvalidArgument(
                "no ledger was named, so that nothing would remember what was spent",
                where="kith.Policy",
                hint='ledger="people.ledger"; for synthetic data alone ledger=None',
            )
        if budget is not None and "ledger" in budget:
            raise InvalidArgument("the ledger is named beside the budget, not in it", where="budget", hint="ledger=...")
        for part, said in {"unit": unit, "columns": columns, "dependence": dependence, "budget": budget or {}, **sections}.items():
            if not isinstance(said, Mapping):
                raise InvalidArgument(
                    f"{part} is a part of a policy, and a dict with its keys" if part in _PARTS else "a policy has no such part",
                    where=f"{part}={said!r}" if isinstance(said, (str, int, float)) else part,
                    hint=_PARTS.get(part) or _in_a_part(part),
                )
        for table, its in columns.items():
            if not isinstance(its, Mapping) or not all(isinstance(each, Mapping) for each in its.values()):
                raise InvalidArgument(
                    "columns are declared by table and name", where=f"columns of {table}", hint='columns={"people": {"age": {"lower": 0, "upper": 100}}}'
                )
        if not isinstance(tables, Mapping):
            raise InvalidArgument("tables have names", where="tables", hint='tables={"people": frame}')
        self.ledger: Optional[Path] = None if ledger is None else Path(os.path.abspath(os.fspath(ledger)))
        self.held: dict[str, _native.Frame] = {}
        self.given = Given()
        whole: dict[str, Any] = {"data": dict(data or {})}
        if name is not None:
            whole["data"]["name"] = name
        if version is not None:
            whole["data"]["version"] = version
        whole["data"]["tables"] = self._tables(tables)
        whole["unit"] = dict(unit)
        whole["columns"] = {table: {name: _dated(f"{table}.{name}", said) for name, said in each.items()} for table, each in columns.items()}
        whole["dependence"] = dict(dependence)
        whole["budget"] = dict(budget or {})
        if epsilon is not None:
            if "epsilon" in whole["budget"]:
                raise InvalidArgument("epsilon is said twice", where="budget", hint="say it once")
            whole["budget"]["epsilon"] = epsilon
        whole.update({section: dict(content) for section, content in sections.items()})
        self._whole = whole

    def _tables(self, tables: Mapping[str, object]) -> dict[str, Any]:
        names: dict[int, str] = {}  # one frame has one name, whatever tables are made of it
        said: dict[str, Any] = {}

        def source(table: str, value: object) -> str:
            if isinstance(value, (str, os.PathLike)):
                return os.path.abspath(os.fspath(value))
            if id(value) not in names:
                self.held[table] = frames.take(table, value)
                self.given.add(table, (value,), self.held[table].rows)
                names[id(value)] = table
            return "frame:" + names[id(value)]

        for table, value in tables.items():
            if isinstance(value, Mapping) and "source" in value and not frames.is_frame(value):
                said[table] = {**value, "source": source(table, value["source"])}
            else:
                said[table] = source(table, value)
        return said

    def check_data(self, *, timeout: Optional[float] = None) -> "ImportReport":
        """For the curator: what would be read of the tables, and as what, as ``import_data()`` of a session reports it.

        It leaves the ledger alone, so it starts no version and can be called as often as wanted. The report is exact and not
        protected: do not show it to analysts.
        """
        from .local import LocalSession

        with tempfile.TemporaryDirectory(prefix="kith-check-") as folder:
            path = Path(folder) / "check.toml"
            path.write_text(self._toml("check.ledger"), encoding="utf-8")
            return LocalSession(str(path), self.held, timeout=timeout).import_data(timeout=timeout)

    def to_toml(self) -> str:
        """The policy as a file. What kith prints of a frame is only its name."""
        return self._toml(str(self.ledger) if self.ledger is not None else "synthetic.ledger")

    def _toml(self, ledger: str) -> str:
        whole = {**self._whole, "budget": {**self._whole["budget"], "ledger": ledger}}
        lines = [_FIRST_LINE]
        for name, part in whole.items():
            if name == "columns":
                for table, columns in part.items():
                    lines += ["", f"[columns.{_key(table)}]", *_lines(columns)]
            else:
                lines += ["", f"[{_key(name)}]", *_lines(part)]
        return "\n".join(lines) + "\n"

    def write(self) -> tuple[str, str, Optional["tempfile.TemporaryDirectory[str]"]]:
        """Writes the policy beside its ledger, where the command line finds it too. For kith.open."""
        if self.ledger is None:
            folder = tempfile.TemporaryDirectory(prefix="kith-synthetic-")
            path = Path(folder.name) / "synthetic.toml"
            path.write_text(self.to_toml(), encoding="utf-8")
            return str(path), _SYNTHETIC, folder
        path = self.ledger.with_name(self.ledger.stem + ".policy.toml")
        try:
            _replace(path, self.to_toml())
        except OSError as error:
            raise StorageError(
                f"the policy cannot be written ({error.strerror})", where=str(path), hint="name a ledger in a folder that can be written to"
            ) from None
        return str(path), "", None


def _replace(path: Path, text: str) -> None:
    if path.exists():
        before = path.read_text(encoding="utf-8")
        if before == text:
            return
        if not before.startswith(_FIRST_LINE):
            raise InvalidArgument(
                "there is another file where the policy would be written", where=str(path), hint="move it, or name another ledger"
            )
    handle, beside = tempfile.mkstemp(prefix=path.name, dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def _dated(where: str, column: Mapping[str, Any]) -> dict[str, Any]:
    """Dates as dates: a time of pandas' or of Python's may stand for its day, a text for nothing.

    >>> _dated("people.born", {"type": "date", "lower": datetime.datetime(1900, 1, 1)})
    {'type': 'date', 'lower': datetime.date(1900, 1, 1)}
    """
    kind = column.get("type")
    if kind not in ("date", "timestamp"):
        return dict(column)

    def one(value: Any) -> Any:
        if isinstance(value, str):
            example = "datetime.date(2024, 1, 31)" if kind == "date" else "datetime.datetime(2024, 1, 31, 12, 0)"
            raise InvalidArgument(f"the column's type is {kind}, and this is a text", where=where, hint=f"write {example}")
        midnight = isinstance(value, datetime.datetime) and value.time() == datetime.time() and value.tzinfo is None
        return value.date() if kind == "date" and midnight else value

    changed = dict(column)
    for key in ("lower", "upper"):
        if key in changed:
            changed[key] = one(changed[key])
    if isinstance(changed.get("values"), (list, tuple)):
        changed["values"] = [one(value) for value in changed["values"]]
    return changed


def _lines(part: Mapping[str, Any]) -> list[str]:
    return [f"{_key(name)} = {_value(value)}" for name, value in part.items()]


def _key(name: object) -> str:
    text = str(name)
    plain = text.isascii() and text.replace("_", "").replace("-", "").isalnum()
    return text if plain else _text(text)


def _text(text: str) -> str:
    escaped = "".join(
        {"\\": "\\\\", '"': '\\"'}.get(letter, letter if letter >= " " and letter != "\x7f" else f"\\u{ord(letter):04x}")
        for letter in text
    )
    return f'"{escaped}"'


def _value(value: object) -> str:
    """As TOML writes it, on one line.

    >>> _value({"lower": 0, "day": datetime.date(2024, 1, 31), "values": ["a", True]})
    '{ lower = 0, day = 2024-01-31, values = ["a", true] }'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, os.PathLike):
        return _text(os.fspath(value))
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(name)} = {_value(each)}" for name, each in value.items()) + " }"
    if hasattr(value, "item") and not hasattr(value, "__len__"):  # one of numpy's numbers
        return _value(value.item())
    items = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(items, (list, tuple, range)):
        return "[" + ", ".join(_value(each) for each in items) + "]"
    raise InvalidArgument(f"a policy cannot hold a {type(value).__name__}", where="kith.Policy", hint="use numbers, texts, dates, lists and dicts")
