"""Public names of the installed CrewAI as lines of JSON: {"kind", "of", "name"}.

Fields of models and dataclasses, methods of the classes that programs call, event types, exports of public
packages, commands and options of the command line, and the tools of crewai-tools where its source is installed.
"""

import ast
import dataclasses
import importlib
import importlib.metadata
import inspect
import json
import pathlib
import pkgutil
import sys

from pydantic import BaseModel

CLASSES = [
    "crewai.Agent",
    "crewai.Task",
    "crewai.tasks.conditional_task.ConditionalTask",
    "crewai.Crew",
    "crewai.LLM",
    "crewai.tools.BaseTool",
    "crewai.tools.EnvVar",
    "crewai.flow.flow.Flow",
    "crewai.flow.ConversationConfig",
    "crewai.flow.RouterConfig",
    "crewai.flow.ConversationState",
    "crewai.flow.ConversationMessage",
    "crewai.flow.flow_definition.FlowDefinition",
    "crewai.flow.flow_definition.FlowMethodDefinition",
    "crewai.flow.flow_definition.FlowConfigDefinition",
    "crewai.flow.flow_definition.FlowPersistenceDefinition",
    "crewai.flow.flow_definition.FlowHumanFeedbackDefinition",
    "crewai.flow.flow_definition.FlowEachActionDefinition",
    "crewai.Knowledge",
    "crewai.knowledge.knowledge_config.KnowledgeConfig",
    "crewai.Memory",
    "crewai.memory.MemoryRecord",
    "crewai.memory.MemoryMatch",
    "crewai.memory.MemoryScope",
    "crewai.memory.MemorySlice",
    "crewai.memory.ScopeInfo",
    "crewai.PlanningConfig",
    "crewai.LLMGuardrail",
    "crewai.CrewOutput",
    "crewai.TaskOutput",
    "crewai.lite_agent_output.LiteAgentOutput",
    "crewai.state.CheckpointConfig",
    "crewai.security.SecurityConfig",
    "crewai.security.Fingerprint",
    "crewai.mcp.MCPServerHTTP",
    "crewai.mcp.MCPServerStdio",
    "crewai.mcp.MCPServerSSE",
    "crewai.skills.SkillFrontmatter",
    "crewai.a2a.A2AClientConfig",
    "crewai.a2a.A2AServerConfig",
    "crewai.a2a.config.ServerTransportConfig",
    "crewai.a2a.config.ClientTransportConfig",
    "crewai.a2a.config.ServerPushNotificationConfig",
    "crewai.a2a.config.AgentCardSigningConfig",
]

CALLED = ["Agent", "Task", "Crew", "Flow", "Knowledge", "Memory", "MemoryScope", "MemorySlice"]

PACKAGES = [
    "crewai",
    "crewai.flow",
    "crewai.events",
    "crewai.tools",
    "crewai.memory",
    "crewai.hooks",
    "crewai.mcp",
    "crewai.project",
    "crewai.a2a",
    "crewai.skills",
    "crewai.experimental",
    "crewai.experimental.flow_jobs",
    "crewai.experimental.flow_replies",
    "crewai.experimental.flow_turns",
    "crewai.security",
    "crewai.state",
]


def say(kind, of, name):
    print(json.dumps({"kind": kind, "of": of, "name": name}))


def load(path):
    module, name = path.rsplit(".", 1)
    return getattr(importlib.import_module(module), name)


def fields_of(cls):
    if issubclass(cls, BaseModel):
        return list(cls.model_fields)
    if dataclasses.is_dataclass(cls):
        return [field.name for field in dataclasses.fields(cls)]
    return [name for name in inspect.signature(cls.__init__).parameters if name not in ("self", "args", "kwargs", "data")]


def classes():
    common = set(dir(BaseModel))
    for path in CLASSES:
        cls = load(path)
        of = cls.__name__
        for name in fields_of(cls):
            say("field", of, name.removesuffix("_"))
        if of not in CALLED:
            continue
        fields = set(fields_of(cls))
        for name in dir(cls):
            if not name.startswith("_") and name not in common and name not in fields and callable(inspect.getattr_static(cls, name, None)):
                say("method", of, name)


def events():
    from crewai.events.base_events import BaseEvent
    import crewai.events.types as types

    for module in pkgutil.walk_packages(types.__path__, "crewai.events.types."):
        importlib.import_module(module.name)

    def below(cls):
        for each in cls.__subclasses__():
            yield each
            yield from below(each)

    names = set()
    for cls in below(BaseEvent):
        field = cls.model_fields.get("type")
        default = field.default if field is not None else None
        if isinstance(default, str):
            names.add(default)
    for name in sorted(names):
        say("event", "", name)


def exports():
    for path in PACKAGES:
        module = importlib.import_module(path)
        names = getattr(module, "__all__", None)
        if names is None:
            names = [name for name, value in vars(module).items() if not name.startswith("_") and getattr(value, "__module__", None) == path]
        for name in sorted(set(names)):
            # Events are listed by their types.
            if not name.startswith("_") and not (path == "crewai.events" and name.endswith("Event")):
                say("export", path, name)


def commands():
    import click

    scripts = importlib.metadata.entry_points(group="console_scripts")
    entry = next(each for each in scripts if each.name == "crewai")

    def walk(command, words):
        if isinstance(command, click.Group):
            for name, child in command.commands.items():
                walk(child, [*words, name])
            if not command.invoke_without_command or not words:
                return
        name = " ".join(words)
        say("command", "", name)
        for param in command.params:
            if isinstance(param, click.Option):
                say("option", name, max(param.opts, key=len))

    walk(entry.load(), [])


def tools():
    spec = importlib.util.find_spec("crewai_tools")
    if spec is None or spec.origin is None:
        return
    tree = ast.parse(pathlib.Path(spec.origin).read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            for name in sorted(ast.literal_eval(node.value)):
                say("tool", "crewai_tools", name)


print(json.dumps({"version": importlib.metadata.version("crewai")}))
classes()
events()
exports()
commands()
tools()
sys.stdout.flush()
