"""What analysts type in the blind test: questions from a small grammar, every analysis, and texts made to break out."""
NUMERIC, VALUED = ["age", "cost", "level"], ["ill", "level"]
HOSTILE_TEXTS = ["house = 1) --", "age > 50) --", "TRUE) OR (TRUE", "TRUE) /* */ OR (TRUE", "FALSE) OR (age IS NULL", "ill = 'yes') OR (ill IS NULL", "TRUE; SELECT 1",
                 "TRUE --", "(TRUE", "TRUE)", "age / 0 > 1", "1 / (age - 30) > 0", "age = age", "cost > 1e308 * 10", "note LIKE '%a%'", "at IS NULL", "day > '2024-03-03'",
                 "sqrt(age - 60) > 1", "CAST(note AS INTEGER) > 1", "error('x')", "age > (SELECT avg(age) FROM t)", "EXISTS (SELECT 1)", "", "'", "NULL"]
HOSTILE_FEATURES = ["CASE WHEN ill = 'yes' THEN NULL WHEN age > 50 THEN 1 ELSE 0 END", "CASE WHEN ill = 'yes' THEN NULL ELSE 1 END) FROM t WHERE age > 3 --",
                    "age) --", "cost / age", "age % level", "nullif(age, 50)", "1", "NULL", "day", "at", "note", "width_bucket(age, 0, 120, 4)"]


def condition(rng, names):
    choices = ["age > 50", "ill = 'yes'", "age BETWEEN 30 AND 60", "cost < 100.5", "level IN (1, 2)", "age IS NULL", "ill IS NOT NULL", "day >= DATE '2024-06-01'",
               "NOT (age > 20 OR ill = 'no')", "note LIKE 'a%'", "note = 'a'", "at IS NULL", "at > TIMESTAMP '2024-03-01 00:00:00'", "age = 121", "cost <> cost",
               "age * cost > 100", "age % 7 = 0", "coalesce(age, 5) > 4", "round(cost) = 3", "ill IS DISTINCT FROM 'no'", "FALSE", "TRUE", "greatest(age, cost) > 70",
               "date_part('month', day) = 3", "abs(cost - age) < 10", "CASE WHEN ill = 'yes' THEN age > 3 ELSE cost > 5 END",
               "ill = 'yes' AND ill = 'no'", "level = 2", "day < '2024-02-01'", "age < 4"]
    choices += ["ward = 'A'", "ward IN ('A', 'B')"] if "ward" in names else []
    choices += ["house < 3", "house = 2"] if "house" in names else []
    choices += ["visit = 1", "visit IS NULL", "visit = 2 AND ill = 'yes'"] if "visit" in names else []
    choices += ["id = 3", "id < 10"] if "id" in names else []
    if rng.random() < 0.25:
        return f"{rng.choice(choices)} AND {rng.choice(choices)}"
    return rng.choice(choices)


def aggregate(rng, names):
    x, y = rng.choice(NUMERIC), rng.choice(NUMERIC)
    kinds = ["count(*)", f"count({x})", f"sum({x})", f"avg({x})", f"median({x})", f"min({x})", f"max({x})", f"quantile_cont({x}, 0.9)", f"variance({x})", f"stddev({x})",
             f"corr({x}, {y})", f"covar_samp({x}, {y})", "sum(CASE WHEN ill = 'yes' THEN age ELSE 0 END)", f"100.0 * sum({x}) / count(*)", "min(day)", "median(day)",
             f"sum({x} * {y})", f"avg({x} / 3)", f"count(*) FILTER (WHERE {condition(rng, names)})", f"avg({x}) FILTER (WHERE {condition(rng, names)})",
             f"sum(abs({x} - 50))", f"sum({x} % 7)", f"avg({x} / {y})", f"median({x} + {y})", f"100.0 * count(*) FILTER (WHERE {condition(rng, names)}) / count(*)", f"sum({x}) / count({x})"]
    kinds += ["count(DISTINCT house)"] * 4 if "house" in names else []
    return rng.choice(kinds + (["count(DISTINCT id)"] if "id" in names else []))


def per_unit(rng, names):
    x, y = rng.choice(NUMERIC), rng.choice(["age", "day", "at", "cost"])
    where = f" WHERE {condition(rng, names)}" if rng.random() < 0.4 else ""
    if rng.random() < 0.3:
        window = rng.choice([f"lag({x})", "row_number()", f"sum({x})", f"max({x})"])
        inner = f"SELECT id, ill, {window} OVER (PARTITION BY id ORDER BY {y}) AS v FROM t{where}"
        return f"SELECT ill, avg(v) AS o0 FROM ({inner}) AS u GROUP BY ill"
    made = rng.choice(["count(*)", f"sum({x})", f"avg({x})", f"max({x}) - min({x})", f"arg_max({x}, {y})", f"median({x})", f"count({x}) FILTER (WHERE {condition(rng, names)})", "arg_min(age, note)"])
    inner = f"SELECT id, {made} AS v, bool_or(age > 50) AS c, arg_max(ill, {y}) AS last FROM t{where} GROUP BY id{rng.choice(['', '', ' HAVING count(*) > 1', ' LIMIT 1'])}"
    return f"SELECT {rng.choice(['avg(v)', 'sum(v)', 'count(*)', 'median(v)'])} AS o0 FROM ({inner}) AS u{rng.choice(['', ' WHERE c', ' WHERE v > 1', ' GROUP BY last', ' GROUP BY c'])}"


