"""Private answers about data whose records depend on each other.

    >>> import kith
    >>> kith.transfer({"kind": "group", "size": 2}, plain=0.25).dependent
    0.5

``kith.open("policy.toml")`` opens a policy, ``kith.Policy(tables={"people": frame}, ...)`` makes one for frames in
memory, ``kith.connect(url, token)`` asks a server: all three have the same methods. docs/guide/python.md is the guide.
"""

from ._version import __version__
from .client import connect
from .documents import Answer, Budget, Certificate, Document, Explanation, Plan
from .errors import (
    BudgetExhausted,
    Cancelled,
    InternalError,
    InvalidArgument,
    KithError,
    StorageError,
    StoredAnswerWarning,
    UnsupportedQuery,
)
from .local import compare, estimate, open, transfer
from .policy import Policy
from .reports import Audit, Columns, Comparison, Estimate, ImportReport, Transferred
from .session import Session

__all__ = [
    "Answer",
    "Audit",
    "Budget",
    "BudgetExhausted",
    "Cancelled",
    "Certificate",
    "Columns",
    "Comparison",
    "Document",
    "Estimate",
    "Explanation",
    "ImportReport",
    "InternalError",
    "InvalidArgument",
    "KithError",
    "Plan",
    "Policy",
    "Session",
    "StorageError",
    "StoredAnswerWarning",
    "Transferred",
    "UnsupportedQuery",
    "__version__",
    "compare",
    "connect",
    "estimate",
    "open",
    "transfer",
]
