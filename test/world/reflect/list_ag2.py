"""Public names of the installed AG2 as lines of JSON: {"kind", "of", "name"}.

AG2 up to 0.14 is the package `autogen`, from 1.0 on `ag2`. Listed are the exports of its public packages, by
their `__all__` in the source, and the parameters of classes and functions that programs call. Nothing that needs
an optional dependency is imported.
"""

import ast
import importlib.metadata
import importlib.util
import json
import pathlib

CLASSIC = [
    "autogen",
    "autogen.agentchat",
    "autogen.agentchat.group",
    "autogen.agentchat.group.patterns",
    "autogen.agentchat.group.safeguards",
    "autogen.agentchat.contrib.capabilities",
    "autogen.tools",
    "autogen.tools.experimental",
    "autogen.interop",
    "autogen.io",
    "autogen.events",
    "autogen.coding",
    "autogen.cache",
    "autogen.a2a",
    "autogen.mcp",
    "autogen.agents.experimental",
    "autogen.agents.contrib",
]

CLASSIC_CALLS = [
    "agentchat/conversable_agent.py:ConversableAgent",
    "agentchat/conversable_agent.py:ConversableAgent.initiate_chat",
    "agentchat/conversable_agent.py:ConversableAgent.run",
    "agentchat/groupchat.py:GroupChat",
    "agentchat/groupchat.py:GroupChatManager",
    "agentchat/group/multi_agent_chat.py:initiate_group_chat",
    "agentchat/group/patterns/pattern.py:Pattern",
    "agentchat/group/patterns/auto.py:AutoPattern",
    "agentchat/group/patterns/round_robin.py:RoundRobinPattern",
]

CALLS = [
    "agent.py:Agent",
    "agent.py:Agent.ask",
    "network/hub/core.py:Hub",
]


def say(kind, of, name):
    print(json.dumps({"kind": kind, "of": of, "name": name}))


def exports(root, package):
    folder = root.joinpath(*package.split(".")[1:])
    source = folder / "__init__.py"
    if not source.exists():
        return
    for node in ast.parse(source.read_text()).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if getattr(target, "id", "") == "__all__" and isinstance(node.value, (ast.List, ast.Tuple)):
            for item in node.value.elts:
                if isinstance(item, ast.Constant) and not str(item.value).startswith("_"):
                    say("export", package, item.value)


def parameters(root, call):
    path, name = call.split(":")
    cls, _, method = name.partition(".")
    for node in ast.parse((root / path).read_text()).body:
        if getattr(node, "name", "") != cls:
            continue
        functions = [node] if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else node.body
        wanted = [cls] if functions == [node] else [method or "__init__"]
        found = [each for each in functions if getattr(each, "name", "") in wanted]
        if functions != [node] and not found:
            for each in node.body:
                if isinstance(each, ast.AnnAssign) and not each.target.id.startswith("_"):
                    say("parameter", name, each.target.id)
            return
        # Of overloads the last is the function itself.
        args = found[-1].args
        for each in [*args.posonlyargs, *args.args, *args.kwonlyargs]:
            if each.arg != "self" and not each.arg.startswith("_"):
                say("parameter", name, each.arg)
        return
    raise SystemExit(f"{call} is not in the source")


print(json.dumps({"version": importlib.metadata.version("ag2")}))
spec = importlib.util.find_spec("ag2")
if spec is not None:
    root = pathlib.Path(spec.origin).parent
    inits = sorted(root.rglob("__init__.py"))
    packages = [".".join(["ag2", *path.parent.relative_to(root).parts]) for path in inits]
    for package in packages:
        words = package.split(".")
        if len(words) <= 2 and not any(word.startswith("_") for word in words):
            exports(root, package)
        if words[1:2] == ["extensions"] and len(words) in (3, 4):
            exports(root, package)
    for call in CALLS:
        parameters(root, call)
else:
    root = pathlib.Path(importlib.util.find_spec("autogen").origin).parent
    for package in CLASSIC:
        exports(root, package)
    for call in CLASSIC_CALLS:
        parameters(root, call)
