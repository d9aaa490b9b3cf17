"""LangChain's ChatOpenAI, with our agents as its models, over both APIs."""
import openai
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel
from checking import OneRun, URL, check, has, run_checks, same

WORDS = "alpha beta gamma delta"


class Page(BaseModel):
    """A page."""
    title: str
    pages: int


PAGE = Page(title="Tea", pages=3)


@tool
def weather(city: str) -> str:
    """Weather of a city."""
    return f"sun in {city}"


def chat(name="agent/plain", **more):
    return ChatOpenAI(model=name, base_url=f"{URL}/v1", api_key="none", **more)


def responses(name="agent/plain", **more):
    return chat(name, use_responses_api=True, **more)


def each(function):
    """Registers a check for each of the two APIs."""
    for make in [chat, responses]:
        async def run(make=make):
            await function(make)
        run.__name__ = f"{function.__name__}_with_{make.__name__}"
        check(run)
    return function


def words_of(message):
    content = message.content
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


@each
async def words(model):
    with OneRun():
        answer = await model().ainvoke([SystemMessage("Be kind."), HumanMessage("hello")])
    same(words_of(answer), WORDS)
    assert answer.usage_metadata["total_tokens"] > 0


@each
async def streamed(model):
    pieces = [piece async for piece in model().astream("hello")]
    same("".join(words_of(piece) for piece in pieces), WORDS)
    assert len([piece for piece in pieces if words_of(piece)]) > 1, pieces


@each
async def streamed_with_usage(model):
    whole = None
    async for piece in model(stream_usage=True).astream("hello"):
        whole = piece if whole is None else whole + piece
    same(words_of(whole), WORDS)
    assert whole.usage_metadata["total_tokens"] > 0


@each
async def tools(model):
    bound, messages = model().bind_tools([weather]), [HumanMessage('CALL weather {"city":"Rome"} & CALL weather {"city":"Oslo"}')]
    with OneRun():
        messages.append(await bound.ainvoke(messages))
        for call in messages[-1].tool_calls:
            messages.append(await weather.ainvoke(call))
        same(words_of(await bound.ainvoke(messages)), "RESULT sun in Rome | sun in Oslo")


@each
async def tools_streamed(model):
    whole = None
    async for piece in model().bind_tools([weather]).astream('CALL weather {"city":"Rome"}'):
        whole = piece if whole is None else whole + piece
    same([(call["name"], call["args"]) for call in whole.tool_calls], [("weather", {"city": "Rome"})])


@each
async def structured_by_a_schema(model):
    same(await model().with_structured_output(Page, method="json_schema").ainvoke('JSON {"title":"Tea","pages":3}'), PAGE)


@each
async def structured_by_a_tool(model):
    same(await model().with_structured_output(Page, method="function_calling").ainvoke('CALL Page {"title":"Tea","pages":3}'), PAGE)


@each
async def structured_by_json_mode(model):
    same(await model().with_structured_output(Page, method="json_mode").ainvoke('JSON {"title":"Tea","pages":3}'), PAGE)


@each
async def structured_and_streamed(model):
    *_, last = [page async for page in model().with_structured_output(Page).astream('JSON {"title":"Tea","pages":3}')]
    same(last, PAGE)


@each
async def second_turn(model):
    first = await model().ainvoke("ECHO one")
    has(words_of(await model().ainvoke([HumanMessage("ECHO one"), first, HumanMessage("SEEN")])), "assistant: one")


@each
async def results_of_calls_that_others_made(model):
    call = {"name": "weather", "args": {"city": "Rome"}, "id": "call_foreign"}
    messages = [HumanMessage("How is it?"), AIMessage("", tool_calls=[call]), ToolMessage("sun", tool_call_id="call_foreign")]
    assert words_of(await model().bind_tools([weather]).ainvoke(messages))


@each
async def batch(model):
    same([words_of(answer) for answer in await model().abatch(["ECHO a", "ECHO b", "ECHO c"])], ["a", "b", "c"])


@each
async def image(model):
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    said = words_of(await model().ainvoke([HumanMessage([{"type": "text", "text": "SEEN"}, part])]))
    has(said, "[image image/png]")


@each
async def failed_run_is_one_run(model):
    with OneRun():
        try:
            await model().ainvoke("FAIL")
            raise AssertionError("nothing was thrown")
        except openai.BadRequestError as error:
            has(str(error), "refuses")


@each
async def crew_and_flow_as_model(model):
    same(words_of(await model("crew/pair").ainvoke("ECHO tea")), "tea")
    same(words_of(await model("flow/counter").ainvoke("hello")), "counted 1")


@check
async def previous_response_id():
    first = await responses().ainvoke("ECHO one")
    second = await responses().ainvoke("SEEN", previous_response_id=first.response_metadata["id"])
    has(words_of(second), "assistant: one")


run_checks()
