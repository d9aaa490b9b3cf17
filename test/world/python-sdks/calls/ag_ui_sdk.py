"""AG-UI's own types: requests are made of them, and each event of a stream is read by the model of its type."""
import json, uuid
import httpx
from ag_ui.core import (
    Event, EventType, RunAgentInput, Tool, UserMessage, AssistantMessage, ToolMessage, FunctionCall, ToolCall, Context,
)
from pydantic import TypeAdapter
from checking import OneRun, URL, check, has, run_checks, same

EVENT = TypeAdapter(Event)
WORDS = "alpha beta gamma delta"
COLOUR = Tool(name="set_colour", description="Sets the colour.", parameters={"type": "object", "properties": {"colour": {"type": "string"}}})


def said(text, id=None):
    return UserMessage(id=id or str(uuid.uuid4()), role="user", content=text)


def asked(*messages, thread=None, state=None, tools=(), context=(), **more):
    fields = {"thread_id": thread or str(uuid.uuid4()), "run_id": str(uuid.uuid4()), "state": state, "messages": list(messages),
              "tools": list(tools), "context": list(context), "forwarded_props": {}, **more}
    return RunAgentInput(**fields)


async def events_of(name, request):
    """The stream of a request. Fails for an event that its model does not know, or has a member that the model lacks."""
    body = request.model_dump(by_alias=True, exclude_none=True)
    events = []
    async with httpx.AsyncClient(timeout=120) as client:
        async with client.stream("POST", f"{URL}/ag-ui/{name}", json=body, headers={"accept": "text/event-stream"}) as answer:
            same(answer.status_code, 200)
            async for line in answer.aiter_lines():
                if line.startswith("data: "):
                    sent = json.loads(line[6:])
                    event = EVENT.validate_python(sent)
                    kept = event.model_dump(by_alias=True, exclude_none=True, mode="json")
                    assert set(sent) <= set(kept) | {"outcome"}, (sent, kept)
                    events.append(event)
    same(events[0].type, EventType.RUN_STARTED)
    assert events[-1].type in (EventType.RUN_FINISHED, EventType.RUN_ERROR), events[-1]
    return events


def of(events, kind):
    return [event for event in events if event.type == kind]


def text_of(events):
    return "".join(event.delta for event in of(events, EventType.TEXT_MESSAGE_CONTENT))


def opened_are_closed(events):
    for start, end, name in [
        (EventType.TEXT_MESSAGE_START, EventType.TEXT_MESSAGE_END, "message_id"),
        (EventType.TOOL_CALL_START, EventType.TOOL_CALL_END, "tool_call_id"),
        (EventType.STEP_STARTED, EventType.STEP_FINISHED, "step_name"),
    ]:
        same(sorted(getattr(e, name) for e in of(events, start)), sorted(getattr(e, name) for e in of(events, end)))


@check
async def words():
    request = asked(said("hello"))
    with OneRun():
        events = await events_of("plain", request)
    same((text_of(events), events[-1].type), (WORDS, EventType.RUN_FINISHED))
    same((events[0].thread_id, events[0].run_id), (request.thread_id, request.run_id))
    assert len(of(events, EventType.TEXT_MESSAGE_CONTENT)) > 1, events
    opened_are_closed(events)


@check
async def the_same_request_again_is_the_same_run():
    request = asked(said("hello"))
    with OneRun():
        first, second = await events_of("plain", request), await events_of("plain", request)
    same(text_of(first), text_of(second))


@check
async def second_turn():
    thread, first = str(uuid.uuid4()), said("ECHO one")
    events = await events_of("plain", asked(first, thread=thread))
    [start] = of(events, EventType.TEXT_MESSAGE_START)
    answer = AssistantMessage(id=start.message_id, role="assistant", content="one")
    has(text_of(await events_of("plain", asked(first, answer, said("SEEN"), thread=thread))), "assistant: one")


@check
async def context_reaches_the_agent():
    events = await events_of("plain", asked(said("SEEN"), context=[Context(description="page", value="Tea of Assam")]))
    has(text_of(events), "Tea of Assam")


@check
async def thinking():
    events = await events_of("plain", asked(said("THINK of tea")))
    same("".join(event.delta for event in of(events, EventType.REASONING_MESSAGE_CONTENT)), "of tea")


@check
async def tool_of_the_agent():
    events = await events_of("clerk", asked(said('CALL exchange_rate {"from":"EUR","to":"USD"}')))
    [call], [result] = of(events, EventType.TOOL_CALL_START), of(events, EventType.TOOL_CALL_RESULT)
    same((call.tool_call_name, result.tool_call_id), ("exchange_rate", call.tool_call_id))
    has(text_of(events), "1.25")
    opened_are_closed(events)


