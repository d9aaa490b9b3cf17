// Names of AG2 from 1.0 on (`ag2`) that have another name here, and those that have none.
import { renamed, type Rows } from "./rows.ts";

export const AG2_ROWS: Rows = {
  renamed: renamed({
    "Agent.name": "ConversableAgent.name",
    "Agent.prompt": "ConversableAgent.systemMessage",
    "Agent.config": "ConversableAgent.llm",
    "Agent.response_schema": "ConversableAgent.responseFormat",
    "Agent.variables": "ConversableAgent.contextVariables",
    "Agent.middleware": "edgecrew/hooks#Hook",
    "Agent.ask.tools": "Run.tools",
    "Agent.ask.stream": "ConversableAgent#runIter",
    "ag2/AgentReply": "edgecrew/conversation#RunResponse",
    "ag2/AgentRun": "edgecrew/conversation#RunSteps",
    "ag2/Depends": "edgecrew#depends",
    "ag2/Context": "edgecrew/conversation#ChatContext",
    "ag2/Middleware": "edgecrew/hooks#Hook",
    "ag2.a2a/A2AConfig": "edgecrew/a2a#remoteAgent",
    "ag2.a2a/A2AServer": "edgecrew/a2a#a2a",
    "ag2.a2ui/A2UIServer": "edgecrew/a2a#a2ui",
    "ag2.acp/ACPAgent": "edgecrew/acp#acp",
    "ag2.ag_ui/AGUIStream": "edgecrew/ag-ui#agUi",
    "ag2.config/LLMClient": "edgecrew/models#LanguageModel",
    "ag2.config/ModelConfig": "edgecrew#ModelSettings",
    "ag2.eval/run_agent": "edgecrew/evaluation#runExperiment",
    "ag2.eval/run_variants": "edgecrew/evaluation#runExperiment",
    "ag2.eval/RunDiff": "edgecrew/evaluation#Comparison",
    "ag2.eval/RunResult": "edgecrew/evaluation#ExperimentResult",
    "ag2.eval/Scorer": "edgecrew/evaluation#Metric",
    "ag2.eval/scorer": "edgecrew/evaluation#Metric",
    "ag2.eval/Suite": "edgecrew/evaluation#ExperimentCase",
    "ag2.eval/Trace": "edgecrew/evaluation#AgentTrace",
    "ag2.eval/console_reporter": "edgecrew/evaluation#formatEvaluation",
    "ag2.events/BaseEvent": "edgecrew#RunEvent",
    "ag2.files/FilesAPI": "edgecrew#FileStore",
    "ag2.mcp/MCPServer": "edgecrew/mcp#mcp",
    "ag2.mcp/Prompt": "edgecrew/mcp#McpPrompt",
    "ag2.mcp/PromptMessage": "edgecrew/mcp#McpPromptMessage",
    "ag2.mcp/Resource": "edgecrew/mcp#McpResource",
    "ag2.mcp/ResourceTemplate": "edgecrew/mcp#McpResourceTemplate",
    "ag2.mcp/AskContext": "edgecrew/mcp#McpAsk",
    "ag2.mcp/Elicit": "edgecrew/mcp#askClient",
    "ag2.middleware/HistoryLimiter": "edgecrew/conversation#messageHistoryLimiter",
    "ag2.middleware/TokenLimiter": "edgecrew/conversation#messageTokenLimiter",
    "ag2.middleware/RetryMiddleware": "edgecrew#RetryPolicy",
    "ag2.middleware/TelemetryMiddleware": "edgecrew/telemetry#otlpExporter",
    "ag2.middleware/MetricsMiddleware": "edgecrew/metrics#metrics",
    "ag2.middleware/BaseMiddleware": "edgecrew/hooks#Hook",
    "ag2.middleware/Middleware": "edgecrew/hooks#Hook",
    "ag2.network/Hub": "edgecrew/conversation#Network",
    "ag2.network/Channel": "edgecrew/conversation#NetworkChannel",
    "ag2.network/Expectation": "edgecrew/conversation#ExpectationOptions",
    "ag2.network/Violation": "edgecrew/conversation#ChannelViolation",
    "ag2.network/Participant": "edgecrew/conversation#NetworkMember",
    "ag2.network/TaskMirror": "edgecrew/conversation#TaskRecord",
    "ag2.network/ObservedStat": "edgecrew/conversation#ObservedCapability",
    "ag2.network/RemoteAgentProxy": "edgecrew/a2a#remoteAgent",
    "ag2.network/WindowedSummary": "edgecrew/conversation#summarizedHistory",
    "ag2.observers/LoopDetector": "edgecrew/conversation#loopDetector",
    "ag2.observers/TokenMonitor": "edgecrew/conversation#tokenMonitor",
    "ag2.observers/Observer": "edgecrew/conversation#ConversationObserver",
    "ag2.observers/BaseObserver": "edgecrew/conversation#ConversationObserver",
    "ag2.observers/observer": "edgecrew/conversation#ConversationObserver",
    "ag2/observer": "edgecrew/conversation#ConversationObserver",
    "ag2.policies/SlidingWindowPolicy": "edgecrew/conversation#tailWindow",
    "ag2.policies/TokenBudgetPolicy": "edgecrew/conversation#messageTokenLimiter",
    "ag2.tools/CodeExecutionTool": "edgecrew/tools#codeExecutionTool",
  }),
  decided: [
    {
      names: ["Agent.hitl_hook", "Agent.ask.hitl_hook"],
      reason: "A question is a wait of the run; `getHumanInput` answers it in code.",
      page: "conversation-members.md",
    },
    {
      names: ["Agent.observers", "Agent.ask.observers"],
      reason: "Observers belong to a conversation: `observers` of a group or a network.",
      page: "conversation-network.md",
    },
    {
      names: [
        "Agent.dependencies",
        "Agent.ask.dependencies",
        "ag2/Inject",
        "ag2/Variable",
        "ag2/TaskInject",
      ],
      reason: "A tool declares them itself: `inject: { db: depends(makeDb) }`.",
      page: "tools.md",
    },
    {
      names: ["Agent.plugins", "Agent.ask.plugins", "ag2/Plugin"],
      reason: "Parts add to a whole app; tools, hooks and skills add to an agent.",
      page: "parts.md",
    },
    {
      names: ["Agent.tasks", "ag2/Task*", "ag2.events/Task*"],
      reason: "Work that agents hand each other is a task of a network, or a run with a handle.",
      page: "conversation-network.md",
    },
    {
      names: [
        "Agent.assembly",
        "ag2.policies/*",
        "ag2.events/Aggregation*",
        "ag2.events/Compaction*",
      ],
      reason:
        "What a model sees of a history is shaped by `TransformMessages` and `summarizedHistory`.",
      page: "conversation-agents.md",
    },
    {
      names: ["Agent.ask.*"],
      reason: "A run has the options of its agent; a second agent has others.",
      page: "conversation-runs.md",
    },
    {
      names: ["Hub.*"],
      reason:
        "A network is kept by its Durable Object: it needs no store, sweeper or clock of yours, and keys guard its API.",
      page: "conversation-network.md",
    },
    {
      names: [
        "ag2/AgentSpec",
        "ag2.response/*",
        "ag2/PromptedSchema",
        "ag2/ResponseSchema",
        "ag2/response_schema",
      ],
      reason:
        "Agents as data are definitions of conversations and crews; an answer's form is a zod schema.",
      page: "conversations.md",
    },
    {
      names: [
        "ag2/*Input",
        "ag2/FilesAPI",
        "ag2.files/*",
        "ag2.events/*Input",
        "ag2.events/Binary*",
      ],
      reason: "Files are inputs of a run, and each model gets the form that its provider takes.",
      page: "files.md",
    },
    {
      names: ["ag2/MemoryStream", "ag2.streams/*", "ag2.events/*", "ag2.knowledge/EventLogWriter"],
      reason: "Every run has one stored stream of events, with types of its own.",
      page: "events.md",
    },
    {
      names: ["ag2.a2a/*", "ag2.a2ui/*"],
      reason: "Inside of the server and the client; gRPC is not spoken.",
      page: "a2a.md",
    },
    {
      names: ["ag2.acp/*"],
      reason:
        "Coding agents that run as processes of a machine (Claude Code, Codex, OpenCode) are not started by a Worker; editors reach agents here over ACP.",
      page: "acp.md",
    },
    {
      names: ["ag2.ag_ui/*"],
      reason: "Inside of the server of AG-UI; threads are kept by the Worker.",
      page: "ag-ui.md",
    },
    {
      names: ["ag2.config/*"],
      reason: "A model is `provider/model`, or settings with the same fields for every provider.",
      page: "models.md#names-and-providers",
    },
    {
      names: ["ag2.eval/*"],
      reason:
        "Experiments compare two stored results by case; judgements of pairs, statistics and traces of other systems are left to tools for evaluation, which read OpenTelemetry.",
      page: "testing-and-training.md#testing",
    },
    {
      names: ["ag2.extensions.compaction_verifier/*", "ag2.extensions.mi4afa/*"],
      reason:
        "Tools of research: they look into weights and histories after a run, and need the model in the process.",
      page: "conversation-agents.md",
    },
    {
      names: ["ag2.extensions.daytona/*", "ag2.extensions.docker/*", "ag2.extensions.tenki/*"],
      reason:
        "Code runs in an isolate, in a container of the deployment, or by the tools of Daytona and E2B.",
      page: "code-execution.md",
    },
    {
      names: ["ag2.extensions.nlip/*"],
      reason: "NLIP is not spoken; A2A and ACP are.",
      page: "protocols.md",
    },
    {
      names: ["ag2.extensions.tealtiger/*"],
      reason:
        "Guardrails of conversations and hooks refuse or change texts; a vendor's policy service is called from a hook.",
      page: "conversation-safeguards.md",
    },
    {
      names: ["ag2.extensions.tools.search/*", "ag2.tools/*"],
      reason:
        "The catalogue has tools of the same services, and tools that providers run have names of their own.",
      page: "tools.md#tools-that-providers-run",
    },
    {
      names: ["ag2.knowledge/*"],
      reason: "Knowledge and the workspace of a run are kept by the deployment.",
      page: "knowledge.md",
    },
    {
      names: ["ag2.live/*"],
      reason: "Realtime voice has no counterpart.",
      page: "coming-from-ag2.md#what-behaves-differently",
    },
    {
      names: ["ag2.mcp/*", "ag2.mcp_ui/*"],
      reason:
        "The server of MCP has tools, prompts, resources and questions; pages inside of a client (MCP Apps) are not served.",
      page: "mcp.md",
    },
    {
      names: ["ag2.middleware/*"],
      reason: "Hooks do this work: they see, change and refuse calls of models and tools.",
      page: "hooks.md",
    },
    {
      names: ["ag2.network/*"],
      reason:
        "Networks here have the same members, channels, rules and tasks; transport, storage and audit are those of every run.",
      page: "conversation-network.md",
    },
    {
      names: ["ag2.observers/CompositeObserver"],
      reason: "A conversation takes a list of observers.",
      page: "conversation-network.md",
    },
  ],
};
