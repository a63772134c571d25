# Written by tools/analyses.py from docs/openapi.json: change src/release/analyses.cc instead.
# fmt: off
"""Analyses with their options, as help and editors show them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, Mapping, NoReturn, Optional, Sequence, overload

from .documents import Answer, Explanation

#: By analysis: the options that it needs, and those that it may have.
ANALYSES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "cells": (("columns",), ("false_cells", "threshold", "where", "units", "most")),
    "contingency": (("rows", "columns"), ("where", "from")),
    "cumulative": (("column",), ("cells", "where")),
    "cutoff": ((), ("table", "at_most")),
    "degrees": (("ends", "max_degree"), ("people", "once", "where", "by", "names")),
    "histogram": (("one_sided", "by"), ("attribute", "method", "noisy_epsilon", "partition_share")),
    "identity": (("columns", "units"), ()),
    "keys": (("columns",), ("where", "keys_per_unit", "most")),
    "kmeans": (("columns", "clusters"), ("steps", "where")),
    "logistic": (("label", "features"), ("positive", "where", "regularise", "holdout")),
    "percentiles": (("column",), ("ranks", "cells", "where")),
    "points": (("columns",), ("method", "cells", "groups", "quantiles", "where")),
    "regression": (("target", "features"), ("where",)),
    "survival": (("time", "event", "step"), ("by", "compare", "where", "from")),
    "svm": (("label", "features"), ("positive", "where", "regularise", "holdout")),
    "synthetic": (("columns",), ("together", "parts", "rows", "where")),
    "top": (("column", "count"), ("where",)),
}


class Analyses(ABC):
    @abstractmethod
    def _analysis(
        self, what: str, name: str, unnamed: tuple[object, ...], epsilon: Optional[float], timeout: Optional[float], options: Mapping[str, Any]
    ) -> dict[str, Any]:
        """A document, or an exception."""

    @overload
    def explain_analysis(self, name: Literal["cells"], *, columns: Sequence[str], false_cells: Optional[float] = ..., threshold: Optional[int] = ..., where: Optional[str] = ..., units: Optional[bool] = ..., most: Optional[int] = ..., epsilon: float, timeout: Optional[float] = ...) -> Explanation: ...
    @overload
    def explain_analysis(self, name: Literal["contingency"], *, rows: str, columns: str, where: Optional[str] = ..., from_: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Explanation: ...
    @overload
    def explain_analysis(self, name: Literal["cumulative"], *, column: str, cells: Optional[int] = ..., where: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Explanation: ...
    @overload
    def explain_analysis(self, name: Literal["cutoff"], *, table: Optional[str] = ..., at_most: Optional[int] = ..., epsilon: float, timeout: Optional[float] = ...) -> Explanation: ...
    @overload
    def explain_analysis(self, name: Literal["degrees"], *, ends: Sequence[str], max_degree: int, people: Optional[int] = ..., once: Optional[bool] = ..., where: Optional[str] = ..., by: Optional[str] = ..., names: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Explanation: ...
    @overload
    def explain_analysis(self, name: Literal["histogram"], *, one_sided: bool, attribute: Optional[str] = ..., by: str, method: Optional[Literal["one-sided", "dawaz"]] = ..., noisy_epsilon: Optional[float] = ..., partition_share: Optional[float] = ..., epsilon: float, timeout: Optional[float] = ...) -> Explanation: ...
    @overload
    def explain_analysis(self, name: Literal["identity"], *, columns: Sequence[str], units: Sequence[int], epsilon: float, timeout: Optional[float] = ...) -> Explanation: ...
    @overload
    def explain_analysis(self, name: Literal["keys"], *, columns: Sequence[str], where: Optional[str] = ..., keys_per_unit: Optional[int] = ..., most: Optional[int] = ..., epsilon: float, timeout: Optional[float] = ...) -> Explanation: ...
    @overload
    def explain_analysis(self, name: Literal["kmeans"], *, columns: Sequence[str], clusters: int, steps: Optional[int] = ..., where: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Explanation: ...
    @overload
    def explain_analysis(self, name: Literal["logistic"], *, label: str, positive: Optional[str] = ..., features: Sequence[str], where: Optional[str] = ..., regularise: Optional[float] = ..., holdout: Optional[float] = ..., epsilon: float, timeout: Optional[float] = ...) -> Explanation: ...
    @overload
    def explain_analysis(self, name: Literal["percentiles"], *, column: str, ranks: Optional[Sequence[float]] = ..., cells: Optional[int] = ..., where: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Explanation: ...
    @overload
    def explain_analysis(self, name: Literal["points"], *, columns: Sequence[str], method: Optional[Literal["pyramid", "hat", "quadtree", "equi-width", "cumulative", "groups", "quantiles"]] = ..., cells: Optional[int] = ..., groups: Optional[int] = ..., quantiles: Optional[Sequence[float]] = ..., where: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Explanation: ...
    @overload
    def explain_analysis(self, name: Literal["regression"], *, target: str, features: Sequence[str], where: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Explanation: ...
    @overload
    def explain_analysis(self, name: Literal["survival"], *, time: str, event: str, step: float, by: Optional[str] = ..., compare: Optional[str] = ..., where: Optional[str] = ..., from_: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Explanation: ...
    @overload
    def explain_analysis(self, name: Literal["svm"], *, label: str, positive: Optional[str] = ..., features: Sequence[str], where: Optional[str] = ..., regularise: Optional[float] = ..., holdout: Optional[float] = ..., epsilon: float, timeout: Optional[float] = ...) -> Explanation: ...
    @overload
    def explain_analysis(self, name: Literal["synthetic"], *, columns: Sequence[str], together: Optional[Sequence[str]] = ..., parts: Optional[int] = ..., rows: Optional[int] = ..., where: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Explanation: ...
    @overload
    def explain_analysis(self, name: Literal["top"], *, column: str, count: int, where: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Explanation: ...
    @overload
    def explain_analysis(self, name: str, *unnamed: NoReturn, epsilon: Optional[float] = ..., timeout: Optional[float] = ..., **options: Any) -> Explanation: ...
    def explain_analysis(
        self, name: str, *unnamed: NoReturn, epsilon: Optional[float] = None, timeout: Optional[float] = None, **options: Any
    ) -> Explanation:
        """What an analysis would cost and give. Touches no data, charges nothing. Options are those of ``analyse``."""
        return Explanation(self._analysis("analyses/explain", name, unnamed, epsilon, timeout, options), epsilon)

    @overload
    def analyse(self, name: Literal["cells"], *, columns: Sequence[str], false_cells: Optional[float] = ..., threshold: Optional[int] = ..., where: Optional[str] = ..., units: Optional[bool] = ..., most: Optional[int] = ..., epsilon: float, timeout: Optional[float] = ...) -> Answer: ...
    @overload
    def analyse(self, name: Literal["contingency"], *, rows: str, columns: str, where: Optional[str] = ..., from_: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Answer: ...
    @overload
    def analyse(self, name: Literal["cumulative"], *, column: str, cells: Optional[int] = ..., where: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Answer: ...
    @overload
    def analyse(self, name: Literal["cutoff"], *, table: Optional[str] = ..., at_most: Optional[int] = ..., epsilon: float, timeout: Optional[float] = ...) -> Answer: ...
    @overload
    def analyse(self, name: Literal["degrees"], *, ends: Sequence[str], max_degree: int, people: Optional[int] = ..., once: Optional[bool] = ..., where: Optional[str] = ..., by: Optional[str] = ..., names: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Answer: ...
    @overload
    def analyse(self, name: Literal["histogram"], *, one_sided: bool, attribute: Optional[str] = ..., by: str, method: Optional[Literal["one-sided", "dawaz"]] = ..., noisy_epsilon: Optional[float] = ..., partition_share: Optional[float] = ..., epsilon: float, timeout: Optional[float] = ...) -> Answer: ...
    @overload
    def analyse(self, name: Literal["identity"], *, columns: Sequence[str], units: Sequence[int], epsilon: float, timeout: Optional[float] = ...) -> Answer: ...
    @overload
    def analyse(self, name: Literal["keys"], *, columns: Sequence[str], where: Optional[str] = ..., keys_per_unit: Optional[int] = ..., most: Optional[int] = ..., epsilon: float, timeout: Optional[float] = ...) -> Answer: ...
    @overload
    def analyse(self, name: Literal["kmeans"], *, columns: Sequence[str], clusters: int, steps: Optional[int] = ..., where: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Answer: ...
    @overload
    def analyse(self, name: Literal["logistic"], *, label: str, positive: Optional[str] = ..., features: Sequence[str], where: Optional[str] = ..., regularise: Optional[float] = ..., holdout: Optional[float] = ..., epsilon: float, timeout: Optional[float] = ...) -> Answer: ...
    @overload
    def analyse(self, name: Literal["percentiles"], *, column: str, ranks: Optional[Sequence[float]] = ..., cells: Optional[int] = ..., where: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Answer: ...
    @overload
    def analyse(self, name: Literal["points"], *, columns: Sequence[str], method: Optional[Literal["pyramid", "hat", "quadtree", "equi-width", "cumulative", "groups", "quantiles"]] = ..., cells: Optional[int] = ..., groups: Optional[int] = ..., quantiles: Optional[Sequence[float]] = ..., where: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Answer: ...
    @overload
    def analyse(self, name: Literal["regression"], *, target: str, features: Sequence[str], where: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Answer: ...
    @overload
    def analyse(self, name: Literal["survival"], *, time: str, event: str, step: float, by: Optional[str] = ..., compare: Optional[str] = ..., where: Optional[str] = ..., from_: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Answer: ...
    @overload
    def analyse(self, name: Literal["svm"], *, label: str, positive: Optional[str] = ..., features: Sequence[str], where: Optional[str] = ..., regularise: Optional[float] = ..., holdout: Optional[float] = ..., epsilon: float, timeout: Optional[float] = ...) -> Answer: ...
    @overload
    def analyse(self, name: Literal["synthetic"], *, columns: Sequence[str], together: Optional[Sequence[str]] = ..., parts: Optional[int] = ..., rows: Optional[int] = ..., where: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Answer: ...
    @overload
    def analyse(self, name: Literal["top"], *, column: str, count: int, where: Optional[str] = ..., epsilon: float, timeout: Optional[float] = ...) -> Answer: ...
    @overload
    def analyse(self, name: str, *unnamed: NoReturn, epsilon: Optional[float] = ..., timeout: Optional[float] = ..., **options: Any) -> Answer: ...
    def analyse(
        self, name: str, *unnamed: NoReturn, epsilon: Optional[float] = None, timeout: Optional[float] = None, **options: Any
    ) -> Answer:
        r"""An analysis, at a price: ``analyse("kmeans", columns=["x", "y"], clusters=5, epsilon=0.5)``.

        By name, first what each needs, then what it may have (docs/guide/analysis_options.md says what each option is):

        ===========  =================  =================================================
        cells        columns            false_cells, threshold, where, units, most
        contingency  rows, columns      where, from\_
        cumulative   column             cells, where
        cutoff                          table, at_most
        degrees      ends, max_degree   people, once, where, by, names
        histogram    one_sided, by      attribute, method, noisy_epsilon, partition_share
        identity     columns, units
        keys         columns            where, keys_per_unit, most
        kmeans       columns, clusters  steps, where
        logistic     label, features    positive, where, regularise, holdout
        percentiles  column             ranks, cells, where
        points       columns            method, cells, groups, quantiles, where
        regression   target, features   where
        survival     time, event, step  by, compare, where, from\_
        svm          label, features    positive, where, regularise, holdout
        synthetic    columns            together, parts, rows, where
        top          column, count      where
        ===========  =================  =================================================

        A histogram of protected data is a question, ``SELECT histogram(age, 10) AS h, count(*) FROM people GROUP BY h``; the
        analysis of that name is for policies with rows that need no protection.
        """
        return Answer(self._analysis("analyses", name, unnamed, epsilon, timeout, options), epsilon)
