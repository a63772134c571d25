"""The blind test's machinery: runs command lines of kith_blind in one folder after the other and compares what an analyst can see."""
import dataclasses
import os
import pathlib
import shutil
import subprocess

# What may differ between data sets that agree on public facts. Everything else is a leak.
LEGITIMATE = {
    "import": "what `kith import` prints, and its page: exact counts and spellings are for the curator (its exit code is compared)",
    "source": "the data files, and what kith keeps about them: snapshots (.kith) and the ledger's own file, which only the curator may read",
}

PAGE = "import.html"  # where imports put their report


class Server:
    """One kith_blind that answers command lines, each in a child of its own; all runs happen in one and the same folder."""

    def __init__(self, program, root, environment=None):
        self.root = pathlib.Path(root)
        self.folder = self.root / "run"
        self.program = program
        # Names of libraries are resolved when these are loaded: once here, instead of in every child.
        self.environment = dict(os.environ, LD_BIND_NOW="1", **(environment or {}))
        self.process = None

    def __enter__(self):
        self.root.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen([str(self.program), "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=self.environment, cwd=self.root)
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def fresh(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def place(self, version):
        """Puts one version of the data where kith looks for it."""
        for name, content in version.items():
            (self.folder / name).write_bytes(content)

    def run(self, arguments):
        """(exit code, stdout, stderr)"""
        outputs = [self.root / "stdout", self.root / "stderr"]
        fields = [os.fsencode(str(f)) for f in (self.folder, *outputs)]
        fields += [a if isinstance(a, bytes) else str(a).encode() for a in arguments]
        request = b"%d " % len(fields) + b"".join(b"%d:%s" % (len(f), f) for f in fields)
        self.process.stdin.write(request)
        self.process.stdin.flush()
        code = self.process.stdout.readline()
        if not code:
            raise RuntimeError("kith_blind ended")
        return int(code), *(output.read_bytes() for output in outputs)


@dataclasses.dataclass(frozen=True)
class Replace:
    """A step at which the file of the data is replaced by its next version (which may be the same bytes again)."""
    version: int


@dataclasses.dataclass(frozen=True)
class Session:
    """What is asked, in which order. `files`: what is public and beside the data. `sources`: names of the data's files."""
    name: str
    files: dict
    steps: list
    sources: tuple


@dataclasses.dataclass(frozen=True)
class DataSet:
    """Versions of the data: each a dict from file name to bytes. `about`: how it was made, for the report."""
    about: str
    versions: tuple


@dataclasses.dataclass(frozen=True)
class Difference:
    session: str
    data: str
    step: int
    command: str
    what: str  # exit, stdout, stderr or a file
    one: str
    other: str

    def __str__(self):
        return (f"{self.session}, step {self.step}: {self.command}\n  {self.what} differs for {self.data}\n"
                f"    - {self.one}\n    + {self.other}")


def _seen_files(folder, session):
    """All files that a run wrote for the analyst."""
    seen = {}
    for place, folders, files in os.walk(folder):
        if place == str(folder):
            folders[:] = [name for name in folders if name != ".kith"]
        for file in files:
            path = pathlib.Path(place, file)
            name = str(path.relative_to(folder))
            if name in session.files or name in session.sources or ".ledger" in name.split("/")[0]:
                continue
            if name == PAGE and path.stat().st_mode & 0o077 == 0:  # the curator's, and nobody else can read it
                continue
            seen[name] = path.read_bytes()
    return seen


def observe(server, session, data):
    """Everything an analyst sees, step by step: a list of dicts."""
    server.fresh()
    for name, content in session.files.items():
        (server.folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    server.place(data.versions[0])
    transcript = []
    for step in session.steps:
        if isinstance(step, Replace):
            server.place(data.versions[min(step.version, len(data.versions) - 1)])
            transcript.append({})
            continue
        code, out, err = server.run(step)
        if step[0] == "import":
            transcript.append({"exit": code})
        else:
            transcript.append({"exit": code, "stdout": out, "stderr": err, **_seen_files(server.folder, session)})
    return transcript


def _first_lines(one, other):
    """The first line in which two texts differ."""
    if not isinstance(one, bytes) or not isinstance(other, bytes):
        return str(one)[:120], str(other)[:120]
    a, b = one.decode(errors="replace").splitlines(), other.decode(errors="replace").splitlines()
    for k in range(max(len(a), len(b))):
        x, y = a[k] if k < len(a) else "(no line)", b[k] if k < len(b) else "(no line)"
        if x != y:
            at = next((i for i, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))
            start = max(0, at - 60)
            return x[start:at + 120], y[start:at + 120]
    return "(line ends)", "(line ends)"


def compare(session, data, one, other, forgive=lambda text: text):
    """The differences at the first step that has any: what follows follows from it. `forgive` takes known ones out of a text."""
    found = []
    for k, (a, b) in enumerate(zip(one, other)):
        for what in sorted(set(a) | set(b)):
            x, y = a.get(what), b.get(what)
            if isinstance(x, bytes) and isinstance(y, bytes):
                x, y = forgive(x), forgive(y)
            if x != y:
                command = " ".join(map(str, session.steps[k]))
                found.append(Difference(session.name, data.about, k, command, what, *_first_lines(x, y)))
        if found:
            break
    return found


def check(server, session, data_sets, forgive=lambda text: text, statistics=None):
    """All differences from the first data set. Where there are any, that one runs again, to say whether the data are what they come from:
    kith_blind itself must be deterministic."""
    first = observe(server, session, data_sets[0])
    found = []
    for data in data_sets[1:]:
        found += compare(session, data, first, observe(server, session, data), forgive)
    if found:
        again = DataSet(f"the same data again ({data_sets[0].about}): kith_blind is not deterministic", data_sets[0].versions)
        found = compare(session, again, first, observe(server, session, again), forgive) + found
    if statistics is not None:
        statistics["runs"] += len(data_sets) * len(first)
        statistics["data"] += len(data_sets)
        for step, seen in zip(session.steps, first):
            if "exit" in seen:
                statistics[f"exit {seen['exit']}"] += 1
                if seen["exit"] != 0 and "/tour/" in session.name:
                    statistics[f"refused {session.name}: {' '.join(step)}: {seen.get('stderr')}"] += 1
    return found
