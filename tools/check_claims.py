#!/usr/bin/env python3
"""Blocks a privacy claim without its page or its tests.

claims/*.md: one section for each claim, headed `## ID`. A section names the code it is about (`code:`), the test that the claim
holds (`accept:`) and the twin that shows that the test would catch a planted fault (`power:`). Checked: every [ID] after an
"Ensures" in src/ or lab/ has a section; every section has all parts; every named test and code file exists; no test is its own twin; every
page says what of it is machine-checked (`machine-checked:`), and the theorems it names exist in proofs/ (what they rest on:
tools/check_proofs.py).
"""
import pathlib
import re
import sys

PARTS = ["statement", "holds when", "arithmetic", "status", "source", "code", "accept", "power"]
PROOF = "machine-checked"  # where there is one: proofs/File.v theorem ..., or what part is on paper only


def sections(root):
    for page in sorted((root / "claims").glob("*.md")):
        for part in re.split(r"^## ", page.read_text(), flags=re.M)[1:]:
            head, _, body = part.partition("\n")
            yield page, head.split()[0].strip("[]:"), body


def test_names(root):
    names = set()
    for path in (path for folder in ("src", "lab", "tests") for path in (root / folder).rglob("*_test.cc")):
        for suite, name in re.findall(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", path.read_text()):
            names.add(f"{suite}.{name}")
    for path in (root / "tests").rglob("*.py"):
        names.update(f"{path.stem}.{name}" for name in re.findall(r"def (test_\w+)\(", path.read_text()))
    return names


def value(body, part):
    match = re.search(rf"^[-*]?\s*\**{part}\**\s*:\**\s*(.+?)(?=^[-*]?\s*\**(?:{'|'.join(PARTS + [PROOF])})\**\s*:|\Z)", body, re.M | re.S | re.I)
    return match.group(1).strip() if match else ""


def problems(root):
    tests, ids = test_names(root), {}
    for page, claim, body in sections(root):
        where = f"{page}: {claim}"
        if claim in ids:
            yield f"{where}: is there twice"
        ids[claim] = page
        for part in PARTS:
            if not value(body, part):
                yield f"{where}: has no '{part}:'"
        both = {}
        for part in ("accept", "power"):
            named = re.findall(r"\b([A-Za-z]\w+\.[A-Za-z]\w+)\b", value(body, part))
            named = [n for n in named if not n.endswith((".cc", ".h", ".py", ".md", ".json"))]
            if not named:
                yield f"{where}: '{part}:' names no test"
            for name in named:
                if name not in tests:
                    yield f"{where}: '{part}:' names {name}, which does not exist"
                elif both.setdefault(name, part) != part:
                    yield f"{where}: {name} is its own twin: a test of its own shows that the planted fault is seen"
        for name, theorems in re.findall(r"proofs/(\w+)\.v((?:\s+`?\w+`?,?(?!\.v))*)", value(body, PROOF)):
            file = root / "proofs" / f"{name}.v"
            stated = set(re.findall(r"^(?:Theorem|Lemma|Corollary|Definition)\s+(\w+)", file.read_text(), re.M)) if file.exists() else set()
            for theorem in re.findall(r"\w+", theorems) or ["(no theorem)"]:
                if theorem not in stated:
                    yield f"{where}: '{PROOF}:' names {theorem} of proofs/{name}.v, which does not exist"
        files = re.findall(r"\b(?:src|lab|tests)/[\w/]+\.(?:cc|h)\b", value(body, "code"))
        if not files:
            yield f"{where}: 'code:' names no file"
        for name in files:
            if not (root / name).exists():
                yield f"{where}: 'code:' names {name}, which does not exist"
    for page in sorted((root / "claims").glob("*.md")):
        if not re.search(rf"^[-*]?\s*\**{PROOF}\**\s*:", page.read_text(), re.M | re.I):
            yield f"{page}: says nothing of machine-checked proofs: a line '{PROOF}: proofs/File.v theorem', or what is on paper only"
    for path in (path for folder in ("src", "lab") for path in sorted((root / folder).rglob("*.h"))):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for claim in re.findall(r"Ensures \[([A-Z][A-Z0-9-]*-\d+)\]", line):
                if claim not in ids:
                    yield f"{path}:{number}: [{claim}] has no page in claims/"


if __name__ == "__main__":
    found = list(problems(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
    print("\n".join(found) if found else "claims: ok")
    sys.exit(1 if found else 0)
