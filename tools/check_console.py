#!/usr/bin/env python3
"""The console's built files are part of the repository: fails if its sources have changed since they were built."""
import hashlib
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "console"


def problems():
    built = dict(reversed(line.split("  ", 1)) for line in (FOLDER / "dist" / "SOURCES.sha256").read_text().splitlines())
    for name, digest in built.items():
        path = FOLDER / name
        if not path.exists():
            yield f"{name} is gone"
        elif hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            yield f"{name} has changed"
    here = {path.relative_to(FOLDER).as_posix() for folder in ("src", "public") for path in (FOLDER / folder).iterdir()}
    yield from (f"{name} is new" for name in sorted(here - built.keys()))


if __name__ == "__main__":
    found = [f"console: {problem}; build it again: cd console && npm install && npm run build" for problem in problems()]
    print("\n".join(found) if found else "console: ok")
    sys.exit(1 if found else 0)
