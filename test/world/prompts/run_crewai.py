"""Runs programs on CrewAI: python run_crewai.py programs.jsonl http://127.0.0.1:8901

Prints how each ended. The server has the requests.
"""

import builtins
import json
import os
import sys
import tempfile
import threading

os.environ.setdefault("OPENAI_API_KEY", "k")
os.environ["CREWAI_STORAGE_DIR"] = tempfile.mkdtemp()
from pydantic import BaseModel, Field  # noqa: E402

from crewai import LLM, Agent, Crew, Memory, Process, Task  # noqa: E402
from crewai.knowledge.source.string_knowledge_source import StringKnowledgeSource  # noqa: E402
from crewai.llms.providers.openai.completion import OpenAICompletion  # noqa: E402
from crewai.tools import BaseTool  # noqa: E402

FILE, SERVER, TEXTS = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
WORDS = []
builtins.input = lambda *_: WORDS.pop(0) if WORDS else ""


class TextLLM(OpenAICompletion):
    """A model without native calls."""

    def supports_function_calling(self):
        return False


class Goods(BaseModel):
    goods: str = Field(description="Kind of goods")


class Hour(BaseModel):
    hour: int = Field(description="Hour of the day")


class Gate(BaseModel):
    gate: str = Field(description="Name of the gate")


class Notice(BaseModel):
    title: str = Field(description=TEXTS["shape"]["title"])
    count: int = Field(description=TEXTS["shape"]["count"])


def make_tool(kind):
    class Tool(BaseTool):
        name: str = kind
        description: str = TEXTS["tools"][kind]
        args_schema: type[BaseModel] = {"stock": Goods, "tide": Hour, "broken": Gate}[kind]

        def _run(self, **_):
            if kind == "broken":
                raise ValueError(TEXTS["results"][kind])
            return TEXTS["results"][kind]

    return Tool()


def refusing(reason):
    asked = []

    def check(output):
        asked.append(1)
        return (False, reason) if len(asked) == 1 else (True, output.raw)

    return check


class Side:
    def __init__(self, program):
        self.program = program
        self.url = f"{SERVER}/theirs/{program['id']}/v1"
        self.embedder = {
            "provider": "openai",
            "config": {"api_key": "k", "api_base": self.url, "model_name": "text-embedding-3-small"},
        }

    def llm(self, text=False):
        if text:
            return TextLLM(model="gpt-4o", base_url=self.url, api_key="k")
        return LLM(model="openai/gpt-4o", base_url=self.url, api_key="k")

    def agent(self, a):
        more = {}
        if a.get("maxIter"):
            more["max_iter"] = a["maxIter"]
        if a.get("today"):
            more["inject_date"] = True
        if a.get("knowledge"):
            more.update(knowledge_sources=[StringKnowledgeSource(content=a["knowledge"])], embedder=self.embedder)
        return Agent(
            role=a["role"],
            goal=a["goal"],
            backstory=a["backstory"],
            llm=self.llm(a.get("text")),
            allow_delegation=bool(a.get("delegates")),
            tools=[make_tool(name) for name in a.get("tools", [])],
            **more,
        )

    def run(self):
        if self.program["kind"] == "agent":
            agent = self.agent(self.program["agents"][0])
            shape = {"response_format": Notice} if self.program.get("shape") else {}
            return agent.kickoff(self.program["question"], **shape)
        agents = {a["key"]: self.agent(a) for a in self.program["agents"]}
        tasks = {}
        for t in self.program["tasks"]:
            tasks[t["name"]] = self.task(t, agents, tasks)
        more = self.crew_options()
        crew = Crew(agents=list(agents.values()), tasks=list(tasks.values()), **more)
        return crew.kickoff(inputs=self.program.get("inputs"))

    def task(self, t, agents, tasks):
        more = {}
        if "agent" in t:
            more["agent"] = agents[t["agent"]]
        if "context" in t:
            more["context"] = [tasks[name] for name in t["context"]]
        if t.get("async"):
            more["async_execution"] = True
        if t.get("shape"):
            more["output_pydantic"] = Notice
        if "guardrail" in t:
            rule = t["guardrail"]
            more["guardrail"] = rule["rule"] if "rule" in rule else refusing(rule["refuses"])
        if t.get("markdown"):
            more["markdown"] = True
        if "human" in t:
            more["human_input"] = True
            WORDS[:] = t["human"]
        return Task(name=t["name"], description=t["description"], expected_output=t["expected"], **more)

    def crew_options(self):
        given = self.program.get("crew", {})
        more = {}
        if given.get("manager") == "llm":
            more.update(process=Process.hierarchical, manager_llm=self.llm())
        if given.get("manager") == "agent":
            manager = Agent(
                role="Port Warden",
                goal="Keep the whole port in order",
                backstory="You hold the keys of every gate.",
                llm=self.llm(),
                allow_delegation=True,
            )
            more.update(process=Process.hierarchical, manager_agent=manager)
        if given.get("planning"):
            more.update(planning=True, planning_llm=self.llm())
        if given.get("knowledge"):
            more.update(
                knowledge_sources=[StringKnowledgeSource(content=given["knowledge"])],
                embedder=self.embedder,
            )
        if given.get("memory"):
            memory = Memory(llm=self.llm(), embedder=self.embedder, storage=tempfile.mkdtemp())
            for text in given["memory"]:
                memory.remember(text, scope="/", categories=[], importance=0.5)
            more["memory"] = memory
        return more


def run(program):
    try:
        result = Side(program).run()
        print("ENDED", program["id"], str(result.raw)[:80], flush=True)
    except BaseException as error:
        print("FAILED", program["id"], type(error).__name__, str(error)[:300], flush=True)


for line in open(FILE):
    program = json.loads(line)
    worker = threading.Thread(target=run, args=(program,), daemon=True)
    worker.start()
    worker.join(60)
    if worker.is_alive():
        print("HANGS", program["id"], flush=True)
os._exit(0)