def of_tables(rng):
    source = rng.choice(["more", "t JOIN more ON t.id = more.id", "t LEFT JOIN more ON more.id = t.id", "more JOIN t ON t.id = more.id", "t JOIN more ON t.age = more.id", "more LEFT JOIN t ON t.id = more.id"])
    made = rng.choice(["count(*)", "sum(more.cost)", "avg(more.cost)", "median(more.cost)", "count(DISTINCT more.level)"] + (["sum(age)", "count(DISTINCT t.id)"] if "t" in source.split() else []))
    return f"SELECT {made} AS o FROM {source}{rng.choice(['', ' WHERE more.level = 2', ' WHERE more.cost > 9', ' GROUP BY more.level'])}"


def per_group(rng, names):
    x, key = rng.choice(NUMERIC), "house, ward" if rng.random() < 0.2 else "house"
    where = f" WHERE {condition(rng, names)}" if rng.random() < 0.4 else ""
    made = rng.choice(["count(*)", f"sum({x})", f"avg({x})", f"max({x})", f"arg_max({x}, age)", f"count(*) FILTER (WHERE {condition(rng, names)})"])
    inner = f"SELECT {key}, {made} AS v, bool_or(ill = 'yes') AS c, max(level) AS top FROM t{where} GROUP BY {key}{rng.choice(['', '', ' HAVING count(*) > 1'])}"
    return f"SELECT {rng.choice(['avg(v)', 'sum(v)', 'count(*)', 'median(v)'])} AS o0 FROM ({inner}) AS h{rng.choice(['', ' WHERE c', ' WHERE v > 1', ' GROUP BY top', ' GROUP BY c'])}"


def question(rng, world):
    names = [c.name for c in world.columns]
    if world.name == "tables" and rng.random() < 0.6:
        return of_tables(rng)
    if "within" in world.unit and rng.random() < 0.3:
        return per_group(rng, names)
    if "id" in names and rng.random() < 0.12:
        return per_unit(rng, names)
    outputs = ", ".join(f"{aggregate(rng, names)} AS o{k}" for k in range(rng.choice([1, 1, 1, 2, 3])))
    where = f" WHERE {condition(rng, names)}" if rng.random() < 0.6 else ""
    source = "t" if world.name != "joined" or rng.random() < 0.4 else "t LEFT JOIN wards ON t.ward = wards.code" if rng.random() < 0.5 else "t JOIN wards ON t.ward = wards.code"
    if world.constant and rng.random() < 0.4:
        source = "t_units"
    if rng.random() < 0.5:
        return f"SELECT {outputs} FROM {source}{where}"
    groups = ["ill", "level", "ill, level", "age > 50", "histogram(age, 4)", "histogram(cost, 3)", "date_part('month', day)", "CASE WHEN age < 18 THEN 'c' ELSE 'a' END",
              "ROLLUP(ill, level)", "width_bucket(age, 0, 120, 3)", "date_trunc('month', day)", "age", "level"]
    groups += ["ward", "ward, ill", "ROLLUP(ward, ill)"] if "ward" in names else []
    groups += ["visit", "visit, ill", "ROLLUP(visit, ill)"] if "visit" in names else []
    groups += ["side", "histogram(beds, 3)"] if "wards ON" in source else []
    by = rng.choice(groups)
    shown = "" if "ROLLUP" in by else by + ", "
    tail = rng.choice(["", "", "", " ORDER BY o0 DESC LIMIT 2", " ORDER BY 1", " HAVING count(*) > 3"])
    return f"SELECT {shown}{outputs} FROM {source}{where} GROUP BY {by}{tail}"


def ask(rng, world):
    verb = rng.choice(["query"] * 6 + ["explain"])
    price = rng.choice([["--epsilon", "1"], ["--epsilon", "0.5"], ["--epsilon", "0.5", "--json"], ["--epsilon", "1", "--json"], ["--error", "20"], ["--epsilon", "0.01"], ["--epsilon", "0.01", "--json"]])
    if verb == "explain" and rng.random() < 0.3:
        price = [*price, "--sql"]
    if verb == "query" and rng.random() < 0.2 and "--json" not in price:
        price = [*price, "--format", "csv"]
    if "within" in world.unit and rng.random() < 0.5:
        price = [*price, "--unit", "household"]
    return [verb, "p.toml", question(rng, world), *price]


