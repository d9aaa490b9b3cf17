"""Agents of both packages of AG2 behind their own A2A servers: prints the address of each as JSON, and serves until it is ended."""
import contextlib, json, socket

import uvicorn
from autogen import ConversableAgent
from autogen.a2a import A2aAgentServer
from autogen.beta import Agent
from autogen.beta.a2a import A2AServer
from autogen.beta.testing import TestConfig
from starlette.applications import Starlette
from starlette.routing import Mount

WORDS = "alpha beta gamma delta"


class Scripted(ConversableAgent):
    async def a_generate_oai_reply(self, messages=None, *_args, **_kwargs):
        if self.name == "fails":
            raise ValueError("the model broke")
        return True, "again" if "second" in str(messages[-1]) else WORDS


class SharedClient(TestConfig):
    """Goes on with its script from one request to the next."""

    def create(self):
        if not hasattr(self, "client"):
            self.client = super().create()
        return self.client


def old(name, url):
    agent = Scripted(name, llm_config=False, human_input_mode="NEVER", description="Answers")
    return A2aAgentServer(agent, url=url).build()


def beta(build):
    def made(name, url):
        config = SharedClient(*([] if name == "fails" else [WORDS, "again"] * 9))
        return getattr(A2AServer(Agent(name, config=config)), build)(url=url)

    return made


kinds = {"autogen.a2a": old, "autogen.beta.a2a": beta("build_jsonrpc"), "autogen.beta.a2a rest": beta("build_rest")}
listening = socket.socket()
listening.bind(("127.0.0.1", 0))
base = f"http://127.0.0.1:{listening.getsockname()[1]}"
places = {f"{kind} {name}": (f"/{index}/{name}", make) for index, (kind, make) in enumerate(kinds.items()) for name in ["clerk", "fails"]}
apps = {path: make(path.split("/")[-1], f"{base}{path}/") for path, make in places.values()}


@contextlib.asynccontextmanager
async def lifespan(_app):
    async with contextlib.AsyncExitStack() as stack:
        for app in apps.values():
            await stack.enter_async_context(app.router.lifespan_context(app))
        yield


app = Starlette(routes=[Mount(path, app=each) for path, each in apps.items()], lifespan=lifespan)
print("SERVES " + json.dumps({kind: f"{base}{path}/" for kind, (path, _) in places.items()}), flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])
