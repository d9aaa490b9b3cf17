"""Runs cases on CrewAI: python run_crewai.py cases.jsonl http://127.0.0.1:8901

Reads one case a line, and writes one outcome a line.
"""
import builtins
import json
import os
import sys
import tempfile
import threading
import urllib.request

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false", OPENAI_API_KEY="k", CREWAI_TESTING="true")
os.environ.setdefault("CREWAI_STORAGE_DIR", "world")
from typing import Any
from pydantic import BaseModel
from crewai import Agent, Crew, LLM, Process, Task
from crewai.events import crewai_event_bus
from crewai.tools import BaseTool
from crewai.tasks.conditional_task import ConditionalTask
try:
    from crewai.llms.providers.openai.completion import OpenAICompletion
    class TextLLM(OpenAICompletion):
        """A model without native calls: CrewAI writes and reads them as text."""
        def supports_function_calling(self) -> bool: return False
except ImportError:
    TextLLM = None

FILE, SERVER = sys.argv[1:3]
get = lambda url: json.load(urllib.request.urlopen(url))

class Topic(BaseModel):
    topic: str
class Pair(BaseModel):
    a: int
    b: int
class Reason(BaseModel):
    reason: str
class Titled(BaseModel):
    title: str
    count: int

# Events of a project's crew, as a listener gets them.
EVENTS: list = []
def listen():
    from crewai.events import (AgentExecutionCompletedEvent, AgentExecutionErrorEvent, AgentExecutionStartedEvent, CrewKickoffCompletedEvent,
                               CrewKickoffFailedEvent, CrewKickoffStartedEvent, TaskCompletedEvent, TaskFailedEvent, TaskStartedEvent)
    for kind in (AgentExecutionCompletedEvent, AgentExecutionErrorEvent, AgentExecutionStartedEvent, CrewKickoffCompletedEvent,
                 CrewKickoffFailedEvent, CrewKickoffStartedEvent, TaskCompletedEvent, TaskFailedEvent, TaskStartedEvent):
        @crewai_event_bus.on(kind)
        def note(source, event):
            task = getattr(event, "task", None)
            EVENTS.append((event.timestamp, f"{event.type}:{task.name}" if task is not None else event.type))
listen()

# A person's words, in their order; at the end everything is accepted.
WORDS: list = []
builtins.input = lambda *_: WORDS.pop(0) if WORDS else ""


def make_tool(kind, calls, result_as_answer=False, max_usage=None):
    class Tool(BaseTool):
        name: str = kind
        description: str = {"lookup": "Looks a topic up", "add": "Adds two numbers", "fails": "Fails"}[kind]
        args_schema: type[BaseModel] = {"lookup": Topic, "add": Pair, "fails": Reason}[kind]
        def _run(self, **kw):
            calls.append({"name": kind, "args": kw})
            if kind == "lookup": return f"fact about {kw['topic']}"
            if kind == "add": return str(kw["a"] + kw["b"])
            raise ValueError(f"broken: {kw['reason']}")
    return Tool(result_as_answer=result_as_answer, **({"max_usage_count": max_usage} if max_usage else {}))

def guardrail_of(g, name, marks):
    if g.get("text"): return f"The answer is a line <<G:{name}>>"
    count = {"n": 0}
    def check(output):
        marks.append(f"guardrail:{name}")
        count["n"] += 1
        if count["n"] <= g["refuse"]: return (False, "write it again")
        if g.get("throws"): raise ValueError("the guardrail broke")
        if "change" in g: return (True, g["change"])
        r = g.get("returns")
        if r == "none": return (True, None)
        if r == "bool": return True
        if r == "number": return (True, 42)
        if r == "output": return (True, output)
        return (True, output.raw)
    return check

def yaml_crew(c, llm):
    """The class of a project's crew.py, made from the case."""
    from crewai.project import CrewBase, agent, crew, task
    folder = tempfile.mkdtemp()
    for name in ("agents", "tasks"):
        with open(f"{folder}/{name}.yaml", "w") as f: f.write(c["yaml"][name])
    body = {"agents_config": f"{folder}/agents.yaml", "tasks_config": f"{folder}/tasks.yaml", "__module__": __name__}
    def agent_method(key):
        def make(self): return Agent(config=self.agents_config[key], llm=llm())
        make.__name__ = key
        return agent(make)
    def task_method(key):
        def make(self): return Task(config=self.tasks_config[key])
        make.__name__ = key
        return task(make)
    for a in c["agents"]: body[a["key"]] = agent_method(a["key"])
    for t in c["tasks"]: body[t["name"]] = task_method(t["name"])
    def make_crew(self): return Crew(agents=self.agents, tasks=self.tasks, process=Process.sequential)
    make_crew.__name__ = "crew"
    body["crew"] = crew(make_crew)
    return CrewBase(type("Made", (), body))().crew()

