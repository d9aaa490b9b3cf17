"""OpenAI's own SDK with its defaults, and strict validation of what it reads."""
import asyncio
import openai
from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel
from checking import OneRun, URL, check, get, has, run_checks, same

client = AsyncOpenAI(base_url=f"{URL}/v1", api_key="none", _strict_response_validation=True)
blocking = OpenAI(base_url=f"{URL}/v1", api_key="none", _strict_response_validation=True)
WORDS = "alpha beta gamma delta"
WEATHER = {"city": {"type": "string"}}
PARAMETERS = {"type": "object", "properties": WEATHER, "required": ["city"], "additionalProperties": False}
CHAT_TOOL = {"type": "function", "function": {"name": "weather", "description": "Weather of a city.", "parameters": PARAMETERS, "strict": True}}
TOOL = {"type": "function", "name": "weather", "description": "Weather of a city.", "parameters": PARAMETERS, "strict": True}
DOT = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
TEXT_FILE = "data:text/plain;base64,VGVhIGdyb3dzLg=="


class Page(BaseModel):
    title: str
    pages: int


def user(text):
    return [{"role": "user", "content": text}]


async def chat(text, model="agent/plain", **more):
    messages = text if isinstance(text, list) else user(text)
    return await client.chat.completions.create(model=model, messages=messages, **more)


async def respond(text, model="agent/plain", **more):
    return await client.responses.create(model=model, input=text, **more)


def words(completion):
    return completion.choices[0].message.content


@check
async def models_are_listed():
    names = [model.id async for model in client.models.list()]
    for name in ["agent/plain", "crew/pair", "flow/counter"]:
        assert name in names, names
    same((await client.models.retrieve("agent/plain")).id, "agent/plain")


@check
async def an_unknown_model_is_404():
    try:
        await chat("hi", model="agent/nobody")
    except openai.NotFoundError as error:
        return same(error.code, "model_not_found")
    raise AssertionError("nothing was thrown")


@check
async def chat_plain():
    with OneRun():
        completion = await chat("hello")
    same(words(completion), WORDS)
    same(completion.choices[0].finish_reason, "stop")
    same(completion.usage.total_tokens, completion.usage.prompt_tokens + completion.usage.completion_tokens)
    assert completion.created > 1_600_000_000


@check
async def chat_with_the_blocking_client():
    same(words(blocking.chat.completions.create(model="agent/plain", messages=user("hello"))), WORDS)


@check
async def chat_with_the_raw_response():
    raw = await client.chat.completions.with_raw_response.create(model="agent/plain", messages=user("hello"))
    same(words(raw.parse()), WORDS)
    assert raw.headers["content-type"].startswith("application/json")


@check
async def chat_streamed():
    pieces, reasons, usages = [], [], []
    with OneRun():
        async for chunk in await chat("hello", stream=True):
            usages.append(chunk.usage)
            for choice in chunk.choices:
                pieces.append(choice.delta.content or "")
                reasons.append(choice.finish_reason)
    same("".join(pieces), WORDS)
    assert len([piece for piece in pieces if piece]) > 1, pieces
    same(reasons[-1], "stop")
    assert not any(usages), usages


@check
async def chat_streamed_with_usage():
    chunks = [chunk async for chunk in await chat("hello", stream=True, stream_options={"include_usage": True})]
    same(chunks[-1].choices, [])
    assert chunks[-1].usage.total_tokens > 0
    same([chunk.usage for chunk in chunks[:-1]], [None] * (len(chunks) - 1))
    same(len({chunk.id for chunk in chunks}), 1)


@check
async def chat_stream_helper():
    async with client.chat.completions.stream(model="agent/plain", messages=user("hello")) as stream:
        kinds = [event.type async for event in stream]
        same(words(await stream.get_final_completion()), WORDS)
    assert "content.delta" in kinds and kinds[-1] == "content.done", kinds


@check
async def chat_thinking_is_in_stream_and_whole():
    pieces = [chunk async for chunk in await chat("THINK of tea", stream=True)]
    thought = "".join(getattr(c.delta, "reasoning_content", None) or "" for p in pieces for c in p.choices)
    same(thought, "of tea")


