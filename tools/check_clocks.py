#!/usr/bin/env python3
"""Fails if a source file looks at a clock without being listed here with what the clock is for. A clock may end work with an error, pace it, date an entry or be shown as a time; it may never change a number, drop a
bar or choose what is printed: work is limited by counts. Names are those below src/, and of the laboratory lab/. Usage:
check_clocks.py [ROOT]"""
import pathlib
import re
import sys

CLOCK = re.compile(r"steady_clock|system_clock|Deadline::In|SteadyMicroseconds|UnixSeconds|UnixMicroseconds|std::time\(|std::clock\(|clock_gettime|getrusage|gettimeofday|sleep_for|wait_for\(|wait_until\(|usleep\("
                   r"|expires_after|busy_timeout|statement_timeout|CURLOPT_\w*(?:TIME|SPEED)")

USES = {
    "defines clocks and deadlines": "base/cancel.cc base/clock.cc base/clock.h",
    "a limit whose end is an error": "postprocess/program.cc postprocess/simulate.cc api/convert.cc app/cli/remote.cc app/python/module.cc engine/postgresql/connection.cc engine/postgresql/connection.h engine/trino/client.cc "
                                     "ledger/sqlite.cc ledger/store.cc pgwire/catalog.cc pgwire/settings.cc lab/probe/http.cc lab/probe/process.cc",
    "waits for a lock, a file or a turn, and then goes on or fails": "engine/duckdb/duckdb_session.cc engine/duckdb/folder.cc ledger/files.cc ledger/question_lock.cc ledger/state.h",
    "connections: their time limits, and when answers leave": "app/cli/serve.cc pgwire/pg_server.cc release/whole_ticks.cc release/whole_ticks.h server/http_server.cc server/jobs.cc server/listening.cc server/listening.h",
    "shown as a time": "lab/cli/attack.cc lab/cli/experiment.cc app/cli/progress.cc app/cli/progress.h app/cli/transfer_sample.cc release/upkeep/doctor.cc server/traffic.cc",
    "the date of an entry, or of an access that ends": "app/cli/user.cc ledger/ledger.cc ledger/writing.cc people/people.h server/sessions.cc",
    "which steps of a stream are over": "release/stream/follow.cc",
    "whether a file may still change: what was read is read again": "release/curator_state.cc",
    "how often ledgers are looked at for whether they can be used": "server/api.h server/looking.cc",
    "a part of a name that nobody else has": "engine/duckdb/import.cc engine/frame.cc",
    "the date in a version's name": "engine/postgresql/postgresql_engine.cc engine/trino/trino_engine.cc",
}


def faults(source, known):
    looks = {path.relative_to(source).as_posix().removeprefix("src/") for folder in ("src", "lab") for path in (source / folder).rglob("*") if path.suffix in (".cc", ".h") and not re.search(r"_test\.cc$|_test_tools\.h$", path.name)
             and CLOCK.search(re.sub(r"//.*", "", path.read_text()))}
    return [f"{name}: looks at a clock, and tools/check_clocks.py does not say what for" for name in sorted(looks - known)] + \
           [f"{name}: is listed in tools/check_clocks.py, and looks at no clock" for name in sorted(known - looks)]


if __name__ == "__main__":
    found = faults(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent, {name for names in USES.values() for name in names.split()})
    print("\n".join(found))
    sys.exit(bool(found))
