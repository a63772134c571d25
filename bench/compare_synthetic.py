#!/usr/bin/env python3
"""Synthetic data at one price: kith beside AIM and MST, on the Adult table, and households with and without compositions.

  python3 bench/compare_synthetic.py --kith build/kith --adult FOLDER [--only kith,aim,mst,households] [--runs 5]

FOLDER holds adult.data.gz and adult.test.gz of the UCI repository. AIM and MST are those of the package dpmm (pip install dpmm), which
are adapted from the authors' own. Everybody sees the same table: 14 columns, numbers cut at the same public edges (CUTS). What is
compared: the total variation between the data and the synthetic table, as a mean over all 91 pairs of columns.

The guarantees. AIM and MST: (1, 1e-9), if somebody is added or removed. kith: pure, no delta; a replaced record loses the price,
one that comes or goes half of it (claims/synthetic.md). So a price of 2 is what they call 1, and a price of 1 hides more.
"""
import argparse, gzip, itertools, json, pathlib, statistics, subprocess, tempfile, time

import numpy as np

NAMES = ("age workclass fnlwgt education education_num marital occupation relationship race sex gain loss hours country income").split()
CUTS = {"age": list(range(20, 86, 5)), "fnlwgt": list(range(50000, 500001, 50000)), "education_num": list(range(2, 17)),
        "gain": [1, 3000, 5000, 7500, 10000, 20000, 99999], "loss": [1, 1500, 1750, 2000, 2250], "hours": list(range(5, 100, 5))}
COLUMNS = [name for name in NAMES if name != "education"]


def adult(folder):
    rows = []
    for name in ("adult.data.gz", "adult.test.gz"):
        for line in gzip.open(pathlib.Path(folder) / name, "rt"):
            parts = [part.strip().rstrip(".") for part in line.split(",")]
            if len(parts) == 15:
                rows.append(dict(zip(NAMES, parts)))
    codes, sizes = {}, {}
    for column in COLUMNS:
        if column in CUTS:
            codes[column] = np.searchsorted(CUTS[column], [int(row[column]) for row in rows], side="right")
            sizes[column] = len(CUTS[column]) + 1
        else:  # the lists of adult.names, and "?"
            values = sorted({row[column] for row in rows})
            codes[column] = np.array([values.index(row[column]) for row in rows])
            sizes[column] = len(values)
    return codes, sizes


def mean_distance(data, made, sizes):
    """Over all pairs of columns, of the total variation between two tables of codes."""
    def table(codes, a, b):
        counts = np.bincount(np.asarray(codes[a]) * sizes[b] + np.asarray(codes[b]), minlength=sizes[a] * sizes[b])
        return counts / counts.sum()
    return statistics.mean(np.abs(table(data, a, b) - table(made, a, b)).sum() / 2 for a, b in itertools.combinations(sizes, 2))


def kith_rows(kith, policy, folder, options):
    (pathlib.Path(folder) / "p.toml").write_text(policy)
    out = subprocess.run([kith, "analyse", "p.toml", "synthetic", *options, "--json"], cwd=folder, capture_output=True, text=True, check=True)
    document = json.loads(out.stdout)
    rows, columns = document["answer"]["rows"], document["answer"]["columns"]
    return {name: [row[k] for row in rows] for k, name in enumerate(columns)}, document


def run_kith(kith, codes, sizes, price):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/t.csv", "w") as file:
            file.write("id," + ",".join(sizes) + "\n")
            for k in range(len(codes["age"])):
                file.write(f"{k}," + ",".join(str(codes[c][k]) for c in sizes) + "\n")
        policy = ('[data]\ntables.t = "t.csv"\n[unit]\ntable = "t"\nkey = "id"\nmax_rows = 1\npresence = "secret"\n[columns.t]\nid = { type = "integer" }\n'
                  + "".join(f"{c} = {{ values = {list(range(sizes[c]))}, required = true }}\n" for c in sizes)
                  + f'[dependence]\nsource = "public"\nkind = "independent"\n[budget]\nepsilon = {price}\nledger = "l.ledger"\n')
        began = time.time()
        made, answer = kith_rows(kith, policy, folder, ["--columns", ",".join(sizes), "--epsilon", str(price)])
        return made, time.time() - began, answer


def run_peer(name, codes, sizes, seed, model_size, iterations, rounds):
    import dpmm.models.base.mechanisms.mechanism
    import pandas as pd
    from dpmm.models.aim import AIMGM
    from dpmm.models.mst import MSTGM
    for module in (dpmm.models.aim, dpmm.models.mst, dpmm.models.base.mechanisms.mechanism):  # its own asks a newer OpenDP for a domain that is refused
        module.gaussian_noise = lambda sigma, size: prng.normal(0, sigma, size)
    frame = pd.DataFrame({c: np.asarray(codes[c], dtype=int) for c in sizes})
    prng, domain = np.random.RandomState(seed), {c: int(sizes[c]) for c in sizes}
    if name == "aim":
        model = AIMGM(epsilon=1, delta=1e-9, compress=False, max_model_size=model_size, n_iters=iterations, rounds=rounds, domain=domain, random_state=prng, n_jobs=1)
    else:
        model = MSTGM(epsilon=1, delta=1e-9, n_iters=iterations, domain=domain, random_state=prng, n_jobs=1)
    began = time.time()
    model.fit(frame)
    made = model.generate(n_records=len(frame))
    return {c: made[c].to_numpy() for c in sizes}, time.time() - began


