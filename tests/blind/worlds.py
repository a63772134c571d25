"""Worlds of the blind test: policies, what is public in them, and tables that agree on it."""
import datetime

from hostile import Column, secrets

START = datetime.date(2024, 1, 1)
AGE = Column("age", "number", lambda r: r.randrange(0, 121))
COST = Column("cost", "number", lambda r: round(r.uniform(0, 500), 2))
ILL = Column("ill", "text", lambda r: r.choice(["no", "yes"]))
LEVEL = Column("level", "number", lambda r: r.choice([1, 2, 3]))
DAY = Column("day", "date", lambda r: START + datetime.timedelta(days=r.randrange(366)))
AT = Column("at", "time", lambda r: f"2024-0{r.randrange(1, 10)}-1{r.randrange(10)} 1{r.randrange(10)}:00:00")
NOTE = Column("note", "text", lambda r: r.choice(["a", "b", ""]))
ID, HOUSE, WARD = Column("id", "number"), Column("house", "number"), Column("ward", "text")
SECRETS = [AGE, COST, ILL, LEVEL, DAY, AT, NOTE]

DECLARED = {"id": 'id = {{ type = "integer"{id_public} }}', "house": 'house = {{ type = "integer", public = true }}',
            "ward": 'ward = {{ values = ["A", "B", "C"], public = true, required = true }}',
            "age": "age = {{ lower = 0, upper = 120{required} }}", "cost": 'cost = {{ type = "real", lower = 0, upper = 500 }}',
            "ill": 'ill = {{ values = ["no", "yes"]{required} }}', "level": "level = {{ values = [1, 2, 3] }}",
            "day": "day = {{ lower = 2024-01-01, upper = 2024-12-31 }}", "at": 'at = {{ type = "timestamp" }}',
            "note": 'note = {{ type = "text" }}'}
INDEPENDENT = 'source = "public"\nkind = "independent"'
GROUPS = 'source = "public"\nkind = "group"\nby = "house"\nsize = 3\nodds_ratio = 4'
PAIRS = 'source = "public"\nkind = "group"\nby = "house"\nsize = 2\nodds_ratio = { ward = { A = 4, B = 2, C = 3 } }'
TOTALS = INDEPENDENT + '\nknown = [{ total = "ill", value = "yes" }, { total = "ill", value = "yes", by = "ward" }]'
LINKED = ('source = "public"\nkind = "pairs"\naccept = "unproven"\ncoefficient = "eq18"\nnodes = 60\nedges = "links.csv"\n'
          'distance = { columns = ["lon", "lat"], axes = [[-74.1, -73.9], [40.5, 40.7, 40.9]], b = 0.003, c = 1.05 }')
PANEL = ('source = "public"\nkind = "chain"\nby = "house"\nlength = 3\nstart = "any"\n'
         'transition = [[[0.7, 0.9], [0.1, 0.3]], [0.3, 0.7]]')
STRATA_BY_WARD = 'source = "public"\nkind = "group"\nby = "house"\nsize = { ward = { A = 6, B = 4, C = 3 } }\nodds_ratio = 4'
GROUPS_BY_WARD = 'source = "public"\nkind = "group"\nby = "house"\nsize = 3\nodds_ratio = { ward = { A = 4, B = 2, C = 3 } }'

SHARED = ('source = "public"\nkind = "group"\nby = "house"\nsize = 3\nattribute = "ill"\n'
          'shared = { sd = { ward = { A = 0.8, B = 0.3, C = 0.5 } } }')


