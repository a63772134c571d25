"""A program of somebody else on kith: what `cmake --install` gives is moved elsewhere, the example is built on that alone and run on a
made-up town."""
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

from kith_case import KITH

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "own_statistic"
BUILD = KITH.parent
# Nothing of the machine's owner: no CPATH, no CMAKE_PREFIX_PATH, no LD_LIBRARY_PATH, no CXXFLAGS.
CLEAN = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
SANITIZE = os.environ.get("KITH_SANITIZE", "")
FLAGS = f"-fsanitize={SANITIZE}" if SANITIZE else ""
STRICT = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]


def run(*command, **options):
    return subprocess.run(command, text=True, capture_output=True, env=CLEAN, timeout=240, **options)


def must(*command):
    done = run(*command)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = pathlib.Path(tempfile.mkdtemp(prefix="installed.", dir=BUILD))
        cls.addClassCleanup(shutil.rmtree, scratch, ignore_errors=True)
        must("cmake", "--install", BUILD, "--prefix", scratch / "there")
        cls.prefix = scratch / "here"
        (scratch / "there").rename(cls.prefix)
        cls.built = scratch / "out"
        cls.build(EXAMPLE, cls.built)
        random.seed(1)
        households = [(i, i // 4, round(random.uniform(50, 900), 1), random.randint(1, 6)) for i in range(4000)]
        cls.table = "id,house,litres,people\n" + "".join(f"{i},{h},{l},{p}\n" for i, h, l, p in households)

    @classmethod
    def configure(cls, source, out):
        return run("cmake", "-S", source, "-B", out, f"-DCMAKE_PREFIX_PATH={cls.prefix}", "-DCMAKE_BUILD_TYPE=Debug",
                   f"-DCMAKE_CXX_FLAGS={FLAGS}")

    @classmethod
    def build(cls, source, out):
        done = cls.configure(source, out)
        assert done.returncode == 0, done.stdout + done.stderr
        must("cmake", "--build", out)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        shutil.copy(EXAMPLE / "policy.toml", self.folder)
        (self.folder / "water.csv").write_text(self.table)

    def run_it(self, *arguments):
        return run(self.built / "own_statistic", self.folder / "policy.toml", *arguments)

    def test_explains_without_touching_data(self):
        (self.folder / "water.csv").unlink()
        done = self.run_it("1", "--explain")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("households: a household moves it by 2 at the most", done.stdout)
        self.assertIn("score: a household moves it by 4 at the most", done.stdout)

    def test_answers_once_and_gives_the_same_answer_for_free(self):
        first = self.run_it("1")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("OWN-1", first.stdout)
        self.assertIn("charged", first.stdout)
        counts = [float(line.split(":")[1].split()[0]) for line in first.stdout.splitlines() if "litres:" in line]
        self.assertEqual(len(counts), 8)
        # Eight noises of scale 2 / (2/3 of the plain budget), which is above 0.4: nothing near 400 off in all.
        self.assertLess(abs(sum(counts) - 4000), 400)
        again = self.run_it("1")
        self.assertIn("asked before", again.stdout)
        self.assertEqual(first.stdout.splitlines()[:9], again.stdout.splitlines()[:9])

    def test_the_budget_ends(self):
        self.assertEqual(self.run_it("1.5").returncode, 0)
        refused = self.run_it("1")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("budget", refused.stderr)

    def test_the_installed_program_runs(self):
        done = run(self.prefix / "bin" / "kith", "explain", self.folder / "policy.toml", "SELECT sum(litres) FROM water", "--epsilon", "1")
        self.assertEqual(done.returncode, 0, done.stderr)

    def compiled(self, text):
        file = self.folder / "file.cc"
        file.write_text(text)
        return run("c++", *STRICT, f"-I{self.prefix / 'include'}", "-fsyntax-only", file)

    def test_every_header_can_be_included_alone_and_twice(self):
        headers = sorted((self.prefix / "include" / "kith").iterdir())
        self.assertEqual({header.name for header in headers},
                         {"answer.h", "curator.h", "guarantee.h", "kith.h", "request.h", "result.h", "statistic.h", "version.h"})
        for header in headers:
            include = f"#include <kith/{header.name}>\n"
            done = self.compiled(include + include)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_nothing_inside_kith_can_be_included(self):
        for inside in ("analysis/own/own.h", "release/release.h", "base/result.h", "kith/release.h"):
            done = self.compiled(f'#include <kith/kith.h>\n#include "{inside}"\n')
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("No such file", done.stderr)
        source = self.folder / "inside"
        shutil.copytree(EXAMPLE, source)
        program = source / "own_statistic.cc"
        program.write_text(program.read_text().replace("#include <kith/kith.h>", '#include <kith/kith.h>\n#include "release/release.h"', 1))
        self.assertEqual(self.configure(source, source / "out").returncode, 0)
        self.assertNotEqual(run("cmake", "--build", source / "out").returncode, 0)

    def test_the_package_knows_neither_sources_nor_build(self):
        places = [str(place) for place in (ROOT, BUILD)]
        for file in self.prefix.rglob("*"):
            if file.is_file():
                if file.suffix == ".gz":
                    continue  # a manual page
                program = file.read_bytes()[:4] == b"\x7fELF"
                # Programs hold names of source files, for messages about bugs; where they look for libraries is what counts.
                text = must("readelf", "-d", file) if program else file.read_text()
                for place in places:
                    self.assertNotIn(place, text, file)
                if program and file.name != "libduckdb.so":
                    self.assertIn("$ORIGIN", text)

    def test_the_library_shows_its_interface_alone(self):
        symbols = must("nm", "-D", "--defined-only", "-C", self.library()).splitlines()
        names = [line.split(maxsplit=2)[2] for line in symbols]
        shown = [name for name in names if not name.startswith("KITH_1")]
        self.assertTrue(any(name.startswith("kith::v1::Curator::Open(") for name in shown))
        self.assertEqual([name for name in shown if "kith::v1::" not in name], [])

    def library(self):
        libraries = list(self.prefix.rglob("libkith.so"))
        self.assertEqual(len(libraries), 1)
        return libraries[0]

    def test_another_version_is_not_taken(self):
        source = self.folder / "versions"
        for wanted, found in (("0.1", True), ("0.0", False), ("0.2", False), ("1", False)):
            shutil.rmtree(source, ignore_errors=True)
            source.mkdir()
            (source / "CMakeLists.txt").write_text(
                f"cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES NONE)\nfind_package(kith {wanted} REQUIRED)\n")
            self.assertEqual(self.configure(source, source / "out").returncode == 0, found, wanted)

    def test_as_a_part_of_another_project_it_is_built_as_that_project_says(self):
        source = self.folder / "other"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.25)\nproject(other LANGUAGES C CXX)\nadd_subdirectory({ROOT} kith)\n")
        must("cmake", "-S", source, "-B", source / "out", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O3",
             f"-DKITH_DUCKDB_DIR={self.prefix / 'lib' / 'kith'}")
        commands = json.loads((source / "out" / "compile_commands.json").read_text())
        self.assertFalse([c["file"] for c in commands if "-Werror" in c["command"] or "-O2" in c["command"]])
        self.assertFalse([c["file"] for c in commands if c["file"].endswith("_test.cc")])
        parts = [c["command"] for c in commands if f"{ROOT}/src/" in c["file"]]  # not the tools of the build
        self.assertGreater(len(parts), 300)
        self.assertTrue(all("-ffp-contract=off" in command for command in parts))


if __name__ == "__main__":
    unittest.main()