def households(kith, runs, price=1):
    """5,000 households of up to four persons, ill together (public law); how far compositions are off with and without --together."""
    rng = np.random.RandomState(7)
    rows, size = [], 4
    for house in range(5000):
        risk = rng.beta(0.4, 1.6)
        for _ in range(1 + rng.randint(size)):
            ill = rng.random_sample() < risk
            rows.append((house, int(ill), int(rng.random_sample() < (0.7 if ill else 0.2)), rng.randint(2)))
    def compositions(groups, ill):
        members = {}
        for house, sick in zip(groups, ill):
            have = members.setdefault(house, [0, 0])
            have[int(sick)] += 1
        counts = {}
        for well, sick in members.values():
            counts[(well, sick)] = counts.get((well, sick), 0) + 1 / len(members)
        return counts
    true = compositions([r[0] for r in rows], [r[1] for r in rows])
    policy = ('[data]\ntables.t = "t.csv"\n[unit]\ntable = "t"\nkey = "id"\nmax_rows = 1\npresence = "public"\nwithin = "house"\nsize = 4\n[columns.t]\n'
              'house = { type = "integer", public = true }\nill = { values = [0, 1], required = true }\ncough = { values = [0, 1], required = true }\n'
              'sex = { values = [0, 1], required = true }\n[dependence]\nsource = "public"\nkind = "group"\nby = "house"\nsize = 4\nodds_ratio = 8\n'
              f'[budget]\nepsilon = 100\nledger = "l.ledger"\n')
    found = {"with": [], "without": []}
    for _ in range(runs):
        for how in found:
            with tempfile.TemporaryDirectory() as folder:
                with open(f"{folder}/t.csv", "w") as file:
                    file.write("id,house,ill,cough,sex\n")
                    file.writelines(f"{k},{r[0]},{r[1]},{r[2]},{r[3]}\n" for k, r in enumerate(rows))
                options = ["--columns", "ill,cough,sex", "--epsilon", str(price)] + (["--together", "ill"] if how == "with" else [])
                made, _ = kith_rows(kith, policy, folder, options)
                groups = made.get("house")
                if groups is None:  # rows have no household: the public sizes, filled in any order
                    groups = [r[0] for r in rows][:len(made["ill"])]
                shown = compositions(groups, made["ill"][:len(groups)])
                found[how].append(sum(abs(true.get(c, 0) - shown.get(c, 0)) for c in set(true) | set(shown)) / 2)
    return found


def picture(file, found):
    """Horizontal bars, one for each way: the mean, and a whisker from the least to the most."""
    wide, most = 420, max(max(runs) for runs in found.values())
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="720" height="{40 + 34 * len(found)}" font-family="sans-serif" font-size="13">',
           '<rect width="100%" height="100%" fill="white"/><text x="10" y="20">Mean total variation over all pairs of columns of Adult</text>']
    for k, (name, runs) in enumerate(found.items()):
        y, mean = 34 + 34 * k, statistics.mean(runs)
        out.append(f'<text x="10" y="{y + 17}">{name}</text><rect x="200" y="{y + 4}" width="{wide * mean / most:.1f}" height="18" fill="{"#2166ac" if name.startswith("kith") else "#b0b0b0"}"/>'
                   f'<line x1="{200 + wide * min(runs) / most:.1f}" x2="{200 + wide * max(runs) / most:.1f}" y1="{y + 13}" y2="{y + 13}" stroke="black"/>'
                   f'<text x="{208 + wide * max(runs) / most:.1f}" y="{y + 17}">{mean:.4f}</text>')
    pathlib.Path(file).write_text("\n".join(out + ["</svg>"]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kith", default="kith")
    parser.add_argument("--adult", required=True)
    parser.add_argument("--only", default="kith,aim,mst,households")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--prices", default="1,2")
    parser.add_argument("--iterations", type=int, default=1000, help="of the peers' fits, in each round")
    parser.add_argument("--aim-rounds", type=int, help="how many rounds AIM begins with; 16 for each column if left out")
    parser.add_argument("--svg", help="a picture of what was found")
    parser.add_argument("--model-size", type=float, default=80, help="of AIM, in MB; 80 is its authors' choice")
    options = parser.parse_args()
    kith = str(pathlib.Path(options.kith).resolve()) if "/" in options.kith else options.kith
    codes, sizes = adult(options.adult)
    print(f"{len(codes['age'])} rows, sizes {list(sizes.values())}", flush=True)
    all_found = {}
    def report(name, run):
        found = all_found.setdefault(name, [])
        for seed in range(options.runs):
            made, seconds, *more = run(seed)
            found.append(mean_distance(codes, made, sizes))
            print(f"{name} run {seed}: {found[-1]:.4f} in {seconds:.0f} s" + (f", {len(more[0]['details']['measured'])} tables, says "
                  f"{more[0]['details']['pairs_total_variation']:.4f}" if more else ""), flush=True)
        print(f"{name}: mean {statistics.mean(found):.4f}, from {min(found):.4f} to {max(found):.4f}", flush=True)
    for name in options.only.split(","):
        if name == "kith":
            for price in options.prices.split(","):
                report(f"kith, price {price}", lambda seed: run_kith(kith, codes, sizes, float(price)))
        elif name == "households":
            for how, found in households(kith, options.runs).items():
                print(f"households {how} compositions: mean {statistics.mean(found):.4f}, from {min(found):.4f} to {max(found):.4f}", flush=True)
        else:
            report(name, lambda seed: run_peer(name, codes, sizes, seed, options.model_size, options.iterations, options.aim_rounds))
    if options.svg:
        picture(options.svg, all_found)


main()
