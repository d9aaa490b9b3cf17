"""Runs conversations on AG2: python run_ag2.py cases.jsonl http://127.0.0.1:9000 > theirs.jsonl"""

import contextlib
import copy
import functools
import json
import logging
import os
import signal
import sys
import traceback
import urllib.request
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

import httpx._transports.default as transports  # noqa: E402
import autogen.agentchat.conversable_agent as conversable_agent  # noqa: E402
from autogen import GroupChat, GroupChatManager  # noqa: E402
from autogen.agentchat import initiate_group_chat  # noqa: E402
from autogen.agentchat.group import ContextExpression, ContextVariables  # noqa: E402
from autogen.agentchat.group.patterns import (  # noqa: E402
    AutoPattern,
    DefaultPattern,
    ManualPattern,
    RoundRobinPattern,
)
from autogen.io.base import IOStream  # noqa: E402

from ag2_members import Members, contains_termination, text_of  # noqa: E402

HANGS_SECONDS = 60
PATTERNS = {
    "default": DefaultPattern,
    "auto": AutoPattern,
    "round_robin": RoundRobinPattern,
    "manual": ManualPattern,
}

# Each agent has a client of its own, and most of its making is reading certificates, which no address here needs.
_context = functools.cache(transports.create_ssl_context)
transports.create_ssl_context = lambda *_args, **_options: _context()

# The history of a result is the agents' own list, which later chats of a queue change: a copy is kept.
_made = conversable_agent.ChatResult


def _copied(**fields):
    history = copy.deepcopy(list(fields["chat_history"]))
    return _made(**{**fields, "chat_history": history, "human_input": list(fields["human_input"])})


conversable_agent.ChatResult = _copied


class Typed(IOStream):
    """A person at the terminal, who chooses speakers."""

    def __init__(self, lines):
        self.lines = list(lines)

    def print(self, *args, **options):
        pass

    def send(self, message):
        pass

    def input(self, prompt="", *, password=False):
        return self.lines.pop(0) if self.lines else ""


def use_terminal(lines):
    IOStream.set_global_default(Typed(lines))
    IOStream._default_io_stream.set(None)


def plain(message):
    made = {"role": message.get("role"), "name": message.get("name"), "content": text_of(message)}
    if message.get("tool_calls"):
        made["calls"] = [
            [call["function"]["name"], call["function"]["arguments"]]
            for call in message["tool_calls"]
        ]
    if message.get("tool_responses"):
        made["results"] = [response.get("content") for response in message["tool_responses"]]
    return made


def ended(result, history=None):
    summary = result.summary if isinstance(result.summary, str) else text_of(result.summary or "")
    messages = result.chat_history if history is None else history
    return {
        "history": [plain(each) for each in messages],
        "summary": summary,
        "human": list(result.human_input or []),
    }


def two_talk(case, members):
    chat = case["chat"]
    first, second = (members.of(each["name"]) for each in case["agents"][:2])
    options = members.chat_options(chat)
    options.setdefault("message", None)
    return {"chats": [ended(first.initiate_chat(second, **options))]}


def queue(case, members):
    results = members.of("ana").initiate_chats([members.queued(chat) for chat in case["queue"]])
    return {"chats": [ended(result) for result in results]}


def group(case, members):
    made = case["group"]
    options = {
        "agents": [members.of(name) for name in case["members"]],
        "messages": [],
        "max_round": made["maxRound"],
        "select_speaker_message_template": "<<A:_select>> Pick one. {roles} {agentlist}",
        "speaker_selection_method": made["method"],
    }
    if made["method"] == "function":
        order = list(made["order"])

        def select(last_speaker, groupchat):
            name = order.pop(0) if order else None
            return members.agents.get(name, name)

        options["speaker_selection_method"] = select
    if "repeat" in made:
        repeat = made["repeat"]
        is_list = isinstance(repeat, list)
        options["allow_repeat_speaker"] = [members.of(n) for n in repeat] if is_list else repeat
    if "transitions" in made:
        options["allowed_or_disallowed_speaker_transitions"] = {
            members.of(name): [members.of(each) for each in followers]
            for name, followers in made["transitions"].items()
        }
        options["speaker_transitions_type"] = made["transitionsType"]
    if "retries" in made:
        options["max_retries_for_selecting_speaker"] = made["retries"]
    if made.get("introductions"):
        options["send_introductions"] = True
    if "filter" in made:
        options["func_call_filter"] = made["filter"]
    if made.get("clear"):
        options["enable_clear_history"] = True
    if "role" in made:
        options["role_for_select_speaker_messages"] = made["role"]
    use_terminal(case["choices"])
    groupchat = GroupChat(**options)
    manager_options = {"groupchat": groupchat, "llm_config": members.llm_config()}
    if made.get("term"):
        manager_options["is_termination_msg"] = contains_termination
    manager = GroupChatManager(**manager_options)
    result = members.of(case["initiator"]).initiate_chat(
        manager, **members.chat_options(case["chat"])
    )
    return {"chats": [ended(result, groupchat.messages)]}


