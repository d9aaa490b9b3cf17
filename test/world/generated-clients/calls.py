"""Calls of the generated Python client: `calls.py <folder of the package> <url> <key>` prints one line of JSON a call."""

import importlib
import json
import sys

folder, url, key = sys.argv[1:]
sys.path.insert(0, folder)

from edgecrew_api.client import AuthenticatedClient  # noqa: E402

client = AuthenticatedClient(base_url=url, token=key)


def module_of(group, name):
    return importlib.import_module(f"edgecrew_api.api.{group}.{name}")


def model(name, fields):
    module, _, kind = name.partition(":")
    return getattr(importlib.import_module(f"edgecrew_api.models.{module}"), kind).from_dict(fields)


def call(kind, group, name, /, *path, **given):
    answer = module_of(group, name).sync_detailed(*path, client=client, **given)
    status = int(answer.status_code)
    ok = 200 <= status < 300 and (answer.parsed is not None or status == 204)
    said = "" if ok else answer.content.decode()[:300]
    print(json.dumps({"kind": kind, "name": name, "status": status, "ok": ok, "said": said}), flush=True)
    return answer.parsed


HAIKU = {
    "agents": {"poet": {"role": "Poet", "goal": "Write about {topic}", "backstory": "You write short."}},
    "tasks": [
        {
            "name": "draft",
            "description": "Write a haiku about {topic}",
            "expectedOutput": "Three lines",
            "agent": "poet",
        }
    ],
}
LETTER = {"kind": "crew", "name": "answer-a-letter"}

call("crews", "crews", "put_crew", "verses", body=model("crew_definition:CrewDefinition", HAIKU))
call("crews", "crews", "list_crews", limit=5)
call("crews", "crews", "get_crew", "verses")
kickoff = model("kickoff:Kickoff", {"inputs": {"topic": "rain"}})
run = call("crews", "crews", "kickoff_crew", "verses", body=kickoff, prefer="wait=20")
call("runs", "runs", "get_run", run.id)
call("runs", "runs", "list_runs", kind="crew", limit=2)
call("runs", "runs", "run_journal", run.id)
call("runs", "runs", "run_step", run.id, key="task:draft")
letter = call("waits", "crews", "kickoff_crew", LETTER["name"], body=model("kickoff:Kickoff", {}), prefer="wait=20")
call("waits", "runs", "list_waits", run=letter.id)
resume = model("resume:Resume", {"feedback": "Looks good", "approve": True})
call("waits", "runs", "resume_run", letter.id, body=resume)
save = {"content": "Acme pays by invoice", "scope": "/customers/acme"}
call("memory", "memory", "save_memory", body=model("save_memory_1:SaveMemory1", save))
recall = model("recall_memories:RecallMemories", {"query": "How is it paid?"})
call("memory", "memory", "recall_memories", body=recall)
query = model("query_knowledge:QueryKnowledge", {"query": "How long is the warranty?", "limit": 3})
call("knowledge", "knowledge", "query_knowledge", "handbook", body=query)
call("knowledge", "knowledge", "list_knowledge")
call("files", "files", "list_files")
schedule = {"id": "mornings", "cron": "0 7 * * 1-5", "target": LETTER}
call("schedules", "schedules", "create_schedule", body=model("create_schedule:CreateSchedule", schedule))
call("schedules", "schedules", "get_schedule", "mornings")
hook = {"scheme": "github", "secret": "a secret shared with GitHub", "target": LETTER}
call("hooks", "webhooks", "put_hook", "letters", body=model("put_hook:PutHook", hook))
call("hooks", "webhooks", "list_hooks")
send = module_of("a2a", "a_2_a_send")
message = {"message": {"messageId": "p-1", "role": "ROLE_USER", "parts": [{"text": "Hello"}]}}
call(
    "a2a",
    "a2a",
    "a_2_a_send",
    "clerk",
    send.A2ASendVerb("message:send"),
    body=model("a2a_send_message:A2ASendMessage", message),
    a2a_version=send.A2ASendA2AVersion("1.0"),
)
tasks = module_of("a2a", "a_2_a_tasks")
call("a2a", "a2a", "a_2_a_tasks", "clerk", a2a_version=tasks.A2ATasksA2AVersion("1.0"))
call("compat", "crew_ai_compatibility", "compat_inputs", "verses")
compat = model("crewai_kickoff_body:CrewaiKickoffBody", {"inputs": {"topic": "snow"}})
call("compat", "crew_ai_compatibility", "compat_kickoff", "verses", body=compat)
call("tools", "tools", "list_tools", limit=3)
