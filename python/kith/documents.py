"""What kith says: each document as the command line prints it with --json, with names for what is asked of it most."""

from __future__ import annotations

import json
from html import escape
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

from ._extras import need
from ._losses import caps_text as _caps, delta_of as _delta, left_text as _left, loss_text as _loss, number, once_text as _once, total_text as _total
from ._tables import short, table_lines
from .chart import bar_chart, number_text
from .errors import InvalidArgument, NoSuchField

Cell = Union[None, bool, int, float, str]


class Document(Mapping[str, Any]):
    """A document by its fields; docs/schema/kith.schema.json describes them."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = dict(document)

    def __getitem__(self, field: str) -> Any:
        return self._document[field]

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)

    def __len__(self) -> int:
        return len(self._document)

    def to_json(self) -> str:
        return json.dumps(self._document, ensure_ascii=False)

    @property
    def notes(self) -> list[str]:
        return [str(each) for each in self._document.get("notes", [])]

    def _lines(self) -> list[tuple[str, str]]:
        return [(name, short(value)) for name, value in self._document.items()]

    def __repr__(self) -> str:
        width = max((len(name) for name, _ in self._lines()), default=0)
        below = "\n" + " " * (width + 2)
        return "\n".join(f"{name:<{width}}  {text.replace(chr(10), below)}" for name, text in self._lines() if text)

    def _repr_html_(self) -> str:
        return _html_lines(self._lines())


def _html_lines(lines: Sequence[tuple[str, str]]) -> str:
    rows = "".join(
        f'<tr><th style="text-align:left;vertical-align:top">{escape(name)}</th>'
        f'<td style="text-align:left;white-space:pre-wrap">{escape(text)}</td></tr>'
        for name, text in lines
        if text
    )
    return f"<table>{rows}</table>"


def _price_text(price: Optional[float], stored: bool = False) -> str:
    """The price is a part of the policy's epsilon, and no loss."""
    if price is None:
        return ""
    free = "; nothing was charged this time" if stored else ""
    return f"{number_text(price)} of the policy's epsilon{free} (.budget() shows what is left)"


def _bar_text(statistic: Mapping[str, Any]) -> str:
    """The error bar of a quantile is a number of rows, not one of the column's."""
    return number_text(_finite(statistic["error_95"])) + (" rows" if statistic.get("in_rows") else "")


class Certificate(Document):
    """What an answer gave away, and under which assumption."""

    #: The price that was named, and whether the answer was a stored one.
    price: Optional[float] = None
    _stored: bool = False

    @property
    def plain(self) -> Optional[float]:
        """Plain loss of this answer."""
        epsilon = self["plain"]["epsilon"]
        return None if epsilon is None else number(epsilon)

    @property
    def plain_total(self) -> float:
        """Plain loss of all answers so far, of whoever lost most."""
        return number(self["plain"]["spent_total"])

    @property
    def dependent_total(self) -> Optional[float]:
        """What somebody who knows the declared dependence can have gained by all answers."""
        total = self["dependent"]["epsilon_total"]
        return None if total is None else number(total)

    @property
    def delta(self) -> float:
        """Belongs to ``dependent_total``; 0 where no answer needed one."""
        return _delta(self)

    @property
    def adversary(self) -> str:
        return str(self["dependent"]["adversary"])

    @property
    def assumption(self) -> str:
        return str(self["assumption"])

    @property
    def neighbours(self) -> str:
        return str(self["neighbours"])

    @property
    def data_version(self) -> str:
        return str(self.get("data_version", ""))

    @property
    def claims(self) -> list[str]:
        return [str(each) for each in self["claims"]]

    def _lines(self) -> list[tuple[str, str]]:
        noise = "; ".join(
            f"{each['statistic']}: {each['distribution'] or 'by rank'}, scale {number_text(_finite(each['scale']))}{f', ±{_bar_text(each)}' if each.get('in_rows') else ''}"
            for each in self["noise"]
        )
        presence = self["plain"].get("presence")
        lines = [
            ("warning", str(self.get("unproven", ""))),
            ("true records", str(self.get("one_sided", ""))),
            ("alarm", str(self.get("alarm", ""))),
            ("synthetic", str(self.get("synthetic", ""))),
            ("noise", noise),
            ("price", _price_text(self.price, self._stored)),
            ("plain loss", f"{_once(self['plain'])} for this answer; {_total(self, self.plain_total, 'in all', 'plain_delta')}"),
            ("presence", f"{_loss(presence['epsilon'])} for this answer; {_loss(presence['spent_total'])} in all" if presence else ""),
            ("dependent", f"{_total(self, self.dependent_total, 'in all')}, by {self['dependent']['bound']}"),
            ("delta", _caps(self)),
            ("adversary", self.adversary),
            ("assumption", self.assumption),
            ("neighbours", self.neighbours),
            ("data version", self.data_version),
            ("ledger", f"entry {self['ledger_entry']}, head {str(self['ledger_hash'])[:16]}"),
        ]
        return lines


