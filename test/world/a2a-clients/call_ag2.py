"""Both A2A clients of AG2 with their defaults: one line of JSON a call."""
import asyncio, json, sys
from autogen.a2a import A2aRemoteAgent
from autogen.beta import Agent
from autogen.beta.a2a import A2AConfig

base = sys.argv[1]

async def old(name):
    agent = A2aRemoteAgent(url=f"{base}/a2a/{name}", name="remote")
    _, reply = await agent.a_generate_remote_reply([{"role": "user", "content": "hello"}])
    # Data is handed on as the message itself, in place of one with words.
    return (reply or {}).get("content") or json.dumps(reply or {})

async def beta(name, streaming):
    agent = Agent("remote", config=A2AConfig(f"{base}/a2a/{name}", streaming=streaming))
    return (await agent.ask("hello")).body

async def main():
    for name in ["clerk", "pair", "json", "fails"]:
        for client, way, call in [("autogen.a2a", "stream", old(name)), ("autogen.beta.a2a", "stream", beta(name, True)), ("autogen.beta.a2a", "poll", beta(name, False))]:
            try:
                said = {"state": "completed", "text": await asyncio.wait_for(call, 20)}
            except Exception as error:
                said = {"state": "error", "text": f"{type(error).__name__}: {error}"[:300]}
            print("CALL " + json.dumps({"client": client, "agent": name, "way": way, **said}), flush=True)

asyncio.run(main())
