#!/usr/bin/env python3
"""One version: that of CMakeLists.txt stands in both pyproject files and in the Python package, and the two pyproject files say the same but for paths."""
import pathlib
import re
import sys

PLACES = {
    "CMakeLists.txt": r"project\(kith VERSION ([0-9.]+)",
    "pyproject.toml": r'^version = "([0-9.]+)"',
    "python/pyproject.toml": r'^version = "([0-9.]+)"',
    "python/kith/_version.py": r'__version__ = "([0-9.]+)"',
}
OWN = ("readme", "wheel.packages", "wheel.license-files", "build-dir", "cmake.source-dir", "#", "sdist.exclude")  # what differs by where the file is


def problems(root):
    found = {}
    for place, pattern in PLACES.items():
        match = re.search(pattern, (root / place).read_text(), re.M)
        if not match:
            yield f"{place}: no version is found by {pattern}"
            continue
        found[place] = match.group(1)
    for place, version in found.items():
        if version != found.get("CMakeLists.txt"):
            yield f"{place}: version {version}, but CMakeLists.txt says {found.get('CMakeLists.txt')}"
    lines = [[line for line in (root / place).read_text().splitlines() if not line.startswith(OWN)] for place in ("pyproject.toml", "python/pyproject.toml")]
    if lines[0] != lines[1]:
        first = next((pair for pair in zip(*lines) if pair[0] != pair[1]), ("one has more lines", ""))
        yield f"python/pyproject.toml: differs from pyproject.toml: {first}"


if __name__ == "__main__":
    found = list(problems(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
    print("\n".join(found) if found else "versions: ok")
    sys.exit(1 if found else 0)
