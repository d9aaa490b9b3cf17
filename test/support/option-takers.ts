// Calls of public functions and constructors with options: valid ones, and `more`.
import * as z from "zod";
import * as conversation from "../../src/conversation/index.ts";
import * as declarative from "../../src/declarative/index.ts";
import * as flow from "../../src/flow/index.ts";
import * as evaluation from "../../src/evaluation/index.ts";
import * as edgecrew from "../../src/index.ts";
import * as interop from "../../src/interop/index.ts";
import * as project from "../../src/project/index.ts";
import * as testing from "../../src/testing/index.ts";
import * as a2a from "../../src/entry/a2a.ts";
import * as acp from "../../src/entry/acp.ts";
import * as agUi from "../../src/entry/ag-ui.ts";
import * as alerts from "../../src/entry/alerts.ts";
import { codePart } from "../../src/code/code-part.ts";
import * as runners from "../../src/code/runners.ts";
import { runCodeTool } from "../../src/code/tools/run-code-tool.ts";
import { shellTool } from "../../src/code/tools/shell-tool.ts";
import { tableTools } from "../../src/entry/tables.ts";
import * as console from "../../src/entry/console.ts";
import * as embeddings from "../../src/entry/embeddings.ts";
import * as files from "../../src/entry/files.ts";
import * as knowledge from "../../src/entry/knowledge.ts";
import * as mcp from "../../src/entry/mcp.ts";
import * as memory from "../../src/entry/memory.ts";
import * as models from "../../src/entry/models.ts";
import * as openai from "../../src/entry/openai.ts";
import * as quotas from "../../src/entry/quotas.ts";
import * as retention from "../../src/entry/retention.ts";
import * as telemetry from "../../src/entry/telemetry.ts";
import * as triggers from "../../src/entry/triggers.ts";

/** Calls with valid options and `more`. */
export type Taker = (more: object) => unknown;

const { Agent, Crew, Task, ConditionalTask, tool, toolFromSchema } = edgecrew;
const { ConversableAgent, GroupChat, GroupChatManager } = conversation;
const texts = { role: "Clerk", goal: "Count", backstory: "You count." };
const agent = new Agent(texts);
const task = { description: "Count", expectedOutput: "A number", agent };
const name = "probe";
const model = testing.scriptedModel(() => "Yes.");
const one = new ConversableAgent({ name: "one" });
const two = new ConversableAgent({ name: "two" });
const talker = new ConversableAgent({ name: "talker", llm: model });
const group = { agents: [one, two], initialAgent: one };
const target = conversation.agentTarget(two);
const guardrail = { name, condition: "x", target };
const counter = tool({ name: "t", description: "d", input: z.object({}), run: () => 1 });

const PROJECT = {
  "agents.yaml": "clerk:\n  role: Clerk\n  goal: Count\n  backstory: Counts\n",
  "tasks.yaml": "count:\n  description: Count\n  expected_output: A number\n  agent: clerk\n",
};

