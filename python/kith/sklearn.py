"""Estimators for scikit-learn: k-means and the linear classifiers, fitted with noise.

Each is fitted to a policy. Either ``policy`` is an open one (``kith.open``, ``kith.connect``), whose own table is read, and
``fit()`` takes no data; or it is a dict with the parts of ``kith.Policy`` other than the tables, and ``fit(X, y)`` hands
its frame over. What a prediction is made of has left with noise: it reads no protected data and is free.
"""

from __future__ import annotations

import math
from typing import Any, Mapping, NoReturn, Optional, Sequence, Union

from .errors import InvalidArgument

try:
    import numpy
    from sklearn.base import BaseEstimator, ClassifierMixin, ClusterMixin  # type: ignore[import-untyped,unused-ignore]
    from sklearn.utils.validation import check_is_fitted  # type: ignore[import-untyped,unused-ignore]
except ImportError:
    raise InvalidArgument("this needs scikit-learn, which is not installed", where="kith.sklearn", hint="pip install 'kith[sklearn]'") from None

from ._extras import need
from .documents import Answer, Certificate
from .local import open as open_policy
from .policy import Policy
from .session import Session

_TABLE = "data"


def _as_frame(X: Any) -> Any:
    """A frame with names: arrays get x0, x1, ..."""
    if hasattr(X, "__arrow_c_stream__") or hasattr(X, "columns"):
        return X
    pandas = need("pandas")
    values = numpy.asarray(X)
    if values.ndim != 2:
        raise InvalidArgument("rows with columns are needed", where="X", hint="hand over a frame, or an array of two dimensions")
    return pandas.DataFrame(values, columns=[f"x{k}" for k in range(values.shape[1])])


def _names(frame: Any) -> list[str]:
    return [str(each) for each in (frame.column_names if hasattr(frame, "column_names") else frame.columns)]


def _cells(X: Any, names: Sequence[str]) -> list[list[Any]]:
    """Columns of new rows, by name; of an array by position."""
    if not hasattr(X, "columns") and not hasattr(X, "column_names"):
        values = numpy.asarray(X)
        if values.ndim != 2 or values.shape[1] != len(names):
            raise InvalidArgument("the rows have another number of columns than the model", where="X", hint=", ".join(names))
        return [list(values[:, k]) for k in range(values.shape[1])]
    missing = [name for name in names if name not in _names(X)]
    if missing:
        raise InvalidArgument("the frame lacks a column of the model", where=missing[0], hint="its columns are " + ", ".join(names))
    return [X[name].tolist() if hasattr(X[name], "tolist") else X[name].to_pylist() if hasattr(X[name], "to_pylist") else list(X[name]) for name in names]


class _Private(BaseEstimator):  # type: ignore[misc]
    epsilon: Optional[float]
    policy: Union[Session, Mapping[str, Any], None]

    def _session(self, frame: Any, *origins: object) -> Session:
        """``origins``: what ``fit`` was given, which the frame was made of."""
        if self.epsilon is None:
            raise InvalidArgument("a price is needed, and there is no default", where="epsilon", hint="epsilon=0.5")
        if isinstance(self.policy, Session):
            if frame is not None:
                raise InvalidArgument("an open policy has its own data", where="X", hint="fit() without data, or policy={...}")
            return self.policy
        if self.policy is None or frame is None:
            raise InvalidArgument(
                "a policy is needed: what the units are, how they depend on each other, the domains of the columns, and a ledger",
                where="policy",
                hint="an open one (then fit() takes no data), or a dict with unit, columns, dependence, epsilon and ledger",
            )
        said = dict(self.policy)
        unit = {"table": _TABLE, **said.pop("unit", {})}
        columns = {_TABLE: said.pop("columns", {})}
        policy = Policy(tables={_TABLE: frame}, unit=unit, columns=columns, **said)
        policy.given.add(_TABLE, origins, policy.held[_TABLE].rows)
        return open_policy(policy)

    def __getstate__(self) -> dict[str, Any]:
        """A fitted model travels; an open policy, with data and ledger, stays here."""
        state = dict(super().__getstate__())
        if isinstance(state.get("policy"), Session):
            state["policy"] = None
        return state

    @property
    def certificate_(self) -> Certificate:
        check_is_fitted(self, "answer_")
        answer: Answer = self.answer_
        return answer.certificate