def _finite(value: Any) -> Optional[float]:
    return None if value is None else number(value)


_CERTIFICATE = (
    "noise", "plain", "dependent", "assumption", "dependence_source", "confidence", "alarm", "neighbours", "claims",
    "ledger_entry", "ledger_hash", "unproven", "one_sided", "audit", "data_version", "policy_version", "unit", "household",
    "strata", "moves", "with_delta",
)  # fmt: skip


_STORED = "asked before: this is the stored answer (nothing was charged, no data were read)"


class Answer(Document):
    """A table of noisy numbers with their error bars, and its certificate.

    ``answer.column("n")`` is a column of the table; ``answer["n"]`` too, unless a field of the document has that name.
    """

    def __init__(self, document: Mapping[str, Any], price: Optional[float] = None) -> None:
        super().__init__(document)
        #: ``epsilon`` as it was named: a part of the policy's. None: an error bar was named instead, or it is not known.
        self.price = price
        self._table: Mapping[str, Any] = self._document["answer"]

    def __getitem__(self, field: str) -> Any:
        if field in self._document:
            return self._document[field]
        if field in self.columns:
            return self.column(field)
        raise NoSuchField(
            "the answer has no such column, nor its document such a field", where=str(field), hint="columns: " + ", ".join(self.columns)
        )

    # A document has only its fields: a column with the name of an optional one must not be taken for it.
    def __contains__(self, field: object) -> bool:
        return field in self._document

    def get(self, field: str, default: Any = None) -> Any:
        return self._document.get(field, default)

    @property
    def columns(self) -> list[str]:
        return [str(each) for each in self._table["columns"]]

    @property
    def rows(self) -> list[tuple[Cell, ...]]:
        return [tuple(row) for row in self._table["rows"]]

    @property
    def error_95(self) -> list[tuple[Optional[float], ...]]:
        """95 % error bars in the places of the rows; None for keys and public facts."""
        return [tuple(_finite(each) for each in row) for row in self["error_95"]]

    @property
    def interval_95(self) -> list[tuple[Optional[tuple[Cell, Cell]], ...]]:
        """95 % intervals of quantiles, in the places of the rows."""
        given = self.get("interval_95")
        if given is None:
            return [tuple(None for _ in row) for row in self.rows]
        return [tuple(None if each is None else (each["low"], each["high"]) for each in row) for row in given]

    @property
    def stored(self) -> bool:
        """Whether this very question was answered before, so that nothing was charged."""
        return bool(self["stored"])

    @property
    def details(self) -> dict[str, Any]:
        """What does not fit a table: of an analysis, or the private answers that a question is made of."""
        return dict(self.get("details", {}))

    @property
    def certificate(self) -> Certificate:
        found = {name: self[name] for name in _CERTIFICATE if name in self}
        synthetic = [note for note in self.notes if note.startswith("WITHOUT A LEDGER")]
        if synthetic:
            found["synthetic"] = synthetic[0]
        certificate = Certificate(found)
        certificate.price, certificate._stored = self.price, self.stored
        return certificate

    @property
    def value(self) -> Cell:
        """The only number, where there is one row with one column."""
        if len(self.rows) != 1 or len(self.columns) != 1:
            raise InvalidArgument(
                "the answer is more than one number", where="value", hint="look at .rows, or .to_pandas()"
            )
        return self.rows[0][0]

    def column(self, name: str) -> list[Cell]:
        if name not in self.columns:
            raise InvalidArgument(
                "the answer has no such column", where=name, hint="it has " + ", ".join(self.columns)
            )
        at = self.columns.index(name)
        return [row[at] for row in self.rows]

    def answers(self) -> list["Answer"]:
        """Of a plan: the answer to each of its questions, with the certificate of the whole."""
        plan = self.details.get("plan", {})
        if "answers" not in plan:
            return [self]
        each_has = {name: self[name] for name in (*_CERTIFICATE, "stored") if name in self}
        found = []
        for one in plan["answers"]:
            table = {"columns": one["columns"], "rows": one["rows"]}
            bars = one.get("error_95", [[None] * len(one["columns"]) for _ in one["rows"]])
            document = {**each_has, "answer": table, "error_95": bars, "notes": [*(each for each in self.notes if each.startswith("WITHOUT A LEDGER")), *one.get("notes", [])]}
            if "interval_95" in one:
                document["interval_95"] = one["interval_95"]
            document["question"] = one["question"]
            found.append(Answer(document, self.price))
        return found

    def _frame(self, errors: bool) -> dict[str, list[Cell]]:
        found: dict[str, list[Cell]] = {}
        bars, intervals = self.error_95, self.interval_95
        for k, name in enumerate(self.columns):
            found[name] = [row[k] for row in self.rows]
            if errors and any(row[k] is not None for row in bars):
                found[f"{name}_error_95"] = [row[k] for row in bars]
            if errors and any(row[k] is not None for row in intervals):
                found[f"{name}_low_95"] = [each[0] if each else None for each in (row[k] for row in intervals)]
                found[f"{name}_high_95"] = [each[1] if each else None for each in (row[k] for row in intervals)]
        return found

    def to_dict(self, *, errors: bool = True) -> dict[str, list[Cell]]:
        """Columns by name; with ``errors`` also NAME_error_95, and NAME_low_95 and NAME_high_95 of quantiles."""
        return self._frame(errors)

    def to_pandas(self, *, errors: bool = True) -> Any:
        frame = need("pandas").DataFrame(self._frame(errors))
        frame.attrs["kith"] = dict(self.certificate)
        return frame

    def to_polars(self, *, errors: bool = True) -> Any:
        return need("polars").DataFrame(self._frame(errors), strict=False)

    def to_arrow(self, *, errors: bool = True) -> Any:
        return need("pyarrow").table(self._frame(errors))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _bars(self) -> Optional[tuple[str, list[str], list[Optional[float]], list[Optional[float]], list[Optional[float]]]]:
        """The first noisy column with the keys before it."""
        rows, bars, intervals = self.rows, self.error_95, self.interval_95
        if not rows:
            return None
        noisy = [
            k for k in range(len(self.columns)) if any(row[k] is not None for row in bars) or any(row[k] for row in intervals)
        ]
        if not noisy:
            return None
        at = noisy[0]
        keys = [k for k, name in enumerate(self.columns) if k not in noisy and name not in _NO_KEYS]
        labels = [" / ".join(_key_text(row[k]) for k in keys) or self.columns[at] for row in rows]
        values: list[Optional[float]] = []
        lows: list[Optional[float]] = []
        highs: list[Optional[float]] = []
        for row, bar, interval in zip(rows, bars, intervals):
            value = row[at]
            usable = isinstance(value, (int, float)) and not isinstance(value, bool)
            values.append(float(value) if usable and value is not None else None)
            low = high = None
            within = interval[at]
            if within is not None and isinstance(within[0], (int, float)) and isinstance(within[1], (int, float)):
                low, high = float(within[0]), float(within[1])
            elif bar[at] is not None and values[-1] is not None:
                low, high = values[-1] - (bar[at] or 0.0), values[-1] + (bar[at] or 0.0)
            lows.append(low)
            highs.append(high)
        return self.columns[at], labels, values, lows, highs

    def svg(self) -> str:
        """The first noisy column as bars with their 95 % error bars; empty where there is none."""
        found = self._bars()
        if found is None:
            return ""
        name, labels, values, lows, highs = found
        return bar_chart(labels, values, lows, highs, f"{name}, with 95 % error bars")

    def plot(self, ax: Any = None) -> Any:
        """The same with matplotlib; returns its axes."""
        pyplot = need("matplotlib.pyplot")
        found = self._bars()
        if found is None:
            raise InvalidArgument("there is no noisy number to draw", where="plot", hint="look at .to_pandas()")
        name, labels, values, lows, highs = found
        axes = ax if ax is not None else pyplot.subplots()[1]
        heights = [value if value is not None else 0.0 for value in values]
        below = [height - low if low is not None else 0.0 for height, low in zip(heights, lows)]
        above = [high - height if high is not None else 0.0 for height, high in zip(heights, highs)]
        axes.bar(range(len(heights)), heights, yerr=[below, above], capsize=4)
        axes.set_xticks(range(len(heights)), labels, rotation=30 if len(labels) > 4 else 0)
        axes.set_ylabel(f"{name} ± 95 %")
        return axes

    def _shown(self) -> tuple[list[str], list[list[str]]]:
        header: list[str] = []
        bars, intervals = self.error_95, self.interval_95
        made: list[list[str]] = [[] for _ in self.rows]
        for k, name in enumerate(self.columns):
            header.append(name)
            has_bar = any(row[k] is not None for row in bars)
            has_interval = any(row[k] is not None for row in intervals)
            if has_bar or has_interval:
                header.append("±95 %" if has_bar else "95 % interval")
            for line, row, bar, interval in zip(made, self.rows, bars, intervals):
                line.append(_key_text(row[k]))
                if has_bar:
                    line.append(number_text(bar[k]))
                elif has_interval:
                    within = interval[k]
                    line.append("" if within is None else f"{_key_text(within[0])} to {_key_text(within[1])}")
        return header, made

    def _before(self) -> list[str]:
        return [_STORED, ""] if self.stored else []

    def __repr__(self) -> str:
        header, lines = self._shown()
        table = table_lines(header, lines, right=True)
        return "\n".join([*self._before(), *table, "", repr(self.certificate), *(f"note  {each}" for each in self.notes)])

    def _repr_html_(self) -> str:
        header, lines = self._shown()
        heads = "".join(f"<th>{escape(each)}</th>" for each in header)
        rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in lines[:200])
        more = f"<p>and {len(lines) - 200} more rows</p>" if len(lines) > 200 else ""
        notes = "".join(f"<p><em>{escape(each)}</em></p>" for each in [*self._before()[:1], *self.notes])
        return (
            f"{notes}<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{more}{self.svg()}"
            f"<details><summary>certificate</summary>{self.certificate._repr_html_()}</details>"
        )