@check
async def chat_of_a_crew_and_of_a_flow():
    same(words(await chat("ECHO tea", model="crew/pair")), "tea")
    same(words(await chat("hello", model="flow/counter")), "counted 1")


@check
async def chat_of_many_turns_knows_the_turns_before():
    turns = [{"role": "developer", "content": "Be kind."}, *user("ECHO one"), {"role": "assistant", "content": "one"}, *user("SEEN")]
    said = words(await chat(turns))
    for part in ["Be kind.", "user: ECHO one", "assistant: one"]:
        has(said, part)


@check
async def chat_tools_serial():
    messages = user('CALL weather {"city":"Rome"}\nCALL weather {"city":"Oslo"}')
    with OneRun():
        for city in ["Rome", "Oslo"]:
            completion = await chat(messages, tools=[CHAT_TOOL])
            [call] = completion.choices[0].message.tool_calls
            same(completion.choices[0].finish_reason, "tool_calls")
            has(call.function.arguments, city)
            assert len(call.id) <= 40, call.id
            messages += [completion.choices[0].message, {"role": "tool", "tool_call_id": call.id, "content": f"sun in {city}"}]
        completion = await chat(messages, tools=[CHAT_TOOL])
    same(words(completion), "RESULT sun in Rome | sun in Oslo")


@check
async def chat_tools_parallel_in_a_stream():
    messages = user('CALL weather {"city":"Rome"} & CALL weather {"city":"Oslo"}')
    async with client.chat.completions.stream(model="agent/plain", messages=messages, tools=[CHAT_TOOL]) as stream:
        async for _ in stream:
            pass
        message = (await stream.get_final_completion()).choices[0].message
    same(len(message.tool_calls), 2)
    answers = [{"role": "tool", "tool_call_id": call.id, "content": f"{n}"} for n, call in enumerate(message.tool_calls)]
    asked = {"role": "assistant", "tool_calls": [call.model_dump(include={"id", "type", "function"}) for call in message.tool_calls]}
    for call in asked["tool_calls"]:
        call["function"].pop("parsed_arguments", None), call["function"].pop("index", None)
    same(words(await chat([*messages, asked, *answers], tools=[CHAT_TOOL])), "RESULT 0 | 1")


