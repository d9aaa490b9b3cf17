"""LiteLLM as client and as router, with our agents as its models."""
import litellm
import openai
from litellm import Router, acompletion, aresponses
from pydantic import BaseModel
from checking import OneRun, URL, check, has, run_checks, same

litellm.telemetry = False
WORDS = "alpha beta gamma delta"
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOL = {"type": "function", "function": {"name": "weather", "description": "Weather.", "parameters": PARAMETERS}}
PLACE = {"api_base": f"{URL}/v1", "api_key": "none"}


class Page(BaseModel):
    title: str
    pages: int


async def chat(text, name="agent/plain", **more):
    messages = text if isinstance(text, list) else [{"role": "user", "content": text}]
    return await acompletion(model=f"openai/{name}", messages=messages, **PLACE, **more)


def words(answer):
    return answer.choices[0].message.content


@check
async def plain():
    with OneRun():
        answer = await chat("hello")
    same(words(answer), WORDS)
    assert answer.usage.total_tokens > 0


@check
async def streamed():
    pieces = [piece async for piece in await chat("hello", stream=True)]
    same("".join(piece.choices[0].delta.content or "" for piece in pieces), WORDS)


@check
async def streamed_with_usage():
    pieces = [piece async for piece in await chat("hello", stream=True, stream_options={"include_usage": True})]
    assert pieces[-1].usage.total_tokens > 0
    whole = litellm.stream_chunk_builder(pieces)
    same((words(whole), whole.usage.total_tokens), (WORDS, pieces[-1].usage.total_tokens))


@check
async def thinking_in_a_stream():
    pieces = [piece async for piece in await chat("THINK of tea", stream=True)]
    same("".join(getattr(piece.choices[0].delta, "reasoning_content", None) or "" for piece in pieces), "of tea")


@check
async def tools():
    messages = [{"role": "user", "content": 'CALL weather {"city":"Rome"}'}]
    with OneRun():
        first = (await chat(messages, tools=[TOOL])).choices[0].message
        [call] = first.tool_calls
        messages += [first, {"role": "tool", "tool_call_id": call.id, "content": "sun"}]
        same(words(await chat(messages, tools=[TOOL])), "RESULT sun")


@check
async def tools_streamed():
    pieces = [piece async for piece in await chat('CALL weather {"city":"Rome"}', tools=[TOOL], stream=True)]
    [call] = litellm.stream_chunk_builder(pieces).choices[0].message.tool_calls
    same((call.function.name, call.function.arguments.replace(" ", "")), ("weather", '{"city":"Rome"}'))


@check
async def structured():
    answer = await chat('JSON {"title":"Tea","pages":3}', response_format=Page)
    same(Page.model_validate_json(words(answer)), Page(title="Tea", pages=3))


@check
async def second_turn():
    turns = [{"role": "user", "content": "ECHO one"}, {"role": "assistant", "content": "one"}, {"role": "user", "content": "SEEN"}]
    has(words(await chat(turns)), "assistant: one")


@check
async def image():
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    has(words(await chat([{"role": "user", "content": [{"type": "text", "text": "SEEN"}, part]}])), "[image image/png]")


@check
async def failed_run_is_one_run():
    with OneRun():
        try:
            await chat("FAIL")
            raise AssertionError("nothing was thrown")
        except litellm.BadRequestError as error:
            has(str(error), "refuses")


@check
async def failed_stream_is_one_run():
    with OneRun():
        try:
            async for _ in await chat("FAIL", stream=True):
                pass
            raise AssertionError("nothing was thrown")
        except openai.APIError as error:
            has(str(error), "refuses")


@check
async def responses():
    with OneRun():
        answer = await aresponses(model="openai/agent/plain", input="hello", **PLACE)
    same("".join(part.text for item in answer.output if item.type == "message" for part in item.content), WORDS)


@check
async def responses_streamed():
    events = [event async for event in await aresponses(model="openai/agent/plain", input="hello", stream=True, **PLACE)]
    same("".join(event.delta for event in events if event.type == "response.output_text.delta"), WORDS)


def router(**more):
    models = [{"model_name": "house", "litellm_params": {"model": f"openai/{name}", **PLACE}} for name in ["agent/plain", "agent/poet"]]
    return Router(model_list=models, **more)


@check
async def router_plain_and_streamed():
    messages = [{"role": "user", "content": "hello"}]
    same(words(await router().acompletion(model="house", messages=messages)), WORDS)
    pieces = [piece async for piece in await router().acompletion(model="house", messages=messages, stream=True)]
    same("".join(piece.choices[0].delta.content or "" for piece in pieces), WORDS)


@check
async def router_failed_run_is_one_run():
    with OneRun():
        try:
            await router().acompletion(model="house", messages=[{"role": "user", "content": "FAIL"}])
            raise AssertionError("nothing was thrown")
        except litellm.BadRequestError as error:
            has(str(error), "refuses")


@check
async def crew_and_flow_as_model():
    same(words(await chat("ECHO tea", "crew/pair")), "tea")
    same(words(await chat("hello", "flow/counter")), "counted 1")


run_checks()
