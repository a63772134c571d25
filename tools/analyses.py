#!/usr/bin/env python3
"""Writes what follows from the table of analyses (src/release/analyses.cc): docs/openapi.json, as the program serves it, and from that file the
Python signatures (python/kith/_analyses.py) and the reference page (docs/guide/analysis_options.md). docs/howto/add_an_analysis.md

Usage: tools/analyses.py PROGRAM     (build/kith)
       tools/analyses.py --check     fails if the two are not what docs/openapi.json says; tests/e2e/test_openapi.py compares that with the program"""
import json
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPENAPI = ROOT / "docs" / "openapi.json"
TYPES = {"string": "str", "number": "float", "integer": "int", "boolean": "bool"}
WORDS = {"string": "text", "number": "number", "integer": "whole number", "boolean": "yes or no"}


def served_by(program):
    os.environ["KITH"] = program
    sys.path.insert(0, str(ROOT / "tests" / "e2e"))
    import kith_case
    import server_case
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "people.csv").write_text(kith_case.PEOPLE)
        (folder / "policy.toml").write_text(kith_case.POLICY)
        server = server_case.Server(folder, "policy.toml")
        try:
            return server.request("GET", "/v1/openapi.json")[2]
        finally:
            server.stop()


def analyses():
    """(name, schema of all, options in their order: (name, schema, needed)), by name."""
    for schema in sorted(json.loads(OPENAPI.read_text())["components"]["schemas"]["Analysis"]["oneOf"], key=lambda each: each["properties"]["analysis"]["const"]):
        options = schema["properties"]["options"]
        yield schema["properties"]["analysis"]["const"], schema, [(name, options["properties"][name], name in options["required"]) for name in options["x-order"]]


def in_python(name):
    return "from_" if name == "from" else name


def signature(method, gives, name, options):
    def one(option):
        key, schema, needed = option
        kind = f"Sequence[{TYPES[schema['items']['type']]}]" if schema["type"] == "array" else f"Literal[{', '.join(json.dumps(each) for each in schema['enum'])}]" \
            if "enum" in schema else TYPES[schema["type"]]
        return f"{in_python(key)}: {kind}" if needed else f"{in_python(key)}: Optional[{kind}] = ..."
    all_of_it = ", ".join([f'self, name: Literal["{name}"], *', *map(one, options), "epsilon: float", "timeout: Optional[float] = ..."])
    return f"    @overload\n    def {method}({all_of_it}) -> {gives}: ...\n"


PYTHON = '''# Written by tools/analyses.py from docs/openapi.json: change src/release/analyses.cc instead.
# fmt: off
"""Analyses with their options, as help and editors show them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, Mapping, NoReturn, Optional, Sequence, overload

from .documents import Answer, Explanation

#: By analysis: the options that it needs, and those that it may have.
ANALYSES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {{
{table}}}


class Analyses(ABC):
    @abstractmethod
    def _analysis(
        self, what: str, name: str, unnamed: tuple[object, ...], epsilon: Optional[float], timeout: Optional[float], options: Mapping[str, Any]
    ) -> dict[str, Any]:
        """A document, or an exception."""

{explain}    @overload
    def explain_analysis(self, name: str, *unnamed: NoReturn, epsilon: Optional[float] = ..., timeout: Optional[float] = ..., **options: Any) -> Explanation: ...
    def explain_analysis(
        self, name: str, *unnamed: NoReturn, epsilon: Optional[float] = None, timeout: Optional[float] = None, **options: Any
    ) -> Explanation:
        """What an analysis would cost and give. Touches no data, charges nothing. Options are those of ``analyse``."""
        return Explanation(self._analysis("analyses/explain", name, unnamed, epsilon, timeout, options), epsilon)

{analyse}    @overload
    def analyse(self, name: str, *unnamed: NoReturn, epsilon: Optional[float] = ..., timeout: Optional[float] = ..., **options: Any) -> Answer: ...
    def analyse(
        self, name: str, *unnamed: NoReturn, epsilon: Optional[float] = None, timeout: Optional[float] = None, **options: Any
    ) -> Answer:
        r"""An analysis, at a price: ``analyse("kmeans", columns=["x", "y"], clusters=5, epsilon=0.5)``.

        By name, first what each needs, then what it may have (docs/guide/analysis_options.md says what each option is):

{listed}
        A histogram of protected data is a question, ``SELECT histogram(age, 10) AS h, count(*) FROM people GROUP BY h``; the
        analysis of that name is for policies with rows that need no protection.
        """
        return Answer(self._analysis("analyses", name, unnamed, epsilon, timeout, options), epsilon)
'''