def analysis(rng, world, count):
    """One of the analyses that fit the world; `count` numbers the files that it writes."""
    names = [c.name for c in world.columns]
    where = rng.choice([[], [], [], ["--where", condition(rng, names)], ["--where", condition(rng, names)], ["--where", rng.choice(HOSTILE_TEXTS)]]) if "ill" in names else []
    out = rng.choice([["--json"], [], ["--out", f"o{count}"], ["--format", "csv"], ["--out", f"o{count}", "--json"]])
    price = ["--epsilon", rng.choice(["1", "2", "0.5"])]
    analyse = ["analyse", "p.toml"]
    if world.name == "pairs":
        column = rng.choice([["--column", "ill", "--value", "yes"], ["--column", "level", "--value", rng.choice(["1", "4"])], ["--column", "ill) --"], ["--column", "house"], []])
        return ["check", "p.toml", *column, *price, *rng.choice([[], ["--json"], ["--explain"], ["--false-alarm", "0.2"], ["--where", rng.choice(["ward = 'A'", "level = 1", *HOSTILE_TEXTS])]])]
    if world.name == "track":
        more = rng.choice([["--range", "-74.02,40.70,-73.94,40.80", "--out", f"s{count}.csv"], ["--out", f"s{count}.jsonl", "--json"], ["--report", f"r{count}.svg"], ["--explain"],
                           ["--where", "TRUE) OR (TRUE"]])
        return [*analyse, "stream", "--points", "lon,lat", "--cells", rng.choice(["4", "8"]), "--rule", rng.choice(["uniform", "slack"]), "--epsilon", rng.choice(["1", "5"]),
                "--steps", rng.choice(["0..3", "1,4..6"]), *more]
    if "lon" in names or "wage" in names:
        flat = "wage" in names
        method = rng.choice([[], ["--method", "pyramid"], ["--method", "hat"], ["--method", "equi-width"]] +
                            ([["--method", "cumulative"], ["--method", "groups", "--groups", "5"], ["--quantiles", "0.1,0.5"]] if flat else [["--method", "quadtree"]]))
        more = rng.choice([[], ["--range", "2000,3000"] if flat else ["--range", "-74.02,40.70,-73.94,40.80"], ["--cells", "16"], ["--where", "TRUE) OR (TRUE"]])
        more += ["--synthetic", "5"] if "--out" in out else []
        return [*analyse, "points", "--columns", "wage" if flat else "lon,lat", *method, *more, *price, *out]
    if "since" in names:
        more = rng.choice([[], ["--people", "12"], ["--once"], ["--where", "since < 2015"], ["--where", "TRUE) OR (TRUE"], ["--by", "members.team", "--names", "id"]])
        return [*analyse, "degrees", "--ends", "a,b", "--max-degree", rng.choice(["3", "6"]), *more, *price, *out]
    if "tick" in names or "seen" in names:
        statistic = rng.choice(["SELECT count(*) AS n FROM t", "SELECT ill, count(*) AS n FROM t GROUP BY ill", "SELECT count(*) AS n FROM t WHERE ill = 'yes'",
                                "SELECT avg(age) AS m FROM t", "SELECT count(*) AS n FROM t WHERE TRUE) --"])
        rule = rng.choice(["uniform", "harmonic", "slack", "rate", "offline", "bd", "ba", "ba"])
        more = rng.choice([["--out", f"s{count}.csv"], ["--out", f"s{count}.jsonl", "--json"], ["--json"], ["--report", f"r{count}.html"], ["--explain"]])
        return [*analyse, "stream", "--statistic", statistic, "--rule", rule, "--epsilon", rng.choice(["1", "5"]), "--steps", rng.choice(["0..7", "0..3", "1,4..6"]), *more]
    listed = world.presence == "public" and world.key and world.max_rows == 1
    kinds = ["kmeans", "kmeans", "svm", "logistic", "points", "points", "cumulative"] + ["identity"] * (2 if listed else rng.random() < 0.2) + (["records", "histogram", "histogram"] * 3 if world.extra else [])
    kind = rng.choice(kinds)
    if kind == "kmeans":
        return [*analyse, kind, "--columns", rng.choice(["age,cost", "age", "age,cost,level"]), "-k", rng.choice(["2", "3"]), *where, *price, *out]
    if kind in ("svm", "logistic"):
        features = rng.choice(["age,cost", "age,level", "age,cost,level", *HOSTILE_FEATURES[:1]] * 3 + HOSTILE_FEATURES)
        more = rng.choice([[], ["--holdout", "0.4"], ["--model", f"m{count}.json"], ["--regularise", "1"]])
        return [*analyse, kind, "--label", "ill", "--features", features, *where, *more, *price, *out]
    if kind == "points":
        method = rng.choice([[], ["--method", "equi-width"], ["--method", "pyramid"], ["--method", "hat"]])
        return [*analyse, kind, "--columns", rng.choice(["age", "age,cost", "cost"]), *method, "--cells", "8", *where, *price, *out]
    if kind == "cumulative":
        return [*analyse, kind, "--column", rng.choice(["age", "cost", "level"]), "--cells", rng.choice(["2", "9", "40"]), *where, *price, *out]
    if kind == "identity":
        return [*analyse, kind, "--columns", "age,cost", "--units", "0,5", *price, *out]
    attribute = rng.choice(["age", "level"])
    if kind == "records":
        output = ["--explain"] if rng.random() < 0.2 else ["--output", f"r{count}.{rng.choice(['csv', 'parquet'])}"]
        return [*analyse, kind, "--attribute", attribute, "--epsilon", "1", *output, *rng.choice([[], ["--json"], ["--table-order"]])]
    method = rng.choice([[], ["--method", "dawaz", "--noisy-epsilon", "0.5"]])
    by = rng.choice(["level", "ill", "ill, level", "age > 30", "ill) --"])
    return [*analyse, kind, "--one-sided", "--attribute", attribute, "--by", by, "--epsilon", "1", *method, *rng.choice([["--json"], [], ["--format", "csv"]])]


def steps(rng, world, length):
    """A session: questions and analyses, some of them twice, the budget now and then."""
    names = [c.name for c in world.columns]
    asked, made = [], 0
    while len(asked) < length:
        dice = rng.random()
        if asked and dice < 0.12:
            asked.append(rng.choice(asked))
        elif dice < 0.2:
            asked.append(["budget", "p.toml", *rng.choice([[], ["--json"]])])
        elif dice < 0.21:
            asked.append(rng.choice([["policy", "diff", "p.toml", "p.toml", *rng.choice([[], ["--json"]])], ["ledger", "carry", "p.toml", "p.toml"], ["ledger", "verify", "p.toml", *rng.choice([[], ["--json"]])]]))
        elif dice < 0.24:
            asked.append(["audit", "p.toml", *rng.choice([[], ["--json"]])])
        elif "ill" in names and "age" in names and "tick" not in names and dice < 0.62:
            asked.append(ask(rng, world))
        else:
            made += 1
            asked.append(analysis(rng, world, made))
            if "--model" in asked[-1]:
                asked.append(["predict", f"m{made}.json", "--csv", "new.csv", *rng.choice([[], ["--json"]])])
    return [*asked, ["budget", "p.toml", "--json"], ["budget", "p.toml"]]


