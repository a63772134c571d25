"""Sessions: the same documents as the command line, exceptions by code, deadlines, Ctrl-C, threads."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any, Callable

import pytest

import kith

COUNT = "SELECT count(*) AS n FROM people WHERE ill = 'yes'"
BY_WARD = "SELECT ward, count(*) AS n, avg(age) AS a FROM people WHERE ill = 'yes' GROUP BY ward"


def test_what_is_explained_is_what_the_command_line_explains(session: kith.Session, run: Callable[..., Any]) -> None:
    for sql in (COUNT, BY_WARD, "SELECT median(age) FROM people"):
        assert dict(session.explain(sql, epsilon=0.5)) == run("explain", "policy.toml", sql, "--epsilon", "0.5")
    assert dict(session.explain(COUNT, error=40)) == run("explain", "policy.toml", COUNT, "--error", "40")
    assert dict(session.columns()) == run("columns", "policy.toml")


def test_an_answer_is_stored_for_both(session: kith.Session, run: Callable[..., Any]) -> None:
    answer = session.ask(BY_WARD, epsilon=0.5)
    assert not answer.stored
    assert answer.columns == ["ward", "n", "a"]
    assert answer.column("ward") == ["A", "B"]
    again = run("query", "policy.toml", BY_WARD, "--epsilon", "0.5")
    assert again["stored"]
    assert again["answer"] == answer["answer"]
    assert {**again, "stored": False} == dict(answer)
    theirs = run("query", "policy.toml", COUNT, "--epsilon", "0.25")
    ours = session.ask(COUNT, epsilon=0.25)
    assert ours.stored and ours["answer"] == theirs["answer"]
    assert dict(session.budget()) == run("budget", "policy.toml")
    assert session.budget().epsilon_left == pytest.approx(4 - 0.75, abs=1e-6)
    audit = dict(session.audit(epsilon=0.1))
    audit["policy"] = "policy.toml"
    assert audit == run("audit", "policy.toml", "--epsilon", "0.1")
    assert session.stored(1)["answer"] == answer["answer"]


def test_plans_and_analyses(session: kith.Session, run: Callable[..., Any], folder: pathlib.Path) -> None:
    questions = [COUNT, "SELECT ward, count(*) AS n FROM people WHERE age < 50 GROUP BY ward"]
    plan = session.plan(questions, epsilon=1.0)
    assert plan.affordable and len(plan.questions) == 2
    (folder / "questions.sql").write_text(kith.session.plan_text(questions))
    assert dict(plan) == run("plan", "policy.toml", "questions.sql", "--epsilon", "1")
    answers = plan.answer()
    assert [each.columns for each in answers] == [["n"], ["ward", "n"]]
    assert all(bar is not None for bar in answers[0].error_95[0])
    theirs = run("plan", "policy.toml", "questions.sql", "--epsilon", "1", "--answer")
    assert theirs["stored"]
    assert theirs["details"]["plan"]["answers"][0]["rows"] == [list(row) for row in answers[0].rows]
    explained = session.explain_analysis("kmeans", epsilon=0.5, columns=["age"], clusters=2)
    assert explained.affordable
    found = session.analyse("kmeans", epsilon=0.5, columns=["age"], clusters=2)
    assert len(found.rows) == 2 and found.details["analysis"] == "kmeans"
    again = run("analyse", "policy.toml", "kmeans", "--columns", "age", "--clusters", "2", "--epsilon", "0.5")
    assert again["stored"] and again["answer"] == found["answer"]


def test_transfer_and_estimate_are_those_of_the_command_line(run: Callable[..., Any], folder: pathlib.Path) -> None:
    model = {"kind": "group", "size": 3, "odds_ratio": 4}
    (folder / "model.json").write_text(json.dumps(model))
    theirs = run("transfer", "model.json", "--dependent", "1")
    assert dict(kith.transfer(model, dependent=1.0)) == theirs
    assert dict(kith.transfer(folder / "model.json", dependent=1.0)) == theirs
    assert dict(kith.transfer(folder / "policy.toml", plain=0.2)) == run("transfer", "policy.toml", "--plain", "0.2")
    assert dict(kith.compare(model, dependent=1.0, counts=3)) == run("transfer", "model.json", "--dependent", "1", "--compare", "--counts", "3")
    ours = kith.estimate("pairs", counts=[270, 18, 12], source="public")
    theirs = run("estimate", "pairs", "--counts", "270,18,12", "--source", "public")
    assert {name: value for name, value in ours.items() if name != "in_words"} == theirs
    assert ours.dependence["kind"] == "group"


def test_exceptions_by_code(session: kith.Session) -> None:
    with pytest.raises(kith.UnsupportedQuery) as unknown:
        session.ask("SELECT count(*) FROM peple", epsilon=0.1)
    assert "people" in str(unknown.value)
    with pytest.raises(kith.InvalidArgument) as caught:
        session.ask(COUNT)
    assert "epsilon=0.1 or error=50" in caught.value.hint
    with pytest.raises(kith.BudgetExhausted) as refused:
        session.ask(COUNT, epsilon=5.0)
    assert refused.value.code == "budget_exhausted"
    with pytest.raises(kith.UnsupportedQuery):
        session.ask("SELECT age FROM people", epsilon=0.1)
    with pytest.raises(kith.InvalidArgument):
        session.analyse("kmean", epsilon=0.1)
    with pytest.raises(kith.InvalidArgument):
        kith.open("nowhere.toml")
    with pytest.raises(kith.InvalidArgument):
        kith.transfer({"kind": "group", "size": 2})
    assert session.budget().epsilon_left == 4.0


def test_a_deadline_cancels(session: kith.Session) -> None:
    with pytest.raises(kith.Cancelled) as late:
        session.ask(COUNT, epsilon=0.1, timeout=0.0)
    assert "deadline" in str(late.value)


def test_ctrl_c_stops_and_says_what_became_of_the_charge(tmp_path: pathlib.Path) -> None:
    """A process of its own, interrupted while it asks."""
    program = tmp_path / "long.py"
    program.write_text(
        textwrap.dedent(
            """
            import sys, numpy, pyarrow, kith
            rows = 20_000_000
            frame = pyarrow.table({"id": numpy.arange(rows) // 3, "x": numpy.random.default_rng(0).random(rows)})
            policy = kith.Policy(tables={"t": frame}, unit={"table": "t", "key": "id", "max_rows": 2, "presence": "secret"},
                                 columns={"t": {"id": {"type": "integer"}, "x": {"type": "real", "lower": 0, "upper": 1}}},
                                 dependence={"source": "public", "kind": "independent"}, epsilon=1.0, ledger=None)
            session = kith.open(policy)
            print("asking", flush=True)
            try:
                session.ask("SELECT median(x) FROM t", epsilon=0.1)
                print("answered")
            except KeyboardInterrupt as stopped:
                print("stopped", *getattr(stopped, "__notes__", []))
            """
        )
    )
    child = subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "asking\n"
    time.sleep(0.3)
    began = time.monotonic()
    child.send_signal(signal.SIGINT)
    said = child.stdout.read()
    child.wait(timeout=60)
    assert said.startswith("stopped"), said
    assert "charge" in said or "ledger" in said
    assert time.monotonic() - began < 30


def test_the_lock_of_python_is_free_meanwhile(session: kith.Session) -> None:
    """Other threads of Python run while a question is computed."""
    ticks = 0
    done = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count, daemon=True)
    thread.start()
    model = {"kind": "chain", "length": 200, "transition": [[0.9, 0.1], [0.2, 0.8]], "start": "any"}
    before = ticks
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        kith.transfer(model, plain=0.1)
    done.set()
    thread.join()
    assert ticks > before


def test_threads_are_kept_between_answers(session: kith.Session) -> None:
    def threads() -> int:
        return len(os.listdir("/proc/self/task"))

    session.ask(COUNT, epsilon=0.01)
    before = threads()
    for k in range(2, 12):
        session.ask(COUNT, epsilon=k / 100)
    assert threads() <= before + 1


def test_several_threads_ask_one_session(session: kith.Session) -> None:
    answers: list[kith.Answer] = []
    threads = [threading.Thread(target=lambda: answers.append(session.ask(COUNT, epsilon=0.25))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({each.value for each in answers}) == 1
    assert sum(not each.stored for each in answers) == 1
    assert session.budget().epsilon_left == pytest.approx(3.75, abs=1e-6)


def test_import_is_the_curators(session: kith.Session, run: Callable[..., Any]) -> None:
    session.ask(COUNT, epsilon=0.25)
    report = session.import_data()
    assert report["version"] == "2"
    assert session.ask(COUNT, epsilon=0.25).certificate.data_version == "2"
