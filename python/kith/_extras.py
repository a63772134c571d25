"""What the parts of the package can use and the package does not need."""

from __future__ import annotations

import importlib
from typing import Any

from .errors import InvalidArgument

_EXTRAS = {"pandas": "pandas", "polars": "polars", "pyarrow": "pandas", "matplotlib": "plot", "sklearn": "sklearn"}


def need(module: str) -> Any:
    """A module of somebody else's, or how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        name = module.split(".")[0]
        raise InvalidArgument(f"this needs {name}, which is not installed", where=name, hint=f"pip install 'kith[{_EXTRAS[name]}]'") from None
