"""Estimators in the company of scikit-learn's own."""

from __future__ import annotations

import json
import pathlib
import subprocess
import warnings

import numpy
import pandas
import pytest
from sklearn.base import clone

import kith
from kith.sklearn import KMeans, LinearSVC, LogisticRegression
from conftest import KITH

RNG = numpy.random.default_rng(7)
POINTS = numpy.concatenate([RNG.normal((2, 2), 0.3, (1500, 2)), RNG.normal((8, 8), 0.3, (1500, 2))])
SYNTHETIC = dict(
    unit={"row": True, "presence": "public"}, dependence={"source": "public", "kind": "independent"}, epsilon=10.0, ledger=None
)


def test_kmeans_finds_two_heaps() -> None:
    columns = {"x0": {"type": "real", "lower": 0, "upper": 10}, "x1": {"type": "real", "lower": 0, "upper": 10}}
    model = KMeans(2, epsilon=5.0, policy={**SYNTHETIC, "columns": columns}).fit(POINTS)
    assert sorted(round(each) for each in model.cluster_centers_[:, 0]) == [2, 8]
    assert len(set(model.predict([[2, 2], [8, 8]]))) == 2
    assert not hasattr(model, "labels_")  # each person's cluster
    with pytest.raises(kith.InvalidArgument):
        model.fit_predict(POINTS)
    assert model.certificate_["synthetic"]
    assert clone(model).get_params()["n_clusters"] == 2


@pytest.mark.parametrize("kind", [LogisticRegression, LinearSVC])
def test_classifiers(kind: type, tmp_path: pathlib.Path) -> None:
    hours = RNG.uniform(0, 80, 4000)
    education = RNG.choice(["school", "college", "university"], 4000)
    income = numpy.where(hours + 20 * (education == "university") > 45, "high", "low")
    X = pandas.DataFrame({"hours": hours, "education": education})
    columns = {
        "hours": {"type": "real", "lower": 0, "upper": 80},
        "education": {"values": ["school", "college", "university"], "required": True},
        "income": {"values": ["low", "high"], "required": True},
    }
    model = kind(epsilon=5.0, policy={**SYNTHETIC, "columns": columns}).fit(X, pandas.Series(income, name="income"))
    assert list(model.classes_) == ["low", "high"]
    assert model.score(X, income) > 0.85
    # kith predict says the same about the same rows.
    (tmp_path / "model.json").write_text(json.dumps(model.model_))
    new = X.head(50)
    new.to_csv(tmp_path / "new.csv", index=False)
    shown = subprocess.run([KITH, "predict", "model.json", "--csv", "new.csv", "--json"], cwd=tmp_path, capture_output=True, text=True)
    lines = [json.loads(line) for line in shown.stdout.splitlines()]
    assert [each["prediction"] for each in lines] == list(model.predict(new))
    assert numpy.allclose([each["score"] for each in lines], model.decision_function(new))
    if kind is LogisticRegression:
        assert numpy.allclose(model.predict_proba(new)[:, 1], [each["probability"] for each in lines])


def test_nothing_has_a_default() -> None:
    with pytest.raises(kith.InvalidArgument):
        KMeans(2).fit(POINTS)
    with pytest.raises(kith.InvalidArgument):
        KMeans(2, epsilon=1.0).fit(POINTS)
    with pytest.raises(kith.InvalidArgument):
        LogisticRegression(epsilon=1.0, policy={**SYNTHETIC, "columns": {}}).fit()


COLUMNS = {"x0": {"type": "real", "lower": 0, "upper": 10}, "x1": {"type": "real", "lower": 0, "upper": 10}}


def test_a_fold_that_gets_the_answer_of_another_is_warned(tmp_path: pathlib.Path) -> None:
    """The ledger knows a frame by its version alone."""
    named = {**SYNTHETIC, "columns": COLUMNS, "ledger": tmp_path / "folds.ledger"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first = KMeans(2, epsilon=1.0, policy=named).fit(POINTS)
        assert KMeans(2, epsilon=1.0, policy=named).fit(POINTS).answer_.stored  # the same data: nothing to warn of
    assert not first.answer_.stored
    with pytest.warns(kith.StoredAnswerWarning, match="ANOTHER frame.*version=") as caught:
        other = KMeans(2, epsilon=1.0, policy=named).fit(POINTS[:2000])
    assert caught[0].filename == __file__
    assert other.answer_.stored and (other.cluster_centers_ == first.cluster_centers_).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not KMeans(2, epsilon=1.0, policy={**named, "version": "fold 2"}).fit(POINTS[:2000]).answer_.stored
    with pytest.warns(kith.StoredAnswerWarning, match="is not known"):
        KMeans(2, epsilon=1.0, policy={**named, "version": "fold 2"}).fit(POINTS[:2000].tolist())


@pytest.mark.parametrize("kind", [LogisticRegression, LinearSVC])
def test_weights_in_the_units_of_the_columns(kind: type) -> None:
    X = pandas.DataFrame({"age": RNG.uniform(20, 80, 3000), "hours": RNG.uniform(0, 60, 3000)})
    y = pandas.Series(numpy.where(X["hours"] > 30, "high", "low"), name="income")
    columns = {
        "age": {"type": "real", "lower": 20, "upper": 80},
        "hours": {"type": "real", "lower": 0, "upper": 60},
        "income": {"values": ["low", "high"], "required": True},
    }
    policy = {**SYNTHETIC, "columns": columns}
    model = kind(epsilon=5.0, policy=policy, holdout=0.2).fit(X, y)
    assert model.coef_.shape == (1, 2) and model.intercept_.shape == (1,)
    assert numpy.allclose(X.to_numpy() @ model.coef_[0] + model.intercept_[0], model.decision_function(X))
    low, high = model.held_out_interval_
    assert low <= model.held_out_accuracy_ <= high
    assert kind(epsilon=1.0, policy=policy).fit(X, y).held_out_accuracy_ is None
    assert "charges" in kind.fit.__doc__.lower()


def test_weights_of_texts_are_not_those_of_numbers() -> None:
    X = pandas.DataFrame({"kind": RNG.choice(["a", "b", "c"], 500), "y": RNG.choice(["no", "yes"], 500)})
    columns = {"kind": {"values": ["a", "b", "c"], "required": True}, "y": {"values": ["no", "yes"], "required": True}}
    model = LogisticRegression(epsilon=5.0, policy={**SYNTHETIC, "columns": columns}, label="y").fit(X)
    assert not hasattr(model, "coef_")
    with pytest.raises(AttributeError, match="all numbers"):
        model.coef_
    assert list(model.predict(X.head(3))) and model.intercept_.shape == (1,)
