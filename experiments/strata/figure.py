#!/usr/bin/env python3
"""The figure of docs/guide/households.md and the table of README.md: 95 % error bars of a count by size of household, with one size for all and with strata.

Usage: figure.py KITH FIGURE.svg. No data are needed: the bars follow from question, policy and price.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

POLICY = """[data]
public_columns = "fixed"
tables.people = "homes.csv"
[unit]
table = "people"
key = "id"
max_rows = 1
presence = "public"
[columns.people]
persons = {{ values = [6, 5, 4, 3, 2, 1], public = true, required = true }}
ill = {{ values = ["no", "yes"] }}
[dependence]
source = "public"
kind = "group"
by = "house"
size = {size}
odds_ratio = 4
[budget]
epsilon = 1.0
ledger = "homes.ledger"
"""
QUESTION = "SELECT persons, count(*) FROM people WHERE ill = 'yes' GROUP BY persons"
SIZES = range(1, 7)


def scales(kith, size):
    """The scale of the noise in the groups of each size."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "p.toml").write_text(POLICY.format(size=size))
        done = subprocess.run([kith, "explain", "p.toml", QUESTION, "--epsilon", "1", "--json"], cwd=folder, text=True, capture_output=True, check=True)
    lines = json.loads(done.stdout)["statistics"]
    by_name = {line.get("stratum", ""): (line["scale"], line["error_95"]) for line in lines}
    return [by_name.get(f"persons={k}", by_name.get("")) for k in SIZES]


def bar(x, height, colour, text):
    top = 260 - height
    return (f'<rect x="{x}" y="{top:.1f}" width="34" height="{height:.1f}" fill="{colour}"/>'
            f'<text x="{x + 17}" y="{top - 5:.1f}" text-anchor="middle">{text}</text>')


def main():
    kith, figure = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    one, strata = scales(kith, "6"), scales(kith, '"persons"')
    print("persons  one size (scale, ±95 %)  strata (scale, ±95 %)  ratio of scales")
    for k, a, b in zip(SIZES, one, strata):
        print(f"{k}  {a[0]:.4g} {a[1]:g}  {b[0]:.4g} {b[1]:g}  {a[0] / b[0]:.2f}")
    most = max(error for _, error in one + strata)
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="640" height="330" viewBox="0 0 640 330" font-family="sans-serif" font-size="12">',
             '<rect width="640" height="330" fill="white"/>',
             '<text x="20" y="22" font-size="14">Error bar (±95 %) of a count, by size of household; dependent loss 1, odds ratio 4</text>']
    for k, a, b in zip(SIZES, one, strata):
        x = 40 + 95 * (k - 1)
        parts.append(bar(x, 200 * a[1] / most, "#b0b0b0", f"{a[1]:g}"))
        parts.append(bar(x + 38, 200 * b[1] / most, "#2b6cb0", f"{b[1]:g}"))
        parts.append(f'<text x="{x + 36}" y="278" text-anchor="middle">{k} person{"" if k == 1 else "s"}</text>')
    parts.append('<line x1="30" y1="260" x2="610" y2="260" stroke="black"/>')
    for x, colour, text in ((40, "#b0b0b0", "size = 6 for all"), (200, "#2b6cb0", 'strata: size = "persons"')):
        parts.append(f'<rect x="{x}" y="300" width="14" height="14" fill="{colour}"/><text x="{x + 20}" y="312">{text}</text>')
    figure.write_text("\n".join([*parts, "</svg>"]) + "\n")


if __name__ == "__main__":
    main()
