"""Command lines of kith in children of one process (kith_served: kith with the main function of the blind test's server), which has its
libraries loaded and its names resolved: starting a program anew takes longer than most questions."""
import atexit
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading


class Served:
    """For the main thread: one command line at a time."""

    def __init__(self, program):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.process = subprocess.Popen([str(program), "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ, LD_BIND_NOW="1"))
        atexit.register(self.stop)

    def stop(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, arguments, cwd):
        """As subprocess.run with captured texts."""
        outputs = [self.folder / "stdout", self.folder / "stderr"]
        fields = [os.fsencode(field) for field in (cwd, *outputs, *arguments)]
        self.process.stdin.write(b"%d " % len(fields) + b"".join(b"%d:%s" % (len(field), field) for field in fields))
        self.process.stdin.flush()
        code = self.process.stdout.readline()
        if not code:
            raise RuntimeError("kith_served ended")
        return subprocess.CompletedProcess(["kith", *arguments], int(code), *(output.read_text() for output in outputs))


_served, _seen = None, set()


def server_for(kith, arguments, options):
    """The server, where it is there, not older than the program, and makes no difference. Every verb, with and without documents, runs as a
    program of its own first."""
    global _served
    kind = (*arguments[:1], "--json" in arguments)
    first = kind not in _seen
    _seen.add(kind)
    program = kith.parent / "tests" / "kith_served"
    if first or options or threading.current_thread() is not threading.main_thread() or os.environ.get("KITH_SANITIZE"):
        return None
    if not program.is_file() or program.stat().st_mtime < kith.stat().st_mtime:
        return None
    _served = _served or Served(program)
    return _served
