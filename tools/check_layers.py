#!/usr/bin/env python3
"""Blocks an include that points down the layers of src/ (ARCHITECTURE.md). Each module may use only those above it. Public headers may
use each other and the standard library."""
import pathlib
import re
import sys

LAYERS = ["base", "random", "loss", "dependence", "transfer", "published", "estimate", "mechanism", "policy", "sql", "kernel", "query", "engine", "after", "workload", "graph",
          "analysis", "ledger", "people", "release", "audit", "probe", "attack", "document", "report", "lab", "server", "pgwire", "api", "app"]
# A release is a black box to its auditor: it may not look inside.
FORBIDDEN = {(auditor, inside) for auditor in ("audit", "probe", "attack") for inside in ("release", "mechanism", "random")}

# Who may see the public interface from inside.
PUBLIC = {"api": r".*", "analysis": r"statistic\.h"}


def public_problems(root):
    for path in sorted((root / "include").rglob("*.h*")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#include\s+([<"].*)', line)
            if match and not re.fullmatch(r'"kith/[a-z_]+\.h"|<[a-z_]+>', match.group(1)):
                yield f"{path}:{number}: a public header may not include {match.group(1)}"


def problems(root):
    yield from public_problems(root)
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        module = path.relative_to(root / "src").parts[0]
        if module not in LAYERS:
            yield f"{path}: '{module}' is not a module of tools/check_layers.py"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            seen = re.match(r'\s*#include <kith/(.*)>', line)
            if seen and not re.fullmatch(PUBLIC.get(module, ""), seen.group(1)):
                yield f"{path}:{number}: '{module}' may not use the public interface"
            match = re.match(r'\s*#include "([a-z0-9_]+)/', line)
            if not match or match.group(1) == "tests":
                continue
            used = match.group(1)
            if used not in LAYERS:
                yield f"{path}:{number}: includes unknown module '{used}'"
            elif LAYERS.index(used) > LAYERS.index(module) or (module, used) in FORBIDDEN:
                yield f"{path}:{number}: '{module}' may not use '{used}'"


if __name__ == "__main__":
    found = list(problems(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
    print("\n".join(found) if found else "layers: ok")
    sys.exit(1 if found else 0)
