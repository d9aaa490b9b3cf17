"""Conversations on CrewAI's side: one flow object, one session, turn after turn."""

import asyncio
import json

from crewai.flow.conversational import ConversationConfig, ConversationState, RouterConfig
from crewai.flow.flow import Flow, listen
from crewai.llms.base_llm import BaseLLM


class Names(BaseLLM):
    """Names the label of the turn where it is asked for one, and else answers in words."""

    def call(self, messages, *args, response_format=None, response_model=None, **kwargs):
        turn = TURNS[self.model]
        shape = response_format or response_model
        if shape is None:
            return "words on " + turn["message"]
        field = next(iter(shape.model_fields))
        return json.dumps({field: turn["label"]}) if "label" in turn else "I cannot tell"


TURNS = {}


def shown(value):
    """Each side says in its own words that there is no model."""
    return "<no model>" if isinstance(value, str) and "once an LLM is configured" in value else value


class Talk:
    def __init__(self, program):
        self.program, self.talk = program, program["talk"]
        self.ran, self.counts = [], {}

    def body(self, flow, m, given):
        name = m["name"]
        count = self.counts[name] = self.counts.get(name, 0) + 1
        self.ran.append([name, given] if m.get("takes") else [name])
        if count in m.get("fail", []):
            raise ValueError("fails " + name)
        text, reply = f"r_{name}_{count}", m["reply"]
        if reply == "say":
            flow.append_assistant_message("says " + text)
        elif reply in ("private", "public"):
            flow.append_agent_result("ada", text, visibility=reply)
        return None if m.get("none") else text

    def method(self, m):
        talk = self
        if m.get("takes"):

            def method(self, given=None):
                return talk.body(self, m, given)

        else:

            def method(self):
                return talk.body(self, m, None)

        method.__name__ = method.__qualname__ = m["name"]
        return listen(m["listen"])(method)

    def flow_class(self):
        body = {m["name"]: self.method(m) for m in self.program["methods"]}
        made = type(Flow)("Made", (Flow[ConversationState],), body | {"conversational": True})
        talk, model = self.talk, Names(model=self.program["id"])
        options = {}
        if "router" in talk:
            names = {"routes": "routes", "defaultIntent": "default_intent", "fallbackIntent": "fallback_intent"}
            options["router"] = RouterConfig(**{names[key]: value for key, value in talk["router"].items()})
        for ours, theirs in (("llm", "llm"), ("intentLlm", "intent_llm")):
            if ours in talk:
                options[theirs] = model
        for ours, theirs in (("defaultIntents", "default_intents"), ("visible", "visible_agent_outputs")):
            if ours in talk:
                options[theirs] = talk[ours]
        return ConversationConfig(**options)(made)

    async def turn(self, flow, turn):
        self.ran = []
        TURNS[self.program["id"]] = turn
        more = {"intents": turn["intents"], "intent_llm": Names(model=self.program["id"])} if "intents" in turn else {}
        try:
            value = await asyncio.to_thread(flow.handle_turn, turn["message"], session_id="S", **more)
        except Exception as error:
            return {"status": "failed", "message": str(error)[:160], "ran": list(self.ran)}
        state = flow.state
        said = [[message.role, shown(message.content)] for message in state.messages]
        view = {"route": state.last_intent, "ended": state.ended, "said": said}
        return {"status": "completed", "value": shown(value), "state": view, "ran": list(self.ran)}

    async def run(self):
        try:
            flow = self.flow_class()(suppress_flow_events=True)
        except Exception as error:
            return {"id": self.program["id"], "refused": str(error)[:200], "kickoffs": []}
        kickoffs = [await self.turn(flow, each) for each in self.talk["turns"]]
        return {"id": self.program["id"], "kickoffs": kickoffs}
