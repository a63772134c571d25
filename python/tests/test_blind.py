"""Everything that an analyst sees of a frame is the same for any two data sets once noise is removed."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest

NATIVE = os.environ.get("KITH_BLIND_PYTHON", "")
HERE = pathlib.Path(__file__).resolve().parent


def seen(folder: pathlib.Path, seed: int, number: int, *more: str) -> str:
    place = folder / f"{seed}-{number}{''.join(more)}" / "same"
    place.mkdir(parents=True)
    done = subprocess.run(
        [sys.executable, str(HERE / "blind_session.py"), NATIVE, str(place), str(seed), str(number), *more], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return (done.stdout + done.stderr).replace(str(place), "FOLDER")


@pytest.mark.skipif(not NATIVE, reason="KITH_BLIND_PYTHON names no module without noise: make test-python builds it")
@pytest.mark.parametrize("seed", range(3))
def test_two_data_sets_look_the_same(seed: int, tmp_path: pathlib.Path) -> None:
    one, other = seen(tmp_path, seed, 1), seen(tmp_path, seed, 2)
    assert len(re.findall("^== ", one, re.M)) == 60
    assert one.count("ledger_hash") > 30
    for left, right in zip(one.splitlines(), other.splitlines()):
        assert left == right
    assert one == other


@pytest.mark.skipif(not NATIVE, reason="KITH_BLIND_PYTHON names no module without noise: make test-python builds it")
def test_the_check_above_would_see_a_difference(tmp_path: pathlib.Path) -> None:
    """The curator's report is exact, so it differs."""
    assert seen(tmp_path, 0, 1, "import") != seen(tmp_path, 0, 2, "import")
