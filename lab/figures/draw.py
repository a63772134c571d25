#!/usr/bin/env python3
"""Draws the figures that kith experiment wrote as tables: a picture for each panel beside its CSV file, and index.html, which shows all.
Usage: draw.py [--format svg|pdf|png] FOLDER [FIGURE ...]

A figure's folder has figure.json (title, axes and form of every panel) and a CSV file for each. One panel shows five methods at most: of more, kith's own and the
others stand side by side, with one scale. Needs python3-matplotlib (./setup paper). Equal tables give equal pictures."""
import argparse
import collections
import csv
import html
import itertools
import json
import os
import pathlib
import re
import sys
import textwrap

try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
except ImportError:
    sys.exit("draw.py: matplotlib is missing\n  try: ./setup paper, or apt-get install python3-matplotlib")

MOST = 5  # methods in a panel
WIDTH = 3.5  # inches: one column of a page
KITHS = ("kith", "star", "field", "group")  # how kith's own methods begin
DIRECTORY = pathlib.Path(__file__).resolve().parent


def plain(value, _=None):
    """1,000 and 0.001 as people write them; powers of ten beyond."""
    return f"{value:,.10g}" if value == 0 or 1e-3 <= abs(value) < 1e5 else power(value)


def power(value, _=None):
    mantissa, exponent = f"{value:.0e}".split("e")
    return rf"$10^{{{int(exponent)}}}$" if mantissa == "1" else rf"${mantissa}\cdot 10^{{{int(exponent)}}}$"


def printed(text):
    """With the signs that print has and a terminal may not."""
    return re.sub(r"\bepsilon\b", "ε", text).replace("->", "→").replace(" %", "\u00a0%")


def titled(axes, text, columns=1):
    axes.set_title("\n".join(textwrap.wrap(printed(text), 54 * columns)))


def methods_of(rows):
    """Method to its points, in the order of the table."""
    found = collections.OrderedDict()
    for row in rows:
        found.setdefault(row["method"], []).append(tuple(float(row[name]) for name in ("x", "mean", "low", "high")))
    return found


def parts(methods):
    """Of more than five methods: those of others and kith's own, each in as many parts as it takes. What is about a method ("a -> b: limit") stays with it."""
    if len(methods) <= MOST:
        return [list(methods)]
    split = []
    for own in (False, True):
        together = []
        for name in methods:
            if name.startswith(KITHS) == own:
                together += [[name]] if not together or not name.startswith(together[-1][0] + ":") else []
                together[-1] += [name] if together[-1][-1] != name else []
        most = -(-sum(map(len, together)) // -(-sum(map(len, together)) // MOST)) if together else 0  # parts of about equal size
        part = []
        for names in together:
            if part and len(part) + len(names) > max(most, len(names)):
                split.append(part)
                part = []
            part = part + names
        split += [part] if part else []
    return split


def axes_of(panel, axes):
    for axis, name, logarithmic in ((axes.xaxis, "x", panel["log_x"]), (axes.yaxis, "y", panel["log_y"])):
        if logarithmic:
            getattr(axes, f"set_{name}scale")("log")
            axis.set_major_locator(LogLocator(numticks=7))
            axis.set_minor_formatter(NullFormatter())
        large = logarithmic and max(map(abs, axis.get_view_interval())) >= 1e5
        axis.set_major_formatter(FuncFormatter(power if large else plain))
    axes.set_xlabel(printed(panel["x"]))


def lines(panel, rows):
    methods = methods_of(rows)
    columns = parts(methods)
    looks = list(matplotlib.rcParams["axes.prop_cycle"])
    figure, row = plt.subplots(1, len(columns), sharey=True, squeeze=False, figsize=(WIDTH * (0.1 + 0.9 * len(columns)), 2.5), gridspec_kw={"wspace": 0.08})
    for axes, names in zip(row[0], columns):
        for name, look in zip(names, looks):
            points = [p for p in methods[name] if all(abs(v) != float("inf") and v == v for v in p) and not (panel["log_y"] and p[1] <= 0)]
            x, mean, low, high = zip(*points) if points else ((), (), (), ())
            many = len(points) > 12
            axes.plot(x, mean, label=printed(name), zorder=3, **{**look, **({"marker": ""} if many else {})})
            if any(a < b for a, b in zip(low, high)):
                if many:
                    axes.fill_between(x, low, high, color=look["color"], alpha=0.15, linewidth=0)
                else:
                    below = [max(0.0, m - a) for m, a in zip(mean, low)]
                    above = [max(0.0, b - m) for m, b in zip(mean, high)]
                    axes.errorbar(x, mean, yerr=(below, above), fmt="none", ecolor=look["color"], elinewidth=0.7, zorder=2)
        axes_of(panel, axes)
        if panel["x"] == "hour of the day":
            axes.set_xticks(range(0, 25, 6))
        if len(methods) > 1:
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncol=2 if len(names) > 1 and max(map(len, names)) <= 18 else 1, columnspacing=1.2, handlelength=2.6)
    row[0][0].set_ylabel(textwrap.fill(printed(panel["y"]), 40))
    titled(row[0][0], panel["title"], len(columns))
    return figure


