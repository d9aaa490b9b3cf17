// Tools of servers and apps: for one agent, for all agents of a crew, for one task.
//
//   SVT1. All servers are asked at once, before the first piece of work, so a failing required server ends the run
//         before the first model call. An agent has the tools of its own servers, then its crew's, then its task's. A
//         server named twice is asked once.
//   SVT2. No tool hides another: of two tools with one name, the later gets `_2`.
//   SVT3. One piece of work has at most 128 server tools, the limit of models. More are refused, with advice.
import { EngineError } from "../../base/error.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import { uniqueToolNames } from "../../wire/tool-name.ts";
import { isToolSource, type ToolSource } from "../../tools/tool-source.ts";
import type { Tool } from "../../tools/tool.ts";
import type { McpEntry } from "./mcp-entry.ts";
import type { AgentDescription } from "./agent-description.ts";

/** Servers of one task. Its agent has their tools for this task only. */
export type TaskServers = {
  readonly task: object;
  readonly agent: AgentDescription;
  readonly mcps: readonly McpEntry[];
};

/** Servers to ask, with the agents and tasks they serve. */
export type ServersRequest = {
  readonly agents: readonly AgentDescription[];
  /** Servers of the crew, for all agents but the manager. @default [] */
  readonly mcps?: readonly McpEntry[];
  readonly manager?: AgentDescription | undefined;
  /** @default [] */
  readonly tasks?: readonly TaskServers[];
};

/** Maximum number of tools in one request of a model. */
const MAX_TOOLS = 128;

const NO_APPS =
  "its apps are not connected: pass toolCatalog() of edgecrew/tools/catalog to defineApp({ tools }), or crewaiPlatformTools({ apps }) of edgecrew/tools among its tools";
const NO_MCP =
  "its mcps are not connected: add mcpClient() of edgecrew/mcp to the app's parts, or to the services of the run";

/** True if a run asks at least one server. */
export function usesServers({ agents, mcps = [], tasks = [] }: ServersRequest): boolean {
  const named = agents.flatMap((agent) => [agent.mcps, agent.apps]);
  return [mcps, ...named, ...tasks.map((task) => task.mcps)].some(({ length }) => length > 0);
}

/** The tools of servers in one drive of a run. */
export class ServerTools {
  readonly #scope: RunScope;
  readonly #ofAgents = new Map<AgentDescription, readonly Tool[]>();
  readonly #ofTasks = new Map<
    object,
    { readonly agent: AgentDescription; readonly tools: readonly Tool[] }
  >();

  constructor(scope: RunScope) {
    this.#scope = scope;
  }

  /** Asks all servers for their tools. */
  async open({ agents, mcps = [], manager, tasks = [] }: ServersRequest): Promise<void> {
    const entriesOf = (agent: AgentDescription): ReadonlySet<McpEntry> =>
      new Set([...agent.mcps, ...(agent === manager ? [] : mcps)]);
    const ofAgents = agents.map(async (agent) => {
      const entries = [...entriesOf(agent), ...this.#apps(agent)];
      this.#ofAgents.set(agent, await this.#tools(agent, entries));
    });
    const ofTasks = tasks.map(async ({ task, agent, mcps: own }) => {
      const known = entriesOf(agent);
      const added = [...new Set(own)].filter((entry) => !known.has(entry));
      this.#ofTasks.set(task, { agent, tools: await this.#tools(agent, added) });
    });
    await Promise.all([...ofAgents, ...ofTasks]);
    for (const agent of agents) refuseTooMany(agent, this.of(agent));
    for (const { task, agent } of tasks) refuseTooMany(agent, this.of(agent, task));
  }

  /** Returns the tools of an agent, including those of its task. */
  of(agent: AgentDescription, task?: object): readonly Tool[] {
    const own = this.#ofAgents.get(agent) ?? [];
    const forTask = task === undefined ? undefined : this.#ofTasks.get(task);
    return forTask?.agent === agent ? [...own, ...forTask.tools] : own;
  }

  async #tools(agent: AgentDescription, entries: readonly McpEntry[]): Promise<readonly Tool[]> {
    const { role: agentRole, llm } = agent;
    const opened = this.#sources(agent, entries).map((source) => {
      const place = this.#scope.atNext(`tools:${keySegment(source.name)}`);
      return source.open(place, { agentRole, llm });
    });
    return (await Promise.all(opened)).flat();
  }

  #apps({ role, apps }: AgentDescription): readonly ToolSource[] {
    if (apps.length === 0) return [];
    const source = this.#scope.services.apps?.(apps);
    if (source !== undefined) return [source];
    this.#scope
      .atNext(`apps:${keySegment(role)}`)
      .emit("agent_warning", { agentRole: role, message: NO_APPS });
    return [];
  }

  #sources({ role }: AgentDescription, entries: readonly McpEntry[]): readonly ToolSource[] {
    const { mcp } = this.#scope.services;
    return entries.flatMap((server) => {
      if (isToolSource(server)) return [server];
      if (mcp !== undefined) return [mcp.source(server)];
      this.#scope
        .atNext(`mcp:${keySegment(role)}`)
        .emit("agent_warning", { agentRole: role, message: NO_MCP });
      return [];
    });
  }
}

/** Combines an agent's tools with those of servers under unique names (SVT2). */
export function withServerTools(tools: readonly Tool[], offered: readonly Tool[]): readonly Tool[] {
  if (offered.length === 0) return tools;
  const names = uniqueToolNames([...tools, ...offered].map(({ name }) => name));
  return [
    ...tools,
    ...offered.map((tool, index) => {
      const name = names[tools.length + index] ?? tool.safeName;
      return name === tool.safeName ? tool : { ...tool, name, safeName: name };
    }),
  ];
}

function refuseTooMany({ role }: AgentDescription, tools: readonly Tool[]): void {
  if (tools.length <= MAX_TOOLS) return;
  throw new EngineError(
    "invalid_definition",
    `agent "${role}" is offered ${tools.length} tools of servers, and models take ${MAX_TOOLS}: name those that it needs, in tool_filter of the servers' settings (toolFilter: { allow: […] })`,
  );
}
