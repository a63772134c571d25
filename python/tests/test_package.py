"""The package as a whole: types, examples in docstrings, versions."""

from __future__ import annotations

import doctest
import importlib
import pathlib
import pkgutil
import shutil
import subprocess
import sys

import kith
from kith import _native


def test_versions_agree() -> None:
    assert kith.__version__ == _native.version


def test_examples_in_docstrings() -> None:
    tried = 0
    for module in pkgutil.iter_modules(kith.__path__, "kith."):
        if module.name in ("kith._native", "kith.libduckdb"):
            continue
        result = doctest.testmod(importlib.import_module(module.name), raise_on_error=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
        assert result.failed == 0, module.name
        tried += result.attempted
    assert doctest.testmod(kith).failed == 0
    assert tried >= 8


def test_types_are_strict(tmp_path: pathlib.Path) -> None:
    """A copy, since mypy does not look at what is installed beside it as at a program."""
    shutil.copytree(pathlib.Path(kith.__file__).parent, tmp_path / "kith", ignore=shutil.ignore_patterns("*.so*", "__pycache__"))
    (tmp_path / "uses.py").write_text(
        "import kith\n"
        "session = kith.open('policy.toml')\n"
        "answer: kith.Answer = session.ask('SELECT count(*) FROM t', epsilon=0.1)\n"
        "bar: float | None = answer.error_95[0][0]\n"
    )
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "kith", "uses.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_guide_runs(tmp_path: pathlib.Path) -> None:
    """All Python of docs/guide/python.md and python/README.md that is not marked otherwise, in one process."""
    import os
    import re

    top = pathlib.Path(__file__).resolve().parents[2]
    text = (top / "docs/guide/python.md").read_text()
    parts = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert len(parts) >= 4
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        names: dict[str, object] = {}
        for part in parts:
            exec(compile(part, "docs/guide/python.md", "exec"), names)
    finally:
        os.chdir(before)
