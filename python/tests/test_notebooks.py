"""Every notebook runs from its beginning to its end."""

from __future__ import annotations

import pathlib
import shutil

import nbclient
import nbformat
import pytest

NOTEBOOKS = sorted((pathlib.Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))


def test_there_are_four() -> None:
    assert len(NOTEBOOKS) == 4


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(notebook: pathlib.Path, tmp_path: pathlib.Path) -> None:
    shutil.copy(notebook, tmp_path)
    nbclient.NotebookClient(nbformat.read(notebook, 4), timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