NEW_ROWS = "age,cost,level\n30,5,1\n,,\n999,-5,x\n"
PLAN = """SELECT ill, level, count(*) AS n FROM t GROUP BY ill, level ORDER BY n DESC LIMIT 3;
SELECT ill, count(*) AS n FROM t GROUP BY ill; -- kith: weight 2
SELECT count(*) AS n FROM t WHERE age BETWEEN 30 AND 60 AND cost < 100.5; SELECT div(age, 10) AS decade, count(age) AS n FROM t GROUP BY decade;
-- kith: epsilon 0.1
SELECT avg(cost) AS m, median(age) AS h FROM t;
-- kith: epsilon 0.1
SELECT ill, count(*) AS n FROM t WHERE age < (SELECT avg(age) FROM t) GROUP BY ill;
"""


PLAN_OF_HOUSEHOLDS = """SELECT ward, count(DISTINCT house) AS n FROM t WHERE ill = 'yes' GROUP BY ward; SELECT count(DISTINCT house) AS n FROM t WHERE ill = 'yes';
SELECT ill, count(*) AS n FROM t GROUP BY ill;
"""
_NULL_IF_ILL = "CASE WHEN ill = 'yes' THEN NULL WHEN age > 50 THEN 1 ELSE 0 END"


def fixed(world):
    """Texts that broke out of their place once, or were made to; one list for worlds of people, one for each other kind."""
    analyse, price = ["analyse", "p.toml"], ["--epsilon", "0.01"]
    if world.name.startswith("city"):
        return [[*analyse, "points", "--columns", columns, "--method", method, *price, *where]
                for columns in ("lon,lat", "lon,lat) --") for method in ("hat", "pyramid")
                for where in ([], ["--where", "TRUE) OR (TRUE"], ["--where", "lon IS NULL) --"])]
    if world.name.startswith("friends"):
        return [[*analyse, "degrees", "--ends", "a,b", "--max-degree", "3", *price, "--where", text]
                for text in ("since > 2005) --", "TRUE) OR (TRUE", "a = b", "1 / (since - 2010) > 0", "a IS NULL) OR (TRUE")]
    steps = []
    for where in (None, "house = 1) --", "house = 1) OR (FALSE", "TRUE) /* */ OR (TRUE"):
        more = [] if where is None else ["--where", where]
        steps.append([*analyse, "svm", "--label", "ill", "--features", _NULL_IF_ILL, *price, *more])
        steps.append([*analyse, "points", "--columns", "age", "--method", "hat", "--cells", "8", *price, *more])
    steps += [[*analyse, "logistic", "--label", "ill", "--features", _NULL_IF_ILL + ") FROM t WHERE house = 1 --", *price],
              [*analyse, "logistic", "--label", "ill) --", "--features", "age", *price],
              [*analyse, "kmeans", "--columns", "age,cost", "-k", "2", *price, "--where", "TRUE) OR (TRUE"],
              [*analyse, "kmeans", "--columns", "age) FROM t --", "-k", "2", *price],
              [*analyse, "survival", "--time", "age", "--event", "TRUE) OR (ill = 'yes'", "--step", "25", *price],
              [*analyse, "cutoff", "--table", 't" GROUP BY 1 --', *price], [*analyse, "top", "--column", "level) --", "-k", "1", *price], [*analyse, "top", "--column", "level", "-k", "2", *price, "--where", "1 / (age - 30) > 0"],
              [*analyse, "cells", "--columns", "level) --", "--false-cells", "1", *price], [*analyse, "cells", "--columns", "note", "--threshold", "9", *price],
              [*analyse, "cells", "--columns", "age,level", "--threshold", "9", *price, "--where", "TRUE) OR (TRUE"],
              [*analyse, "keys", "--columns", "note) --", *price], [*analyse, "keys", "--columns", "note", *price, "--where", "1 / (age - 30) > 0"],
              ["query", "p.toml", "SELECT note, count(*) FROM t GROUP BY note", *price],
              [*analyse, "percentiles", "--column", "age", "--cells", "4", *price, "--where", "TRUE) OR (TRUE"], [*analyse, "percentiles", "--column", _NULL_IF_ILL, "--cells", "4", *price],
              [*analyse, "cumulative", "--column", "age", "--cells", "4", *price, "--where", "TRUE) OR (TRUE"], [*analyse, "cumulative", "--column", _NULL_IF_ILL, "--cells", "4", *price],
              [*analyse, "cumulative", "--column", "age", "--cells", "4", *price, "--where", "1 / (age - 30) > 0"], [*analyse, "cumulative", "--column", "cost", "--cells", "4", *price, "--where", "id = 3"],
              [*analyse, "contingency", "--rows", "ill) --", "--columns", "level", *price], [*analyse, "contingency", "--rows", "age / (level - 2) > 3", "--columns", "ill", *price],
              [*analyse, "regression", "--target", "cost) FROM t --", "--features", "age", *price], [*analyse, "regression", "--target", "cost", "--features", _NULL_IF_ILL, *price],
              [*analyse, "synthetic", "--columns", "ill,level) --", *price], [*analyse, "synthetic", "--columns", "ill,note", *price], [*analyse, "synthetic", "--columns", "ill,level", "--together", "level", *price],
              [*analyse, "synthetic", "--columns", "ill,level", *price, "--rows", "9", "--where", "TRUE) OR (TRUE"], [*analyse, "synthetic", "--columns", "ill,age", "--rows", "9", *price, "--where", "1 / (age - 30) > 0"],
              [*analyse, "identity", "--columns", "age) --", "--units", "0,5", *price]]
    for text in ("house = 1) --", "1 / (age - 30) > 0", "age % (level - 2) = 1", "cost * 1e308 * age > 0", "CAST(note AS INTEGER) > 0", "note LIKE '%' || note", "at + INTERVAL '9 years' > at",
                 "error(note)", "FALSE", "id = 3", "age = 9007199254740993"):
        steps.append(["query", "p.toml", f"SELECT count(*) FROM t WHERE {text}", *price])
    for text in ("sum(age * age * age * age * age * cost)", "avg(1 / age)", "sum(9007199254740992 + age)", "median(cost / age)", "corr(age, age)", "count(DISTINCT age)", "max(note)", "min(at)"):
        steps.append(["query", "p.toml", f"SELECT {text} AS o FROM t", *price])
    pairs = ["estimate", "pairs", "t.csv", "--left", "ill", "--right", "ill", "--source", "public"]  # protected: refused unread
    steps += [["rho", "--table", "t.csv", "--columns", "ill,level"], ["affinity", "t.csv", "--id", "id", "--columns", "ill,level", "--output", "edges.csv"]]  # the same
    if "one_sided" in world.extra:  # no column of a rule, no law, the protected rows themselves: refused
        steps += [["leakage", "p.toml", "--from", "new.csv", "--source", "public", "--json"], ["leakage", "p.toml"], ["leakage", "p.toml", "--from", "t.csv", "--source", "public"]]
    return [*steps, pairs, [*pairs, "--policy", "p.toml", "--json"], ["estimate", "households", "./t.csv", "--by", "id", "--value", "ill", "--source", "public"]]