class World:
    """`presence`: public or secret; `key`: whether units have a key (else each row is one); `max_rows`: of a unit."""

    table = "t"

    def __init__(self, name, presence, key=True, max_rows=1, public=("ward",), dependence=INDEPENDENT, required="", epsilon=1000, extra="",
                 unit="", columns=None, data="", constant=(), house=3, budget=""):
        self.name, self.presence, self.key, self.max_rows, self.epsilon = name, presence, key, max_rows, epsilon
        facts = [ID] if key else []
        self.public = [c for c in (HOUSE, WARD) if c.name in public]
        self.columns = facts + self.public + list(SECRETS if columns is None else columns)
        self.id_public = key and presence == "public"
        self.dependence, self.required, self.extra, self.unit, self.data = dependence, required, extra, unit, data
        self.house = house  # people in one
        self.budget = budget
        self.constant = constant  # columns that are read from one row of each unit, whatever its others say

    def policy(self, source, epsilon=None):
        unit = f'key = "id"\nmax_rows = {self.max_rows}' if self.key else "row = true"
        declared = "\n".join(self.declare(c) for c in self.columns)
        return (f'[data]\n{self.promise(source)}tables.{self.table} = "{source}"\n{self.more_data()}[unit]\ntable = "{self.table}"\n{unit}\n'
                f'presence = "{self.presence}"\n{self.unit}\n[columns.{self.table}]\n{declared}\n{self.more_columns()}'
                f"[dependence]\n{self.dependence}\n{self.extra}\n[budget]\nepsilon = {epsilon or self.epsilon}\nledger = \"t.ledger\"\n{self.budget}")

    def declare(self, column):
        declared = DECLARED[column.name].format(id_public=", public = true" if self.id_public else "",
                                                required=", required = true" if self.required else "")
        return declared.replace(" }", ", constant = true }") if column.name in self.constant else declared

    def promise(self, source):
        """Of data that are read in place: what groups need, and what a world is about."""
        if ".csv" in source:
            return ""
        grouped = ("by = " in self.dependence and "known" not in self.dependence) or "within" in self.unit
        return 'public_columns = "fixed"\n' if grouped and "fixed" not in self.data else "frozen = true\n" if self.name == "frozen" else ""

    def more_data(self):
        return self.data

    def more_columns(self):
        return ""

    def files(self):
        """Public files beside the data."""
        return {}

    # What is public: the units with their public columns where presence is public; nothing where it is secret, but a unit that is there has the
    # public columns that everybody knows.
    def facts(self, rng):
        return [self.register(i) for i in range(rng.randrange(3, 30))]

    def register(self, i):
        known = {"id": i, "house": i // self.house, "ward": "ABC"[(i // self.house) % 3]}
        return [str(known[c.name]) for c in ([ID] if self.key else []) + self.public]

    def first(self, i):
        """What everybody knows of a row of a unit."""
        return self.register(i)

    def starts(self, rng, unit, style):
        """The same for each row that a unit has; where nothing else is said, how many there are is a secret."""
        copies = 1 if not self.key else rng.choice([1, 1, self.max_rows]) if style != "crowded" else rng.randrange(1, 2 * self.max_rows + 4)
        return [unit] * copies

    def row(self, rng, start, hostility):
        return start + [secrets(rng, c, hostility) for c in self.columns[len(start):]]

    def rows(self, rng, facts, style):
        hostility = {"hostile": 0.5, "odd": 0.1}.get(style, 0)
        if self.presence == "public":
            units = facts
        else:
            most = {"empty": 0, "one": 1, "large": 3000}.get(style, rng.choice([2, 7, 40]))
            known = max(60, most)
            units = [self.register(i) for i in (rng.sample(range(known), most) if self.key else rng.choices(range(known), k=most))]
        rows = []
        for unit in units:
            starts = self.starts(rng, unit, style)
            row = self.row(rng, starts[0], hostility)
            for start in starts:
                rows.append(row if style == "crowded" and start == starts[0] and rng.random() < 0.5 else self.row(rng, start, hostility))
        if style == "nothing":
            rows = [row[:len(row) - self.secret_columns()] + [""] * self.secret_columns() for row in rows]
        if style == "same" and rows:
            rows = [row[:len(row) - self.secret_columns()] + rows[0][-self.secret_columns():] for row in rows]
        if style in ("hostile", "crowded") and self.key:
            for _ in range(rng.randrange(3)):  # rows without a key are dropped
                rows.insert(rng.randrange(len(rows) + 1), self.row(rng, [""] + self.first(1)[1:], hostility))
        if self.key or self.presence == "secret":
            rng.shuffle(rows)
        return rows

    def copies(self, source):
        """Sources with the same bytes under other names."""
        return []

    def secret_columns(self):
        return sum(1 for c in self.columns if c.ordinary)

    def neighbour(self, rng, rows):
        """One unit's record is another one; where presence is secret, it may be gone or new."""
        rows = [list(row) for row in rows]
        if not rows:
            return rows
        k = rng.randrange(len(rows))
        fixed = len(self.columns) - self.secret_columns()
        if self.presence == "secret" and rng.random() < 0.4:
            return [row for row in rows if row[0] != rows[k][0]] if self.key else rows[:k] + rows[k + 1:]
        rows[k] = self.row(rng, rows[k][:fixed], rng.choice([0, 0.5]))
        return rows


class Linked(World):
    """People at places, linked in a public file; a published formula that is not proved."""

    def files(self):
        return {"links.csv": "a,b\n0,1\n1,2\n2,0\n"}


class Joined(World):
    """With a public table of wards."""

    def more_data(self):
        return 'tables.wards = { source = "wards.csv", public = true, key = "code" }\n'

    def more_columns(self):
        return '[columns.wards]\ncode = { type = "text" }\nside = { values = ["north", "south"], required = true }\nbeds = { lower = 0, upper = 500 }\n'

    def files(self):
        return {"wards.csv": "code,side,beds\nA,north,120\nB,south,80\n"}


class Tables(World):
    """Tables of the same units: the second has the rows of the first, with other columns of them; in the third, a copy, age names a second unit."""

    def copies(self, source):
        return ["met" + source[1:]]

    def policy(self, source, epsilon=None):
        more = (f'tables.more = {{ source = "{source}", key = "id", max_rows = 3 }}\ntables.once = {{ source = "{source}", key = "id", max_rows = 1 }}\n'
                f'tables.met = {{ source = "{self.copies(source)[0]}", key = "id", max_rows = 2, other = "age", max_other = 2 }}\n[unit]')
        columns = '[columns.more]\nid = { type = "integer" }\nlevel = { values = [1, 2, 3] }\ncost = { type = "real", lower = 0, upper = 500 }\nward = { type = "text" }\n[columns.met]\nid = { type = "integer" }\nage = { type = "integer" }\nlevel = { values = [1, 2, 3] }\n[columns.once]\nid = { type = "integer" }\nlevel = { values = [1, 2, 3] }\n[dependence]'
        return super().policy(source, epsilon).replace("[unit]", more, 1).replace("[dependence]", columns, 1)


VISIT = Column("visit", "number")
DECLARED |= {"visit": 'visit = {{ values = [1, 2], public = "per row" }}'}


class Visits(World):
    """Everybody knows which visits somebody has come to."""

    def visits(self, i):
        return [["1", "2"], ["1"], ["2", "2"], ["2"], ["1", ""]][i % 5]

    def first(self, i):
        return self.register(i) + self.visits(i)[:1]

    def starts(self, rng, unit, style):
        return [unit + [visit] for visit in self.visits(int(unit[0]))]


LON, LAT, WAGE = (Column("lon", "number", lambda r: round(r.uniform(-74.3, -73.6), 4)),
                  Column("lat", "number", lambda r: round(r.uniform(40.4, 41.0), 4)),
                  Column("wage", "number", lambda r: r.randrange(0, 21000)))
DECLARED |= {"lon": 'lon = {{ type = "real", lower = -74.2589, upper = -73.7004, required = true }}',
             "lat": 'lat = {{ type = "real", lower = 40.4774, upper = 40.9176, required = true }}',
             "wage": 'wage = {{ type = "integer", lower = 0, upper = 20000, required = true }}'}
CITY_DISTANCE = 'distance = { columns = ["lon", "lat"], metric = "great-circle", delta = "5000 m" }'
WAGE_DISTANCE = 'distance = { columns = ["wage"], metric = "l1", delta = 100 }'

ONE_SIDED = """
[[one_sided.attribute]]
name = "age"
columns = ["age", "ill"]
sensitive = "age > 60"
epsilon = 50
[[one_sided.attribute]]
name = "level"
columns = ["level"]
sensitive = "level = 3 OR ill = 'yes'"
epsilon = 50
"""
STREAM = '\n[stream]\ntime = "{time}"\nstep = {step}\n{start}window = 3\n'
TICK = Column("tick", "number", lambda r: r.randrange(0, 8))
SEEN = Column("seen", "time", lambda r: f"2026-03-02 0{r.randrange(8)}:{r.randrange(10, 60)}:00")
DECLARED |= {"tick": 'tick = {{ type = "integer" }}', "seen": 'seen = {{ type = "timestamp" }}'}

A_END, B_END = Column("a", "number", lambda r: r.randrange(12)), Column("b", "number", lambda r: r.randrange(12))
SINCE = Column("since", "number", lambda r: r.randrange(2000, 2024))
DECLARED |= {"a": 'a = {{ type = "integer" }}', "b": 'b = {{ type = "integer" }}', "since": "since = {{ lower = 2000, upper = 2024 }}"}


class Friends(World):
    """A table of pairs; `ends`: what the key is."""

    def __init__(self, name, unit):
        super().__init__(name, "secret", key=False, public=(), columns=[A_END, B_END, SINCE])
        self.pairs = unit

    def policy(self, source, epsilon=None):
        return super().policy(source, epsilon).replace("row = true", self.pairs)

    def more_data(self):
        return 'tables.members = { source = "members.csv", public = true }\n'

    def more_columns(self):
        return '[columns.members]\nid = { type = "integer" }\nteam = { values = ["red", "blue"] }\n'

    def files(self):
        return {"members.csv": "id,team\n" + "".join(f"{i},{['red', 'blue'][i % 2]}\n" for i in range(12))}


def worlds():
    return [
        World("public", "public", public=("house", "ward"), dependence=STRATA_BY_WARD, data='public_columns = "fixed"\n'),
        World("public-3", "public", max_rows=3, public=("ward",), required="yes", dependence=TOTALS),
        World("public-classes", "public", public=("house", "ward"), dependence=GROUPS_BY_WARD),
        World("shared", "secret", public=("house", "ward"), dependence=SHARED),
        World("secret", "secret", public=()),
        World("secret-2", "secret", max_rows=2, public=("ward",), required="yes", data='version = "2026-11"\n', budget='neighbours = "add-or-remove"\n'),
        World("delta", "secret", max_rows=2, public=("ward",), epsilon=600, budget="delta = 1e-6\nkeys_delta = 4e-7\nquestions = 1000\n"),
        World("constant-public", "public", max_rows=3, public=("ward",), constant=("age", "ill", "day")),
        World("constant-secret", "secret", max_rows=2, public=(), constant=("ill", "cost", "level", "at")),
        World("rows-public", "public", key=False, public=("ward",)),
        World("rows-secret", "secret", key=False, public=()),
        Joined("joined", "secret", max_rows=2, public=("ward",)),
        World("city", "public", public=(), unit=CITY_DISTANCE, columns=[LON, LAT]),
        World("city-everywhere", "secret", public=(), unit=CITY_DISTANCE.replace(" }", ', sources = "everywhere" }'), columns=[LON, LAT]),
        World("city-doors", "secret", public=(), unit=CITY_DISTANCE.replace(" }", ", sources = [[-74.0, 40.7]] }"), columns=[LON, LAT]),
        World("wages", "public", key=False, public=(), unit=WAGE_DISTANCE, columns=[WAGE]),
        World("one-sided", "public", key=False, public=("ward",), extra=ONE_SIDED),
        World("one-sided-secret", "secret", max_rows=2, public=(), extra=ONE_SIDED),
        World("stream", "secret", public=(), columns=[TICK, AGE, ILL], extra=STREAM.format(time="tick", step=1, start="")),
        World("stream-time", "secret", max_rows=2, public=("ward",), columns=[SEEN, ILL],
              extra=STREAM.format(time="seen", step='"1 hour"', start='start = "2026-03-02"\n')),
        World("track", "secret", public=(), unit=CITY_DISTANCE.replace(" }", ', sources = "everywhere" }'), columns=[TICK, LON, LAT],
              extra=STREAM.format(time="tick", step=1, start="")),
        Friends("friends", "row = true"),
        Friends("friends-lists", 'key = "a"\nmax_rows = 6'),
        Friends("friends-people", 'key = ["a", "b"]\nmax_rows = 20'),
        World("nested", "public", public=("house", "ward"), dependence=GROUPS, unit='within = "house"\nsize = 3'),
        World("nested-secret", "secret", max_rows=2, public=("house", "ward"), unit='within = "house"\nsize = 3',
              dependence='source = "public"\nunit = "household"\nkind = "group"\nsize = 2'),
        World("pairs", "secret", public=("house", "ward"), columns=[ILL, LEVEL], dependence=PAIRS, house=2),
        World("panel", "public", public=("house", "ward"), required="yes", columns=[ILL], dependence=PANEL),
        Visits("visits", "public", max_rows=2, public=("ward",), required="yes", columns=[VISIT, *SECRETS]),
        Linked("linked", "public", public=(), columns=[LON, LAT], dependence=LINKED),
        Tables("tables", "public", max_rows=2, public=("ward",)),
        World("delta-pure", "secret", public=("ward",), epsilon=600, budget="delta = 1e-6\nkeys_delta = 1e-6\n"),  # pure losses with deltas for keys
        World("frozen", "public", max_rows=2, public=("ward",)),
    ]
