"""pydantic-ai, with our agents as its models, over both APIs, and our MCP server as its tools."""
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, ModelHTTPError, NativeOutput, PromptedOutput, ToolOutput
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider
from checking import OneRun, URL, check, has, run_checks, same

WORDS = "alpha beta gamma delta"
PNG = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c020000000b4944415478da6364f80f00010501012718e3660000000049454e44ae426082")


class Page(BaseModel):
    title: str
    pages: int


PAGE = Page(title="Tea", pages=3)


def provider():
    return OpenAIProvider(base_url=f"{URL}/v1", api_key="none")


def chat(name="agent/plain"):
    return OpenAIChatModel(name, provider=provider())


def responses(name="agent/plain"):
    return OpenAIResponsesModel(name, provider=provider())


def each(function):
    """Registers a check for each of the two APIs."""
    for make in [chat, responses]:
        async def run(make=make):
            await function(make)
        run.__name__ = f"{function.__name__}_with_{make.__name__}"
        check(run)
    return function


def with_weather(model, **more):
    agent = Agent(model, **more)

    @agent.tool_plain
    def weather(city: str) -> str:
        """Weather of a city."""
        return f"sun in {city}"

    return agent


@each
async def words(model):
    with OneRun():
        result = await Agent(model(), instructions="Be kind.").run("hello")
    same(result.output, WORDS)


@each
async def streamed(model):
    async with Agent(model()).run_stream("hello") as result:
        pieces = [piece async for piece in result.stream_text(delta=True, debounce_by=None)]
    same("".join(pieces), WORDS)


@each
async def tools(model):
    with OneRun():
        result = await with_weather(model()).run('CALL weather {"city":"Rome"}\nCALL weather {"city":"Oslo"}')
    same(result.output, "RESULT sun in Rome | sun in Oslo")


@each
async def tools_streamed(model):
    async with with_weather(model()).run_stream('CALL weather {"city":"Rome"} & CALL weather {"city":"Oslo"}') as result:
        same(await result.get_output(), "RESULT sun in Rome | sun in Oslo")


@each
async def output_by_a_tool(model):
    result = await Agent(model(), output_type=ToolOutput(Page)).run('CALL final_result {"title":"Tea","pages":3}')
    same(result.output, PAGE)


@each
async def output_by_a_schema(model):
    same((await Agent(model(), output_type=NativeOutput(Page)).run('JSON {"title":"Tea","pages":3}')).output, PAGE)


@each
async def output_by_a_prompt(model):
    same((await Agent(model(), output_type=PromptedOutput(Page)).run('JSON {"title":"Tea","pages":3}')).output, PAGE)


@each
async def output_streamed(model):
    async with Agent(model(), output_type=NativeOutput(Page)).run_stream('JSON {"title":"Tea","pages":3}') as result:
        same(await result.get_output(), PAGE)


@each
async def tool_and_output_by_a_tool(model):
    asked = 'CALL weather {"city":"Rome"}\nCALL final_result {"title":"Tea","pages":3}'
    same((await with_weather(model(), output_type=Page).run(asked)).output, PAGE)


@each
async def second_turn(model):
    agent = Agent(model())
    first = await agent.run("ECHO one")
    has((await agent.run("SEEN", message_history=first.all_messages())).output, "assistant: one")


@each
async def second_turn_after_tools(model):
    agent = with_weather(model())
    first = await agent.run('CALL weather {"city":"Rome"}')
    has((await agent.run("SEEN", message_history=first.all_messages())).output, "sun in Rome")


@each
async def history_of_another_model(model):
    first = await with_weather(model("agent/poet")).run('CALL weather {"city":"Rome"}')
    has((await with_weather(model()).run("SEEN", message_history=first.all_messages())).output, "sun in Rome")


@each
async def image(model):
    has((await Agent(model()).run(["SEEN", BinaryContent(data=PNG, media_type="image/png")])).output, "[image image/png]")


@each
async def failed_run_is_one_run(model):
    with OneRun():
        try:
            await Agent(model()).run("FAIL")
            raise AssertionError("nothing was thrown")
        except ModelHTTPError as error:
            same(error.status_code, 400)


@each
async def crew_and_flow_as_model(model):
    same((await Agent(model("crew/pair")).run("ECHO tea")).output, "tea")
    same((await Agent(model("flow/counter")).run("hello")).output, "counted 1")


@check
async def mcp_tools():
    try:
        from pydantic_ai.mcp import MCPServerStreamableHTTP as Server
    except ImportError:
        from pydantic_ai.mcp import MCPToolset as Server
    agent = Agent(chat(), toolsets=[Server(f"{URL}/mcp")])
    async with agent:
        has((await agent.run('CALL exchange_rate {"from":"EUR","to":"USD"}')).output, "1.25")
        has((await agent.run('CALL pair {"text":"ECHO tea"}')).output, "tea")


run_checks()
