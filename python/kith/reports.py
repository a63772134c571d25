"""What kith says besides answers: columns, audits, imports, strengths."""

from __future__ import annotations

from typing import Any, Mapping

from ._extras import need
from ._losses import loss_text as _loss, number
from ._tables import audit_parts, columns_parts, estimate_lines, import_parts, parts_html, parts_text
from .chart import number_text
from .documents import Document


class Columns(Document):
    """Tables and columns, and what may be asked about them."""

    @property
    def tables(self) -> list[dict[str, Any]]:
        return [dict(each) for each in self["tables"]]

    def __repr__(self) -> str:
        return parts_text(columns_parts(self))

    def _repr_html_(self) -> str:
        return parts_html(columns_parts(self))


class Audit(Document):
    """What the answers so far give away."""

    @property
    def verdict(self) -> str:
        return str(self["verdict"])

    def __repr__(self) -> str:
        return parts_text(audit_parts(self))

    def _repr_html_(self) -> str:
        return parts_html(audit_parts(self))


class ImportReport(Document):
    """What was read of the data, and as what: exact, for the curator alone.

    ``findings`` are sentences about what does not fit the policy, ``tables`` the numbers behind them.
    """

    @property
    def findings(self) -> list[str]:
        return [str(each["text"]) for each in self["findings"]]

    @property
    def tables(self) -> list[dict[str, Any]]:
        return [dict(each) for each in self["tables"]]

    def __repr__(self) -> str:
        return parts_text(import_parts(self))

    def _repr_html_(self) -> str:
        return parts_html(import_parts(self))


class Transferred(Document):
    """A plain loss and what a model makes of it."""

    @property
    def plain(self) -> float:
        return number(self["plain"])

    @property
    def dependent(self) -> float:
        return number(self["dependent"])

    @property
    def can_happen(self) -> float | None:
        """What some law of the declared kind and some mechanism really lose, where one is known."""
        return number(self["can_happen"]) if "can_happen" in self else None

    @property
    def bounds(self) -> dict[str, Any]:
        return dict(self["bounds"])


class Comparison(Document):
    """The noise of counts for a dependent loss, by method."""

    @property
    def methods(self) -> list[dict[str, Any]]:
        return [dict(each) for each in self["methods"]]

    def to_pandas(self) -> Any:
        """A row for each method."""
        return need("pandas").DataFrame(self.methods)

    def _lines(self) -> list[tuple[str, str]]:
        def words(method: dict[str, Any]) -> str:
            loss = "" if method.get("loss") is None else f", truly loses {_loss(method['loss'])}"
            return f"noise scale {number_text(number(method['scale']))}{loss}; {method['private_under']}"

        return [(str(each["name"]), words(each)) for each in self.methods]


class Estimate(Document):
    """How strongly records are tied, as a declaration with its confidence."""

    def __init__(self, document: Mapping[str, Any], hint: str = "") -> None:
        super().__init__(document)
        #: What else could be tried; empty: nothing.
        self.hint = hint

    @property
    def declaration(self) -> str:
        """TOML for [dependence] of a policy."""
        return str(self["declaration"])

    @property
    def in_words(self) -> str:
        """The result for people who decide and do not calculate."""
        return str(self["in_words"])

    @property
    def dependence(self) -> dict[str, Any]:
        """The declaration as ``kith.Policy`` takes it."""
        from ._toml import section

        return section(self.declaration, "dependence")

    def _lines(self) -> list[tuple[str, str]]:
        return [("try", self.hint), *estimate_lines(self)]
