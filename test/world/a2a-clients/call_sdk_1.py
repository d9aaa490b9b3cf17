"""The client of a2a-sdk 1.3 itself, with its defaults: one line of JSON a call."""
import asyncio, json, sys

import httpx
from a2a.client import ClientConfig, create_client
from a2a.types import Message, Part, Role, SendMessageRequest, TaskState
from google.protobuf.json_format import MessageToDict

base = sys.argv[1]


def texts_of(parts):
    """The text; data for parts without any, since data may stand there as text, too."""
    texts = "".join(part.text for part in parts)
    return texts or "".join(json.dumps(MessageToDict(part.data)) for part in parts if part.HasField("data"))


async def call(name, streaming):
    async with httpx.AsyncClient(timeout=30) as http:
        config = ClientConfig(streaming=streaming, httpx_client=http)
        client = await create_client(f"{base}/a2a/{name}", client_config=config)
        message = Message(role=Role.ROLE_USER, message_id=f"{name}-{streaming}-sdk", parts=[Part(text="hello")])
        state, artifacts, said = "none", {}, ""
        async for answer in client.send_message(SendMessageRequest(message=message)):
            kind = answer.WhichOneof("payload")
            if kind == "message":
                return {"state": "completed", "text": texts_of(answer.message.parts)}
            if kind == "task":
                artifacts = {each.artifact_id: texts_of(each.parts) for each in answer.task.artifacts}
                status = answer.task.status
            elif kind == "artifact_update":
                artifact, append = answer.artifact_update.artifact, answer.artifact_update.append
                before = artifacts.get(artifact.artifact_id, "") if append else ""
                artifacts[artifact.artifact_id] = before + texts_of(artifact.parts)
                continue
            else:
                status = answer.status_update.status
            state = TaskState.Name(status.state).removeprefix("TASK_STATE_").lower().replace("_", "-")
            said = texts_of(status.message.parts)
        return {"state": state, "text": "".join(artifacts.values()) or said}


async def main():
    for name in ["clerk", "pair", "json", "fails", "asks"]:
        for way, streaming in [("stream", True), ("whole", False)]:
            try:
                said = await asyncio.wait_for(call(name, streaming), 30)
            except Exception as error:
                said = {"state": "error", "text": f"{type(error).__name__}: {error}"[:300]}
            print("CALL " + json.dumps({"client": "a2a-sdk 1.3", "agent": name, "way": way, **said}), flush=True)


asyncio.run(main())
