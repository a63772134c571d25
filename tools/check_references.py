#!/usr/bin/env python3
"""Blocks references that lead nowhere.

Checked in every tracked text file: no mention of notes that are not part of the repository (FORBIDDEN); every `docs/theory/page.md#anchor`, or several
(`docs/theory/page.md#one, #two`), in comments and documents names a page and headings of it. Checked in docs/theory/: relative links, test vectors `[V:id]` and the claims named after "Used by:" exist.

Usage: check_references.py [FOLDER]
"""
import json
import pathlib
import re
import subprocess
import sys

FORBIDDEN = re.compile(r"\b(?:MODEL|THEORY|DESIGN|LEAP)\.md\b|\b(?:THEORY|DESIGN|LEAP)\b|\bMODEL(?=,? sections?\b)")
POINTER = re.compile(r"docs/theory/(?:([\w.-]*\.md)((?:#[\w-]+)(?:,\s+#[\w-]+)*)?)?")
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([\w-]+))?\)")
CLAIM = re.compile(r"\b([A-Z][A-Z-]*-\d+)\b")


def anchor(heading):
    """As GitHub makes it: lower case, punctuation dropped, spaces become hyphens."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(path):
    return {anchor(h) for h in re.findall(r"^#+ (.+)$", path.read_text(), re.M)}


def texts(root):
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, check=True, capture_output=True, text=True)
    for name in sorted(set(filter(None, names.stdout.split("\0")))):
        path = root / name
        if not path.is_file() or name == "tools/check_references.py":
            continue
        try:
            yield name, path.read_text()
        except UnicodeDecodeError:
            continue


def target_problem(page, part, pages):
    if page not in pages:
        return f"{page} does not exist"
    if part and part not in pages[page]:
        return f"{page} has no heading for #{part}"
    return None


def everywhere(root, pages):
    for name, text in texts(root):
        for match in FORBIDDEN.finditer(text):
            yield name, text, match, f"'{match.group(0)}' is not part of the repository: point to docs/theory/"
        for match in POINTER.finditer(text):
            page, parts = match.groups()
            for part in re.findall(r"#([\w-]+)", parts or "") or [None]:
                problem = target_problem(page, part, pages) if page else None
                if problem:
                    yield name, text, match, problem


def in_theory(root, pages):
    vectors = set()
    for path in (root / "tests/vectors").glob("*.json"):
        content = json.loads(path.read_text())
        vectors |= {v["id"] for v in (content["vectors"] if isinstance(content, dict) else content)}
    claims = set()
    for path in (root / "claims").glob("*.md"):
        claims |= set(re.findall(r"^## (\S+)", path.read_text(), re.M))
    for page in pages:
        path = root / "docs/theory" / page
        text = path.read_text()
        for match in LINK.finditer(text):
            target, part = match.groups()
            if target.endswith(".md") and "/" not in target or not target:
                problem = target_problem(target or page, part, pages)
            else:
                problem = None if (path.parent / target).exists() else f"{target} does not exist"
            if problem:
                yield f"docs/theory/{page}", text, match, problem
        for match in re.finditer(r"\[V:([^\]]+)\]", text):
            if match.group(1) not in vectors and match.group(1) != "id":
                yield f"docs/theory/{page}", text, match, f"no vector {match.group(1)} in tests/vectors"
        for used in re.finditer(r"^Used by:.*(?:\n.+)*", text, re.M):
            for claim in CLAIM.findall(used.group(0)):
                if claim not in claims:
                    yield f"docs/theory/{page}", text, used, f"no claim {claim}"


def problems(root):
    pages = {path.name: anchors(path) for path in sorted((root / "docs/theory").glob("*.md"))}
    if not pages:
        yield "docs/theory has no pages"
    for check in (everywhere, in_theory):
        for name, text, match, problem in check(root, pages):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{name}:{line}: {problem}"


if __name__ == "__main__":
    found = list(problems(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
    print("\n".join(found) if found else "references: ok")
    sys.exit(1 if found else 0)
