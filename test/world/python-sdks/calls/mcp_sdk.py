"""MCP's own SDK: its newest client in both eras of the protocol, and the client that was before it."""
import asyncio, time
from contextlib import asynccontextmanager
from datetime import timedelta
import mcp
from checking import OneRun, URL, check, get, has, run_checks, same

try:
    from mcp import Client, MCPError as Failure
    from mcp_types import ElicitResult
    MODES = ["2026-07-28", "auto", "legacy"]
except ImportError:
    from mcp import ClientSession
    from mcp.shared.exceptions import McpError as Failure
    from mcp.client.streamable_http import streamablehttp_client
    from mcp.types import ElicitResult
    MODES = ["session"]

ADDRESS = f"{URL}/mcp"


@asynccontextmanager
async def connected(mode, **more):
    """A client whose calls are those of a session of either version."""
    if mode == "session":
        async with streamablehttp_client(ADDRESS) as (read, write, _), ClientSession(read, write, **more) as session:
            await session.initialize()
            yield session
    else:
        async with Client(ADDRESS, mode=mode, **more) as client:
            yield client


def seconds(mode, number):
    return timedelta(seconds=number) if mode == "session" else number


def field(value, name):
    """A member by its name in either version."""
    head, *rest = name.split("_")
    return getattr(value, name, None) if hasattr(value, name) else getattr(value, head + "".join(part.title() for part in rest))


def text_of(result):
    return "".join(part.text for part in result.content if part.type == "text")


def each(function):
    """Registers a check for each way to connect."""
    for mode in MODES:
        async def run(mode=mode):
            await function(mode)
        run.__name__ = f"{function.__name__}_over_{mode.replace('-', '_')}"
        check(run)
    return function


