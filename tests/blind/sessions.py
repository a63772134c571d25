"""Makes sessions and their data sets from one number, and runs them."""
import collections
import concurrent.futures
import pathlib
import random

import hostile
import questions
from harness import DataSet, PAGE, Replace, Server, Session, check
from worlds import worlds

ALWAYS = ["ordinary", "hostile"]
STYLES = {"public": ["ordinary", "hostile", "odd", "crowded", "nothing", "same"],
          "secret": ["ordinary", "hostile", "odd", "crowded", "nothing", "same", "empty", "one", "large"]}

FOREIGN = ("public", "secret-2", "rows-secret")  # also as files that are written differently
FIXED = ("public", "rows-secret", "city", "friends-people")
# Whose tour has every step and a neighbour among its tables; the others' have what is special about them and in turn one of several parts of what all have in common, so that
# each part is asked in one of them too. Tours begin with an import that reports, other sessions with what the first question imports.
# Random questions are asked of a neighbour in every other world, of hostile data in the rest. With more than one round, all of it everywhere.
WHOLE = ("secret-2",)


def table_bytes(rng, world, maker, kind, types, rows, hostility):
    if kind == "csv":
        return hostile.csv_bytes(rng, world.columns, rows, hostility, ragged=world.presence == "secret")
    if kind == "foreign":
        return hostile.foreign_bytes(rng, world.columns, rows, hostility, ragged=world.presence == "secret")
    return maker.table(rng, kind, world.table, world.columns, types, rows, hostility)


def make(seed, world, kind, length, sets, maker, replaced, kept="random", share=(0, 1), neighbour=True, reported=True,
         own=True):
    """A session in this world with so many data sets. `replaced`: the file changes in the middle, from data set to data set to another one
    or to none. `kept`: random questions, one of everything (tour; `share` of it, `own`: with what only this world has), or the list
    of hostile ones (fixed). `neighbour`: whether one of the data sets differs from the first by one unit only.
    `reported`: whether it begins with an import."""
    rng = random.Random(f"{seed} {world.name} {kind} {replaced} {kept}")
    source = {"csv": "t.csv", "parquet": "t.parquet", "duckdb": "t.duckdb:t", "foreign": "t.csv.gz"}[kind]
    file, *copies = (each.split(":")[0] for each in [source, *world.copies(source)])
    asked = {"random": lambda: questions.steps(rng, world, length), "tour": lambda: questions.tour(world, *share, own),
             "fixed": lambda: [*questions.fixed(world), ["budget", "p.toml"]]}[kept]()
    report = ["import", "p.toml", "--page", PAGE]
    steps = [report, *asked] if reported else asked
    if replaced:
        half = len(asked) // 2
        # The same questions before and after, then the data as they were at first, and at last a new import.
        steps = [report, *asked[:half], Replace(1), *asked[:half], Replace(2), *asked[:2], ["import", "p.toml", "--json"], *asked[:2], asked[-1]]
    types = [rng.choice(hostile.STORED[c.pool]) if c.ordinary else "BIGINT" if c.pool == "number" else "VARCHAR" for c in world.columns]
    if kind == "parquet":  # its writer turns seconds into microseconds, and fails for those that do not fit
        types = [t.replace("TIMESTAMP_S", "TIMESTAMP_MS") for t in types]
    facts = world.facts(rng)
    others = [style for style in STYLES[world.presence] if kind in ("csv", "foreign") or style != "large"]
    styles = (ALWAYS + rng.sample(others, len(others)) * 3)[:sets - neighbour]
    tables = [(style, world.rows(rng, facts, style)) for style in styles]
    if neighbour:
        tables.insert(1, ("neighbour", world.neighbour(rng, tables[0][1])))
    data = []
    for k, (style, rows) in enumerate(tables):
        hostility = {"hostile": 0.5, "odd": 0.1, "crowded": 0.1}.get(style, 0)
        made = table_bytes(rng, world, maker, kind, types, rows, hostility)
        versions = [made]
        if replaced:
            second = made if k == 0 else table_bytes(rng, world, maker, kind, types, world.neighbour(rng, rows), 0)
            versions += [second, made if k % 2 == 0 else second]
        data.append((f"{style} #{k}", [dict.fromkeys([file, *copies], v) for v in versions]))
    files = {"p.toml": world.policy(source, epsilon=min(world.epsilon, rng.choice([1000, 1000, 1000, 3]) if kept == "random" else 1000)), "new.csv": questions.NEW_ROWS, "plan.sql": questions.PLAN, "homes.sql": questions.PLAN_OF_HOUSEHOLDS, **world.files()}
    if kind == "foreign":
        files["p.toml"] = files["p.toml"].replace('"t.csv.gz"', hostile.FOREIGN)
    name = f"{world.name}/{kind}{'/replaced' if replaced else '' if kept == 'random' else '/' + kept}/{seed}"
    return Session(name, files, steps, (file, *copies, "new.csv")), data


