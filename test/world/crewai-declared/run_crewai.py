"""Runs declared flows on CrewAI: reads programs, writes outcomes, a line of JSON each."""
import json
import logging
import math
import os
import sys
import types

logging.disable(logging.CRITICAL)
out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

functions = types.ModuleType("world_functions")
functions.echo = lambda self, **arguments: arguments
functions.echo.__name__ = functions.echo.__qualname__ = "echo"
functions.echo.__module__ = "world_functions"
sys.modules["world_functions"] = functions

from crewai.flow.flow import Flow  # noqa: E402
from crewai.tools import BaseTool  # noqa: E402
from pydantic import BaseModel  # noqa: E402


class EchoInput(BaseModel):
    text: str
    count: int = 1


class EchoTool(BaseTool):
    name: str = "EchoTool"
    description: str = "Gives back what it gets."
    args_schema: type[BaseModel] = EchoInput

    def _run(self, text, count=1):
        return {"text": text, "count": count}


EchoTool.__module__ = "world_functions"
functions.EchoTool = EchoTool


def plain(value):
    if isinstance(value, BaseModel):
        value = value.model_dump()
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value


def run(program):
    flow = Flow.from_declaration(contents=program["flow"], suppress_flow_events=True)
    value = flow.kickoff(inputs=program["inputs"])
    state = plain(flow.state)
    # A result that is the whole state has the id too, as a value or inside a text.
    own = state.pop("id", None)
    text = json.dumps(plain(value), default=str)
    return {"status": "completed", "value": json.loads(text.replace(own, "<id>") if own else text), "state": state}


for line in open(sys.argv[1], encoding="utf-8"):
    program = json.loads(line)
    try:
        outcome = run(program)
    except BaseException as error:
        message = f"{type(error).__name__}: {error}"
        outcome = {"status": "failed", "message": message[:600]}
    out.write(json.dumps({"id": program["id"], "outcome": outcome}, default=str) + "\n")
    out.flush()
os._exit(0)