#: Columns of analyses that say something of a row, and do not name it.
_NO_KEYS = ("low_95", "high_95", "low_95_all", "high_95_all", "expected", "residual")


def _key_text(value: Cell) -> str:
    return "NULL" if value is None else number_text(value)


class Explanation(Document):
    """What a question would cost and give; nothing was charged and no data were touched."""

    def __init__(self, document: Mapping[str, Any], price: Optional[float] = None) -> None:
        super().__init__(document)
        #: ``epsilon`` as it was named: a part of the policy's. None: an error bar was named instead.
        self.price = price

    @property
    def affordable(self) -> bool:
        return bool(self["affordable"])

    @property
    def refusal(self) -> str:
        return str(self["refusal"])

    @property
    def plain(self) -> Optional[float]:
        """The price in plain loss. None: no pure loss bounds normal noise; its Gaussian loss is ``explanation["plain"]["mu"]``."""
        return _finite(self["plain"]["epsilon"])

    @property
    def dependent_after(self) -> float:
        return number(self["dependent_after"])

    @property
    def delta(self) -> float:
        """Belongs to ``dependent_after``; 0 where no answer needed one."""
        return _delta(self["guarantee"])

    @property
    def sql(self) -> str:
        """What the engine would be asked."""
        return str(self["sql"])

    @property
    def statistics(self) -> list[dict[str, Any]]:
        """Noise and error bars of each statistic."""
        return [dict(each) for each in self["statistics"]]

    @property
    def error_95(self) -> float:
        """The largest 95 % error bar of a statistic; of quantiles it is a number of rows."""
        return max((number(each["error_95"]) for each in self["statistics"]), default=0.0)

    def _lines(self) -> list[tuple[str, str]]:
        lines = [
            (
                str(each.get("statistic", each.get("name", ""))),
                f"±95 %: {_bar_text(each)}, noise scale {number_text(_finite(each['scale']))}",
            )
            for each in self["statistics"]
        ]
        # Under caps the total is that of the whole budget from the first charge on: nothing to compare it with.
        before = "" if "with_delta" in self["guarantee"] else f"{_loss(self['dependent_before'])} before, "
        lines += [
            ("price", _price_text(self.price)),
            ("charges", f"{self['charged_cells']} of {self['cells']} public cells"),
            ("plain loss", f"{_once(self['plain'])} for this; {_total(self['guarantee'], self['plain_spent_after'], 'in all afterwards', 'plain_delta')}"),
            ("dependent", f"{before}{_total(self['guarantee'], self.dependent_after, 'afterwards')}, by {self['bound']}"),
            ("delta", _caps(self["guarantee"])),
            ("assumption", str(self["assumption"])),
            *(("note", each) for each in self.notes),
            ("verdict", "affordable; no data was touched and nothing was charged" if self.affordable else f"refused: {self.refusal}"),
        ]
        return lines