def run(c, out):
    calls, done, steps, marks = [], [], [], []
    WORDS[:] = c.get("humanSays") or []
    EVENTS.clear()
    def llm(text=False):
        kw = dict(base_url=f"{SERVER}/theirs/case/{c['id']}/v1", api_key="k")
        return TextLLM(model="gpt-4o", **kw) if text else LLM(model="openai/gpt-4o", **kw)
    def after_task(name, throws):
        def f(output):
            done.append(output.name or name)
            if throws: raise ValueError("the callback broke")
        return f
    try:
        agents = {}
        for a in c["agents"]:
            extra = {"max_iter": a["maxIter"]} if a.get("maxIter") else {}
            agents[a["key"]] = Agent(role=a["role"], goal=a["goal"], backstory=a["backstory"], llm=llm(a.get("text")), verbose=False, allow_delegation=bool(a.get("allowDelegation")),
                                     tools=[make_tool(t, calls, bool(a.get("resultAsAnswer")), a.get("maxUsage")) for t in a["tools"]], **extra)
        tasks = {}
        for t in c["tasks"]:
            kw: dict[str, Any] = dict(name=t["name"], description=t["description"], expected_output=t["expectedOutput"])
            if t.get("agent"): kw["agent"] = agents[t["agent"]]
            if "context" in t: kw["context"] = [tasks[n] for n in t["context"]]
            if t.get("async"): kw["async_execution"] = True
            if "tools" in t: kw["tools"] = [make_tool(n, calls) for n in t["tools"]]
            if "guardrail" in t: kw.update(guardrail=guardrail_of(t["guardrail"], t["name"], marks), guardrail_max_retries=t["guardrail"]["retries"])
            if t.get("json"): kw["output_pydantic" if t["json"] == "pydantic" else "output_json"] = Titled
            if t.get("markdown"): kw["markdown"] = True
            if t.get("human"): kw["human_input"] = True
            kw["callback"] = after_task(t["name"], t.get("callbackThrows"))
            if "condition" in t:
                needle = t["condition"]["contains"]
                kw["condition"] = (lambda needle: lambda output: needle in output.raw)(needle)
                tasks[t["name"]] = ConditionalTask(**kw)
            else:
                tasks[t["name"]] = Task(**kw)
        k, kw = c["crew"].get("callbacks", {}), {}
        if c["crew"].get("process") == "hierarchical":
            kw["process"] = Process.hierarchical
            if c["crew"]["manager"] == "llm": kw["manager_llm"] = llm()
            else: kw["manager_agent"] = Agent(role="Boss", goal="Lead", backstory="Calm", llm=llm(), allow_delegation=True)
        if c["crew"].get("planning"): kw.update(planning=True, planning_llm=llm())
        kw["cache"] = bool(c["crew"].get("cache"))
        if k.get("step"):
            def step(s):
                kind = type(s).__name__
                steps.append(f"finish:{s.output}" if kind == "AgentFinish" else f"tool:{getattr(s, 'tool', None) or kind}")
            kw["step_callback"] = step
        if k.get("task"): kw["task_callback"] = lambda o: marks.append(f"task:{o.name}")
        if k.get("before"):
            def before(inputs):
                marks.append("before"); return {**(inputs or {}), "added": "by before"}
            kw["before_kickoff_callbacks"] = [before]
        if k.get("after"):
            def after(output):
                marks.append("after"); output.raw = f"{output.raw} (after)"; return output
            kw["after_kickoff_callbacks"] = [after]
        if c["crew"].get("stream"): kw["stream"] = True
        crew = yaml_crew(c, llm) if c.get("yaml") else Crew(name=c["id"], agents=list(agents.values()), tasks=list(tasks.values()), verbose=False, **kw)
        def shape(r):
            def obj(t): return t.json_dict if t.json_dict is not None else (t.pydantic.model_dump() if t.pydantic is not None else None)
            return dict(raw=r.raw, object=obj(r), tasks=[dict(name=t.name, raw=t.raw, agent=t.agent, json=obj(t), description=t.description, expected=t.expected_output, summary=t.summary,
                        format=t.output_format.value, failures=[f.tool_name for f in t.tool_failures]) for t in r.tasks_output])
        if c.get("each"):
            results = crew.kickoff_for_each(inputs=c["each"])
            outcome = dict(status="completed", raw="|".join(r.raw for r in results), tasks=[t for r in results for t in shape(r)["tasks"]])
        elif c["crew"].get("stream"):
            streaming, text = crew.kickoff(inputs=c["inputs"]), ""
            for chunk in streaming:
                if chunk.chunk_type.value == "text": text += chunk.content
            outcome = dict(status="completed", **shape(streaming.result), streamed=text, full=streaming.get_full_text())
        elif c.get("replayFrom"):
            crew.kickoff(inputs=c["inputs"])
            again = next(t for t in crew.tasks if t.name == c["replayFrom"])
            outcome = dict(status="completed", **shape(crew.replay(task_id=str(again.id))))
        else:
            outcome = dict(status="completed", **shape(crew.kickoff(**({} if c["inputs"] is None else {"inputs": c["inputs"]}))))
    except BaseException as e:
        outcome = dict(status="failed", error=type(e).__name__, message=str(e)[:300])
    try: crewai_event_bus.flush()
    except Exception: pass
    if c.get("yaml"): outcome["events"] = [name for _, name in sorted(EVENTS, key=lambda each: each[0])]
    out.write(json.dumps(dict(id=c["id"], **outcome, toolCalls=calls, done=done, steps=steps, marks=marks, **get(f"{SERVER}/theirs/case/{c['id']}/calls")), default=str) + "\n")
    out.flush()

real_out = os.dup(1); os.dup2(2, 1)
out = os.fdopen(real_out, "w")
for line in open(FILE):
    if not line.strip(): continue
    c = json.loads(line)
    # A thread, so that a crew that never ends costs one case and not the run.
    worker = threading.Thread(target=run, args=(c, out), daemon=True)
    worker.start(); worker.join(180)
    if worker.is_alive(): out.write(json.dumps(dict(id=c["id"], status="hangs", toolCalls=[], done=[], steps=[], marks=[], calls={}, seen={})) + "\n"); out.flush()
os._exit(0)
