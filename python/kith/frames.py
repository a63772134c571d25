"""Frames in memory, handed over by the Arrow C stream: pandas, polars, pyarrow, and whatever else has one."""

from __future__ import annotations

from typing import Any

from . import _native
from .errors import InvalidArgument, raise_document

_EXAMPLE = "hand over a pandas, polars or pyarrow table, or any object with __arrow_c_stream__"


def is_frame(value: object) -> bool:
    return hasattr(value, "__arrow_c_stream__") or _is_old_pandas(value)


def _is_old_pandas(value: object) -> bool:
    kind = type(value)
    return kind.__module__.split(".")[0] == "pandas" and kind.__name__ == "DataFrame"


def _stream_of(name: str, frame: Any) -> object:
    try:
        if hasattr(frame, "__arrow_c_stream__"):
            return frame.__arrow_c_stream__()
        import pyarrow  # type: ignore[import-untyped,unused-ignore]

        return pyarrow.Table.from_pandas(frame, preserve_index=False).__arrow_c_stream__()
    except ImportError:
        raise InvalidArgument(
            "this frame needs pyarrow to be handed over", where=name, hint="pip install 'kith[pandas]'"
        ) from None
    except Exception as error:  # its text may quote values of the frame
        raise InvalidArgument(
            f"the frame could not be handed over ({type(error).__name__})",
            where=name,
            hint="give every column one type: an object column of several cannot be read",
        ) from None


def take(name: str, frame: object) -> _native.Frame:
    """Holds the frame's columns as they are: nothing is copied that the frame's own library does not copy."""
    if not is_frame(frame):
        raise InvalidArgument("this is no frame", where=name, hint=_EXAMPLE)
    held, problem = _native.take_frame(_stream_of(name, frame))
    if held is None:
        raise_document(problem)
    return held