@check
async def tool_of_the_front_end():
    thread, first = str(uuid.uuid4()), said('CALL set_colour {"colour":"red"}')
    with OneRun():
        events = await events_of("plain", asked(first, thread=thread, tools=[COLOUR]))
        [call] = of(events, EventType.TOOL_CALL_START)
        arguments = "".join(event.delta for event in of(events, EventType.TOOL_CALL_ARGS))
        same((call.tool_call_name, json.loads(arguments), events[-1].type), ("set_colour", {"colour": "red"}, EventType.RUN_FINISHED))
        asking = AssistantMessage(id="a-1", role="assistant", tool_calls=[
            ToolCall(id=call.tool_call_id, type="function", function=FunctionCall(name="set_colour", arguments=arguments))])
        done = ToolMessage(id="t-1", role="tool", content="it is red", tool_call_id=call.tool_call_id)
        events = await events_of("plain", asked(first, asking, done, thread=thread, tools=[COLOUR]))
    same(text_of(events), "RESULT it is red")


async def interrupted(name, text, payload):
    thread, first = str(uuid.uuid4()), said(text)
    with OneRun():
        events = await events_of(name, asked(first, thread=thread))
        outcome = events[-1].outcome
        outcome = outcome if isinstance(outcome, dict) else outcome.model_dump(by_alias=True)
        same(outcome["type"], "interrupt")
        [interrupt] = outcome["interrupts"]
        resume = [{"interruptId": interrupt["id"], "status": "resolved", "payload": payload}]
        events = await events_of(name, asked(first, thread=thread, resume=resume))
    return interrupt, events


@check
async def approval_is_an_interrupt():
    interrupt, events = await interrupted("clerk", 'CALL refund {"order":"o-7"}', {"approved": True})
    same(interrupt["reason"], "tool_call")
    has(text_of(events), "refunded o-7")


@check
async def refusal_of_an_approval():
    _, events = await interrupted("clerk", 'CALL refund {"order":"o-8"}', {"approved": False, "reason": "not today"})
    assert "refunded" not in text_of(events), text_of(events)


@check
async def review_is_an_interrupt():
    interrupt, events = await interrupted("reviewed", "ECHO draft", {"approved": True})
    same((interrupt["reason"], events[-1].type), ("confirmation", EventType.RUN_FINISHED))


@check
async def question_is_an_interrupt():
    interrupt, events = await interrupted("asks", "hello", "blue")
    same(interrupt["reason"], "input_required")
    has(text_of(events), "chosen blue")


@check
async def state_of_a_flow():
    events = await events_of("counter", asked(said("hello"), state={"count": 4}))
    [snapshot, *_] = of(events, EventType.STATE_SNAPSHOT)
    state = dict(snapshot.snapshot)
    same(state["count"], 4)
    for event in of(events, EventType.STATE_DELTA):
        for change in event.model_dump(mode="json", by_alias=True)["delta"]:
            parts = change["path"].split("/")[1:]
            target = state
            for part in parts[:-1]:
                target = target[int(part) if isinstance(target, list) else part]
            if isinstance(target, list):
                target.append(change["value"])
            else:
                target[parts[-1]] = change["value"]
    same((state["count"], state["words"]), (5, ["two"]))


@check
async def thread_without_messages_has_its_messages():
    thread = str(uuid.uuid4())
    await events_of("plain", asked(said("ECHO one", "m-1"), thread=thread))
    with OneRun(0):
        events = await events_of("plain", asked(thread=thread))
    [snapshot] = of(events, EventType.MESSAGES_SNAPSHOT)
    same([(message.role, message.content) for message in snapshot.messages], [("user", "ECHO one"), ("assistant", "one")])


@check
async def failed_run():
    with OneRun():
        events = await events_of("plain", asked(said("FAIL")))
    same(events[-1].type, EventType.RUN_ERROR)
    has(events[-1].message, "refuses")


@check
async def crew():
    events = await events_of("pair", asked(said("ECHO tea")))
    same([event.step_name for event in of(events, EventType.STEP_STARTED) if event.step_name.startswith("task:")], ["task:first", "task:last"])
    has(text_of(events), "tea")
    opened_are_closed(events)


@check
async def usage_is_in_the_end():
    events = await events_of("plain", asked(said("hello")))
    assert getattr(events[-1], "usage", None), events[-1]


run_checks()
