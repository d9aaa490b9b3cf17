"""The agents of a conversation, as a program of a user's makes them with AG2."""

import re
from typing import Any

import autogen
from autogen import ConversableAgent, register_function
from autogen.agentchat.contrib.capabilities import transform_messages, transforms
from autogen.agentchat.group import (
    AgentTarget,
    ContextExpression,
    ContextVariables,
    ExpressionAvailableCondition,
    ExpressionContextCondition,
    FunctionTarget,
    FunctionTargetResult,
    NestedChatTarget,
    OnCondition,
    OnContextCondition,
    RevertToUserTarget,
    StayTarget,
    StringAvailableCondition,
    StringContextCondition,
    StringLLMCondition,
    TerminateTarget,
)
from autogen.agentchat.group.guardrails import RegexGuardrail
from autogen.agentchat.group.targets.group_manager_target import GroupManagerTarget

from ag2_tools import make_tools

SUMMARY_PROMPT = "<<S>> Sum up."
TARGETS = {
    "terminate": TerminateTarget,
    "stay": StayTarget,
    "revert": RevertToUserTarget,
    "manager": GroupManagerTarget,
}


def text_of(message):
    content = message.get("content") if isinstance(message, dict) else message
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content)
    return content or ""


def contains_termination(message):
    return "TERMINATE" in text_of(message)


def never(_message):
    return False


class Members:
    def __init__(self, case, address, calls):
        self.case, self.address, self.agents = case, address, {}
        self.tools = make_tools(calls, self.agents)
        for each in case["agents"]:
            self.agents[each["name"]] = self.agent(each)
        for each in case["agents"]:
            self.connect(each)
        for each in case["register"]:
            register_function(
                self.tools[each["tool"]],
                caller=self.of(each["caller"]),
                executor=self.of(each["executor"]),
                name=each["tool"],
                description="A tool",
            )

    def of(self, name):
        return self.agents[name]

    def llm_config(self):
        model = {
            "model": "gpt-4o",
            "api_key": "k",
            "base_url": self.address,
            "price": [0, 0],
            "max_retries": 0,
        }
        if self.case.get("stream"):
            model["stream"] = True
        return {"config_list": [model], "cache_seed": None}

    def agent(self, each):
        name = each["name"]
        options = {
            "name": name,
            "system_message": f"<<A:{name}>> You are {name}.",
            "description": f"{name} of the team",
            "llm_config": self.llm_config() if each["llm"] else False,
            "human_input_mode": each["mode"],
            "code_execution_config": False,
        }
        if "maxReply" in each:
            options["max_consecutive_auto_reply"] = each["maxReply"]
        if "auto" in each:
            options["default_auto_reply"] = each["auto"]
        if each.get("term") == "contains":
            options["is_termination_msg"] = contains_termination
        if each.get("term") == "never":
            options["is_termination_msg"] = never
        if each.get("tools"):
            options["functions"] = [self.tools[tool] for tool in each["tools"]]
        agent = ConversableAgent(**options)
        add_person(agent, each.get("human", []))
        for hook in each.get("hooks", []):
            agent.register_hook(hook, HOOKS[hook])
        for reply in each.get("replies", []):
            agent.register_reply(
                [autogen.Agent, None], reply_function(reply), position=reply["position"]
            )
        if "history" in each:
            limit = transforms.MessageHistoryLimiter(
                max_messages=each["history"]["max"],
                keep_first_message=each["history"]["keepFirst"],
            )
            made = transform_messages.TransformMessages(transforms=[limit], verbose=False)
            made.add_to_agent(agent)
        return agent

    def connect(self, each):
        agent = self.of(each["name"])
        for made in each.get("guardrails", []):
            guardrail = RegexGuardrail(
                name=f"{made['side']}s",
                condition=made["pattern"],
                target=AgentTarget(self.of(made["next"])),
                activation_message=made["says"],
            )
            if made["side"] == "input":
                agent.register_input_guardrail(guardrail)
            else:
                agent.register_output_guardrail(guardrail)
        if "nested" in each:
            agent.register_nested_chats(
                trigger=self.of(each["nested"]["trigger"]),
                chat_queue=[self.queued(chat) for chat in each["nested"]["queue"]],
            )
        handoffs = each.get("handoffs", {})
        for made in handoffs.get("context", []):
            agent.handoffs.add_context_condition(
                OnContextCondition(
                    target=self.target(made["target"]),
                    condition=condition_of(made["condition"]),
                    available=available_of(made.get("available")),
                )
            )
        for made in handoffs.get("llm", []):
            agent.handoffs.add_llm_condition(
                OnCondition(
                    target=self.target(made["target"]),
                    condition=StringLLMCondition(prompt=made["prompt"]),
                    available=available_of(made.get("available")),
                )
            )
        after = handoffs.get("after", [])
        for made in after:
            if "condition" not in made and len(after) == 1:
                agent.handoffs.set_after_work(self.target(made["target"]))
                continue
            condition = condition_of(made["condition"]) if "condition" in made else None
            agent.handoffs.add_after_work(
                OnContextCondition(target=self.target(made["target"]), condition=condition)
            )

    def target(self, made):
        kind = made["kind"]
        if kind == "agent":
            return AgentTarget(self.of(made["name"]))
        if kind == "function":
            return FunctionTarget(self.target_function(made))
        if kind == "nested":
            queue = [self.queued(chat) for chat in made["queue"]]
            return NestedChatTarget(nested_chat_config={"chat_queue": queue})
        return TARGETS[kind]()

    def target_function(self, made):
        def noted(output: str, context_variables: Any) -> FunctionTargetResult:
            return FunctionTargetResult(
                messages=made["note"],
                context_variables=ContextVariables(data=dict(made["sets"])),
                target=AgentTarget(self.of(made["next"])),
            )

        return noted

    def chat_options(self, chat):
        options = {}
        if "summary" in chat:
            options["summary_method"] = chat["summary"]
        if chat.get("summary") == "reflection_with_llm":
            options["summary_args"] = {"summary_prompt": SUMMARY_PROMPT}
            if "summaryRole" in chat:
                options["summary_args"]["summary_role"] = chat["summaryRole"]
        if "maxTurns" in chat:
            options["max_turns"] = chat["maxTurns"]
        if "message" in chat:
            is_made = isinstance(chat["message"], dict)
            options["message"] = made_message if is_made else chat["message"]
        if "carryover" in chat:
            options["carryover"] = chat["carryover"]
        return options

    def queued(self, chat):
        options = {"recipient": self.of(chat["recipient"]), **self.chat_options(chat)}
        if "carryoverMethod" in chat:
            options["carryover_config"] = {
                "summary_method": chat["carryoverMethod"],
                "summary_args": {"summary_prompt": SUMMARY_PROMPT},
            }
        if "exclude" in chat:
            options["finished_chat_indexes_to_exclude_from_carryover"] = chat["exclude"]
        if "clear" in chat:
            options["clear_history"] = chat["clear"]
        if "sender" in chat:
            options["sender"] = self.of(chat["sender"])
        return options


