"""SDKs of Google and AWS against a model server on loopback, and our requests in their types.

    check_sdks.py <url of the server> <file of our requests>
"""
import base64, json, sys, traceback

import botocore.session
from botocore.config import Config
from botocore.validate import ParamValidator
from google import genai
from google.genai import types

URL, SENT = sys.argv[1:3]
TOOL = {
    "name": "weather",
    "description": "Tells the weather.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
ASKED = [("text", {}), ("tools", {"city": "Grüße – 日本 \"x\""}), ("thinking", {})]


def check(name, function):
    try:
        function()
        said = None
    except Exception as error:
        said = "".join(traceback.format_exception(type(error), error, error.__traceback__))[-1500:]
    print("CHECK " + json.dumps({"name": name, "ok": said is None, "said": said or ""}), flush=True)


def same(got, wanted):
    assert got == wanted, f"got {got!r}, wanted {wanted!r}"


# Requests of ours in the types of the SDKs.
converse = (
    botocore.session.get_session()
    .get_service_model("bedrock-runtime")
    .operation_model("Converse")
    .input_shape
)


def valid_for_aws(body):
    report = ParamValidator().validate({**body, "modelId": "m"}, converse)
    assert not report.has_errors(), report.generate_report()


def valid_for_google(body):
    known = {"contents", "systemInstruction", "tools", "toolConfig", "generationConfig"}
    same(set(body) - known, set())
    for content in body["contents"]:
        types.Content.model_validate(content)
    if "systemInstruction" in body:
        types.Content.model_validate(body["systemInstruction"])
    for tool in body.get("tools", []):
        types.Tool.model_validate(tool)
    types.ToolConfig.model_validate(body.get("toolConfig", {}))
    types.GenerationConfig.model_validate(body["generationConfig"])


for sent in json.load(open(SENT)):
    valid = valid_for_aws if sent["dialect"] == "bedrock" else valid_for_google
    check("ours " + sent["name"], lambda: valid(sent["body"]))

# The server's answers as the SDKs read them.
aws = botocore.session.get_session().create_client(
    "bedrock-runtime",
    region_name="us-east-1",
    aws_access_key_id="AKIDEXAMPLE",
    aws_secret_access_key="secret",
    endpoint_url=URL,
    config=Config(retries={"total_max_attempts": 1}),
)


def asked_of_aws(text):
    return {
        "modelId": "us.anthropic.claude-haiku-4-5-20251001-v1:0",
        "messages": [{"role": "user", "content": [{"text": text}]}],
        "toolConfig": {
            "tools": [
                {
                    "toolSpec": {
                        "name": "weather",
                        "description": "Tells the weather.",
                        "inputSchema": {"json": TOOL["parameters"]},
                    }
                }
            ]
        },
    }


def whole_of_aws(text):
    answer = aws.converse(**asked_of_aws(text))
    return answer["output"]["message"]["content"], answer["stopReason"], answer["usage"]


def stream_of_aws(text):
    blocks, stop, usage = {}, None, None
    for event in aws.converse_stream(**asked_of_aws(text))["stream"]:
        if "contentBlockStart" in event:
            start = event["contentBlockStart"]
            blocks[start["contentBlockIndex"]] = {"toolUse": {**start["start"]["toolUse"], "input": ""}}
        if "contentBlockDelta" in event:
            index, delta = event["contentBlockDelta"]["contentBlockIndex"], event["contentBlockDelta"]["delta"]
            if "text" in delta:
                block = blocks.setdefault(index, {"text": ""})
                block["text"] += delta["text"]
            if "toolUse" in delta:
                blocks[index]["toolUse"]["input"] += delta["toolUse"]["input"]
            if "reasoningContent" in delta:
                block = blocks.setdefault(index, {"reasoningContent": {"reasoningText": {"text": ""}}})
                thought, piece = block["reasoningContent"]["reasoningText"], delta["reasoningContent"]
                thought["text"] += piece.get("text", "")
                if "signature" in piece:
                    thought["signature"] = piece["signature"]
        if "messageStop" in event:
            stop = event["messageStop"]["stopReason"]
        if "metadata" in event:
            usage = event["metadata"]["usage"]
    for block in blocks.values():
        if "toolUse" in block:
            block["toolUse"]["input"] = json.loads(block["toolUse"]["input"])
    return [blocks[index] for index in sorted(blocks)], stop, usage


def wanted_of_aws(kind, arguments, content):
    if kind == "text":
        return [{"text": "Hello to you, too."}], "end_turn"
    if kind == "thinking":
        thought = {"reasoningText": {"text": "Hm, let me see.", "signature": "c2ln"}}
        return [{"reasoningContent": thought}, {"text": "Seen."}], "end_turn"
    ids = [block["toolUse"]["toolUseId"] for block in content if "toolUse" in block]
    same(len(set(ids)), 2)
    uses = [{"toolUse": {"toolUseId": id, "name": "weather", "input": arguments}} for id in ids]
    return [{"text": "Looking."}, *uses], "tool_use"


for kind, arguments in ASKED:
    for way, ask in (("whole", whole_of_aws), ("streamed", stream_of_aws)):

        def read():
            content, stop, usage = ask(kind)
            same((content, stop), wanted_of_aws(kind, arguments, content))
            same((usage["inputTokens"], usage["outputTokens"], usage["totalTokens"]), (10, 5, 15))

        check(f"botocore reads {kind} {way}", read)


def exception():
    try:
        stream_of_aws("exception")
    except aws.exceptions.ThrottlingException as error:
        return same(error.response["Error"]["Message"], "Too many requests")
    except Exception as error:
        return same((type(error).__name__, str(error).split(": ")[-1]), ("EventStreamError", "Too many requests"))
    raise AssertionError("read to the end")


check("botocore reads an exception in a stream", exception)

google = genai.Client(api_key="key", http_options=types.HttpOptions(base_url=URL))
CONFIG = types.GenerateContentConfig(
    tools=[
        types.Tool(
            function_declarations=[
                types.FunctionDeclaration(
                    name=TOOL["name"],
                    description=TOOL["description"],
                    parameters_json_schema=TOOL["parameters"],
                )
            ]
        )
    ]
)


def read_of_google(chunks):
    text, thought, calls, stop, usage, signature = "", "", [], None, None, None
    for chunk in chunks:
        for part in chunk.candidates[0].content.parts or []:
            if part.thought:
                thought += part.text
            elif part.function_call:
                calls.append((part.function_call.name, part.function_call.args))
            elif part.text:
                text += part.text
            signature = part.thought_signature or signature
        stop = chunk.candidates[0].finish_reason or stop
        usage = chunk.usage_metadata or usage
    return text, thought, calls, stop, (usage.prompt_token_count, usage.candidates_token_count), signature


def wanted_of_google(kind, arguments):
    stop, usage = types.FinishReason.STOP, (10, 5)
    if kind == "text":
        return "Hello to you, too.", "", [], stop, usage, None
    if kind == "thinking":
        return "Seen.", "Hm, let me see.", [], stop, usage, None
    return "Looking.", "", [("weather", arguments)] * 2, stop, usage, None


for kind, arguments in ASKED:
    asked = {"model": "gemini-2.5-flash", "contents": kind, "config": CONFIG}
    check(
        f"google-genai reads {kind} whole",
        lambda: same(
            read_of_google([google.models.generate_content(**asked)]), wanted_of_google(kind, arguments)
        ),
    )
    check(
        f"google-genai reads {kind} streamed",
        lambda: same(
            read_of_google(google.models.generate_content_stream(**asked)),
            wanted_of_google(kind, arguments),
        ),
    )
