"""CrewAI's side: reads flow programs as lines of JSON, builds them with CrewAI's API, writes outcomes as lines of JSON.

Arguments: file of programs, quantum in milliseconds, programs at once.
"""

import asyncio
import json
import logging
import os
import re
import sys
import tempfile
import time

os.environ.setdefault("CREWAI_STORAGE_DIR", tempfile.mkdtemp())
logging.disable(logging.CRITICAL)

from crewai import Agent, Crew, Task  # noqa: E402
from crewai.events.event_listener import event_listener  # noqa: E402
from crewai.flow import human_feedback  # noqa: E402
from crewai.flow.async_feedback import HumanFeedbackPending, PendingFeedbackContext  # noqa: E402
from crewai.flow.flow import Flow, FlowState, and_, listen, or_, router, start  # noqa: E402
from crewai.flow.persistence import persist  # noqa: E402
from crewai.flow.persistence.base import FlowPersistence  # noqa: E402
from crewai.llms.base_llm import BaseLLM  # noqa: E402
from pydantic import BaseModel  # noqa: E402
from talks import Talk  # noqa: E402

event_listener.formatter.verbose = False
PROGRAMS, QUANTUM, AT_ONCE = sys.argv[1], float(sys.argv[2]) / 1000, int(sys.argv[3])
MAX_EXECUTIONS = 150


class Inner(BaseModel):
    x: int = 0
    tags: list[str] = []


class State(FlowState):
    n: int = 0
    text: str = ""
    log: list[str] = []
    flag: bool = False
    ratio: float = 0
    inner: Inner = Inner()
    counts: dict[str, int] = {}


def fresh_state():
    return json.loads(State().model_dump_json(exclude={"id"}))


class Says(BaseLLM):
    """A model that names the label which the person named, and none for other words."""

    def call(self, messages, *args, **kwargs):
        text = messages if isinstance(messages, str) else messages[-1]["content"]
        said = re.search(r"Feedback: ?(.*)", text)
        label = re.search(r"H\d+", said.group(1) if said else "")
        return json.dumps({"outcome": label.group(0)}) if label else "I do not know"


def store_of(states, pending=None):
    class Store(FlowPersistence):
        def save_pending_feedback(self, flow_uuid, context, state_data):
            data = state_data if isinstance(state_data, dict) else state_data.model_dump()
            pending[flow_uuid] = json.dumps([data, context.to_dict()])

        def load_pending_feedback(self, flow_uuid):
            if flow_uuid not in pending:
                return None
            state, saved = json.loads(pending[flow_uuid])
            context = PendingFeedbackContext.from_dict(saved)
            context.llm = Says(model="x")
            return state, context

        def clear_pending_feedback(self, flow_uuid):
            pending.pop(flow_uuid, None)

        def init_db(self):
            pass

        def save_state(self, flow_uuid, method_name, state_data):
            data = state_data if isinstance(state_data, dict) else state_data.model_dump()
            states.setdefault(flow_uuid, []).append(json.dumps(data))

        def load_state(self, flow_uuid):
            kept = states.get(flow_uuid)
            return json.loads(kept[-1]) if kept else None

    return Store()


class Person:
    def __init__(self, answers, counts, name, pauses):
        self.answers, self.counts, self.key, self.pauses = answers, counts, "review:" + name, pauses

    def request_feedback(self, context, flow):
        if self.pauses:
            raise HumanFeedbackPending(context=context)
        return self.answer()

    def answer(self):
        count = self.counts[self.key] = self.counts.get(self.key, 0) + 1
        return self.answers[count - 1] if count <= len(self.answers) else ""


def condition(trigger):
    if isinstance(trigger, str):
        return trigger
    if "or" in trigger:
        return or_(*map(condition, trigger["or"]))
    return and_(*map(condition, trigger["and"]))


def shown(value):
    if hasattr(value, "feedback") and hasattr(value, "outcome"):
        return {"output": value.output, "feedback": value.feedback, "outcome": value.outcome}
    return value


class Answers(BaseLLM):
    """Answers a task with its name."""

    def call(self, messages, *args, **kwargs):
        text = messages if isinstance(messages, str) else messages[-1]["content"]
        task = re.search(r"task (\d) of (\w+)", text)
        return "Thought: done\nFinal Answer: answer " + " of ".join(task.groups())

    def supports_function_calling(self):
        return True


def crew_of(length):
    agent = Agent(role="Writer", goal="write", backstory="writes", llm=Answers(model="x"))
    tasks = [
        Task(name=f"t{at}", description=f"Do task {at} of {{from}}", expected_output="words", agent=agent)
        for at in range(length)
    ]
    return Crew(agents=[agent], tasks=tasks)


def written(state, write):
    field, value = write["field"], write["value"]
    old = state[field] if isinstance(state, dict) else getattr(state, field)
    if write["op"] == "append":
        old.append(value)
        return
    new = old + value if write["op"] == "add" else Inner(**value) if isinstance(old, Inner) else value
    if isinstance(state, dict):
        state[field] = new
    else:
        setattr(state, field, new)


