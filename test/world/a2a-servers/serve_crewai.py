"""Agents of CrewAI behind its own A2A executor: prints the address of each as JSON, and serves until it is ended."""
import json, socket, sys

import uvicorn
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore
from crewai import Agent
from crewai.a2a.config import A2AServerConfig
from crewai.a2a.utils import task as a2a_task
from crewai.llms.base_llm import BaseLLM
from starlette.applications import Starlette
from starlette.routing import Mount

WORDS = "alpha beta gamma delta"


class Scripted(BaseLLM):
    fails: bool = False

    def __init__(self, fails=False):
        super().__init__(model="scripted")
        self.fails = fails

    def call(self, messages, *args, **kwargs):
        if self.fails:
            raise ValueError("the model broke")
        said = messages if isinstance(messages, str) else json.dumps(messages)
        return f"Thought: I know it.\nFinal Answer: {'again' if 'second' in said else WORDS}"

    async def acall(self, messages, *args, **kwargs):
        return self.call(messages, *args, **kwargs)

    def supports_function_calling(self):
        return False


class Executor(AgentExecutor):
    def __init__(self, agent):
        self.agent = agent

    async def execute(self, context, event_queue):
        await a2a_task.execute(self.agent, context, event_queue)

    async def cancel(self, context, event_queue):
        await a2a_task.cancel(context, event_queue)


def app_of(name, url):
    agent = Agent(role=name, goal="Answer", backstory="Brief.", llm=Scripted(name == "fails"), max_retry_limit=0, a2a=A2AServerConfig(url=url))
    handler = DefaultRequestHandler(agent_executor=Executor(agent), task_store=InMemoryTaskStore())
    return A2AStarletteApplication(agent_card=agent.to_agent_card(url), http_handler=handler).build()


listening = socket.socket()
listening.bind(("127.0.0.1", 0))
base = f"http://127.0.0.1:{listening.getsockname()[1]}"
names = ["clerk", "fails"]
app = Starlette(routes=[Mount(f"/{name}", app=app_of(name, f"{base}/{name}/")) for name in names])
print("SERVES " + json.dumps({f"crewai {name}": f"{base}/{name}/" for name in names}), flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])