def add_person(agent, words):
    left = list(words)

    def say(prompt, **_options):
        reply = left.pop(0) if left else "exit"
        agent._human_input.append(reply)  # as get_human_input does
        return reply

    agent.get_human_input = say


def reply_function(made):
    answer = made["answer"]

    def reply(recipient, messages=None, sender=None, config=None):
        if made["when"] not in words_of(messages[-1]) or answer == "pass":
            return False, None
        return (True, None) if answer == "nothing" else (True, answer["text"])

    return reply


def words_of(message):
    """The text without what each side words in its own way: results, notes of hand-overs, reasons of guardrails."""
    if message.get("tool_responses"):
        return ""
    return re.sub(r"^\[Handing off to .*|\nJustification: [\s\S]*", "", text_of(message), count=1)


def made_message(recipient, messages, sender, config):
    return f"made of {text_of(messages[-1])}"


def condition_of(text):
    if "$" in text:
        return ExpressionContextCondition(ContextExpression(text))
    return StringContextCondition(variable_name=text)


def available_of(text):
    if text is None:
        return None
    if "$" in text:
        return ExpressionAvailableCondition(ContextExpression(text))
    return StringAvailableCondition(context_variable=text)


def before_send(sender, message, recipient, silent):
    if isinstance(message, str):
        return f"{message} ~sent" if message else message
    made = dict(message)
    if made.get("content"):
        made["content"] = f"{made['content']} ~sent"
    return made


HOOKS = {
    "process_message_before_send": before_send,
    "process_last_received_message": lambda content: f"{content} ~heard",
    "process_all_messages_before_reply": lambda messages: messages[-2:],
}
