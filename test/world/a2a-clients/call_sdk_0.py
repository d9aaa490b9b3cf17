"""The client of a2a-sdk 0.3 itself, with its defaults: one line of JSON a call."""
import asyncio, json, sys

import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.types import Message, Part, Role, TextPart

base = sys.argv[1]


def texts_of(parts):
    """The text; data for parts without any, since data may stand there as text, too."""
    texts = "".join(part.root.text for part in parts if part.root.kind == "text")
    return texts or "".join(json.dumps(part.root.data) for part in parts if part.root.kind == "data")


async def call(name, streaming):
    async with httpx.AsyncClient(timeout=30) as http:
        config = ClientConfig(streaming=streaming, httpx_client=http)
        client = await ClientFactory.connect(f"{base}/a2a/{name}", client_config=config)
        message = Message(role=Role.user, message_id=f"{name}-{streaming}-sdk0", parts=[Part(root=TextPart(text="hello"))])
        task = None
        async for answer in client.send_message(message):
            if isinstance(answer, Message):
                return {"state": "completed", "text": texts_of(answer.parts)}
            task, _ = answer
        words = "".join(texts_of(artifact.parts) for artifact in task.artifacts or [])
        said = texts_of(task.status.message.parts) if task.status.message else ""
        return {"state": task.status.state.value, "text": words or said}


async def main():
    for name in ["clerk", "pair", "json", "fails", "asks"]:
        for way, streaming in [("stream", True), ("whole", False)]:
            try:
                said = await asyncio.wait_for(call(name, streaming), 30)
            except Exception as error:
                said = {"state": "error", "text": f"{type(error).__name__}: {error}"[:300]}
            print("CALL " + json.dumps({"client": "a2a-sdk 0.3", "agent": name, "way": way, **said}), flush=True)


asyncio.run(main())