def python():
    table, listed, explain, analyse = [], [], "", ""
    for name, _, options in analyses():
        must = [key for key, _, needed in options if needed]
        may = [key for key, _, needed in options if not needed]
        ones = ["(" + ", ".join(json.dumps(each) for each in names) + ("," if len(names) == 1 else "") + ")" for names in (must, may)]
        table.append(f'    "{name}": ({", ".join(ones)}),\n')
        listed.append([name, *(", ".join("from\\_" if each == "from" else each for each in names) for names in (must, may))])
        explain += signature("explain_analysis", "Explanation", name, options)
        analyse += signature("analyse", "Answer", name, options)
    widths = [max(len(row[k]) for row in listed) for k in range(3)]
    rule = "        " + "  ".join("=" * width for width in widths) + "\n"
    rows = "".join("        " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() + "\n" for row in listed)
    return PYTHON.format(table="".join(table), explain=explain, analyse=analyse, listed=rule + rows + rule)


def cell(text):
    return text.replace("|", "\\|")


def meaning(schema):
    text = schema["description"] + ("" if schema["description"].endswith(".") else ".")
    if "enum" in schema:
        text += " One of " + ", ".join(f"`{each}`" for each in schema["enum"]) + "."
    least, most = schema.get("minimum", 0), schema.get("maximum")
    if most is not None:
        text += f" {least} to {most}." if least else f" At most {most}."
    elif least:
        text += f" At least {least}."
    return text


def page():
    text = "# Options of analyses\n\nEverything that `kith analyse POLICY NAME`, HTTP and Python take, by name. [Analyses](analyses.md), [classifiers](classifiers.md), [many cells](many_cells.md), " \
           "[places](places.md), [synthetic data](synthetic.md) and [one-sided releases](one_sided.md) explain what they are for. On the command line `max_degree` is `--max-degree`; lists have " \
           "commas between their parts.\n\n<!-- Written by tools/analyses.py from docs/openapi.json: change src/release/analyses.cc instead. -->\n"
    for name, schema, options in analyses():
        needs = f" Needs {schema['x-needs']}." if "x-needs" in schema else ""
        text += f"\n## {name}\n\n{schema['description']}.{needs}\n\n| option | what is given | meaning |\n|---|---|---|\n"
        for key, each, needed in options:
            kind = f"list of {WORDS[each['items']['type']]}s" if each["type"] == "array" else WORDS[each["type"]]
            if "minItems" in each:
                kind = f"{each['minItems']} {WORDS[each['items']['type']]}s"
            text += f"| `{key}` | {kind}{', needed' if needed else ''} | {cell(meaning(each))} |\n"
    return text


def written():
    return {ROOT / "python" / "kith" / "_analyses.py": python(), ROOT / "docs" / "guide" / "analysis_options.md": page()}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--check":
        old = [str(path.relative_to(ROOT)) for path, text in written().items() if not path.exists() or path.read_text() != text]
        print(f"not as docs/openapi.json says: {', '.join(old)}: run tools/analyses.py build/kith" if old else "analyses: ok")
        sys.exit(1 if old else 0)
    OPENAPI.write_text(served_by(sys.argv[1]))
    for path, text in written().items():
        path.write_text(text)
