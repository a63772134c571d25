"""The server that a test was started beside (tests/support/with_postgresql, tests/trino/with_trino)."""
import json
import os
import subprocess
import urllib.request

POSTGRESQL, TRINO = os.environ.get("KITH_TEST_POSTGRESQL"), os.environ.get("KITH_TEST_TRINO")
ANY = POSTGRESQL or TRINO
# Under [data] of a policy.
PLACE = os.environ.get("KITH_TEST_PLACE", "") + ('user = "kith"\n' if POSTGRESQL else 'catalog = "lake"\nuser = "kith"\n')


def schema(name):
    """As the server itself is told of it."""
    return name if POSTGRESQL else "lake." + name


def execute(statement):
    if POSTGRESQL:
        done = subprocess.run(["psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", POSTGRESQL], input=statement.encode(), capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode()[:600])
        return
    request = urllib.request.Request(TRINO + "/v1/statement", statement.encode(), {"X-Trino-User": "other"})
    while request:
        page = json.load(urllib.request.urlopen(request))
        if "error" in page:
            raise RuntimeError(page["error"]["message"][:600])
        request = page.get("nextUri")