/** Takers by entry point and name. */
export const OPTION_TAKERS: Readonly<Record<string, Readonly<Record<string, Taker>>>> = {
  ".": {
    Agent: (more) => new Agent({ ...texts, ...more }),
    Task: (more) => new Task({ ...task, ...more }),
    ConditionalTask: (more) => new ConditionalTask({ ...task, condition: () => true, ...more }),
    Crew: (more) => new Crew({ tasks: [new Task(task)], ...more }),
    tool: (more) => tool({ name, description: "d", input: z.object({}), run: () => 1, ...more }),
    toolFromSchema: (more) =>
      toolFromSchema({ name, description: "d", parameters: {}, run: () => 1, ...more }),
    toolFrom: (more) => edgecrew.toolFrom({ name, description: "d", func: () => 1 }, more),
    skill: (more) => edgecrew.skill("---\nname: a\ndescription: b\n---\nText", more),
    file: (more) => edgecrew.file(new Uint8Array(1), { name: "a.txt", ...more }),
    llmGuardrail: (more) => edgecrew.llmGuardrail({ description: "d", ...more }),
    hallucinationGuardrail: (more) => edgecrew.hallucinationGuardrail({ context: "c", ...more }),
    onEvent: (more) => edgecrew.onEvent("*", () => 1, more),
  },
  "./conversation": {
    ConversableAgent: (more) => new ConversableAgent({ name, ...more }),
    AssistantAgent: (more) => new conversation.AssistantAgent({ name, ...more }),
    UserProxyAgent: (more) => new conversation.UserProxyAgent({ name, ...more }),
    MultimodalConversableAgent: (more) =>
      new conversation.MultimodalConversableAgent({ name, ...more }),
    ReasoningAgent: (more) => new conversation.ReasoningAgent({ name, llm: model, ...more }),
    RetrieveAssistantAgent: (more) => new conversation.RetrieveAssistantAgent({ name, ...more }),
    RetrieveUserProxyAgent: (more) =>
      new conversation.RetrieveUserProxyAgent({ name, retrieveConfig: {}, ...more }),
    CaptainAgent: (more) => new conversation.CaptainAgent({ name, llm: model, ...more }),
    DocumentAgent: (more) => new conversation.DocumentAgent({ name, llm: model, ...more }),
    Teachability: (more) => new conversation.Teachability(more),
    GroupChat: (more) => new GroupChat({ agents: [one, two], ...more }),
    GroupChatManager: (more) =>
      new GroupChatManager({
        groupChat: new GroupChat({ agents: [one, two] }),
        llm: model,
        ...more,
      }),
    AutoPattern: (more) => new conversation.AutoPattern({ ...group, ...more }),
    DefaultPattern: (more) => new conversation.DefaultPattern({ ...group, ...more }),
    ManualPattern: (more) => new conversation.ManualPattern({ ...group, ...more }),
    RandomPattern: (more) => new conversation.RandomPattern({ ...group, ...more }),
    RoundRobinPattern: (more) => new conversation.RoundRobinPattern({ ...group, ...more }),
    GraphPattern: (more) =>
      new conversation.GraphPattern({
        agents: [one, two],
        graph: conversation.sequenceGraph(["one", "two"]),
        ...more,
      }),
    defineConversation: (more) =>
      conversation.defineConversation({
        name,
        pattern: new conversation.DefaultPattern(group),
        ...more,
      }),
    Conversation: (more) =>
      new conversation.Conversation({
        name,
        pattern: new conversation.DefaultPattern(group),
        ...more,
      }),
    initiateGroupChat: (more) =>
      conversation.initiateGroupChat({
        pattern: new conversation.DefaultPattern(group),
        messages: "Hi",
        ...more,
      }),
    startGroupChat: (more) =>
      conversation.startGroupChat({
        pattern: new conversation.DefaultPattern(group),
        messages: "Hi",
        ...more,
      }),
    runGroupChatIter: (more) =>
      conversation.runGroupChatIter({
        pattern: new conversation.DefaultPattern(group),
        messages: "Hi",
        ...more,
      }),
    "ConversableAgent.initiateChat": (more) =>
      one.initiateChat(two, { message: "Hi", maxTurns: 1, ...more }),
    "ConversableAgent.startChat": (more) =>
      one.startChat(two, { message: "Hi", maxTurns: 1, ...more }),
    "ConversableAgent.run": (more) => one.run({ message: "Hi", maxTurns: 1, ...more }),
    "ConversableAgent.runIter": (more) => one.runIter({ message: "Hi", maxTurns: 1, ...more }),
    RunSteps: (more) => new conversation.RunSteps((() => 1) as never, more),
    "ConversableAgent.initiateChats": (more) =>
      one.initiateChats([{ recipient: two, message: "Hi", maxTurns: 1, ...more }]),
    "ConversableAgent.registerNestedChats": (more) =>
      one.registerNestedChats(
        [{ recipient: two, message: "Hi", maxTurns: 1, ...more }],
        () => true,
      ),
    "ConversableAgent.registerReply": (more) =>
      one.registerReply(
        () => true,
        () => null,
        more,
      ),
    initiateChats: (more) =>
      conversation.initiateChats([
        { sender: one, recipient: two, message: "Hi", maxTurns: 1, ...more },
      ]),
    initiateParallelChats: (more) =>
      conversation.initiateParallelChats([
        { chatId: 1, sender: one, recipient: two, message: "Hi", maxTurns: 1, ...more },
      ]),
    sequentialRun: (more) =>
      conversation.sequentialRun([{ recipient: two, message: "Hi", maxTurns: 1, ...more }], one),
    nestedChatTarget: (more) =>
      conversation.nestedChatTarget([{ recipient: two, message: "Hi", ...more }]),
    groupChatTarget: (more) =>
      conversation.groupChatTarget(
        conversation.defineConversation({
          name,
          pattern: new conversation.DefaultPattern(group),
        }),
        more,
      ),
    chatTool: (more) =>
      conversation.chatTool({ name, description: "d", chat: () => "x", ...more } as never),
    onCondition: (more) => conversation.onCondition({ target, condition: "c", ...more }),
    onContextCondition: (more) => conversation.onContextCondition({ target, ...more }),
    ReplyResult: (more) => new conversation.ReplyResult({ message: "m", ...more }),
    regexGuardrail: (more) => conversation.regexGuardrail({ ...guardrail, ...more }),
    modelGuardrail: (more) => conversation.modelGuardrail({ ...guardrail, llm: model, ...more }),
    applySafeguardPolicy: (more) =>
      conversation.applySafeguardPolicy({ agents: [one], policy: {}, ...more }),
    loopDetector: (more) => conversation.loopDetector(more),
    tokenMonitor: (more) => conversation.tokenMonitor(more),
    tailWindow: (more) => conversation.tailWindow({ maxMessages: 3, target: 2, ...more }),
    summarizedHistory: (more) =>
      conversation.summarizedHistory({ maxMessages: 3, target: 2, summarize: () => "x", ...more }),
    messageHistoryLimiter: (more) =>
      conversation.messageHistoryLimiter({ maxMessages: 3, ...more }),
    messageTokenLimiter: (more) => conversation.messageTokenLimiter({ maxTokens: 3, ...more }),
    messageNames: (more) => conversation.messageNames(more),
    textCompressor: (more) => conversation.textCompressor({ compress: (text) => text, ...more }),
    registerFunction: (more) =>
      conversation.registerFunction(counter, { caller: talker, executor: two, ...more }),
    Network: (more) => new conversation.Network({ members: [{ agent: one }], ...more }),
    consoleProcessor: (more) => conversation.consoleProcessor(more),
    ContextVariables: (more) => new conversation.ContextVariables({}, more),
    "ConversableAgent codeExecution": (more) =>
      new ConversableAgent({ name, codeExecution: { ...more } }),
  },
  "./flow": {
    defineFlow: (more) =>
      flow.defineFlow({
        name,
        state: z.object({}),
        methods: { begin: { start: true, run: () => 1 } },
        ...more,
      }),
    "defineFlow methods": (more) =>
      flow.defineFlow({
        name,
        state: z.object({}),
        methods: { begin: { start: true, run: () => 1, ...more } },
      }),
    humanFeedback: (more) =>
      flow.defineFlow({
        name,
        state: z.object({}),
        methods: {
          begin: { start: true, humanFeedback: { message: "m", ...more }, run: () => 1 },
        },
      }),
    router: (more) => flow.router("x", more),
    conversational: (more) => flow.conversational(more),
  },
  "./evaluation": {
    AgentEvaluator: (more) => new evaluation.AgentEvaluator(more),
  },
  "./flow/declarative": {
    flowFromDeclaration: (more) =>
      declarative.flowFromDeclaration(
        {
          schema: "crewai.flow/v1",
          name: "f",
          methods: { a: { start: true, do: { call: "expression", expr: "1" } } },
        },
        more,
      ),
  },
  "./interop": {
    toAiSdkTool: (more) => interop.toAiSdkTool(counter, more),
    toMcpTool: (more) => interop.toMcpTool(counter, more),
    convertTool: (more) =>
      interop.convertTool(
        { name, description: "d", invoke: async () => 1, schema: {}, lc_namespace: [] },
        more,
      ),
  },
  "./project": {
    crewFromProject: (more) => project.crewFromProject(PROJECT, more),
    CrewBase: (more) =>
      project.CrewBase({
        agents: PROJECT["agents.yaml"],
        tasks: PROJECT["tasks.yaml"],
        ...more,
      }),
  },
  "./testing": {
    scriptedModel: (more) => testing.scriptedModel(() => "x", more),
    scriptedReplies: (more) => testing.scriptedReplies({}, more),
    testAgent: (more) => testing.testAgent({ name }, () => "x", more),
  },
  "./a2a": {
    a2a: (more) => a2a.a2a(more),
    a2aClient: (more) => a2a.a2aClient(more),
    a2ui: (more) => a2a.a2ui(more),
    remoteAgent: (more) => a2a.remoteAgent("https://a.example.com", more),
  },
  "./acp": {
    acp: (more) => acp.acp({ expose: "all", ...more }),
    A2AAgentServer: (more) => new acp.A2AAgentServer({ name } as never, (() => 1) as never, more),
    A2AAgentClient: (more) => new acp.A2AAgentClient({ ...more }),
  },
  "./ag-ui": { agUi: (more) => agUi.agUi(more) },
  "./alerts": {
    alerts: (more) => alerts.alerts({ url: "https://a.example.com", ...more }),
  },
  "./code": {
    codeRunners: (more) => codePart(more, { javascript: runners.e2b() }),
    runCode: (more) => runCodeTool(more),
    shellTool: (more) => shellTool(more),
    e2b: (more) => runners.e2b(more),
    remoteRunner: (more) => runners.remoteRunner(more),
    sandbox: (more) => runners.sandbox((() => 1) as never, more),
  },
  "./console": { console: (more) => console.console(more) },
  "./embeddings": {
    embedder: (more) => embeddings.embedder({ model: "m", embed: () => [], ...more }),
    cachedEmbedder: (more) =>
      embeddings.cachedEmbedder(embeddings.embedder({ model: "m", embed: () => [] }), more),
  },
  "./files": {
    files: (more) => files.files({ store: "d1", ...more }),
    workspaceTools: (more) => files.workspaceTools(more),
  },
  "./knowledge": {
    knowledge: (more) => knowledge.knowledge(more),
    Knowledge: (more) => new knowledge.Knowledge({ name, sources: [], ...more }),
    knowledgeTool: (more) =>
      knowledge.knowledgeTool({
        knowledge: new knowledge.Knowledge({ name, sources: [] }),
        ...more,
      }),
  },
  "./mcp": {
    mcp: (more) => mcp.mcp(more),
    mcpClient: (more) => mcp.mcpClient(more),
    MCPServerHTTP: (more) => mcp.MCPServerHTTP({ url: "https://a.example.com", ...more }),
    MCPServerSSE: (more) => mcp.MCPServerSSE({ url: "https://a.example.com", ...more }),
    mcpServer: (more) => mcp.mcpServer({ url: "https://a.example.com", ...more }),
  },
  "./memory": {
    memory: (more) => memory.memory(more),
    Memory: (more) => new memory.Memory(more),
    memoryTools: (more) => memory.memoryTools({ view: () => 1 } as never, more),
    workersAiReranker: (more) => memory.workersAiReranker({ binding: {}, ...more } as never),
  },
  "./models": {
    demoModel: (more) => models.demoModel(more),
    modelList: (more) => models.modelList([{ model: "openai/gpt-5-mini" }], more),
  },
  "./openai": { openai: (more) => openai.openai(more) },
  "./quotas": { quotas: (more) => quotas.quotas(more) },
  "./retention": { retention: (more) => retention.retention(more) },
  "./tables": { tableTools: (more) => tableTools(more) },
  "./telemetry": {
    otlpExporter: (more) => telemetry.otlpExporter(more),
  },
  "./triggers": { triggers: (more) => triggers.triggers(more) },
};
