"""Documents as people read them: short tables and lines instead of JSON."""

from __future__ import annotations

from html import escape
from typing import Any, Mapping, Optional, Sequence

from ._losses import left_text, loss_text, number

#: A heading with a table below it: (heading, names of columns, lines).
Part = tuple[str, Sequence[str], Sequence[Sequence[str]]]

#: Lines of a table that are shown of a long one.
MOST = 20


def table_lines(header: Sequence[str], lines: Sequence[Sequence[str]], *, right: bool = False) -> list[str]:
    """
    >>> print("\\n".join(table_lines(["ward", "n"], [["north", "12"], ["south", "7"]])))
    ward   n
    ─────  ──
    north  12
    south  7
    """
    shown = lines[:MOST]
    widths = [max(len(each[k]) for each in [header, *shown]) for k in range(len(header))]
    side = ">" if right else "<"
    found = [
        "  ".join(f"{cell:{side}{width}}" for cell, width in zip(line, widths)).rstrip()
        for line in [header, ["─" * width for width in widths], *shown]
    ]
    if len(lines) > MOST:
        found.append(f"… the first {MOST} of {len(lines)} rows")
    return found


def parts_text(parts: Sequence[Part]) -> str:
    found: list[str] = []
    for heading, header, lines in parts:
        found += [*([""] if found else []), heading, *(table_lines(header, lines) if header else [])]
    return "\n".join(found)


def parts_html(parts: Sequence[Part]) -> str:
    def cells(kind: str, line: Sequence[str]) -> str:
        each = "".join(f'<{kind} style="text-align:left">{escape(cell)}</{kind}>' for cell in line)
        return f"<tr>{each}</tr>"

    found = []
    for heading, header, lines in parts:
        found.append("".join(f"<p>{escape(line)}</p>" for line in heading.splitlines()))
        if header:
            body = "".join(cells("td", line) for line in lines[:200])
            found.append(f"<table><thead>{cells('th', header)}</thead><tbody>{body}</tbody></table>")
    return "".join(found)


def short(value: Any) -> str:
    """A field in a line; what does not fit is counted, never cut.

    >>> short({"plain": 0.5, "group": 1.0}), short(["a", "b"]), short([{"a": 1}, {"a": 2}])
    ('plain 0.5, group 1.0', 'a; b', '2 entries')
    """
    if isinstance(value, Mapping):
        plain = not any(isinstance(each, (dict, list)) for each in value.values())
        return ", ".join(f"{name} {each}" for name, each in value.items()) if plain and len(value) <= 8 else f"{len(value)} entries"
    if isinstance(value, (list, tuple)):
        plain = not any(isinstance(each, (dict, list)) for each in value)
        return "; ".join(str(each) for each in value) if plain and len(value) <= 8 else f"{len(value)} entries"
    return str(value)


def domain_text(column: Mapping[str, Any]) -> str:
    """Which values a column may have."""
    if "values" in column:
        values = ["NULL" if each is None else str(each) for each in column["values"]]
        return ", ".join(values) if len(values) <= 6 else f"{', '.join(values[:5])}, … ({len(values)} values)"
    lower, upper = column.get("lower"), column.get("upper")
    if lower is None and upper is None:
        return ""
    return f"{'' if lower is None else lower} to {'' if upper is None else upper}"


def columns_parts(document: Mapping[str, Any]) -> list[Part]:
    def line(column: Mapping[str, Any]) -> list[str]:
        return [
            str(column["name"]),
            str(column["type"]),
            domain_text(column),
            "public" if column["public"] else "secret",
            "yes" if column["required"] else "no",
            ", ".join(str(each) for each in column.get("may_ask", [])),
        ]

    header = ["column", "type", "values or bounds", "known", "required", "may be asked"]
    return [
        (": ".join(each for each in (str(table["name"]), str(table.get("about", ""))) if each), header, [line(each) for each in table["columns"]])
        for table in document["tables"]
    ]


def _count(value: Any) -> str:
    return "" if not value else str(value)


def import_parts(document: Mapping[str, Any]) -> list[Part]:
    """What was read, and as what."""

    def line(column: Mapping[str, Any]) -> list[str]:
        missing = number(column.get("null_share_stored") or 0)
        return [
            str(column["name"]),
            str(column["type"]),
            "" if not missing else f"{100 * missing:.3g} %",
            _count(column.get("undeclared")),
            _count(column.get("below")),
            _count(column.get("above")),
            _count(column.get("unreadable")),
        ]

    header = ["column", "type", "missing", "not declared", "below", "above", "unreadable"]
    parts: list[Part] = [(f"data version {document['version']}; exact numbers, for the curator alone", [], [])]
    for table in document["tables"]:
        dropped = f"; {table['dropped_lines']} lines could not be read" if table.get("dropped_lines") else ""
        parts.append((f"{table['name']}: {table['rows']} rows of {table['source']}{dropped}", header, [line(each) for each in table["columns"]]))
    units = document.get("units")
    if units:
        over = f"; {units['units_over']} have more" if units.get("units_over") else ""
        lost = f"; {units['rows_without_key']} rows have no key" if units.get("rows_without_key") else ""
        most = "1 row" if units.get("max_rows") == 1 else f"at most {units.get('max_rows')} rows"
        if units.get("units") is not None:
            parts.append((f"{units['units']} units, {most} of each counted{over}{lost}", [], []))
    for group in document.get("groups", []):
        parts.append((f"groups by {group['column']}: {group['groups']}, the largest of {group['largest']} (declared: {group['declared_size']}), {group['over']} larger than declared", [], []))
    said = [f"{'GRAVE: ' if each['serious'] else ''}{each['text']}" for each in document.get("findings", [])]
    parts.append(("\n".join(["findings:", *("  " + each for each in said)]) if said else "nothing that was counted differs from the policy", [], []))
    promised = document.get("promised", [])
    if promised:
        parts.append(("\n".join(["only promised, and not counted:", *("  " + each for each in promised)]), [], []))
    return parts


def audit_parts(document: Mapping[str, Any]) -> list[Part]:
    more = document.get("epsilon") is not None and any("dependent_after" in each for each in document["strata"])
    header = ["public cell", "plain", "dependent", "bits", *(["dependent, with one more", "bits, with one more"] if more else [])]

    def line(stratum: Mapping[str, Any]) -> list[str]:
        names = ["plain", "dependent", "bits", *(["dependent_after", "bits_after"] if more else [])]
        return [str(stratum["name"]) or "everybody", *(loss_text(stratum.get(name)) for name in names)]

    return [
        (str(document["verdict"]), [], []),
        ("what the answers so far give away about anybody in", header, [line(each) for each in document["strata"]]),
        (f"assumption: {document['assumption']}", [], []),
    ]


def _known(value: Any) -> str:
    return "not known" if value is None or number(value) != number(value) else loss_text(value)


def estimate_lines(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    def found(finding: Mapping[str, Any]) -> str:
        limits: Optional[Mapping[str, Any]] = finding.get("limits")
        within = f" ({left_text(limits['lower'])} to {loss_text(limits['upper'])})" if limits else ""
        value = finding.get("estimate")
        return f"{finding.get('of', '')}: {_known(value)}{within}, from {finding.get('sample', '?')}"

    return [
        ("in words", str(document.get("in_words", ""))),
        ("found", "\n".join(found(each) for each in document.get("findings", []) if isinstance(each, Mapping))),
        ("holds if", "\n".join(str(each) for each in document.get("conditions", []))),
        ("declare", str(document.get("declaration", "")).strip()),
    ]
