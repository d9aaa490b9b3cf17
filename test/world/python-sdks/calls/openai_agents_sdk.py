"""The agents SDK of OpenAI: loops of its own, with our agents as its models, over both APIs."""
import openai
from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, SQLiteSession, function_tool, set_tracing_disabled
from openai import AsyncOpenAI
from pydantic import BaseModel
from checking import OneRun, URL, check, has, run_checks, same

set_tracing_disabled(True)
WORDS = "alpha beta gamma delta"


class Page(BaseModel):
    title: str
    pages: int


@function_tool
def weather(city: str) -> str:
    """Weather of a city."""
    return f"sun in {city}"


def client():
    return AsyncOpenAI(base_url=f"{URL}/v1", api_key="none")


def chat(name="agent/plain"):
    return OpenAIChatCompletionsModel(model=name, openai_client=client())


def responses(name="agent/plain"):
    return OpenAIResponsesModel(model=name, openai_client=client())


def each(function):
    """Registers a check for each of the two APIs."""
    for make in [chat, responses]:
        async def run(make=make):
            await function(make)
        run.__name__ = f"{function.__name__}_with_{make.__name__}"
        check(run)
    return function


@each
async def words(model):
    with OneRun():
        result = await Runner.run(Agent(name="A", instructions="Be kind.", model=model()), "hello")
    same(result.final_output, WORDS)
    assert result.context_wrapper.usage.total_tokens > 0


@each
async def streamed(model):
    result = Runner.run_streamed(Agent(name="A", model=model()), "hello")
    pieces = []
    async for event in result.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            pieces.append(event.data.delta)
    same(("".join(pieces), result.final_output), (WORDS, WORDS))


@each
async def tools(model):
    agent = Agent(name="A", model=model(), tools=[weather])
    with OneRun():
        result = await Runner.run(agent, 'CALL weather {"city":"Rome"}\nCALL weather {"city":"Oslo"}')
    same(result.final_output, "RESULT sun in Rome | sun in Oslo")


@each
async def parallel_tools_streamed(model):
    result = Runner.run_streamed(Agent(name="A", model=model(), tools=[weather]), 'CALL weather {"city":"Rome"} & CALL weather {"city":"Oslo"}')
    async for _ in result.stream_events():
        pass
    same(result.final_output, "RESULT sun in Rome | sun in Oslo")


@each
async def output_type(model):
    result = await Runner.run(Agent(name="A", model=model(), output_type=Page), 'JSON {"title":"Tea","pages":3}')
    same(result.final_output, Page(title="Tea", pages=3))


@each
async def hand_off_to_an_agent_of_the_same_model(model):
    poet = Agent(name="Poet", instructions="You write.", model=model())
    result = await Runner.run(Agent(name="A", model=model(), handoffs=[poet]), "CALL transfer_to_poet {}")
    same(result.last_agent.name, "Poet")
    has(result.final_output, "Poet")


@each
async def hand_off_to_an_agent_of_another_model(model):
    poet = Agent(name="Poet", instructions="You write.", model=model("agent/poet"))
    result = await Runner.run(Agent(name="A", model=model(), handoffs=[poet]), "CALL transfer_to_poet {}")
    same(result.last_agent.name, "Poet")
    has(result.final_output, "Poet")


@each
async def hand_off_after_a_tool_in_a_stream(model):
    poet = Agent(name="Poet", instructions="You write.", model=model())
    agent = Agent(name="A", model=model(), tools=[weather], handoffs=[poet])
    result = Runner.run_streamed(agent, 'CALL weather {"city":"Rome"}\nCALL transfer_to_poet {}')
    async for _ in result.stream_events():
        pass
    same(result.last_agent.name, "Poet")


@each
async def agent_as_tool(model):
    helper = Agent(name="Helper", model=model()).as_tool(tool_name="helper", tool_description="Helps.")
    result = await Runner.run(Agent(name="A", model=model(), tools=[helper]), 'CALL helper {"input":"ECHO helped"}')
    same(result.final_output, "RESULT helped")


@each
async def second_turn(model):
    agent = Agent(name="A", model=model())
    first = await Runner.run(agent, "ECHO one")
    second = await Runner.run(agent, [*first.to_input_list(), {"role": "user", "content": "SEEN"}])
    has(second.final_output, "assistant: one")


@each
async def session(model):
    agent, memory = Agent(name="A", model=model()), SQLiteSession("talk")
    await Runner.run(agent, "ECHO one", session=memory)
    has((await Runner.run(agent, "SEEN", session=memory)).final_output, "assistant: one")


@check
async def previous_response_id():
    agent = Agent(name="A", model=responses())
    first = await Runner.run(agent, "ECHO one")
    second = await Runner.run(agent, "SEEN", previous_response_id=first.last_response_id)
    has(second.final_output, "assistant: one")


@each
async def failed_run_is_one_run(model):
    with OneRun():
        try:
            await Runner.run(Agent(name="A", model=model()), "FAIL")
            raise AssertionError("nothing was thrown")
        except openai.BadRequestError as error:
            has(str(error), "refuses")


@each
async def crew_as_model(model):
    same((await Runner.run(Agent(name="A", model=model("crew/pair")), "ECHO tea")).final_output, "tea")


run_checks()