class Plan(Explanation):
    """Many questions as a whole, explained; ``answer()`` charges once and answers them all."""

    def __init__(
        self, document: Mapping[str, Any], answer: Callable[[Optional[float]], Answer], price: Optional[float] = None
    ) -> None:
        super().__init__(document, price)
        self._answer = answer

    @property
    def questions(self) -> list[dict[str, Any]]:
        """Each question with its price as a part of the plan and its error bars."""
        return [dict(each) for each in self["details"]["plan"]["questions"]]

    def answer(self, *, timeout: Optional[float] = None) -> list[Answer]:
        return self._answer(timeout).answers()

    def _lines(self) -> list[tuple[str, str]]:
        """Each question with its part of the price and its error bar, then what holds for all."""

        def bars(question: Mapping[str, Any]) -> str:
            if "error_95" in question:
                return _bar_text(question)
            return ", ".join(f"{_bar_text(each)} ({each['name']})" for each in question.get("statistics", []))

        def words(question: Mapping[str, Any]) -> str:
            price = "" if question.get("epsilon") is None else f"price {_loss(question['epsilon'])}, " if question["epsilon"] else "free, "
            return f"{price}±95 %: {bars(question)}\n{question['question']}"

        asked = [(f"question {k}", words(each)) for k, each in enumerate(self.questions, 1)]
        return [*asked, *(line for line in super()._lines() if not line[0].startswith("question "))]