def resolve(data, read):
    """Places of files that the maker wrote become their bytes."""
    def content(value):
        return value if isinstance(value, bytes) else read(value)
    return [DataSet(about, tuple({name: content(value) for name, value in version.items()} for version in versions)) for about, versions in data]


def plan(seed, rounds, length, sets, folder, data_program, only=""):
    """All sessions of a run, with their data sets."""
    maker = hostile.Maker(data_program, folder)
    made = []
    all_of_it = rounds > 1
    for k in range(rounds):
        for number, world in enumerate(worlds()):
            kind = ["csv", "parquet", "duckdb"][(number + k) % 3]
            if only in f"{world.name}/{kind}":
                made.append(make(f"{seed}.{k}", world, kind, length, sets, maker, replaced=(number + k) % 4 == 3, neighbour=all_of_it or number % 2 == 0,
                                 reported=all_of_it))
    # Who shares what all have in common; one-sided worlds ask no more than its first steps.
    sharing = [world.name for world in worlds() if world.name not in WHOLE and "one_sided" not in world.extra and questions.tour(world, 0, 4, own=False) != questions.tour(world, 2, 4, own=False)]

    def share_of(number, world, shift=0):
        return ((sharing.index(world.name) if world.name in sharing else number) + shift) % len(sharing), len(sharing)
    for number, world in enumerate(worlds()):
        kind = ["csv", "duckdb", "parquet"][(number + rounds) % 3]
        whole = world.name in WHOLE or all_of_it
        share = (0, 1) if whole else share_of(number, world)
        for kept in ["tour"] + ["fixed"] * (world.name in FIXED):
            if only in f"{world.name}/{kind}/{kept}":
                made.append(make(seed, world, kind, 0, 2 + whole, maker, replaced=False, kept=kept, share=share, neighbour=whole, reported=all_of_it or kept == "tour"))
    for number, world in enumerate(worlds()):
        share = (0, 1) if all_of_it else share_of(number, world, len(sharing) // 2)
        if world.name in FOREIGN and only in f"{world.name}/foreign":
            made.append(make(seed, world, "foreign", length, sets + 2 - all_of_it, maker, replaced=False, reported=all_of_it))
            made.append(make(seed, world, "foreign", 0, 2 + all_of_it, maker, replaced=False, kept="tour", share=share, neighbour=all_of_it, own=all_of_it))
    read = maker.finish()
    return [(session, resolve(data, read)) for session, data in made]


def run(program, planned, folder, environment=None, workers=2, forgive=lambda text: text):
    """(differences, statistics) of all sessions, on several servers."""
    statistics = collections.Counter()
    differences = []
    left = list(planned)[::-1]

    def work(number):
        mine, counted = [], collections.Counter()
        with Server(program, pathlib.Path(folder) / f"server{number}", environment) as server:
            while left:
                try:
                    session, data = left.pop()
                except IndexError:
                    break
                mine += check(server, session, data, forgive, counted)
        return mine, counted

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for mine, counted in pool.map(work, range(workers)):
            differences += mine
            statistics += counted
    return differences, statistics
