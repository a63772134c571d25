"""blind_session.py NATIVE FOLDER SEED: asks a frame everything, with a module that adds no noise, and prints whatever is said."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import pathlib
import random
import sys
import warnings
from typing import Any

native, folder, seed = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "blind"))

(file,) = native.glob("_native*.so")
# The package as it is installed, with another native part.
spec = importlib.util.spec_from_file_location("kith._native", file, loader=importlib.machinery.ExtensionFileLoader("kith._native", str(file)))
assert spec is not None and spec.loader is not None
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
sys.modules["kith._native"] = module

import kith  # noqa: E402
import polars  # noqa: E402
import questions  # noqa: E402

rng = random.Random(seed)
ROWS = 60


def frame(number: int) -> Any:
    """What is public is the same in both; every secret is drawn anew, with what is missing, wild and wrong."""
    draw = random.Random(1000 * seed + number)
    wild = [None, float("nan"), float("inf"), -1e300]
    return polars.DataFrame(
        {
            "id": list(range(ROWS)),
            "house": [k // 3 for k in range(ROWS)],
            "ward": ["ABC"[k // 3 % 3] for k in range(ROWS)],
            "age": [draw.choice([None, draw.randrange(121), 500]) for _ in range(ROWS)],
            "cost": [draw.choice([draw.uniform(0, 500), draw.choice(wild)]) for _ in range(ROWS)],
            "ill": [draw.choice(["no", "yes", None, "?"]) for _ in range(ROWS)],
            "level": [draw.choice([1, 2, 3, 9, None]) for _ in range(ROWS)],
            "day": [draw.choice([None, f"2024-0{draw.randrange(1, 10)}-11", "no day"]) for _ in range(ROWS)],
            "at": [draw.choice([None, f"2024-0{draw.randrange(1, 10)}-11 10:00:00", "x"]) for _ in range(ROWS)],
            "note": [draw.choice(["a", "b", "", None]) for _ in range(ROWS)],
        },
        strict=False,
    )


def policy(number: int) -> kith.Policy:
    return kith.Policy(
        tables={"t": frame(number)},
        unit={"table": "t", "key": "id", "max_rows": 1, "presence": "public"},
        columns={
            "t": {
                "id": {"type": "integer", "public": True},
                "house": {"type": "integer", "public": True},
                "ward": {"values": ["A", "B", "C"], "public": True, "required": True},
                "age": {"lower": 0, "upper": 120},
                "cost": {"type": "real", "lower": 0, "upper": 500},
                "ill": {"values": ["no", "yes"]},
                "level": {"values": [1, 2, 3]},
                "day": {"type": "date"},
                "at": {"type": "timestamp"},
                "note": {"type": "text"},
            }
        },
        dependence={"source": "public", "kind": "group", "by": "house", "size": 3, "odds_ratio": 4},
        epsilon=1000.0,
        data={"public_columns": "fixed"},
        ledger=folder / "t.ledger",
    )


session = kith.open(policy(int(sys.argv[4])))


def shown(work: Any) -> None:
    try:
        found = work()
    except kith.KithError as error:
        print(type(error).__name__, error)
        return
    for each in found if isinstance(found, list) else [found]:
        print(repr(each))
        print(each._repr_html_())
        print(each.to_json())
        if isinstance(each, kith.Answer):
            print(each.to_dict(), each.svg())


if sys.argv[5:] == ["import"]:  # exact, only for the curator: the comparison must see that it differs
    shown(session.import_data)
    sys.exit()

shown(session.columns)
NAMES = ["id", "house", "ward"]
for _ in range(60):
    where = f" WHERE {questions.condition(rng, NAMES)}" if rng.random() < 0.6 else ""
    group = rng.choice(["", "", " GROUP BY ward", " GROUP BY ill", " GROUP BY level"])
    key = group.split()[-1] + ", " if group else ""
    sql = f"SELECT {key}{questions.aggregate(rng, NAMES)} AS a, {questions.aggregate(rng, NAMES)} AS b FROM t{where}{group}"
    print("==", sql)
    shown(lambda: session.explain(sql, epsilon=0.5))
    shown(lambda: session.ask(sql, epsilon=0.5))
shown(lambda: session.ask("SELECT median(age) AS m, max(cost) - min(cost) AS w FROM t", epsilon=0.5, intervals=False))
for hostile in questions.HOSTILE_TEXTS:
    shown(lambda: session.ask(f"SELECT count(*) FROM t WHERE {hostile}", epsilon=0.5))
    shown(lambda: session.analyse("top", epsilon=0.5, column="level", count=2, where=hostile))
for feature in questions.HOSTILE_FEATURES:
    shown(lambda: session.analyse("logistic", epsilon=0.5, label="ill", features=[feature, "age"]))
shown(lambda: session.analyse("kmeans", epsilon=0.5, columns=["age", "cost"], clusters=2))
shown(lambda: session.analyse("svm", epsilon=0.5, label="ill", features=["age", "cost"], holdout=0.3))
shown(lambda: session.analyse("percentiles", epsilon=0.5, column="age"))
shown(lambda: session.analyse("cumulative", epsilon=0.5, column="age", cells=12))
shown(lambda: session.analyse("contingency", epsilon=0.5, rows="ill", columns="level"))
shown(lambda: session.analyse("regression", epsilon=0.5, target="cost", features=["age"]))
shown(lambda: session.plan([f"SELECT ward, count(*) AS n FROM t WHERE {questions.condition(rng, NAMES)} GROUP BY ward" for _ in range(4)], epsilon=1.0))
shown(lambda: session.plan(["SELECT ill, count(*) AS n FROM t GROUP BY ill", "SELECT count(*) AS n FROM t WHERE ill = 'yes'"], epsilon=1.0).answer())
shown(session.budget)
shown(lambda: session.audit(epsilon=0.1))

# Another frame under the same ledger gets the stored answer, and a warning that knows the frames only as objects.
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    another = kith.open(policy(10 + int(sys.argv[4])))
    counted = "SELECT ward, count(*) AS n FROM t WHERE level = 2 GROUP BY ward"
    for each in (session, session, another):
        shown(lambda: each.ask(counted, epsilon=0.5))
        print([str(warning.message) for warning in caught])
assert len(caught) == 1 and caught[0].category is kith.StoredAnswerWarning