def resume(case, members):
    made, before = case["group"], case["resume"]
    groupchat = GroupChat(
        agents=[members.of(name) for name in case["members"]],
        messages=[],
        max_round=made["maxRound"],
        speaker_selection_method=made["method"],
    )
    options = {"groupchat": groupchat, "llm_config": members.llm_config()}
    if made.get("term"):
        options["is_termination_msg"] = contains_termination
    manager = GroupChatManager(**options)
    messages = [{**each, "role": "user"} for each in before["messages"]]
    cut = {"remove_termination_string": before["cut"]} if "cut" in before else {}
    last, message = manager.resume(messages=messages, **cut)
    result = last.initiate_chat(recipient=manager, message=message, clear_history=False)
    return {"chats": [ended(result, groupchat.messages)]}


def policy_of(safeguards):
    rules = [
        {
            "message_source": each["from"],
            "message_destination": each["to"],
            "check_method": "regex",
            "pattern": each["pattern"],
            "violation_response": each["action"],
            "action": each["action"],
            "activation_message": "not this",
        }
        for each in safeguards
    ]
    return {"inter_agent_safeguards": {"agent_transitions": rules}}


def pattern(case, members):
    made = case["pattern"]
    manager = {"llm_config": members.llm_config()}
    if made.get("term"):
        manager["is_termination_msg"] = contains_termination
    options = {
        "initial_agent": members.of(made["initial"]),
        "agents": [members.of(name) for name in case["members"]],
        "context_variables": ContextVariables(data=copy.deepcopy(made["variables"])),
        "group_manager_args": manager,
    }
    if made["hasUser"]:
        options["user_agent"] = members.of("user")
    if "after" in made:
        options["group_after_work"] = members.target(made["after"])
    if made.get("keepTransit"):
        options["exclude_transit_message"] = False
    if "summary" in made:
        options["summary_method"] = made["summary"]
    # Its tool executor stands first on the list from which a person chooses.
    use_terminal([str(int(each) + 1) if each.isdigit() else each for each in case["choices"]])
    result, variables, last = initiate_group_chat(
        pattern=PATTERNS[made["kind"]](**options),
        messages=case["chat"]["message"],
        max_rounds=made["maxRounds"],
        safeguard_policy=policy_of(made["safeguards"]) if "safeguards" in made else None,
    )
    outcome = ended(result)
    del outcome["human"]
    return {"chats": [outcome], "variables": variables.to_dict(), "lastSpeaker": last.name}


def expressions(case, _members):
    truths = []
    for text in case["expressions"]:
        try:
            variables = ContextVariables(data=copy.deepcopy(case["variables"]))
            truths.append(bool(ContextExpression(text).evaluate(variables)))
        except Exception as error:
            truths.append(f"error {type(error).__name__}")
    return {"chats": [], "truths": truths}


RUNNERS = {
    "chat": two_talk,
    "nested": two_talk,
    "queue": queue,
    "group": group,
    "pattern": pattern,
    "expressions": expressions,
    "resume": resume,
}


class TooLate(BaseException):
    """No `except Exception` of a library takes it for its own."""


def outcome_of(case, address):
    calls = []
    try:
        signal.alarm(HANGS_SECONDS)
        with open(os.devnull, "w") as nothing:
            with contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(nothing):
                members = Members(case, address, calls)
                outcome = {"status": "completed", **RUNNERS[case["profile"]](case, members)}
    except TooLate:
        outcome = {"status": "hangs", "chats": []}
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)[-6:]
        outcome = {
            "status": "failed",
            "error": type(error).__name__,
            "message": str(error)[:300],
            "trace": [f"{each.filename.split('/')[-1]}:{each.lineno} {each.name}" for each in frames],
            "chats": [],
        }
    finally:
        signal.alarm(0)
    return {"id": case["id"], **outcome, "toolCalls": calls}


def main():
    def late(*_):
        raise TooLate

    signal.signal(signal.SIGALRM, late)
    file, server = sys.argv[1:3]
    output = os.fdopen(os.dup(1), "w")
    with open(file) as lines:
        for line in lines:
            case = json.loads(line)
            address = f"{server}/theirs/case/{case['id']}"
            outcome = outcome_of(case, f"{address}/v1")
            with urllib.request.urlopen(f"{address}/calls") as asked:
                outcome.update(json.load(asked))
            print(json.dumps(outcome), file=output, flush=True)
    # Threads of the library may still wait for something.
    os._exit(0)


main()
