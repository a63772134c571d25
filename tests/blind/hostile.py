"""Data sets that agree on public facts and on nothing else: random, hostile and neighbouring ones, as CSV, Parquet and DuckDB files."""
import gzip
import pathlib
import re
import subprocess

NUMBERS = ["", "0", "-0", "1", "59", "120", "121", "-1", "1e3", "0.5", "nan", "NaN", "inf", "-inf", "infinity", "1e308", "-1e308", "1e400",
           "1e-320", "9007199254740993", "-9223372036854775808", "9223372036854775807", "99999999999999999999999999", "0x10", "12abc", "+5", " 7",
           "1_000", "''", "NULL", "\u0663", "500", "250.25", "499.999999999999", "1e-9"]
TEXTS = ["", '""', "yes", "no", "YES", " yes", "maybe", "A", "B", "x" * 3000, "'; DROP TABLE t; --", "\u00e9\u4e2d\U0001f600", '"a,b"', '"a""b"',
         "\\", "%", "_", "true", "1", "-", "\t", "NULL"]
DATES = ["", "2024-01-01", "2024-12-31", "2024-06-15", "1970-01-01", "0001-01-01", "9999-12-31", "0000-00-00", "2024-13-45", "infinity", "-infinity",
         "5881580-07-10", "290309-12-22 (BC)", "2024-02-30", "epoch", "-1"]
TIMES = DATES + ["2024-06-15 10:20:30", "2024-06-15 10:20:30.123456", "2024-06-15T10:20:30Z", "294247-01-10 04:00:54.775806",
                 "290309-12-22 (BC) 00:00:00", "2024-06-15 25:61:61", "2024-06-15 10:20:30+14:00"]
POOLS = {"number": NUMBERS, "text": TEXTS, "date": DATES, "time": TIMES}
RAW_EXTREMES = [0, 1, -1, 1_700_000_000, 9_223_372_036_855, -9_223_372_036_855, 2**63 - 1, -(2**63) + 1, 2**63 - 2, -(2**63) + 2, -(2**63) + 8,
                253_402_300_800, -62_135_596_801, 9_223_372_036_854_775, -9_223_372_036_854_776]
BROKEN_LINES = ['"open', "1", "1,2", ",,,,,,,,,,,,,,,,,,,", '1,"a"b,2', "\0", "\r", '"', ",", "1," * 40, "1,\"x\ny\",2", "\u2028", "x" * 70000]

# Physical types in which a column of a Parquet or DuckDB file may be stored.
STORED = {"number": ["BIGINT", "DOUBLE", "VARCHAR", "HUGEINT", "DECIMAL(18,3)", "FLOAT", "INTEGER", "UBIGINT", "SMALLINT"],
          "text": ["VARCHAR"],
          "date": ["DATE", "TIMESTAMP", "VARCHAR", "TIMESTAMP_S", "TIMESTAMPTZ"],
          "time": ["TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ", "VARCHAR", "DATE"]}
