"""TOML, read: by Python itself from 3.11 on."""

from __future__ import annotations

import sys
from typing import Any

from .errors import InvalidArgument

if sys.version_info >= (3, 11):
    import tomllib

    def section(text: str, name: str) -> dict[str, Any]:
        return dict(tomllib.loads(text)[name])

else:

    def section(text: str, name: str) -> dict[str, Any]:
        raise InvalidArgument("TOML is read by Python 3.11 and later", where=name, hint="copy the declaration's text")
