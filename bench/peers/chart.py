"""CPU of each peer as a multiple of kith's, a dot for each question, on a logarithmic axis."""

from __future__ import annotations

import math
import pathlib
from typing import Any
from xml.sax.saxutils import escape

COLOURS = {
    "DuckDB, no noise": "#888888", "diffprivlib": "#1b7837", "PyDP": "#762a83", "OpenDP": "#2166ac", "SmartNoise": "#b2182b", "PipelineDP": "#e08214", "Qrlew": "#01665e", "Tumult": "#c51b7d",
}  # fmt: skip


def write(path: pathlib.Path, lines: list[dict[str, Any]], rows: int, words: dict[str, str]) -> None:
    at = {(each["task"], each["peer"]): each["load and first CPU s"] for each in lines if each["kind"] == "cost" and each["rows"] == rows and "load and first CPU s" in each}
    own = {task: at.get((task, "kith, in memory" if task == "thousand" else "kith")) for task in words}  # a thousand are asked of what was loaded once
    tasks = [task for task in words if own[task]]
    left, width, high = 200, 520, 26
    decades = range(-1, 5)

    def place(ratio: float) -> float:
        return left + width * (math.log10(min(max(ratio, 0.1), 1e4)) - decades[0]) / (decades[-1] - decades[0])

    bottom = 60 + high * len(tasks)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 30} {bottom + 60}" font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="10" y="18" font-size="14">CPU to load {rows:,} rows and answer once, as a multiple of kith\'s</text>',
    ]
    for decade in decades:
        x = place(10.0**decade)
        out.append(f'<line x1="{x:.1f}" y1="36" x2="{x:.1f}" y2="{bottom}" stroke="{"#000" if decade == 0 else "#ddd"}"/>')
        out.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{10.0**decade:g}</text>')
    for k, task in enumerate(tasks):
        y = 54 + high * k
        out.append(f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{escape(words[task])}{", loaded once" if task == "thousand" else ""}</text>')
        for peer, colour in COLOURS.items():
            if (task, peer) in at:
                ratio = at[task, peer] / own[task]
                out.append(f'<circle cx="{place(ratio):.1f}" cy="{y}" r="5" fill="{colour}" fill-opacity="0.8"><title>{escape(peer)}: {ratio:.2g}</title></circle>')
    x = 10
    for peer, colour in COLOURS.items():
        out.append(f'<circle cx="{x + 5}" cy="{bottom + 40}" r="5" fill="{colour}"/><text x="{x + 14}" y="{bottom + 44}">{escape(peer)}</text>')
        x += 26 + 6.2 * len(peer)
    path.write_text("\n".join(out) + "\n</svg>\n")