def shared(steps, number, of):
    """Every `of`-th step, from the `number`-th on; the first, and what needs the step before it or is about the same, stays with it."""
    kept, at = [], -1
    for k, step in enumerate(steps):
        goes_on = k > 0 and (step[0] == "predict" or step[:3] == steps[k - 1][:3])
        at += not goes_on
        if at == 0 or at % of == number:
            kept.append(step)
    return kept


def keys_of(analyse, price, notes, per_unit):
    """Keys that nobody declared; `notes`: the same in SQL."""
    return [[*analyse, "keys", "--columns", "note", *price, "--explain"], [*analyse, "keys", "--columns", "note", *price, "--json", "--out", "keys"],
            [*analyse, "keys", "--columns", "note,level", *per_unit, "--where", "ill = 'yes'", *price], ["query", "p.toml", notes, *price, "--json"], ["explain", "p.toml", notes, *price, "--sql"]]


def tour(world, number=0, of=1, own=True):
    """One of everything that the world allows, all of it answered: what the comparison rests on. Of what worlds of people have in common,
    only every `of`-th step (see `shared`); what this world has and others do not is asked whole, or not at all if not `own`. What several
    worlds have in the same way, such as the formats of an answer, is asked in turn by `number` where `of` is above 1."""
    names = [c.name for c in world.columns]
    analyse, price, end = ["analyse", "p.toml"], ["--epsilon", "1"], [["audit", "p.toml", "--json"], ["budget", "p.toml"], ["budget", "p.toml", "--json"], ["policy", "diff", "p.toml", "p.toml", "--json"],
                                                                        ["rho", "p.toml"], ["rho", "p.toml", "--json"]]
    if of > 1:  # in turn a table or a document; random questions end with both of the budget
        end = [end[0], *end[1 + number % 2::2]]
    if world.name in ("delta", "delta-pure"):
        end = end[1:]  # a history with a delta has no exact loss
    if world.name == "pairs":
        ill = ["check", "p.toml", "--column", "ill", "--value", "yes", *price]
        return [[*ill, "--explain"], ill, [*ill, "--json", "--where", "ward IN ('A', 'B')"], ["check", "p.toml", "--column", "level", "--value", "2", "--epsilon", "9", "--json"],
                ["query", "p.toml", "SELECT ill, count(*) AS n FROM t GROUP BY ill", *price, "--json"], ["check", "p.toml", "--column", "ill", *price],
                ["user", "add", "ada", "--role", "analyst", "--dataset", "p", "--epsilon", "1", "--state", "state"], ["user", "history", "ada", "p.toml", "--state", "state", "--json"], *end]
    if world.name == "panel":
        asked = ["query", "p.toml", "SELECT ward, ill, count(*) AS n FROM t GROUP BY ward, ill", *price]
        return [["explain", *asked[1:]], asked, [*asked[:2], "SELECT count(*) AS n FROM t WHERE ill = 'yes'", *price, "--json"],
                [*asked[:2], "SELECT ward, count(*) FILTER (WHERE ill = 'no') AS n FROM t GROUP BY ward", *price, "--format", "csv"],
                ["columns", "p.toml"], *end]
    if world.name == "tables":
        asked = ["SELECT count(*) AS n, count(DISTINCT id) AS u FROM more", "SELECT t.ward, more.level, count(*) AS n, sum(age) AS s FROM t JOIN more ON t.id = more.id GROUP BY t.ward, more.level",
                 "SELECT ill, count(*) AS n, avg(more.cost) AS c FROM t LEFT JOIN more ON t.id = more.id WHERE more.level = 2 GROUP BY ill",
                 "SELECT t.ward, count(*) AS n, sum(t.age) AS s FROM more JOIN t ON t.id = more.id AND more.level = 2 GROUP BY t.ward",
                 "SELECT count(DISTINCT t.id) AS n, median(more.cost) AS m FROM t LEFT JOIN more ON t.id = more.id",
                 "SELECT avg(n) AS v FROM (SELECT t.id, count(more.id) AS n FROM t LEFT JOIN more ON t.id = more.id GROUP BY t.id) AS u",
                 "SELECT level, count(*) AS n, sum(level) AS s FROM met GROUP BY level", "SELECT b.level, count(*) AS n FROM met LEFT JOIN once AS b ON met.age = b.id GROUP BY b.level",
                 "SELECT count(DISTINCT age) AS k, median(level) AS m, quantile_cont(level, 0.9) AS q FROM met",
                 "SELECT n, count(*) AS u FROM (SELECT id, count(*) AS n FROM met GROUP BY id) AS each GROUP BY n"]
        cutoff = [[*analyse, "cutoff", "--table", table, *price, *more] for table, more in (("met", []), ("more", ["--at-most", "2", "--json"]), ("more", ["--explain"]))]
        return cutoff + [["query", "p.toml", sql, *price, *[[], ["--json"]][k % 2]] for k, sql in enumerate(asked)] + [
            [*analyse, "survival", "--from", "SELECT t.id, count(more.id) AS n, bool_or(more.level = 2) AS event FROM t LEFT JOIN more ON t.id = more.id GROUP BY t.id", "--time", "n",
             "--event", "event", "--step", "1", *price], [*analyse, "percentiles", "--column", "age", "--cells", "4", *price, "--json"],
            ["explain", "p.toml", asked[2], *price, "--sql"], ["columns", "p.toml"], *end]
    if world.name == "linked":
        asked = ["query", "p.toml", "SELECT count(*) AS n, avg(lat) AS m FROM t WHERE lon > -74", *price]
        return [["explain", *asked[1:]], asked, [*analyse, "kmeans", "--columns", "lon,lat", "-k", "2", *price, "--json"], ["transfer", "p.toml", "--plain", "0.1"], ["transfer", "p.toml", "--gaussian", "--mu", "0.1"],
                ["rho", "p.toml", "--query", "count", "--report", "rho.html"], *end]
    if world.name == "track":
        maps = [*analyse, "stream", "--points", "lon,lat", "--cells", "4", "--epsilon", "9", "--steps", "0..5"]
        return [[*maps, "--explain"], [*maps, "--json", "--report", "m.html"], [*maps, "--range", "-74.02,40.70,-73.94,40.80", "--out", "m.csv"],
                [*analyse, "stream", "--statistic", "SELECT count(*) AS n FROM t WHERE lon > -74", "--epsilon", "9", "--steps", "0..5"], *end[1:]]
    if "lon" in names:
        methods = ("hat", "pyramid", "quadtree", "equi-width")
        if of > 1 and world.name != "city":
            methods = methods[number % 2::2]
        return [[*analyse, "points", "--columns", "lon,lat", "--cells", "16", "--method", method, *price, "--out", method, "--synthetic", "4"] for method in methods] + [["query", "p.toml", "SELECT count(*) FROM t WHERE lon > -74", *price], *end]
    if "wage" in names:
        kinds = (["--method", "cumulative"], ["--method", "groups", "--groups", "3"], ["--quantiles", "0.1,0.5"], ["--range", "2000,3000"])
        return [[*analyse, "points", "--columns", "wage", *kind, *price, "--out", f"o{k}", "--json"] for k, kind in enumerate(kinds)] + end
    if "since" in names:
        grouped = [] if world.pairs.startswith('key = "a"') else [["--by", "members.team", "--names", "id"]]
        return [[*analyse, "degrees", "--ends", "a,b", "--max-degree", "4", *more, *price, "--out", f"o{k}"]
                for k, more in enumerate([["--people", "12"], ["--where", "since > 2005"], *grouped])] + end
    if world.extra.startswith("\n[stream]"):
        count = "SELECT count(*) AS n FROM t WHERE ill = 'yes'"
        rules = [["uniform"], ["harmonic"], ["slack"], ["rate", "--rate", "0.5"], ["offline"], ["bd"], ["ba"]]
        asked = [[*analyse, "stream", "--statistic", count, "--rule", *rule, "--epsilon", "9", "--steps", "0..5", *more]
                 for k, rule in enumerate(rules) for more in [["--out", f"s{k}.csv", "--report", f"r{k}.html"] if k % 2 else ["--json"]]]
        return (asked if of == 1 or world.name == "stream" else asked[number % 2:5:2] + asked[5:]) + end[1:]  # always both that adapt
    steps = [["query", "p.toml", "SELECT ill, count(*) AS n, avg(age), stddev(cost) FROM t GROUP BY ill", *price, "--json"],
             ["query", "p.toml", "SELECT median(age), min(cost), quantile_cont(age, 0.9), max(day) FROM t WHERE level = 2", *price],
             ["query", "p.toml", "SELECT ill, median(age) AS m, max(level) AS top FROM t GROUP BY ill", *price, "--format", "csv"],
             ["query", "p.toml", "SELECT median(level) AS m, max(cost) - min(cost) AS width FROM t", *price, "--json"],
             ["query", "p.toml", "SELECT quantile_cont(cost, 0.75) AS q FROM t", "--error", "40"],
             ["query", "p.toml", "SELECT ill, median(age) AS m, max(level) AS top, max(cost) - min(cost) AS width FROM t GROUP BY ill", *price, "--no-intervals", "--json"],
             ["explain", "p.toml", "SELECT median(age) AS m, quantile_cont(level, 0.9) AS q FROM t", *price, "--no-intervals"],
             ["query", "p.toml", "SELECT quantile_cont(cost, 0.75) AS q FROM t", "--error", "40", "--no-intervals"],
             ["query", "p.toml", "SELECT div(age, 10) * 10 AS decade, count(*) AS n FROM t GROUP BY decade", *price],
             ["query", "p.toml", "SELECT ill, count(DISTINCT age) AS a, avg(ln(cost)) AS l, regr_slope(cost, age) AS s FROM t GROUP BY ill", *price, "--json"],
             ["query", "p.toml", "SELECT upper(ill) AS i, level, count(*) AS n FROM t GROUP BY CUBE(1, 2)", *price, "--format", "csv"],
             ["query", "p.toml", "SELECT to_char(day, 'YYYY-MM') AS m, sum(sqrt(age - 50)) AS r, sum(power(cost, 0.5)) AS p FROM t GROUP BY m", *price],
             ["query", "p.toml", "WITH x AS (SELECT ill, count(*) AS n FROM t GROUP BY ill) SELECT ill, n FROM x UNION ALL SELECT 'all', sum(n) FROM x", *price, "--json"],
             ["query", "p.toml", "SELECT ill, n, 100.0 * n / sum(n) OVER () AS share FROM (SELECT ill, count(*) AS n FROM t GROUP BY ill) x", *price, "--json"],
             ["query", "p.toml", "WITH line AS (SELECT 0.6 * median(age) AS v FROM t) SELECT ill, count(*) AS n, sum(cost - v) AS s FROM t, line WHERE age < v GROUP BY ill", *price, "--json"],
             ["explain", "p.toml", "SELECT count(*) AS n FROM t WHERE age < (SELECT avg(age) FROM t)", *price],
             ["query", "p.toml", "SELECT level, count(*) AS n FROM t GROUP BY level HAVING count(*) > 3 ORDER BY n DESC LIMIT 2", *price],
             ["query", "p.toml", "SELECT a.n / b.n AS q, a.n - b.n AS d FROM (SELECT count(*) AS n FROM t WHERE ill = 'yes') a, (SELECT count(*) AS n FROM t WHERE level = 2) b", *price],
             ["columns", "p.toml"], ["columns", "p.toml", "--json"],
             ["plan", "p.toml", "plan.sql", *price], ["plan", "p.toml", "plan.sql", *price, "--json"], ["plan", "p.toml", "plan.sql", *price, "--answer"], ["plan", "p.toml", "plan.sql", *price, "--answer", "--json"],
             # Free from a plan or from one at a higher price, and combined with either.
             *[["query", "p.toml", "SELECT level, count(*) AS n FROM t GROUP BY level", "--epsilon", epsilon, *more] for epsilon in ("0.011", "0.013", "0.01", "0.014") for more in ([], ["--json"])],
             *[["query", "p.toml", "SELECT avg(cost) AS m, median(age) AS h FROM t", "--epsilon", epsilon, "--json"] for epsilon in ("0.05", "0.12")],  # what the plan asked by itself
             ["explain", "p.toml", "SELECT level, count(*) AS n FROM t GROUP BY level", "--epsilon", "0.02"], ["query", "p.toml", "SELECT quantile_cont(cost, 0.75) AS q FROM t", "--error", "60", "--json"],
             ["query", "p.toml", "SELECT ill, level, count(*) AS n FROM t GROUP BY ROLLUP(ill, level)", *price, "--format", "csv"],
             ["query", "p.toml", "SELECT histogram(age, 4) AS part, count(*) AS n FROM t GROUP BY part", "--error", "30"],
             ["explain", "p.toml", "SELECT corr(age, cost) FROM t WHERE at IS NOT NULL", *price, "--sql"],
             [*analyse, "kmeans", "--columns", "age,cost", "-k", "3", *price, "--out", "kmeans"],
             [*analyse, "svm", "--label", "ill", "--features", "age,cost,level", "--holdout", "0.4", "--model", "m.json", *price, "--out", "svm"],
             ["predict", "m.json", "--csv", "new.csv", "--json"],
             [*analyse, "logistic", "--label", "ill", "--features", "age,level", "--where", "cost > 3", *price, "--json"],
             [*analyse, "logistic", "--label", "cost > 250", "--features", "age", *price, "--json"],
             [*analyse, "top", "--column", "level", "-k", "2", *price, "--json", "--out", "top"],
             [*analyse, "cells", "--columns", "age,day,level", "--false-cells", "1", *price, "--json", "--out", "cells"],
             ["query", "p.toml", "SELECT age, day, level, count(*) AS n FROM t WHERE ill = 'yes' GROUP BY age, day, level HAVING count(*) >= 40", *price, "--json"],
             [*analyse, "cells", "--columns", "ill,age", "--threshold", "40", "--where", "cost > 3", *price], [*analyse, "cells", "--columns", "age", "--threshold", "30", *price, "--explain"],
             [*analyse, "synthetic", "--columns", "ill,level,age,cost", "--parts", "4", "--rows", "40", *price, "--json", "--out", "synthetic"],
             [*analyse, "synthetic", "--columns", "ill,level", "--rows", "30", "--where", "cost > 3", *price, "--format", "csv"], [*analyse, "synthetic", "--columns", "ill,age", *price, "--explain"],
             [*analyse, "percentiles", "--column", "age", "--cells", "12", *price, "--out", "percentiles"],
             [*analyse, "cumulative", "--column", "age", "--cells", "12", *price, "--json", "--out", "cumulative"], [*analyse, "cumulative", "--column", "cost", "--cells", "30", "--where", "ill = 'yes'", *price],
             [*analyse, "cumulative", "--column", "age", *price, "--explain"], [*analyse, "cumulative", "--column", "age", "--cells", "12", *price, "--range", "20,39", "--range", "0,200", "--out", "ranges"],
             [*analyse, "cumulative", "--column", "age", "--cells", "12", *price, "--ranks", "0.1,0.5,0.9", "--json"],
             [*analyse, "points", "--columns", "age,cost", "--cells", "8", *price, "--out", "points"],
             [*analyse, "points", "--columns", "age,cost", *price, "--out", "chosen", "--json"]]  # as fine as a noisy number of points allows
    if world.key and world.max_rows > 1:
        first = "SELECT id, min(age) AS age, bool_or(ill = 'yes') AS event FROM t GROUP BY id"
        steps.append([*analyse, "survival", "--from", first, "--time", "age", "--event", "event", "--step", "25", *price, "--out", "curves", "--json"])
    if "one_sided" not in world.extra:
        steps = shared(steps, number, of)
    if not world.key or world.max_rows == 1:  # in turn among fewer worlds than the rest
        single = [[[*analyse, "survival", "--time", "age", "--event", "ill = 'yes'", "--step", "25", "--by", "level", *price, "--out", "curves", "--json"],
                   [*analyse, "survival", "--time", "age", "--event", "ill = 'yes'", "--step", "25", "--compare", "cost > 250", *price, "--json"]],
                  [[*analyse, "contingency", "--rows", "ill", "--columns", "level", *price, "--json", "--out", "table"]],
                  [[*analyse, "regression", "--target", "cost", "--features", "age,level", *price, "--json", "--out", "line"]]]
        steps += sum(single if of == 1 else [single[number % len(single)]], [])
    if not own:
        return steps
    if of == 1:  # a simulated bar: 200 statements over noisy numbers, which take longer than a dozen other questions
        steps.append(["query", "p.toml", "SELECT 1 - sum(n * n) / (sum(n) * sum(n)) AS mixed FROM (SELECT level, count(*) AS n FROM t GROUP BY level) x", *price, "--json"])
    if world.key and world.max_rows > 1 and "visit" not in names:
        steps += [[*analyse, "cutoff", *price, "--json"], ["query", "p.toml", "SELECT count(*) AS n FROM t WHERE cost > 7", *price]]
    if world.presence == "public" and world.key and world.max_rows == 1:
        steps.append([*analyse, "identity", "--columns", "age,cost", "--units", "0,5", *price, "--format", "csv"])
    if "one_sided" in world.extra:
        one_sided = [*analyse, "histogram", "--one-sided", "--attribute", "age", "--by", "ill", *price]
        steps = steps[:3] + [[*analyse, "records", "--attribute", "age", *price, "--output", "r.csv"],
                             [*analyse, "records", "--attribute", "level", *price, "--output", "r.parquet", "--json"], one_sided,
                             [*one_sided, "--method", "dawaz", "--noisy-epsilon", "0.5", "--json"]]
    if "size = {" in world.dependence:
        strata = "SELECT ward, count(*) AS n, avg(age), median(cost) FROM t WHERE ill = 'yes' GROUP BY ward"
        steps += [["query", "p.toml", strata, *price, "--json"], ["explain", "p.toml", strata, *price]]
    if "within" in world.unit:
        homes = "SELECT ill, count(DISTINCT house) AS n, avg(age) FROM t WHERE cost > 3 GROUP BY ill"
        formats = [[], ["--json"], ["--format", "csv"]]
        steps += [["query", "p.toml", homes, *price, "--unit", "household", *more] for more in (formats if of == 1 else formats[number % 2::2])]
        cases = "(SELECT house, count(*) AS size, count(*) FILTER (WHERE ill = 'yes') AS cases, bool_or(age > 50) AS old FROM t GROUP BY house) AS h"
        steps += [["query", "p.toml", f"SELECT avg(cases) AS m, count(*) AS n FROM {cases}", *price], ["query", "p.toml", f"SELECT size, sum(cases) AS n FROM {cases} WHERE old GROUP BY size", *price, "--json"],
                  ["query", "p.toml", f"SELECT cases, count(*) AS n FROM {cases} GROUP BY cases", *price, "--unit", "household"], ["explain", "p.toml", f"SELECT sum(cases) AS n FROM {cases}", *price, "--sql"],
                  ["explain", "p.toml", "SELECT median(age) AS m FROM t", *price], [*analyse, "synthetic", "--columns", "ill,age,level", "--parts", "3", "--rows", "40", "--together", "ill", *price, "--json"]]
        steps += [["query", "p.toml", "SELECT ward, count(DISTINCT house) AS n FROM t WHERE ill = 'yes' GROUP BY ward", "--error", "30", "--unit", "household"],
                  ["explain", "p.toml", homes, *price, "--unit", "household", "--sql"], ["query", "p.toml", "SELECT count(*) AS n FROM t", *price, "--unit", "person"]]
        steps += [["plan", "p.toml", "homes.sql", *price, "--unit", "household", *more] for more in ([], ["--answer", "--json"])]
        end = end[1:]
    again = [steps[0], ["explain", "p.toml", steps[0][2], *price], ["query", "p.toml", "SELECT count(*) AS n, ill, avg(age), stddev(cost) FROM t GROUP BY ill", *price, "--format", "csv"],
             ["query", "p.toml", "SELECT ill, avg(age) AS m FROM t GROUP BY ill", "--epsilon", "0.1", "--json"]]  # the last is free: from statistics that the first paid for
    if of > 1:
        again = [again[number % len(again)]]
    if world.name == "delta":  # what is derived from one question knows only Laplace noise
        derived = {"percentiles", "contingency", "regression", "survival"}
        steps, again = ([step for step in each if step[0] != "analyse" or not derived & set(step)] for each in (steps, again))
        notes = "SELECT note, count(DISTINCT id) AS n FROM t WHERE cost > 3 GROUP BY note"
        steps += [[*analyse, "cumulative", "--column", "age", "--cells", "9", "--where", "level = 1", "--epsilon", "0.1", *more] for more in (["--explain"], ["--json", "--out", "sums"])]
        steps += keys_of(analyse, price, notes, ["--keys-per-unit", "1"])
    if world.name == "delta-pure":  # soon, so that the others are answered with a delta
        steps = [steps[0], *keys_of(analyse, price, "SELECT note, count(*) AS n FROM t WHERE cost > 3 GROUP BY note", []), *steps[1:]]
    return [*steps, *again, *end]