def bars(panel, rows):
    methods = methods_of(rows)
    figure, axes = plt.subplots(figsize=(WIDTH, 0.6 + 0.32 * len(methods)))
    names = list(methods)
    for k, name in enumerate(names):
        _, mean, low, high = methods[name][0]
        error = [[max(0.0, mean - low)], [max(0.0, high - mean)]] if low < high else None
        axes.barh(k, mean, height=0.6, color="#0072b2", xerr=error, error_kw={"elinewidth": 0.7}, zorder=3)
        axes.annotate(plain(float(f"{mean:.3g}")), (max(mean, high), k), xytext=(4, 0), textcoords="offset points", va="center", fontsize=7.5)
    axes.set_yticks(range(len(names)), [textwrap.fill(printed(name), 30) for name in names])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.margins(x=0.18)
    axes.xaxis.set_major_formatter(FuncFormatter(plain))
    axes.set_xlabel(printed(panel["y"]))
    titled(axes, panel["title"])
    return figure


def pairs(panel, rows):
    """A row for each pair; x is a number with a meaning, which the label of the axis says: "1: d1, 2: d2"."""
    methods = methods_of(rows)
    meanings = [part.split(":", 1)[1].strip() for part in panel["x"].split(",")]
    figure, axes = plt.subplots(figsize=(WIDTH, 0.8 + 0.17 * len(methods)))
    names = list(methods)
    for number, (meaning, colour, mark) in enumerate(zip(meanings, itertools.cycle(("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000")), "os^Dv"), 1):
        at = [(p[1], k) for k, name in enumerate(names) for p in methods[name] if p[0] == number and p[1] > 0]
        axes.plot(*zip(*at), linestyle="", marker=mark, color=colour, label=meaning, zorder=3, markerfacecolor="white" if number > 2 else colour)
    axes.axvline(1, color="#888888", linewidth=0.7)
    axes.set_yticks(range(len(names)), map(printed, names))
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(FuncFormatter(plain))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(printed(panel["y"]))
    titled(axes, panel["title"])
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.42 / figure.get_size_inches()[1]), ncol=2)
    return figure


