#!/usr/bin/env python3
"""The witness of behaviour: everything that kith says in the worlds of the blind test and to the golden questions, with fixed noise, in one file.

A change that should change nothing is one after which this file is the same, byte for byte. Usage: witness.py BUILD-FOLDER OUTPUT [BEFORE]; with BEFORE,
the file of another build, the steps that differ are shown, and the exit code is 1 if there are any."""
import fcntl
import hashlib
import os
import pathlib
import random
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "blind"), str(HERE)]
import golden  # noqa: E402
import hostile  # noqa: E402
import questions  # noqa: E402
import sessions  # noqa: E402
from harness import Replace, Server, observe  # noqa: E402
from worlds import worlds  # noqa: E402

ROOT = HERE.parents[1]
# What needs no data and little time; its tables are compared as they are written.
FIGURES = ["example1", "fig6", "idp-example1", "idp-example2", "idp-rare", "osdp-curves", "osdp-optimum", "osdp-collusion"]
RANDOM_STEPS = 12


def text(content):
    """Texts as they are; of other files, which are not read line by line, the digest."""
    if not isinstance(content, bytes):
        return str(content)
    try:
        return content.decode()
    except UnicodeDecodeError:
        return f"{len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()}"


class Witness:
    def __init__(self, build, folder, out):
        self.folder = str(folder)
        self.blind, self.data = build / "tests" / "blind" / "kith_blind", build / "tests" / "blind" / "blind_data"
        self.out, self.steps = out, 0

    def step(self, name, command, seen):
        """One step: a head, then each thing that was seen under its name."""
        self.steps += 1
        self.out.write(f"=== {name} $ {command}\n")
        for what in sorted(seen):
            shown = text(seen[what]).replace(self.folder, "FOLDER").replace(f"{ROOT}/", "")
            self.out.write(f"--- {what}\n{shown}\n")

    def server(self, folder):
        return Server(self.blind, folder, {"KITH_BLIND_VALUES": "1"})

    def told(self, session, transcript):
        there = {}
        for k, (command, seen) in enumerate(zip(session.steps, transcript)):
            if not isinstance(command, Replace):
                files = {what: content for what, content in seen.items() if what not in ("exit", "stdout", "stderr")}
                new = {what: content for what, content in seen.items() if there.get(what) != content or what not in files}
                self.step(f"{session.name} {k}", " ".join(map(str, command)), new)
                there = files

    def blind_worlds(self, folder):
        """One ordinary data set for each world: its whole tour, its fixed questions, and random ones about a file of another kind."""
        maker = hostile.Maker(self.data, folder / "data")
        planned = []
        for number, world in enumerate(worlds()):
            for kept, kind in (("tour", "csv"), ("fixed", "csv"), ("random", ["parquet", "duckdb"][number % 2])):
                if kept != "fixed" or world.name in sessions.FIXED:
                    planned.append(sessions.make(1, world, kind, RANDOM_STEPS, 1, maker, replaced=False, kept=kept, neighbour=False))
        read = maker.finish()
        with self.server(folder / "worlds") as server:
            for session, data in planned:
                [made] = sessions.resolve(data, read)
                self.told(session, observe(server, session, made))

    def golden_questions(self, folder):
        answered = 0
        with self.server(folder / "golden") as server:
            for path in sorted(golden.GOLDEN.glob("*.test")):
                for line, world, asked in golden.records(path):
                    server.fresh()
                    for name, content in world.files().items():
                        (server.folder / name).write_text(content)
                    for sql in asked:
                        for command in (["explain", "p.toml", sql, "--epsilon", "0.1", "--json"], ["query", "p.toml", sql, "--epsilon", "0.1", "--json"]):
                            code, out, err = server.run(command)
                            answered += code == 0
                            self.step(f"golden/{path.stem}:{line}", " ".join(command), {"exit": code, "stdout": out, "stderr": err})
        if 2 * answered < self.steps:
            raise SystemExit(f"only {answered} of {self.steps} golden questions are answered: a witness of refusals says little")

    def examples(self, folder):
        """Declared models and policies of the examples: prices, bounds and explanations; no data."""
        with self.server(folder / "examples") as server:
            for path in sorted((ROOT / "examples").rglob("*")):
                name = str(path.relative_to(ROOT))
                if path.suffix not in (".json", ".toml") or not path.is_file():
                    continue
                commands = [["columns", path], ["policy", "show", path]] if path.suffix == ".toml" else [["transfer", path, "--plain", "0.1", "--json"],
                                                                                                      ["transfer", path, "--dependent", "1", "--json"],
                                                                                                      ["transfer", path, "--gaussian", "--mu", "0.1", "--json"], ["audit", path, "--json"]]
                for command in commands:
                    server.fresh()
                    code, out, err = server.run(command)
                    self.step(f"examples/{name}", " ".join(map(str, command)).replace(f"{ROOT}/", ""), {"exit": code, "stdout": out, "stderr": err})

    def figures(self, folder):
        with self.server(folder / "figures") as server:
            for name in FIGURES:
                server.fresh()
                code, _, err = server.run(["experiment", name, "--output", "out", "--brief", "--label", "witness"])
                seen = {str(path.relative_to(server.folder)): path.read_bytes() for path in sorted(server.folder.rglob("*.csv"))}
                self.step(f"figure/{name}", "experiment", {"exit": code, "stderr": err, **seen})


def read(path):
    """Step to its text; steps of one name are numbered."""
    found, name = {}, None
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith("=== "):
            name = line
            while name in found:
                name += " again"
            found[name] = []
        elif name:
            found[name].append(line)
    return found


def compare(before, after, most=40):
    """Shows the steps that differ, each with its first lines; how many there are."""
    one, other = read(before), read(after)
    differing = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    for name in differing[:most]:
        print(name)
        a, b = one.get(name, ["(no such step)"]), other.get(name, ["(no such step)"])
        for k in [k for k in range(max(len(a), len(b))) if a[k:k + 1] != b[k:k + 1]][:3]:
            print("  - " + "".join(a[k:k + 1])[:300])
            print("  + " + "".join(b[k:k + 1])[:300])
    print(f"{len(other)} steps, {len(differing)} differ from {before}")
    return len(differing)


def main(build, output, before=None):
    random.seed(1)
    memory = pathlib.Path("/dev/shm")
    folder = (memory if memory.is_dir() else pathlib.Path(tempfile.gettempdir())) / "kith-witness"  # always the same: records state where they were written
    lock = open(f"{folder}.lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX)  # one at a time; what an interrupted run left is taken away
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        with open(f"{output}.new", "w") as out:
            witness = Witness(pathlib.Path(build).resolve(), folder, out)
            for part in (witness.golden_questions, witness.blind_worlds, witness.examples, witness.figures):
                part(folder)
                print(f"{part.__name__}: {witness.steps} steps so far", flush=True)
        os.replace(f"{output}.new", output)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if before and compare(before, output) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
