"""Checks of one SDK: each prints one line of JSON, `CHECK {name, ok, said}`."""
import asyncio, json, os, sys, time, traceback, urllib.request

URL = sys.argv[1]
SECONDS = 120
_checks = []


def check(function):
    """Registers a coroutine as a check. Its name is the function's, in words."""
    _checks.append(function)
    return function


async def _run(function):
    try:
        await asyncio.wait_for(function(), SECONDS)
        said = None
    except BaseException as error:  # also the groups of errors that task groups throw
        said = "".join(traceback.format_exception(type(error), error, error.__traceback__))[-1500:]
    line = {"name": function.__name__.replace("_", " "), "ok": said is None, "said": said or ""}
    print("CHECK " + json.dumps(line), flush=True)


async def _run_all():
    only = sys.argv[2:]
    for function in _checks:
        if not only or function.__name__ in only:
            await _run(function)


def run_checks():
    """Runs all checks, one after the other, and ends the process: LiteLLM 1.79 has tasks that no cancelling ends."""
    asyncio.new_event_loop().run_until_complete(_run_all())
    os._exit(0)


def same(got, wanted):
    assert got == wanted, f"got {got!r}, wanted {wanted!r}"


def has(text, part):
    assert part in (text or ""), f"{text!r} has no {part!r}"


def get(path):
    with urllib.request.urlopen(URL + path) as answer:
        return json.load(answer)


def runs():
    """Ids of the newest runs."""
    listed = get("/runs?limit=100")
    return {run["id"] for run in listed["items"]}


class OneRun:
    """Fails unless exactly `count` runs start while its block runs, or in the seconds after it."""

    def __init__(self, count=1, after=1.0):
        self.count, self.after = count, after

    def __enter__(self):
        self.before = runs()
        return self

    def __exit__(self, kind, error, trace):
        if error is None:
            time.sleep(self.after)
            same(len(runs() - self.before), self.count)
