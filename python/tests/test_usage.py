"""What is easily said wrongly: an exception of kith's that says how to say it, never a bare one of Python's."""

from __future__ import annotations

import copy
import datetime
import pickle
import sys
from typing import Any, Callable

import pytest
from sklearn.base import clone

import kith
from kith.sklearn import LogisticRegression
from conftest import PARTS, frame_of

COUNT = "SELECT count(*) AS n FROM people WHERE ill = 'yes'"
FIT: dict[str, Any] = dict(label="ill", features=["age", "ward"])


def policy(**more: Any) -> kith.Policy:
    return kith.Policy(**{"tables": {"people": frame_of("polars")}, "ledger": None, **PARTS, **more})


@pytest.mark.parametrize(
    "wrong, hint",
    [
        (lambda: policy(dependence="independent"), '"kind": "independent"'),
        (lambda: policy(delta=1e-6), '"delta": ...'),
        (lambda: policy(nonsense=1), "docs/guide/policy.md"),
        (lambda: policy(columns={"people": ["age"]}), '{"lower": 0'),
        (lambda: policy(columns={"people": {"age": (0, 100)}}), '{"lower": 0'),
        (lambda: policy(columns={"people": {"born": {"type": "date", "lower": "1900-01-01"}}}), "datetime.date("),
        (lambda: policy(columns={"people": {"seen": {"type": "timestamp", "upper": "2030-01-01"}}}), "datetime.datetime("),
        (lambda: policy(tables=frame_of("pyarrow")), 'tables={"people": frame}'),
        (lambda: kith.open(frame_of("pandas")), "kith.Policy(tables="),  # type: ignore[arg-type]
        (lambda: kith.open(3), "kith.Policy"),  # type: ignore[arg-type]
        (lambda: kith.transfer(3, plain=0.1), '"kind": "group"'),  # type: ignore[arg-type]
    ],
)
def test_what_is_said_wrongly(wrong: Callable[[], object], hint: str) -> None:
    with pytest.raises(kith.InvalidArgument) as refused:
        wrong()
    assert hint in refused.value.hint


def test_a_time_at_midnight_is_a_date() -> None:
    pandas = pytest.importorskip("pandas")
    said = policy(columns={"people": {"born": {"type": "date", "lower": pandas.Timestamp("1900-01-01"), "upper": datetime.date(2000, 1, 1)}}})
    assert "lower = 1900-01-01, upper = 2000-01-01" in said.to_toml()


def test_a_policy_is_a_model() -> None:
    found = kith.transfer(policy(), plain=0.25).dependent
    assert found == kith.transfer({"kind": "group", "size": 2, "odds_ratio": 4}, plain=0.25).dependent


@pytest.mark.parametrize(
    "module, extra, use",
    [
        ("pandas", "kith[pandas]", lambda answer: answer.to_pandas()),
        ("polars", "kith[polars]", lambda answer: answer.to_polars()),
        ("pyarrow", "kith[pandas]", lambda answer: answer.to_arrow()),
        ("matplotlib", "kith[plot]", lambda answer: answer.plot()),
    ],
)
def test_what_is_not_installed_is_named(
    session: kith.Session, monkeypatch: pytest.MonkeyPatch, module: str, extra: str, use: Callable[[kith.Answer], object]
) -> None:
    answer = session.ask(COUNT, epsilon=0.5)
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, module + ".pyplot", None)
    with pytest.raises(kith.InvalidArgument) as refused:
        use(answer)
    assert extra in refused.value.hint


def test_columns_of_an_answer_by_name(session: kith.Session) -> None:
    answer = session.ask("SELECT ward, count(*) AS n, count(*) AS interval_95 FROM people WHERE ill = 'yes' GROUP BY ward", epsilon=0.5)
    assert answer["n"] == answer.column("n") and answer["ward"] == ["A", "B"]
    assert answer["stored"] is False and "n" not in answer and answer.get("n") is None
    assert "95" in repr(answer)  # the optional field is not mistaken for the column
    with pytest.raises(kith.InvalidArgument, match="ward, n"):
        answer["m"]
    with pytest.raises(KeyError):
        answer["m"]


