"""The tools of a conversation, as a program of a user's makes them with AG2."""

import asyncio
from typing import Annotated

from autogen.agentchat.group import (
    AgentTarget,
    ContextVariables,
    ReplyResult,
    StayTarget,
    TerminateTarget,
)


def make_tools(calls, agents):
    def lookup(topic: Annotated[str, "topic"]) -> str:
        calls.append(["lookup", {"topic": topic}])
        return f"fact about {topic}"

    def add(a: Annotated[int, "a"], b: Annotated[int, "b"]) -> int:
        calls.append(["add", {"a": a, "b": b}])
        return a + b

    def fails(reason: Annotated[str, "why"]) -> str:
        calls.append(["fails", {"reason": reason}])
        raise ValueError(f"broken: {reason}")

    def table(topic: Annotated[str, "topic"]) -> dict:
        calls.append(["table", {"topic": topic}])
        return {"topic": topic, "rows": [1, 2]}

    async def slow(topic: Annotated[str, "topic"]) -> str:
        calls.append(["slow", {"topic": topic}])
        await asyncio.sleep(0)
        return f"slow fact about {topic}"

    def setvar(
        name: Annotated[str, "name"],
        value: Annotated[int, "value"],
        context_variables: ContextVariables,
    ) -> ReplyResult:
        calls.append(["setvar", {"name": name, "value": value}])
        context_variables[name] = value
        return ReplyResult(message=f"{name} is {value}", context_variables=context_variables)

    def bump(context_variables: ContextVariables) -> ReplyResult:
        calls.append(["bump", {}])
        message = count_up(context_variables)
        return ReplyResult(message=message, context_variables=context_variables)

    def poke(context_variables: ContextVariables) -> str:
        calls.append(["poke", {}])
        return count_up(context_variables)

    def go(where: Annotated[str, "where"]) -> ReplyResult:
        calls.append(["go", {"where": where}])
        target = {"terminate": TerminateTarget(), "stay": StayTarget()}.get(where)
        if where in agents:
            target = AgentTarget(agents[where])
        return ReplyResult(message=f"going to {where}", target=target)

    tools = (lookup, add, fails, table, slow, setvar, bump, poke, go)
    for each in tools:
        each.__doc__ = "A tool"
    return {each.__name__: each for each in tools}


def count_up(context_variables):
    context_variables["count"] = context_variables.get("count", 0) + 1
    return f"count is {context_variables['count']}"