@check
async def chat_results_of_calls_that_others_made():
    call = {"id": "call_foreign", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Rome"}'}}
    messages = [*user("What is the weather?"), {"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "call_foreign", "content": "sun"}]
    completion = await chat(messages, tools=[CHAT_TOOL])
    assert words(completion), completion


@check
async def chat_structured_with_parse():
    completion = await client.chat.completions.parse(model="agent/plain", messages=user('JSON {"title":"Tea","pages":3}'), response_format=Page)
    same(completion.choices[0].message.parsed, Page(title="Tea", pages=3))


@check
async def chat_structured_with_parse_and_stream():
    async with client.chat.completions.stream(model="agent/plain", messages=user('JSON {"title":"Tea","pages":3}'), response_format=Page) as stream:
        async for _ in stream:
            pass
        same((await stream.get_final_completion()).choices[0].message.parsed, Page(title="Tea", pages=3))


@check
async def chat_json_mode():
    has(words(await chat('JSON {"a":1}', response_format={"type": "json_object"})), '"a"')


@check
async def chat_crew_with_an_output_schema():
    completion = await client.chat.completions.parse(model="crew/shaped", messages=user('JSON {"title":"Tea","pages":3}'), response_format=Page)
    same(completion.choices[0].message.parsed, Page(title="Tea", pages=3))


@check
async def chat_with_an_image_and_a_file():
    content = [
        {"type": "text", "text": "SEEN"},
        {"type": "image_url", "image_url": {"url": DOT, "detail": "low"}},
        {"type": "file", "file": {"filename": "tea.txt", "file_data": TEXT_FILE}},
    ]
    said = words(await chat([{"role": "user", "content": content}]))
    has(said, "[image image/png]")
    assert "[file text/plain]" in said or "Tea grows." in said, said


@check
async def chat_with_the_settings_of_a_model():
    settings = {"temperature": 0.2, "top_p": 0.9, "max_tokens": 100, "stop": ["x"], "seed": 7, "presence_penalty": 0.1,
                "frequency_penalty": 0.1, "logit_bias": {}, "user": "ann", "metadata": {"a": "b"}, "n": 1, "store": False}
    same(words(await chat("hello", **settings)), WORDS)


@check
async def chat_waits_for_a_persons_approval():
    messages = user('CALL refund {"order":"o-1"}')
    with OneRun():
        question = await chat(messages, model="agent/clerk")
        has(words(question), "refund")
        messages += [{"role": "assistant", "content": words(question)}, *user("yes")]
        same(words(await chat(messages, model="agent/clerk")), "RESULT refunded o-1")


@check
async def chat_waits_for_a_review():
    messages = user("ECHO draft")
    with OneRun():
        question = await chat(messages, model="crew/reviewed")
        has(words(question), "draft")
        messages += [{"role": "assistant", "content": words(question)}, *user("yes")]
        same(words(await chat(messages, model="crew/reviewed")), "draft")


@check
async def chat_failed_run_is_one_run():
    with OneRun():
        try:
            await chat("FAIL")
        except openai.BadRequestError as error:
            return has(str(error), "refuses")
    raise AssertionError("nothing was thrown")


@check
async def chat_failed_run_that_may_pass_is_one_run():
    with OneRun():
        try:
            await chat("LATE", model="agent/hasty")
            raise AssertionError("nothing was thrown")
        except openai.InternalServerError as error:
            has(str(error), "late")


@check
async def chat_failed_stream_is_one_run():
    with OneRun():
        try:
            async for _ in await chat("FAIL", stream=True):
                pass
            raise AssertionError("nothing was thrown")
        except openai.APIError as error:
            has(str(error), "refuses")


@check
async def chat_time_out_with_retries_is_one_run():
    with OneRun(after=2.5):
        try:
            same(words(await client.with_options(timeout=1.2).chat.completions.create(model="agent/plain", messages=user("SLOW 2500 ECHO late"))), "late")
        except openai.APITimeoutError:
            pass


@check
async def chat_stream_that_the_client_leaves_is_cancelled():
    with OneRun(after=0):
        stream = await chat("SLOW 40000", stream=True)
        async for _ in stream:
            break
        await stream.close()
    for _ in range(60):
        await asyncio.sleep(0.5)
        newest = get("/runs?limit=1")["items"][0]
        if newest["status"] == "cancelled":
            return
    raise AssertionError(newest["status"])


@check
async def bad_requests_name_the_field():
    try:
        await chat("hi", temperature=9)
    except openai.BadRequestError as error:
        return same(error.param, "temperature")
    raise AssertionError("nothing was thrown")


@check
async def responses_plain():
    with OneRun():
        response = await respond("hello", instructions="Be kind.")
    same((response.status, response.output_text), ("completed", WORDS))
    assert response.usage.total_tokens > 0


@check
async def responses_streamed():
    with OneRun():
        events = [event async for event in await respond("hello", stream=True)]
    kinds = [event.type for event in events]
    same((kinds[0], kinds[-1]), ("response.created", "response.completed"))
    same("".join(event.delta for event in events if event.type == "response.output_text.delta"), WORDS)
    numbers = [event.sequence_number for event in events]
    same(numbers, sorted(set(numbers)))


@check
async def responses_stream_helper():
    async with client.responses.stream(model="agent/plain", input="hello") as stream:
        async for _ in stream:
            pass
        same((await stream.get_final_response()).output_text, WORDS)


@check
async def responses_thinking_is_an_item():
    events = [event async for event in await respond("THINK of tea", stream=True)]
    assert "reasoning" in [item.type for item in events[-1].response.output], events[-1]


@check
async def responses_previous_response_id():
    first = await respond("ECHO one")
    second = await respond("SEEN", previous_response_id=first.id)
    has(second.output_text, "user: ECHO one")
    has(second.output_text, "assistant: one")
    same(second.previous_response_id, first.id)


@check
async def responses_conversation():
    conversation = await client.conversations.create()
    await respond("ECHO one", conversation=conversation.id)
    has((await respond("SEEN", conversation=conversation.id)).output_text, "user: ECHO one")


@check
async def responses_without_store_take_their_history_along():
    history = [{"role": "user", "content": "ECHO one"}, {"role": "assistant", "content": "one"}, {"role": "user", "content": "SEEN"}]
    has((await respond(history, store=False)).output_text, "assistant: one")


@check
async def responses_tools():
    with OneRun():
        first = await respond('CALL weather {"city":"Rome"}', tools=[TOOL])
        [call] = [item for item in first.output if item.type == "function_call"]
        output = {"type": "function_call_output", "call_id": call.call_id, "output": "sun"}
        second = await respond([output], previous_response_id=first.id, tools=[TOOL])
    same(second.output_text, "RESULT sun")


@check
async def responses_tools_streamed_and_stateless():
    asked = user('CALL weather {"city":"Rome"}')
    async with client.responses.stream(model="agent/plain", input=asked, tools=[TOOL], store=False) as stream:
        async for _ in stream:
            pass
        first = await stream.get_final_response()
    [call] = [item for item in first.output if item.type == "function_call"]
    kept = {"type": "function_call", "call_id": call.call_id, "name": call.name, "arguments": call.arguments}
    output = {"type": "function_call_output", "call_id": call.call_id, "output": "sun"}
    second = await respond([*asked, kept, output], tools=[TOOL], store=False)
    same(second.output_text, "RESULT sun")


@check
async def responses_parse():
    response = await client.responses.parse(model="agent/plain", input='JSON {"title":"Tea","pages":3}', text_format=Page)
    same(response.output_parsed, Page(title="Tea", pages=3))


@check
async def responses_with_an_image_and_a_file():
    content = [
        {"type": "input_text", "text": "SEEN"},
        {"type": "input_image", "image_url": DOT, "detail": "low"},
        {"type": "input_file", "filename": "tea.txt", "file_data": TEXT_FILE},
    ]
    said = (await respond([{"role": "user", "content": content}])).output_text
    has(said, "[image image/png]")
    assert "[file text/plain]" in said or "Tea grows." in said, said


@check
async def responses_background_and_retrieve():
    response = await respond("SLOW 1500 ECHO late", background=True)
    assert response.status in ("queued", "in_progress"), response.status
    for _ in range(40):
        response = await client.responses.retrieve(response.id)
        if response.status == "completed":
            return same(response.output_text, "late")
        await asyncio.sleep(0.25)
    raise AssertionError(response.status)


@check
async def responses_background_cancelled():
    response = await respond("SLOW 9000 late", background=True)
    same((await client.responses.cancel(response.id)).status, "cancelled")


@check
async def responses_retrieved_as_a_stream():
    stream = await respond("SLOW 1500 ECHO late", background=True, stream=True)
    async for event in stream:
        if event.type == "response.created":
            response, after = event.response, event.sequence_number
            break
    await stream.close()
    events = [event async for event in await client.responses.retrieve(response.id, stream=True, starting_after=after)]
    same(events[0].sequence_number, after + 1)
    same((events[-1].type, events[-1].response.output_text), ("response.completed", "late"))


@check
async def responses_input_items_and_delete():
    response = await respond("hello")
    [item] = [item async for item in client.responses.input_items.list(response.id)]
    same(item.role, "user")
    await client.responses.delete(response.id)
    try:
        await client.responses.retrieve(response.id)
    except openai.NotFoundError:
        return
    raise AssertionError("a deleted response is there")


@check
async def responses_failed_run_is_an_error_and_one_run():
    with OneRun():
        try:
            response = await respond("FAIL")
            raise AssertionError(f"nothing was thrown: {response.status}")
        except openai.BadRequestError as error:
            has(str(error), "refuses")


@check
async def responses_failed_stream_is_one_run():
    with OneRun():
        events = [event async for event in await respond("FAIL", stream=True)]
    same(events[-1].type, "response.failed")
    has(events[-1].response.error.message, "refuses")


@check
async def responses_wait_for_a_person():
    with OneRun():
        first = await respond('CALL refund {"order":"o-2"}', model="agent/clerk")
        has(first.output_text, "refund")
        same((await respond("yes", model="agent/clerk", previous_response_id=first.id)).output_text, "RESULT refunded o-2")


@check
async def embeddings_are_refused_with_404():
    try:
        await client.embeddings.create(model="agent/plain", input="tea")
    except openai.NotFoundError:
        return
    raise AssertionError("nothing was thrown")


run_checks()