class Budget(Document):
    """What was spent on what, and what is left."""

    @property
    def epsilon_total(self) -> float:
        return number(self["epsilon_total"])

    @property
    def epsilon_left(self) -> float:
        """The price that a question about everybody may still have."""
        return number(self["epsilon_left"])

    @property
    def dependent_total(self) -> Optional[float]:
        """The most that somebody who knows the declared dependence can gain when the whole budget is spent."""
        return _finite(self["dependent_total"])

    @property
    def delta(self) -> float:
        """Belongs to ``dependent_total``; 0 where no answer needed one."""
        return _delta(self["guarantee"])

    @property
    def dependent_spent(self) -> Optional[float]:
        """What somebody who knows the declared dependence can have gained so far, about whoever lost most. None: no bound is stated, or none without a delta."""
        capped = self["guarantee"].get("with_delta")
        if capped is not None:
            return _finite(capped["pure"]["dependent"]) if "pure" in capped else None
        spent = [each["dependent_spent"] for each in self["cells"]]
        return None if None in spent else max((number(each) for each in spent), default=0.0)

    @property
    def cells(self) -> list[dict[str, Any]]:
        return [dict(each) for each in self["cells"]]

    @property
    def history(self) -> list[dict[str, Any]]:
        """Every charge. Empty if only the totals were asked for."""
        return [dict(each) for each in self.get("history", [])]

    def to_pandas(self) -> Any:
        """The history as a frame."""
        return need("pandas").DataFrame(self.history)

    def _lines(self) -> list[tuple[str, str]]:
        spent = self.dependent_spent
        return [
            ("epsilon", f"{_loss(self.epsilon_total - self.epsilon_left)} of {_left(self.epsilon_total)} was spent; {_left(self.epsilon_left)} is left for a question about everybody"),
            ("dependent", f"{'' if spent is None else f'{_loss(spent)} so far; '}at most {_total(self['guarantee'], self['dependent_total'], 'in all')}, by {self['bound']}"),
            ("delta", _caps(self["guarantee"])),
            *([("answers", str(len(self.history)))] if "history" in self else []),
            ("assumption", str(self["assumption"])),
            *(("note", each) for each in self.notes),
        ]