@each
async def connects_and_lists_tools(mode):
    async with connected(mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    for name in ["plain", "pair", "shaped", "counter", "exchange_rate", "order", "get_run", "answer_run", "cancel_run"]:
        assert name in tools, list(tools)
    same(field(tools["pair"], "input_schema")["required"], ["text"])
    assert field(tools["shaped"], "output_schema"), tools["shaped"]


@each
async def crew_as_a_tool(mode):
    with OneRun():
        async with connected(mode) as client:
            result = await client.call_tool("pair", {"text": "ECHO tea"})
    same((text_of(result), bool(field(result, "is_error"))), ("tea", False))


@each
async def agent_and_flow_as_tools(mode):
    async with connected(mode) as client:
        same(text_of(await client.call_tool("plain", {"message": "ECHO tea"})), "tea")
        has(text_of(await client.call_tool("counter", {})), "counted 1")


@each
async def structured_output_of_a_crew(mode):
    async with connected(mode) as client:
        await client.list_tools()
        result = await client.call_tool("shaped", {"text": 'JSON {"title":"Tea","pages":3}'})
    same(field(result, "structured_content"), {"title": "Tea", "pages": 3})


@each
async def structured_output_of_a_tool(mode):
    async with connected(mode) as client:
        await client.list_tools()
        result = await client.call_tool("exchange_rate", {"from": "EUR", "to": "USD"})
    same(field(result, "structured_content"), {"rate": 1.25})


@each
async def picture_of_a_tool(mode):
    async with connected(mode) as client:
        result = await client.call_tool("picture", {})
    same([part.type for part in result.content], ["text", "image"])
    same(field(result.content[1], "mime_type"), "image/png")


@each
async def wrong_arguments_are_an_error_and_no_run(mode):
    with OneRun(0):
        async with connected(mode) as client:
            try:
                result = await client.call_tool("exchange_rate", {"from": 7})
                assert field(result, "is_error"), result
            except Failure as error:
                has(str(error), "from")


@each
async def unknown_tool_is_an_error(mode):
    async with connected(mode) as client:
        try:
            result = await client.call_tool("nothing", {})
            assert field(result, "is_error"), result
        except Failure as error:
            has(str(error), "nothing")


@each
async def failed_run_is_an_error_and_one_run(mode):
    with OneRun():
        async with connected(mode) as client:
            result = await client.call_tool("pair", {"text": "FAIL"})
    assert field(result, "is_error"), result
    has(text_of(result), "refuses")


@each
async def failed_tool_is_an_error(mode):
    async with connected(mode) as client:
        result = await client.call_tool("boom", {})
    assert field(result, "is_error"), result
    has(text_of(result), "no tea left")


@each
async def progress_of_a_tool(mode):
    seen = []

    async def note(progress, total, message):
        seen.append((progress, total))

    async with connected(mode) as client:
        same(text_of(await client.call_tool("steps", {"pauseMs": 400}, progress_callback=note)), "done")
    same([pair for pair in seen if pair[1] == 3], [(1, 3), (2, 3), (3, 3)])


@each
async def progress_of_a_crew(mode):
    seen = []

    async def note(progress, total, message):
        seen.append((progress, message))

    async with connected(mode) as client:
        await client.call_tool("pair", {"text": "SLOW 500 ECHO tea"}, progress_callback=note)
    assert len(seen) >= 2, seen
    numbers = [progress for progress, _ in seen]
    same(numbers, sorted(set(numbers)))


@each
async def time_out_of_the_client_is_one_run(mode):
    with OneRun(after=2):
        async with connected(mode) as client:
            try:
                await client.call_tool("plain", {"message": "SLOW 2000"}, read_timeout_seconds=seconds(mode, 1))
                raise AssertionError("nothing was thrown")
            except Failure:
                pass


@each
async def cancel_by_a_tool(mode):
    async with connected(mode) as client:
        call = asyncio.create_task(client.call_tool("plain", {"message": "SLOW 15000"}))
        await asyncio.sleep(1)
        newest = get("/runs?limit=1")["items"][0]
        await client.call_tool("cancel_run", {"runId": newest["id"]})
        result = await asyncio.wait_for(call, 10)
    assert field(result, "is_error"), result
    same(get(f"/runs/{newest['id']}")["status"], "cancelled")


@each
async def form_for_a_tool(mode):
    asked = []

    async def answer(context, params):
        asked.append(params)
        return ElicitResult(action="accept", content={"pieces": 3})

    with OneRun():
        async with connected(mode, elicitation_callback=answer) as client:
            result = await client.call_tool("order", {"article": "tea"})
    same((len(asked), asked[0].message), (1, "How many of tea?"))
    has(text_of(result), '"pieces":3')


@each
async def form_that_is_declined(mode):
    async def answer(context, params):
        return ElicitResult(action="decline")

    async with connected(mode, elicitation_callback=answer) as client:
        has(text_of(await client.call_tool("order", {"article": "tea"})), "decline")


@each
async def form_for_a_flow_that_asks(mode):
    async def answer(context, params):
        return ElicitResult(action="accept", content={"answer": "blue"})

    with OneRun():
        async with connected(mode, elicitation_callback=answer) as client:
            result = await client.call_tool("asks", {})
    has(text_of(result), "chosen blue")


@each
async def form_for_an_approval(mode):
    async def answer(context, params):
        return ElicitResult(action="accept", content={"approve": True})

    with OneRun():
        async with connected(mode, elicitation_callback=answer) as client:
            result = await client.call_tool("clerk", {"message": 'CALL refund {"order":"o-9"}'})
    has(text_of(result), "refunded o-9")


@each
async def form_for_a_review(mode):
    async def answer(context, params):
        return ElicitResult(action="accept", content={"answer": "yes"})

    with OneRun():
        async with connected(mode, elicitation_callback=answer) as client:
            result = await client.call_tool("reviewed", {"text": "ECHO draft"})
    same(text_of(result), "draft")


@each
async def question_without_forms_is_answered_by_a_tool(mode):
    async with connected(mode) as client:
        result = await client.call_tool("asks", {})
        run = field(result, "structured_content")["runId"]
        has(text_of(await client.call_tool("answer_run", {"runId": run, "answer": "red"})), "chosen red")


@each
async def resources_and_prompts(mode):
    async with connected(mode) as client:
        resources = (await client.list_resources()).resources
        assert "shop://hours" in [str(resource.uri) for resource in resources], resources
        same((await client.read_resource("shop://hours")).contents[0].text, "Nine to five.")
        assert "complaint" in [prompt.name for prompt in (await client.list_prompts()).prompts]
        prompt = await client.get_prompt("complaint", {"order": "o-1"})
    has(prompt.messages[0].content.text, "o-1")


@each
async def eight_calls_at_once(mode):
    async with connected(mode) as client:
        results = await asyncio.gather(*(client.call_tool("plain", {"message": f"ECHO {n}"}) for n in range(8)))
    same([text_of(result) for result in results], [str(n) for n in range(8)])


@each
async def protocol_version(mode):
    async with connected(mode) as client:
        version = getattr(client, "protocol_version", None)
    if version is not None:
        same(version, "2025-11-25" if mode == "legacy" else "2026-07-28")


run_checks()