RAW_TYPES = {"duckdb": {"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ", "DATE"},
             "parquet": {"TIMESTAMP", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ", "DATE"}}  # seconds are converted by the writer
STAND_IN, NOT_UTF8 = b"ZqZqZqZ", b"\xff\xfe\xfd\x80\xc0\xaf\xff"  # the first is written into Parquet files and then replaced by the second


class Column:
    """A column of the protected table. `ordinary`: a function of a random generator; None for keys and public columns, which
    the public facts decide."""

    def __init__(self, name, pool, ordinary=None):
        self.name, self.pool, self.ordinary = name, pool, ordinary


def secrets(rng, column, hostility):
    if rng.random() >= hostility:
        return str(column.ordinary(rng))
    return rng.choice(POOLS[column.pool])


def csv_bytes(rng, columns, rows, hostility, ragged=True, separator=",", encoding="utf-8"):
    """Rows of texts as a CSV file; hostile files also have fields that are not UTF-8, and `ragged` ones broken
    lines, which are dropped (where presence is public, they would be refused)."""
    def encoded(text):
        return text.encode(encoding, "replace")

    def field(text):
        if text == "" and len(columns) == 1:
            return b'""'  # a blank line would not be a record
        if text == '""' or (text.startswith('"') and text.endswith('"') and len(text) > 1):
            return encoded(text)
        return encoded('"' + text.replace('"', '""') + '"') if separator in text or '"' in text or "\n" in text else encoded(text)

    lines = [separator.join(c.name for c in columns).encode()]
    for row in rows:
        fields = [field(text) for text in row]
        if rng.random() < hostility / 3:
            at = [k for k, c in enumerate(columns) if c.ordinary]
            if at:
                fields[rng.choice(at)] = b"\xff\xfe\x80" if rng.random() < 0.7 else b"no\0"
        lines.append(separator.encode().join(fields))
        if ragged and rng.random() < hostility / 4:
            line = rng.choice(BROKEN_LINES).replace(",", separator)
            if line.count(separator) != len(columns) - 1:
                lines.append(encoded(line))
        if rng.random() < hostility / 6 and (ragged or len(columns) > 1):
            lines.append(b"")
    end = rng.choice([b"\n", b"\r\n"]) if hostility else b"\n"
    content = end.join(lines) + (b"" if hostility and rng.random() < 0.3 else end)
    return (b"\xef\xbb\xbf" if rng.random() < hostility / 3 else b"") + content


# Semicolons, commas in numbers, days first, an old encoding, words for what is missing, compressed: and values that fit none of it.
FOREIGN = ('{ source = "t.csv.gz", separator = ";", decimal = ",", encoding = "windows-1252", missing = ["NA", ".", "-99"], '
           'dates = "%d.%m.%Y" }')
ODD = {"number": ["NA", ".", "-99", "-99,0", " NA ", "3.5", "1.234,5", "1,2,3", ",5", "5,", "-,", "1e3,5"],
       "date": ["NA", "31.02.2024", "1.1.24", "30.10.99999999", "2024-01-01", "1.1.2024", " 01.01.2024 ", "%d.%m.%Y", "00.00.0000"],
       "text": ["NA", ".", "'NA'", "\x81", "\xa0", ";", "\u20ac"], "time": ["NA", "-99", "01.01.2024 10:00"]}


def foreign_bytes(rng, columns, rows, hostility, ragged):
    def foreign(column, text):
        if not column.ordinary:
            return text
        if rng.random() < hostility / 2:
            return rng.choice(ODD[column.pool])
        day = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", text)
        if column.pool == "date" and day:
            return f"{day[3]}.{day[2]}.{day[1]}"
        return text.replace(".", ",") if column.pool == "number" else text

    made = csv_bytes(rng, columns, [[foreign(c, t) for c, t in zip(columns, row)] for row in rows], hostility, ragged, separator=";",
                     encoding="windows-1252")
    return gzip.compress(made, mtime=0)


def quoted(text):
    return "'" + text.replace("\0", "").replace("'", "''") + "'"


class Maker:
    """Collects files to write and lets blind_data write all of them at once."""

    def __init__(self, program, folder):
        self.program, self.folder, self.lines, self.files = program, pathlib.Path(folder), [], []
        self.folder.mkdir(parents=True, exist_ok=True)

    def table(self, rng, kind, table, columns, types, rows, hostility):
        """The file that will hold these rows, as `parquet` or `duckdb`."""
        place = self.folder / f"{len(self.files)}.{kind}"
        self.files.append(place)
        rows = [[STAND_IN.decode() if kind == "parquet" and c.ordinary and t == "VARCHAR" and rng.random() < hostility / 4 else text
                 for text, c, t in zip(row, columns, types)] for row in rows]
        raws = [k for k, (c, t) in enumerate(zip(columns, types)) if c.ordinary and t in RAW_TYPES[kind] and hostility]
        self.lines.append(f"open {place if kind == 'duckdb' else ':memory:'}")
        stored = ", ".join(f'"{c.name}" {t}' for c, t in zip(columns, types))
        if raws and rows:
            self.lines.append("sql CREATE TEMP TABLE raws (n BIGINT, " + ", ".join(f"r{k} {types[k]}" for k in raws) + ")")
            for n in range(len(rows)):
                drawn = [str(rng.choice(RAW_EXTREMES)) if rng.random() < hostility / 2 else "NULL" for _ in raws]
                drawn = [v if v == "NULL" or types[k] != "DATE" else str(rng.choice([0, 2**31 - 1, -(2**31) + 1, 2**31 - 2, 19000]))
                         for v, k in zip(drawn, raws)]
                self.lines.append(f"raw raws {n} " + " ".join(drawn))
        self.lines.append(f"sql CREATE TABLE {table} ({stored})")
        if rows:
            values = ", ".join("(" + ", ".join([str(n)] + ["NULL" if text == "" else quoted(text) for text in row]) + ")"
                               for n, row in enumerate(rows)).replace("\n", " ").replace("\r", " ")
            names = ", ".join(f"c{k}" for k in range(len(columns)))
            cells = [f"TRY(CAST(c{k} AS {t}))" for k, t in enumerate(types)]
            if raws:
                for k in raws:
                    cells[k] = f"COALESCE(r{k}, {cells[k]})"
            source = f"(VALUES {values}) AS v(n, {names})" + (" JOIN raws USING (n)" if raws else "")
            self.lines.append(f"sql INSERT INTO {table} SELECT {', '.join(cells)} FROM {source} ORDER BY n")
        if kind == "parquet":
            self.lines.append(f"sql COPY {table} TO {quoted(str(place))} (FORMAT parquet, COMPRESSION uncompressed)")
        else:
            self.lines.append("sql CHECKPOINT")
        return place

    def finish(self):
        """Writes all files; returns a function from place to bytes."""
        done = subprocess.run([str(self.program)], input="\n".join([*self.lines, "open :memory:"]).encode(errors="surrogatepass"),
                              capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode(errors="replace")[:600])
        return lambda place: place.read_bytes().replace(STAND_IN, NOT_UTF8)