class Program:
    def __init__(self, program):
        self.program = program
        self.ran, self.counts, self.states, self.pending, self.people = [], {}, {}, {}, {}
        self.note, self.executions = lambda entry: self.ran.append(entry), 0

    def begin(self, m, given):
        count = self.counts[m["name"]] = self.counts.get(m["name"], 0) + 1
        self.executions += 1
        if self.executions > MAX_EXECUTIONS:
            raise RuntimeError("too many")
        self.note([m["name"], shown(given)] if m.get("takes") else [m["name"]])
        return count

    async def inner(self, m, count):
        name, inside = f"{m['name']}_{count}", Program({"id": "inner", "methods": m["inner"]})
        ran = self.ran
        inside.note = lambda entry: ran.append([f"{name}.{entry[0]}", *entry[1:]])
        value = await inside.flow_class()(suppress_flow_events=True).kickoff_async()
        return f"{m['name']}({json.dumps(value)})"

    def end(self, flow, m, count):
        if count in m.get("fail", []):
            raise ValueError("fails " + m["name"])
        for write in m.get("writes", []):
            written(flow.state, write)
        if "labels" in m:
            return m["labels"][count - 1] if count <= len(m["labels"]) else "stop"
        return None if m.get("none") else f"r_{m['name']}_{count}"

    def body(self, m):
        async def work(flow, given):
            count = self.begin(m, given)
            await asyncio.sleep(QUANTUM * m["delay"])
            result = self.end(flow, m, count)
            if m.get("none"):
                return result
            if "crew" in m:
                return (await crew_of(m["crew"]).kickoff_async(inputs={"from": m["name"]})).raw
            return await self.inner(m, count) if "inner" in m else result

        def sync_work(flow, given):
            count = self.begin(m, given)
            time.sleep(QUANTUM * m["delay"])
            return self.end(flow, m, count)

        if m.get("sync") and m.get("takes"):

            def method(self, given=None):
                return sync_work(self, given)

        elif m.get("sync"):

            def method(self):
                return sync_work(self, None)

        elif m.get("takes"):

            async def method(self, given=None):
                return await work(self, given)

        else:

            async def method(self):
                return await work(self, None)

        method.__name__ = method.__qualname__ = m["name"]
        return method

    def person(self, m):
        person = Person(m["review"]["answers"], self.counts, m["name"], self.program.get("pauses"))
        self.people[m["name"]] = person
        return person

    def method(self, m):
        f = self.body(m)
        if "review" in m:
            review = m["review"]
            emit = review.get("emit")
            f = human_feedback(
                message="Good?",
                emit=emit,
                llm=Says(model="x") if emit else None,
                default_outcome=review.get("defaultOutcome"),
                provider=self.person(m),
            )(f)
        if "listen" in m and "emit" in m:
            f = router(condition(m["listen"]), emit=[*m["emit"], "stop"])(f)
        elif "listen" in m:
            f = listen(condition(m["listen"]))(f)
        elif "emit" in m:
            f = router(emit=[*m["emit"], "stop"])(f)
        if "start" in m:
            f = (start() if m["start"] is True else start(condition(m["start"])))(f)
        return persist(store_of(self.states))(f) if m.get("persist") else f

    def flow_class(self):
        body = {m["name"]: self.method(m) for m in self.program["methods"]}
        if self.program.get("model"):
            base = Flow[State]
        else:
            base = Flow
            body["initial_state"] = fresh_state()
            body["__annotations__"] = {"initial_state": dict}
        made = type(base)("Made", (base,), body)
        return persist(store_of(self.states))(made) if self.program.get("persist") in ("class", "both") else made

    async def paused(self, made, value, limits):
        """Answers each question with another object of the flow, made of what was saved."""
        flow, store = None, store_of(self.states, self.pending)
        while isinstance(value, HumanFeedbackPending):
            answer = self.people[value.context.method_name].answer()
            flow = made.from_pending(value.context.flow_id, store, suppress_flow_events=True, **limits)
            value = await flow.resume_async(answer)
        return flow, value

    async def kickoff(self, made, kickoff):
        self.ran, self.executions, flow = [], 0, None
        self.counts.clear()
        try:
            limits = {"max_method_calls": self.program["maxMethodCalls"]} if "maxMethodCalls" in self.program else {}
            saving = {"persistence": store_of(self.states, self.pending)} if self.program.get("pauses") else {}
            flow = made(suppress_flow_events=True, **saving, **limits)
            restore = {"restore_from_state_id": kickoff["restore"]} if "restore" in kickoff else {}
            value = await asyncio.wait_for(
                flow.kickoff_async(inputs=kickoff["inputs"] or None, **restore), 60 + 200 * QUANTUM
            )
            if isinstance(value, HumanFeedbackPending):
                flow, value = await self.paused(made, value, limits)
            outcome = {"status": "completed", "value": shown(value)}
        except asyncio.CancelledError:
            outcome = {"status": "failed", "message": "cancelled"}
        except Exception as error:
            outcome = {"status": "failed", "message": str(error)[:160]}
            await asyncio.sleep(QUANTUM * 12)
        state = flow.state if flow is not None else None
        state = state.model_dump() if isinstance(state, BaseModel) else dict(state or {})
        key = state.pop("id", None)
        state["id"] = key if key in ("A", "B") else "fresh"
        return {**outcome, "state": json.loads(json.dumps(state)), "ran": list(self.ran)}

    async def run(self):
        try:
            made = self.flow_class()
        except Exception as error:
            return {"id": self.program["id"], "refused": str(error)[:200], "kickoffs": []}
        kickoffs = [await self.kickoff(made, each) for each in self.program["kickoffs"]]
        return {"id": self.program["id"], "kickoffs": kickoffs}


async def main(out):
    waiting = [json.loads(line) for line in open(PROGRAMS) if line.strip()]
    waiting.reverse()

    async def worker():
        while waiting:
            program = waiting.pop()
            result = await (Talk if "talk" in program else Program)(program).run()
            out.write(json.dumps(result, default=str) + "\n")
            out.flush()

    await asyncio.gather(*(worker() for _ in range(AT_ONCE)))


output = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
asyncio.run(main(output))
output.flush()
os._exit(0)
