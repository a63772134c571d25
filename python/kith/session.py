"""What can be asked of a policy, wherever it is: in this process or behind a server."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Mapping, NoReturn, Optional, Sequence, Union

from ._analyses import Analyses
from .documents import Answer, Budget, Explanation, Plan
from .errors import InvalidArgument
from .options import a_number, a_price, as_json, explained, nothing_unnamed
from .reports import Audit, Columns, ImportReport

Json = dict[str, Any]


def _given(**fields: Any) -> Json:
    return {name: as_json(name, value) for name, value in fields.items() if value is not None}


def _question(sql: object) -> str:
    if not isinstance(sql, str):
        raise InvalidArgument(
            f"a question is a text of SQL, and not a {type(sql).__name__}", where="sql", hint="ask(\"SELECT city, avg(income) AS m FROM people GROUP BY city\", epsilon=0.1)"
        )
    return sql


def _price(epsilon: Optional[float], error: Optional[float]) -> Json:
    return {name: a_number(name, value) for name, value in (("epsilon", epsilon), ("error", error)) if value is not None}


def _only_if_false(intervals: bool) -> Optional[bool]:
    return None if intervals else False


class Session(Analyses):
    """An open policy. Thread-safe; after a fork, open it again in the child.

    First look at what was declared and at what was read, then ask: ``columns()``, ``import_data()`` (for the curator; the first
    of a ledger changes nothing), ``explain(...)``, ``ask(...)``.

    A price is ``epsilon``, a part of the policy's epsilon, or ``error``, the largest acceptable 95 % error bar: one of
    them, with no default. ``timeout`` is in seconds. Ctrl-C stops a call; what was charged stays charged, and the
    exception says so.
    """

    #: A warning that belongs to everything that is asked here; empty: none.
    mark: str = ""

    @abstractmethod
    def _ask(self, what: str, body: Optional[Mapping[str, Any]], timeout: Optional[float]) -> Json:
        """A document, or an exception."""

    def _marked(self, document: Json) -> Json:
        if self.mark:
            document["notes"] = [self.mark, *document.get("notes", [])]
            if "note_kinds" in document:
                document["note_kinds"] = ["protects", *document["note_kinds"]]
        return document

    def __copy__(self) -> "Session":
        return self

    def __deepcopy__(self, memo: object) -> "Session":  # scikit-learn clones what an estimator was made with
        return self

    def __reduce__(self) -> NoReturn:
        raise InvalidArgument(
            "an open policy cannot be sent to another process", where=repr(self), hint="open it there again; in scikit-learn n_jobs=None"
        )

    def columns(self) -> Columns:
        """Tables and columns, what everybody knows about them, and what may be asked. Touches no data."""
        return Columns(self._ask("columns", None, None))

    def explain(
        self,
        sql: str,
        *unnamed: NoReturn,
        epsilon: Optional[float] = None,
        error: Optional[float] = None,
        split: Optional[Sequence[float]] = None,
        intervals: bool = True,
        unit: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Explanation:
        """What a question would cost and give. Touches no data, charges nothing. Of quantiles it says how far they are off
        with intervals and without."""
        nothing_unnamed("explain", unnamed, "explain(sql, epsilon=0.1), or error=50")
        body = {**_given(question=_question(sql), split=split, intervals=_only_if_false(intervals), unit=unit), **_price(epsilon, error)}
        return Explanation(self._marked(self._ask("explain", body, timeout)), epsilon)

    def ask(
        self,
        sql: str,
        *unnamed: NoReturn,
        epsilon: Optional[float] = None,
        error: Optional[float] = None,
        split: Optional[Sequence[float]] = None,
        intervals: bool = True,
        unit: Optional[str] = None,
        approval: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Answer:
        """Asks: the price is charged, then data are read, then the answer leaves with noise. With ``intervals=False`` quantiles
        come without 95 % intervals, and are nearer to the true ones at the same price."""
        nothing_unnamed("ask", unnamed, "ask(sql, epsilon=0.1), or error=50")
        body = {**_given(question=_question(sql), split=split, intervals=_only_if_false(intervals), unit=unit, approval=approval), **_price(epsilon, error)}
        return Answer(self._marked(self._ask("release", body, timeout)), epsilon)

    def plan(
        self,
        questions: Union[str, Sequence[str]],
        *,
        epsilon: Optional[float] = None,
        intervals: bool = True,
        unit: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Plan:
        """Plans many questions as a whole, without data or charge; ``.answer()`` of the result asks them.

        Each question may carry a hint of its own: ``-- kith: error 50``, ``-- kith: epsilon 0.1``, ``-- kith: weight 3``; and
        ``-- kith: intervals off``.
        """
        body = _given(questions=plan_text(questions), epsilon=epsilon, intervals=_only_if_false(intervals), unit=unit)

        def answer(timeout: Optional[float] = None) -> Answer:
            return Answer(self._marked(self._ask("plan/release", body, timeout)), epsilon)

        return Plan(self._marked(self._ask("plan/explain", body, timeout)), answer, epsilon)

    def _analysis(
        self, what: str, name: str, unnamed: tuple[object, ...], epsilon: Optional[float], timeout: Optional[float], options: Mapping[str, Any]
    ) -> Json:
        nothing_unnamed("analyse", unnamed, 'analyse("kmeans", columns=["x", "y"], clusters=5, epsilon=0.5)')
        said = {option.rstrip("_"): as_json(option, value) for option, value in options.items() if value is not None}
        body = {"analysis": name, "epsilon": a_price("analyse", epsilon), "options": said}
        try:
            return self._marked(self._ask(what, body, timeout))
        except InvalidArgument as refused:
            raise explained(name, said, refused) from None

    def budget(self, *, history: bool = True) -> Budget:
        """What was spent on what, and what is left, in both losses. ``history=False``: the totals alone, which take no longer
        however much was asked."""
        return Budget(self._marked(self._ask("budget", None if history else {"history": False}, None)))

    def audit(self, *, epsilon: Optional[float] = None, timeout: Optional[float] = None) -> Audit:
        """What the answers so far give away, and one more at this price."""
        return Audit(self._marked(self._ask("audit", _given(epsilon=epsilon), timeout)))

    def stored(self, number: int) -> Answer:
        """An answer of the history, as it was given. Charges nothing."""
        return Answer(self._marked(self._ask("answer", {"number": number}, None)))

    def import_data(self, *, timeout: Optional[float] = None) -> ImportReport:
        """For the curator: reports exactly what was read, and says that the data were replaced.

        The first of a ledger, before the first answer, changes nothing, and should be looked at: values that do not match the
        policy are read as others, silently. Each later one starts a new version of the data, and what was asked before is
        charged anew; ``kith.Policy(...).check_data()`` gives the same report and changes nothing. The report is not protected:
        do not show it to analysts.
        """
        return ImportReport(self._ask("import", None, timeout))


def plan_text(questions: Union[str, Sequence[str]]) -> str:
    """Questions as one text, each ending with a semicolon.

    >>> plan_text(["SELECT count(*) FROM t", "SELECT sum(x) FROM t;"])
    'SELECT count(*) FROM t\\n;\\nSELECT sum(x) FROM t\\n;\\n'
    """
    if isinstance(questions, str):
        return questions
    return "".join(each.strip().rstrip(";").rstrip() + "\n;\n" for each in questions)