def test_estimators_with_a_session_are_cloned_and_pickled(session: kith.Session) -> None:
    model = LogisticRegression(epsilon=1.0, policy=session, **FIT)
    assert clone(model).policy is session and copy.deepcopy(session) is session
    model.fit()
    assert clone(model).fit().answer_.stored
    again = pickle.loads(pickle.dumps(model))
    new = frame_of("pandas").head(20)
    assert list(again.predict(new)) == list(model.predict(new))
    assert again.policy is None and model.policy is session
    with pytest.raises(kith.InvalidArgument, match="another process"):
        pickle.dumps(session)


@pytest.mark.parametrize(
    "wrong, what, hint",
    [
        (lambda s: s.ask(COUNT, 0.5), "said by name", "epsilon="),
        (lambda s: s.explain(COUNT, 0.5), "said by name", "epsilon="),
        (lambda s: s.ask(COUNT), "", "epsilon="),
        (lambda s: s.ask({"question": COUNT}, epsilon=0.1), "a question is a text of SQL", "SELECT"),
        (lambda s: s.explain(3, epsilon=0.1), "a question is a text of SQL", "SELECT"),
        (lambda s: s.analyse("kmeans", columns=["age"], clusters=2), "a price is needed", "epsilon="),
        (lambda s: s.ask(COUNT, epsilon=float("nan")), "epsilon= must be a finite number", "number"),
        (lambda s: s.ask(COUNT, epsilon=float("inf")), "epsilon= must be a finite number", "number"),
        (lambda s: s.ask(COUNT, error=float("nan")), "error= must be a finite number", "number"),
        (lambda s: s.ask(COUNT, epsilon="0.1"), "epsilon= must be a number, and not str", "epsilon="),
        (lambda s: s.plan([COUNT], epsilon=float("nan")), "epsilon= must be a finite number", "number"),
        (lambda s: s.analyse("kmeans", columns=["age"], cluster=2, epsilon=0.1), "kmeans has no option cluster=", "did you mean clusters=?"),
        (lambda s: s.analyse("kmeans", columns=["age"], epsilon=0.1), "kmeans needs clusters=", "steps="),
        (lambda s: s.analyse("kmeans", columns="age", clusters=2, epsilon=0.1), "columns= cannot be a value of type str", "\"columns\" is a list"),
        (lambda s: s.explain_analysis("kmeans", columns=["age"], clusters=2, steps=float("inf"), epsilon=0.1), "steps= must be a finite number", ""),
        (lambda s: s.analyse("logistic", label="ill", features=["age"], alpha=1, epsilon=0.1), "logistic has no option alpha=", "regularise="),
        (lambda s: s.analyse("kmean", columns=["age"], clusters=2, epsilon=0.1), "no analysis of this name", "kmeans"),
        (lambda s: kith.transfer({"kind": "group", "size": 2}, plain=float("nan")), "plain= must be a finite number", ""),
        (lambda s: kith.compare("policy.toml", dependent=1.0), "no model", '"kind"'),
        (lambda s: kith.estimate("pairs", counts=[1, 2, 3], source="public", confidnce=0.9), "no option confidnce=", "did you mean confidence=?"),
        (lambda s: kith.estimate("chain", "x.csv", order="a", value="b", size=3, source="public"), "estimate of chain has no option size=", "length="),
    ],
)
def test_options_in_pythons_words(session: kith.Session, wrong: Callable[[Any], object], what: str, hint: str) -> None:
    with pytest.raises(kith.InvalidArgument) as refused:
        wrong(session)
    assert what in refused.value.what and hint in refused.value.hint
    assert "the request" not in str(refused.value)
    assert not session.budget().history


def test_numbers_of_numpy_are_numbers(session: kith.Session) -> None:
    numpy = pytest.importorskip("numpy")
    assert session.explain(COUNT, epsilon=numpy.float32(0.5)).affordable
    assert session.explain_analysis("kmeans", columns=numpy.array(["age"]), clusters=numpy.int64(2), epsilon=0.5).affordable