def network(panel, rows):
    figure, axes = plt.subplots(figsize=(WIDTH, WIDTH))
    at = {row["person"]: (float(row["x"]), float(row["y"])) for row in rows}
    ties = [(at[row["person"]], at[friend]) for row in rows for friend in row["friends"].split()]
    axes.add_collection(matplotlib.collections.LineCollection(ties, colors="#999999", linewidths=0.25, zorder=1))
    clusters = sorted({row["cluster"] for row in rows}, key=int)
    looks = itertools.product("o^", ("#0072b2", "#d55e00", "#009e73", "#cc79a7"))
    for cluster, (mark, colour) in zip(clusters, itertools.cycle(looks)):
        mine = [at[row["person"]] for row in rows if row["cluster"] == cluster]
        axes.scatter(*zip(*mine), s=7, marker=mark, color=colour, linewidths=0, label=f"cluster {int(cluster) + 1}", zorder=2)
    axes.set_aspect("equal")
    axes.axis("off")
    sides = sorted(spot[0] for spot in at.values()), sorted(spot[1] for spot in at.values())
    for side, limit in zip(sides, (axes.set_xlim, axes.set_ylim)):  # nearly all; few are far out
        low, high = side[len(side) // 50], side[-1 - len(side) // 50]
        limit(low - 0.08 * (high - low), high + 0.08 * (high - low))
    titled(axes, panel["title"])
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0), ncol=4, handletextpad=0.1, columnspacing=0.8)
    return figure


FORMS = {"lines": lines, "bars": bars, "pairs": pairs, "network": network}


def caption(about, rows):
    """What the picture shows, of which data, and what its marks mean."""
    text = f"{about['about']} {about['setting']}"
    if any(float(row["low"]) < float(row["high"]) for row in rows if "low" in row):
        text += " Bars and bands: 95 % confidence intervals over repetitions."
    return text


def draw(folder, kind):
    about = json.loads((folder / "figure.json").read_text())
    for panel in about["panels"]:
        with open(folder / f"{panel['file']}.csv", newline="") as table:
            rows = list(csv.DictReader(table))
        figure = FORMS[panel["form"]](panel, rows)
        drawn = matplotlib.transforms.Bbox.union([axes.get_tightbbox(figure.canvas.get_renderer()) for axes in figure.axes])
        words = textwrap.fill(printed(caption(about, rows)), round(drawn.width / figure.dpi * 24))
        figure.text(drawn.x0 / figure.bbox.width, drawn.y0 / figure.bbox.height - 0.03, words, fontsize=6.5, va="top", color="#333333")
        figure.savefig(folder / f"{panel['file']}.{kind}", metadata={"Date": None} if kind == "svg" else {"CreationDate": None} if kind == "pdf" else None)
        plt.close(figure)
    return about


def index(folder, kind):
    page = ["<!DOCTYPE html>", "<html lang=\"en\"><meta charset=\"utf-8\"><title>Figures</title>",
            "<style>body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}img{max-width:100%}</style>", "<h1>Figures</h1>"]
    for path in sorted(folder.glob("*/figure.json")):
        about, name = json.loads(path.read_text()), path.parent.name
        page += [f"<h2 id=\"{name}\">{name}</h2>", f"<p>{html.escape(about['about'])} {html.escape(about['setting'])}</p>"]
        for panel in about["panels"]:
            file = f"{name}/{panel['file']}"
            page.append(f"<p><img src=\"{file}.{kind}\" alt=\"{html.escape(panel['title'])}\"> <a href=\"{file}.csv\">CSV</a></p>")
        for part in ("published", "here", "why"):
            if about.get(part):
                page.append(f"<p><b>{part.capitalize()}.</b> {html.escape(about[part])}</p>")
    (folder / "index.html").write_text("\n".join(page) + "\n</html>\n")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--format", choices=("svg", "pdf", "png"), default="svg")
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("figure", nargs="*")
    asked = options.parse_args()
    os.environ.setdefault("SOURCE_DATE_EPOCH", "0")
    plt.style.use(DIRECTORY / "kith.mplstyle")
    folders = sorted(path.parent for path in asked.folder.glob("*/figure.json") if not asked.figure or path.parent.name in asked.figure)
    if not folders:
        sys.exit(f"draw.py: {asked.folder} has no such figure\n  try: kith experiment fig6 --output {asked.folder}")
    for folder in folders:
        draw(folder, asked.format)
    if not asked.figure:
        index(asked.folder, asked.format)
        print(f"{asked.folder}/index.html shows all")


if __name__ == "__main__":
    main()
