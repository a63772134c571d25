#!/usr/bin/env python3
"""Runs the snippets of a Markdown document, in order, in one scratch folder, with build/kith on the PATH and the build folder as
KITH_BUILD.

A fenced block's first words say what to do with it:
  ```toml file=policy.toml    written to that file (any language)
  ```sh                       run with bash; must exit with 0
  ```sh exit=4                run with bash; must exit with 4
  ```text                     the output of the sh block before it must contain each of its lines
  anything else               shown only (console, cpp, mermaid ...)

Usage: check_docs.py BUILD-FOLDER DOCUMENT
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\S*)[ \t]*([^\n]*)\n(.*?)^```[ \t]*$", re.M | re.S)


def options(text):
    return dict(part.split("=", 1) for part in text.split() if "=" in part)


def run(document, build):
    text = document.read_text()
    output, count, problems = "", 0, []
    environment = dict(os.environ, PATH=f"{build.resolve()}:{os.environ['PATH']}", LC_ALL="C.UTF-8",
                       KITH_BUILD=str(build.resolve()))
    with tempfile.TemporaryDirectory() as scratch:
        for match in FENCE.finditer(text):
            language, option, body = match.group(1), options(match.group(2)), match.group(3)
            line = text.count("\n", 0, match.start()) + 1
            where = f"{document}:{line}"
            if "file" in option:
                path = pathlib.Path(scratch, option["file"])
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(body)
                count += 1
            elif language == "sh":
                done = subprocess.run(["bash", "-euo", "pipefail", "-c", body], cwd=scratch, env=environment, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
                output, count = done.stdout, count + 1
                if done.returncode != int(option.get("exit", 0)):
                    problems.append(f"{where}: exit code {done.returncode}\n{body}\n{output}")
            elif language == "text":
                count += 1
                problems += [f"{where}: the output before lacks: {wanted}\n{output}" for wanted in body.splitlines()
                             if wanted.strip() and wanted.strip() not in output]
    return count, problems


if __name__ == "__main__":
    done, found = run(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[1]))
    print("\n".join(found) if found else f"{sys.argv[2]}: {done} snippets, all good")
    sys.exit(1 if found or done == 0 else 0)
