"""Runs conversations on AG2: python run_ag2.py programs.jsonl http://127.0.0.1:8901

Prints how each ended. The server has the requests.
"""

import json
import logging
import os
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
from typing import Annotated  # noqa: E402

from autogen import ConversableAgent, GroupChat, GroupChatManager, register_function  # noqa: E402
from autogen.agentchat import initiate_group_chat  # noqa: E402
from autogen.agentchat.group import (  # noqa: E402
    AgentTarget,
    ContextVariables,
    OnCondition,
    StringLLMCondition,
)
from autogen.agentchat.group.patterns import AutoPattern, DefaultPattern, RoundRobinPattern  # noqa: E402

FILE, SERVER, TEXTS = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
PATTERNS = {"auto": AutoPattern, "default": DefaultPattern, "round_robin": RoundRobinPattern}


class Side:
    def __init__(self, program):
        self.program = program
        url = f"{SERVER}/theirs/{program['id']}/v1"
        config = {"model": "gpt-4o", "api_key": "k", "base_url": url, "price": [0, 0], "max_retries": 0}
        self.llm = {"config_list": [config], "cache_seed": None}
        self.agents = {each["name"]: self.agent(each) for each in program["speakers"]}
        self.first = next(iter(self.agents.values()))
        for each in program["speakers"]:
            self.add(each)

    def agent(self, each):
        return ConversableAgent(
            name=each["name"],
            system_message=each["system"],
            description=each["description"],
            llm_config=self.llm,
            human_input_mode="NEVER",
            code_execution_config=False,
        )

    def add(self, each):
        agent = self.agents[each["name"]]
        for _ in each.get("tools", []):

            def stock(goods: Annotated[str, "Kind of goods"]) -> str:
                return TEXTS["results"]["stock"]

            register_function(
                stock, caller=agent, executor=self.first, name="stock", description=TEXTS["tools"]["stock"]
            )
        if "nested" in each:
            nested = each["nested"]
            queue = [{"recipient": self.agents[nested["recipient"]], "message": nested["message"], "max_turns": 1}]
            agent.register_nested_chats(trigger=self.agents[nested["trigger"]], chat_queue=queue)
        if "handoff" in each:
            given = each["handoff"]
            agent.handoffs.add_llm_condition(
                OnCondition(
                    target=AgentTarget(self.agents[given["to"]]),
                    condition=StringLLMCondition(prompt=given["when"]),
                )
            )

    def run(self):
        way, message = self.program["way"], self.program["message"]
        others = [agent for agent in self.agents.values() if agent is not self.first]
        if way["how"] == "two":
            method = "reflection_with_llm" if way.get("reflects") else "last_msg"
            return self.first.initiate_chat(
                others[0], message=message, max_turns=way["turns"], summary_method=method
            )
        if way["how"] == "queue":
            return self.first.initiate_chats(
                [
                    {"recipient": other, "message": text, "max_turns": 1}
                    for other, text in zip(others, way["messages"])
                ]
            )
        if way["how"] == "group":
            group = GroupChat(
                agents=list(self.agents.values()),
                max_round=way["rounds"],
                speaker_selection_method=way["method"],
                send_introductions=bool(way.get("introduces")),
                **({"allow_repeat_speaker": False} if way.get("noRepeat") else {}),
            )
            manager = GroupChatManager(groupchat=group, llm_config=self.llm)
            return self.first.initiate_chat(manager, message=message)
        pattern = PATTERNS[way["pattern"]](
            initial_agent=self.first,
            agents=list(self.agents.values()),
            group_manager_args={"llm_config": self.llm},
            **({"context_variables": ContextVariables(data=way["variables"])} if "variables" in way else {}),
        )
        return initiate_group_chat(pattern=pattern, messages=message, max_rounds=way["rounds"])


quiet = os.dup(1)
os.dup2(2, 1)
out = os.fdopen(quiet, "w")
for line in open(FILE):
    program = json.loads(line)
    try:
        Side(program).run()
        print("ENDED", program["id"], file=out, flush=True)
    except BaseException as error:
        print("FAILED", program["id"], type(error).__name__, str(error)[:300], file=out, flush=True)
os._exit(0)