class KMeans(ClusterMixin, _Private):  # type: ignore[misc]
    """k-means with noisy centres.

    ``columns``: those to cluster by; of a frame that is handed over all of it by default.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        epsilon: Optional[float] = None,
        policy: Union[Session, Mapping[str, Any], None] = None,
        columns: Optional[Sequence[str]] = None,
        steps: Optional[int] = None,
        where: Optional[str] = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.policy = policy
        self.columns = columns
        self.steps = steps
        self.where = where

    def fit(self, X: Any = None, y: Any = None) -> "KMeans":
        """Charges ``epsilon`` of the policy's budget and moves centres with noise.

        ``X``: a frame or an array for a policy that is a dict; none for an open one. ``y`` is not looked at. What was fitted
        before under the same ledger and version is given again, for free, and with a ``kith.StoredAnswerWarning`` where ``X`` is
        not known to be the same.
        """
        frame = None if X is None else _as_frame(X)
        session = self._session(frame, X)
        columns = list(self.columns) if self.columns is not None else None if frame is None else _names(frame)
        if columns is None:
            raise InvalidArgument("the columns to cluster by are needed", where="columns", hint='columns=["x", "y"]')
        assert self.epsilon is not None
        answer = session.analyse(
            "kmeans", epsilon=self.epsilon, columns=columns, clusters=self.n_clusters, steps=self.steps, where=self.where
        )
        self.answer_ = answer
        self.feature_names_in_ = numpy.array(columns, dtype=object)
        self.n_features_in_ = len(columns)
        places = [answer.columns.index(name) for name in columns]
        self.cluster_centers_ = numpy.array([[row[k] for k in places] for row in answer.rows], dtype=float)
        self.cluster_sizes_ = numpy.array(answer.column("size"), dtype=float)
        return self

    @property
    def labels_(self) -> NoReturn:
        raise AttributeError("there is no labels_: it would be each person's cluster, without noise; predict(X) has it for rows that may be looked at")

    def fit_predict(self, X: Any = None, y: Any = None, **more: Any) -> NoReturn:
        raise InvalidArgument(
            "the cluster of each protected row would leave without noise", where="fit_predict", hint="fit(X), then predict(rows that may be looked at)"
        )

    def transform(self, X: Any) -> Any:
        """Distances to the centres."""
        check_is_fitted(self, "cluster_centers_")
        points = numpy.array(_cells(X, list(self.feature_names_in_)), dtype=float).T
        return numpy.linalg.norm(points[:, None, :] - self.cluster_centers_[None, :, :], axis=2)

    def predict(self, X: Any) -> Any:
        return self.transform(X).argmin(axis=1)


class _Linear(ClassifierMixin, _Private):  # type: ignore[misc]
    _kind = ""

    def __init__(
        self,
        *,
        epsilon: Optional[float] = None,
        policy: Union[Session, Mapping[str, Any], None] = None,
        label: Optional[str] = None,
        features: Optional[Sequence[str]] = None,
        positive: Optional[str] = None,
        regularise: Optional[float] = None,
        holdout: Optional[float] = None,
        where: Optional[str] = None,
    ) -> None:
        self.epsilon = epsilon
        self.policy = policy
        self.label = label
        self.features = features
        self.positive = positive
        self.regularise = regularise
        self.holdout = holdout
        self.where = where

    def _whole(self, X: Any, y: Any) -> tuple[Any, str]:
        """The frame with the label in it, and what that is called."""
        frame = _as_frame(X)
        label = self.label or str(getattr(y, "name", None) or "label")
        if y is None:
            return frame, label
        pandas = need("pandas")
        columns = {name: cells for name, cells in zip(_names(frame), _cells(frame, _names(frame)))}
        columns[label] = y.tolist() if hasattr(y, "tolist") else list(y)
        return pandas.DataFrame(columns), label

    def fit(self, X: Any = None, y: Any = None) -> "_Linear":
        """Charges ``epsilon`` of the policy's budget and finds weights with noise.

        ``X`` and ``y``: a frame or an array and the labels, for a policy that is a dict; none for an open one, whose ``label`` and
        ``features`` are then named. ``y`` may be a column of ``X`` that ``label`` names. What was fitted before under the same
        ledger and version is given again, for free, and with a ``kith.StoredAnswerWarning`` where ``X`` and ``y`` are not known to be
        the same.

        Afterwards: ``classes_``; ``intercept_`` and, where all features are numbers, ``coef_``; with ``holdout``
        ``held_out_accuracy_`` and ``held_out_interval_``, a private estimate and its 95 % interval; ``model_``, which
        ``kith predict`` reads; ``answer_`` and ``certificate_``.
        """
        frame, label = (None, self.label) if X is None else self._whole(X, y)
        session = self._session(frame, X, *(() if y is None else (y,)))
        features = list(self.features) if self.features is not None else None
        if features is None and frame is not None:
            features = [name for name in _names(frame) if name != label]
        if features is None or label is None:
            raise InvalidArgument("label and features are needed", where="features", hint='label="income", features=["age"]')
        assert self.epsilon is not None
        answer = session.analyse(
            self._kind,
            epsilon=self.epsilon,
            label=label,
            features=features,
            positive=self.positive,
            regularise=self.regularise,
            holdout=self.holdout,
            where=self.where,
        )
        model = answer.details
        self.answer_ = answer
        self.model_ = model
        self.features_ = [each for each in model["features"] if each["kind"] != "constant"]
        self.feature_names_in_ = numpy.array([each["name"] for each in self.features_], dtype=object)
        self.n_features_in_ = len(self.features_)
        others = model["negative"]
        negative = others[0] if len(others) == 1 else f"not {model['positive']}"  # as kith predict calls it
        self.classes_ = numpy.array([negative, model["positive"]], dtype=object)
        self._constant = float(sum(each["weights"][0] for each in model["features"] if each["kind"] == "constant"))
        self.intercept_ = numpy.array([self._constant])
        if all(each["kind"] == "number" for each in self.features_):
            # Weights are those of columns scaled to [-1, 1]; these are those of the columns themselves.
            slopes = [2 * each["weights"][0] / (float(each["upper"]) - float(each["lower"])) for each in self.features_]
            middles = [(float(each["upper"]) + float(each["lower"])) / 2 for each in self.features_]
            self._slopes: Optional[list[float]] = slopes
            self.intercept_ = self.intercept_ - sum(slope * middle for slope, middle in zip(slopes, middles))
        else:
            self._slopes = None
        held_out = model.get("held_out")
        self.held_out_accuracy_: Optional[float] = None
        self.held_out_interval_: Optional[tuple[float, float]] = None
        if held_out:
            low, middle, high = (float(each) for each in held_out["accuracy"])
            self.held_out_accuracy_, self.held_out_interval_ = middle, (low, high)
        return self

    @property
    def coef_(self) -> Any:
        """Weights of numbers, in the units of their columns: within the bounds, ``X @ coef_.T + intercept_`` is the score."""
        check_is_fitted(self, "model_")
        if self._slopes is None:
            raise AttributeError("coef_ is for features that are all numbers; .answer_ shows the weights of each value, .model_ has them")
        return numpy.array([self._slopes])

    def decision_function(self, X: Any) -> Any:
        """More than 0: the positive class. NaN where a number is missing."""
        check_is_fitted(self, "model_")
        columns = _cells(X, list(self.feature_names_in_))
        rows = len(columns[0]) if columns else 0
        score = numpy.full(rows, self._constant)
        for feature, cells in zip(self.features_, columns):
            score = score + numpy.array([_term(feature, cell) for cell in cells], dtype=float)
        return score

    def predict(self, X: Any) -> Any:
        return numpy.where(self.decision_function(X) > 0, self.classes_[1], self.classes_[0])


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, numpy.bool_)):
        return "true" if value else "false"
    number = float(value)
    return str(int(number)) if number.is_integer() else repr(number)


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, (float, numpy.floating)) and math.isnan(value))


def _term(feature: Mapping[str, Any], cell: Any) -> float:
    """What a cell adds to the score: as kith predict has it.

    >>> _term({"kind": "number", "lower": 0, "upper": 10, "weights": [2.0]}, 10)
    2.0
    >>> _term({"kind": "two values", "values": ["no", "yes"], "weights": [0.5]}, "no")
    -0.5
    """
    weights = feature["weights"]
    if feature["kind"] == "number":
        if _missing(cell):
            return math.nan
        lower, upper = float(feature["lower"]), float(feature["upper"])
        cut = min(max(float(cell), lower), upper)
        return float(weights[0]) * (2 * (cut - lower) / (upper - lower) - 1)
    values = [each for each in feature["values"] if each is not None]
    names = [_text(each) for each in values]
    at = -1 if _missing(cell) or _text(cell) not in names else names.index(_text(cell))
    if len(weights) == 1:
        return 0.0 if at < 0 else float(weights[0]) * (-1 if at == 0 else 1)
    if at >= 0:
        return float(weights[at])
    return float(weights[-1]) if len(values) < len(feature["values"]) else float(weights[0])


class LogisticRegression(_Linear):
    """Logistic regression by objective perturbation."""

    _kind = "logistic"

    def predict_proba(self, X: Any) -> Any:
        positive = 1 / (1 + numpy.exp(-self.decision_function(X)))
        return numpy.column_stack([1 - positive, positive])


class LinearSVC(_Linear):
    """A linear support vector machine by objective perturbation."""

    _kind = "svm"
