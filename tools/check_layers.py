#!/usr/bin/env python3
"""Blocks an include that points down the layers of src/ and lab/ (ARCHITECTURE.md). Each module may use only those above it; the laboratory comes after
all of src/, some of whose folders it has by the same name. Public headers may use each other and the standard library."""
import pathlib
import re
import sys

SRC = ["base", "random", "loss", "dependence", "transfer", "mechanism", "policy", "sql", "kernel/check", "query", "engine", "ledger", "kernel", "estimate", "postprocess", "workload", "graph",
       "analysis", "people", "release", "audit", "document", "report", "server", "pgwire", "api", "app"]
LAB = ["published", "audit", "probe", "attack", "affinity", "leakage", "document", "report", "experiment", "cli"]
LAYERS = [f"src/{name}" for name in SRC] + [f"lab/{name}" for name in LAB]
# A release is a black box to its auditor: it may not look inside. Where both readings are seen: src/audit/policy_audit.
FORBIDDEN = [(auditor, f"src/{inside}") for auditor in ("src/audit/history", "lab/published", "lab/audit", "lab/probe", "lab/attack") for inside in ("release", "mechanism", "random")]

# Who may see the public interface from inside.
PUBLIC = {"src/api": r".*", "src/analysis": r"statistic\.h", "src/kernel": r"statistic\.h", "src/transfer": r"guarantee\.h", "src/release": r"guarantee\.h"}


def public_problems(root):
    for path in sorted((root / "include").rglob("*.h*")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#include\s+([<"].*)', line)
            if match and not re.fullmatch(r'"kith/[a-z_]+\.h"|<[a-z_]+>', match.group(1)):
                yield f"{path}:{number}: a public header may not include {match.group(1)}"


def module_of(path):
    if path.startswith("src/kernel/check/"):
        return "src/kernel/check"  # knows nothing of the planner
    return "/".join(path.split("/")[:2])


def problems(root):
    yield from public_problems(root)
    paths = {path.relative_to(root).as_posix(): path for folder in ("src", "lab") for path in sorted((root / folder).rglob("*")) if path.suffix in (".h", ".cc")}
    for name in paths:
        if name.startswith("lab/") and "src/" + name.removeprefix("lab/") in paths:
            yield f"{name}: is in src/ by the same name: nobody would know which of them is included"
    for name, path in paths.items():
        module = module_of(name)
        if module == "lab/kith_lab.cc":
            continue  # the program
        if module not in LAYERS:
            yield f"{name}: '{module}' is not a module of tools/check_layers.py"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            seen = re.match(r'\s*#include <kith/(.*)>', line)
            if seen and not re.fullmatch(PUBLIC.get(module, ""), seen.group(1)):
                yield f"{name}:{number}: '{module}' may not use the public interface"
            match = re.match(r'\s*#include "([a-z0-9_]+/[^"]+)"', line)
            if not match or match.group(1).startswith(("tests/", "console/")):
                continue
            file = next((f"{root_name}/{match.group(1)}" for root_name in ("src", "lab") if f"{root_name}/{match.group(1)}" in paths), None)
            used = file and module_of(file)
            if used is None:
                yield f"{name}:{number}: includes {match.group(1)}, which is in no module"
            elif LAYERS.index(used) > LAYERS.index(module) or any(name.startswith(auditor + "/") and used == inside for auditor, inside in FORBIDDEN):
                yield f"{name}:{number}: '{module}' may not use '{used}'"


if __name__ == "__main__":
    found = list(problems(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
    print("\n".join(found) if found else "layers: ok")
    sys.exit(1 if found else 0)
