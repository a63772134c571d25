#!/usr/bin/env python3
"""Makes a website of the documents: build/site/index.html. Pages are the files of this repository as they are; beside them the public
headers, the interface of the Python package and its notebooks become pages. Every link and every anchor must lead somewhere.

Usage: tools/site.py [FOLDER]     (default: build/site; needs mkdocs with the theme "material")"""
import ast
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOP = ["README.md", "LIMITATIONS.md", "THREAT_MODEL.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
FOLDERS = ["docs", "claims", "experiments"]
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def title(page):
    found = re.search(r"^#\s+(.*)$", page.read_text(), re.M)
    return re.sub(r"[*`]", "", found.group(1)) if found else page.stem


def without_code(text):
    """Pairs of (is code, part): links inside code are none."""
    parts = re.split(r"(^```.*?^```[^\n]*$|(?<!\[)`[^`\n]+`)", text, flags=re.M | re.S)
    return [(k % 2 == 1, part) for k, part in enumerate(parts)]


def adapted(source, stage):
    """Links to folders lead to their lists; links to what is not on the site (code) become its name."""
    def link(match):
        mark, words, target = match.groups()
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return match.group(0)
        path, _, anchor = target.partition("#")
        place = (source.parent / path).resolve()
        if place.is_dir() and (stage / place.relative_to(ROOT) / "README.md").exists():
            return f"{mark}[{words}]({path.rstrip('/')}/README.md)"
        if not place.exists():
            raise SystemExit(f"{source.relative_to(ROOT)}: nothing is at {target}")
        if place.suffix == ".ipynb":
            there = os.path.relpath(stage / "notebooks" / f"{place.stem}.md", (stage / source.relative_to(ROOT)).parent)
            return f"{mark}[{words}]({there})"
        if (stage / place.relative_to(ROOT)).exists():
            return match.group(0)
        name = str(place.relative_to(ROOT))
        return words if name in words else f"{words} (`{name}`)"
    # What follows the language of a block is for the tests of the documents.
    text = re.sub(r"^(```[a-z+]+) [^\n]*$", r"\1", source.read_text(), flags=re.M)
    return "".join(part if code else LINK.sub(link, part) for code, part in without_code(text))


def notebook(file):
    """The cells of a notebook with what they printed."""
    out = []
    for cell in json.loads(file.read_text())["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            out.append(text.replace("](../../", "](../"))  # notebooks are one folder deeper in the repository
            continue
        out.append(f"```python\n{text}\n```")
        for each in cell.get("outputs", []):
            data = each.get("data", {})
            if "text/html" in data:
                out.append('<div class="output">' + "".join(data["text/html"]) + "</div>")
            elif "image/svg+xml" in data:
                out.append('<div class="output">' + "".join(data["image/svg+xml"]) + "</div>")
            elif "image/png" in data:
                out.append(f'<img alt="output" src="data:image/png;base64,{"".join(data["image/png"]).strip()}">')
            else:
                out.append("```\n" + "".join(each.get("text", data.get("text/plain", ""))).rstrip() + "\n```")
    return "\n\n".join(out) + "\n"


def about(header):
    """The comment at the head of a file."""
    lines = []
    for line in header.read_text().splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    return lines[0] if lines else ""


def signature(function):
    """A function or method as it is written, with its types and without its body."""
    head = ast.FunctionDef(function.name, function.args, [ast.Expr(ast.Constant(...))], function.decorator_list, function.returns, lineno=0)
    return ast.unparse(head).replace("\n    ...", " ...")


def described(node, level):
    """A class or function with what its comment says; examples stay as they are."""
    words = ast.get_docstring(node) or ""
    words = re.sub(r"((?:^ *(?:>>>|\.\.\.) .*\n?)(?:^(?!\n).*\n?)*)", lambda example: f"```pycon\n{example.group(1).rstrip()}\n```\n", words, flags=re.M)
    if isinstance(node, ast.FunctionDef):
        return f"\n```python\n{signature(node)}\n```\n\n{words}\n"
    public = [each for each in node.body if isinstance(each, ast.FunctionDef) and (each.name == "__init__" or not each.name.startswith("_"))]
    bases = ", ".join(ast.unparse(base) for base in node.bases if not ast.unparse(base).startswith("_"))
    return f"\n{'#' * level} {node.name}{f' ({bases})' if bases else ''}\n\n{words}\n" + "".join(described(each, level + 1) for each in public)


def python_interface():
    """What `import kith` brings, from the files themselves: nothing is imported."""
    package = ROOT / "python/kith"
    exported = set(re.findall(r"\w+", (package / "__init__.py").read_text()))
    text = "# Python interface\n\nThe package `kith`, module by module. The guide is [kith in Python](../docs/guide/python.md).\n"
    for name in ("local", "client", "session", "policy", "documents", "errors", "sklearn"):
        module = ast.parse((package / f"{name}.py").read_text())
        wanted = [each for each in module.body if isinstance(each, (ast.FunctionDef, ast.ClassDef)) and not each.name.startswith("_")
                  and (name == "sklearn" or each.name in exported)]
        if wanted:
            text += f"\n## {'kith.sklearn: ' if name == 'sklearn' else ''}{(ast.get_docstring(module) or name).splitlines()[0].rstrip('.')}\n"
            text += "".join(described(each, 3) for each in wanted)
    return text


def reference(stage):
    """The public headers, and the typed interface of the Python package."""
    folder = stage / "reference"
    folder.mkdir()
    text = "# C++ interface\n\nWhat `#include <kith/kith.h>` brings, header by header, as it is installed.\n"
    for header in sorted((ROOT / "include/kith").glob("*.h")):
        text += f"\n## kith/{header.name}\n\n{about(header)}\n\n```cpp\n{header.read_text()}```\n"
    (folder / "cpp.md").write_text(text)
    (folder / "python.md").write_text(python_interface())
    notebooks = sorted(ROOT.glob("python/**/*.ipynb"))
    if notebooks:
        (stage / "notebooks").mkdir()
        for file in notebooks:
            (stage / "notebooks" / f"{file.stem}.md").write_text(notebook(file))


def staged(stage):
    for name in TOP:
        shutil.copy(ROOT / name, stage / name)
    for name in FOLDERS:
        for file in sorted((ROOT / name).rglob("*")):
            if file.suffix in (".md", ".svg", ".png"):
                place = stage / file.relative_to(ROOT)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, place)
    for folder, words in (("claims", "Claims"), ("docs/adr", "Decisions"), ("docs/guide", "Guide"), ("docs/howto", "How to")):
        if not (stage / folder / "README.md").exists():
            pages = sorted((ROOT / folder).glob("*.md"))
            (stage / folder / "README.md").write_text(
                f"# {words}\n\n" + "".join(f"- [{title(page)}]({page.name})\n" for page in pages))
    for name in TOP + [str(page.relative_to(ROOT)) for folder in FOLDERS for page in sorted((ROOT / folder).rglob("*.md"))]:
        (stage / name).write_text(adapted(ROOT / name, stage))
    reference(stage)


def settings(stage, out):
    def pages(folder):
        return [{title(page): str(page.relative_to(stage))} for page in sorted((stage / folder).glob("*.md"))]
    navigation = [{"kith": "README.md"}, {"Guide": pages("docs/guide")}, {"How to": pages("docs/howto")},
                  {"The papers": "docs/papers.md"}, {"What to trust": "docs/trust.md"}, {"Theory": pages("docs/theory")}, {"Claims": pages("claims")},
                  {"Interfaces": pages("reference")}, {"Figures": [{title(page): str(page.relative_to(stage))} for page in sorted((stage / "experiments").rglob("*.md"))]},
                  {"Decisions": pages("docs/adr")},
                  {"About": [{title(ROOT / name): name} for name in TOP[1:]]}]
    if (stage / "notebooks").exists():
        navigation.insert(2, {"Notebooks": pages("notebooks")})
    schemes = [{"media": "(prefers-color-scheme: light)", "scheme": "default", "primary": "indigo"},
               {"media": "(prefers-color-scheme: dark)", "scheme": "slate", "primary": "indigo"}]
    return {"site_name": "kith", "docs_dir": str(stage), "site_dir": str(out), "use_directory_urls": False, "strict": True, "nav": navigation,
            "theme": {"name": "material", "font": False, "palette": schemes, "features": ["navigation.tabs", "search.highlight"]},
            "plugins": ["search"], "markdown_extensions": ["tables", "fenced_code", "attr_list", "md_in_html", {"toc": {"permalink": True}},
                                                            {"pymdownx.highlight": {"use_pygments": True}}]}


def dead_anchors(out):
    """mkdocs checks pages; this checks the places in them."""
    ids = {page: set(re.findall(r'\bid="([^"]+)"', page.read_text())) for page in out.rglob("*.html")}
    for page in set(ids) - {out / "404.html"}:  # whose links are from the root, wherever that will be
        body = re.sub(r"<(script|nav)\b.*?</\1>", "", page.read_text(), flags=re.S)
        for target in re.findall(r'href="([^":]*)"', body):
            path, _, anchor = target.partition("#")
            place = (page.parent / path).resolve() if path else page
            if path and not place.exists():
                yield f"{page.relative_to(out)}: nothing is at {target}"
            elif anchor and place in ids and anchor not in ids[place]:
                yield f"{page.relative_to(out)}: no such place: {target}"


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/site").resolve()
    with tempfile.TemporaryDirectory() as scratch:
        stage = pathlib.Path(scratch).resolve() / "pages"
        stage.mkdir()
        staged(stage)
        file = pathlib.Path(scratch) / "mkdocs.yml"
        file.write_text(json.dumps(settings(stage, out)))  # JSON is YAML
        done = subprocess.run(["mkdocs", "build", "--clean", "--config-file", str(file)], text=True, capture_output=True)
        if done.returncode != 0:
            print((done.stdout + done.stderr).replace(scratch, ""), file=sys.stderr)
            return 1
    found = list(dead_anchors(out))
    print("\n".join(sorted(found)) or f"{out}/index.html: {len(list(out.rglob('*.html')))} pages")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
