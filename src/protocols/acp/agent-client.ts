import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { systemClock, randomBytes } from "../../base/system.ts";
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import type { A2AAgentServer } from "./agent-server.ts";
import {
  chooseTarget,
  submitRemotely,
  type RemoteAgent,
  type RemoteTransport,
  type TargetRequest,
} from "./remote-agents.ts";
import type { A2AMessage, AgentCard, Task, TaskState } from "./task.ts";

/** Options of `A2AAgentClient`. */
export type AgentClientOptions = Partial<RemoteTransport>;

const ID_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz";

/** Returns the id of a new task: `task_<milliseconds>_<five letters>`. */
export function newId(prefix: string, nowMs: number): string {
  const letters = Array.from(randomBytes(5), (byte) => ID_LETTERS.charAt(byte % 36)).join("");
  return `${prefix}_${nowMs}_${letters}`;
}

const OPTIONS = definitionOptions<AgentClientOptions>("new A2AAgentClient()", {
  fetch: true,
  clock: true,
  timeoutMs: true,
  allowPrivate: true,
  allowHosts: true,
  denyHosts: true,
});

/** Agents by key: servers of this process, and remote ones. */
export class A2AAgentClient {
  readonly #servers = new Map<string, A2AAgentServer>();
  readonly #remotes = new Map<string, RemoteAgent>();
  readonly #remoteTasks = new Map<string, Task>();
  readonly #transport: RemoteTransport;

  constructor(options: AgentClientOptions = {}) {
    refuseUnknownOptions(options, OPTIONS, new.target !== A2AAgentClient);
    const { clock = systemClock, ...transport } = options;
    this.#transport = { clock, ...transport };
  }

  /** Adds the agent, or replaces the one with this key. */
  registerAgent(key: string, server: A2AAgentServer): void {
    this.#servers.set(key, server);
  }

  getAgentCard(key: string): AgentCard | undefined {
    return this.#servers.get(key)?.getAgentCard() ?? this.#remotes.get(key)?.card;
  }

  /** Returns the keys of the agents of this process, in the order of their registration. */
  listAgents(): string[] {
    return [...this.#servers.keys()];
  }

  /** Returns the keys of the agents with exactly this skill id, remote ones last. */
  findAgentsWithSkill(skillId: string): string[] {
    const has = ({ skills }: AgentCard): boolean => skills.some(({ id }) => id === skillId);
    const local = [...this.#servers].filter(([, server]) => has(server.getAgentCard()));
    const remote = [...this.#remotes].filter(
      ([key, { card }]) => has(card) && !this.#servers.has(key),
    );
    return [...local, ...remote].map(([key]) => key);
  }

  /** Adds the remote agent, or replaces the one with this key. */
  registerRemoteCard(key: string, remote: RemoteAgent): void {
    this.#remotes.set(key, remote);
  }

  /** Notes a heartbeat of the agent. False for an unknown key. */
  touchRemoteAgent(key: string): boolean {
    const known = this.#remotes.get(key);
    if (known === undefined) return false;
    this.#remotes.set(key, { ...known, lastHeartbeat: this.#transport.clock.now() });
    return true;
  }

  listRemoteAgents(): Array<RemoteAgent & { readonly key: string }> {
    return Array.from(this.#remotes, ([key, remote]) => ({ key, ...remote }));
  }

  /** Removes the remote agent. False for an unknown key. */
  unregisterRemoteAgent(key: string): boolean {
    return this.#remotes.delete(key);
  }

  /**
   * Returns the key of the named agent, or of the best one with the skill. Fails with `invalid_input` or `not_found`.
   */
  resolveTarget(target: TargetRequest): string {
    const candidates = this.findAgentsWithSkill(target.skill ?? "").map((name) => ({
      name,
      lastHeartbeat: this.#servers.has(name) ? undefined : this.#remotes.get(name)?.lastHeartbeat,
    }));
    return chooseTarget(target, candidates, this.#transport.clock.now());
  }

  /** Submits a text as a new task. Fails with `not_found` for an unknown key. */
  async submitTask(
    key: string,
    text: string,
    metadata?: Readonly<Record<string, string>>,
  ): Promise<Task> {
    const id = newId("task", this.#transport.clock.now());
    const message: A2AMessage = { role: "user", parts: [{ type: "text", text }] };
    const more = metadata === undefined ? {} : { metadata: { ...metadata } };
    const server = this.#servers.get(key);
    if (server !== undefined) return server.submitTask({ id, message, ...more });
    const remote = this.#remotes.get(key);
    if (remote === undefined)
      throw new EngineError("not_found", `agent ${preview(key)} was not found`);
    const task = await this.#remoteTask({ key, url: remote.url, text }, { id, message, ...more });
    this.#remoteTasks.set(`${key}\n${id}`, task);
    return task;
  }

  getTask(key: string, taskId: string): Task | undefined {
    return this.#servers.get(key)?.getTask(taskId) ?? this.#remoteTasks.get(`${key}\n${taskId}`);
  }

  async #remoteTask(
    { key, url, text }: { readonly key: string; readonly url: string; readonly text: string },
    {
      id,
      message,
      ...more
    }: Pick<Task, "id"> & { readonly message: A2AMessage; metadata?: Record<string, string> },
  ): Promise<Task> {
    const { clock } = this.#transport;
    const history: TaskState[] = [
      { status: "submitted", timestamp: clock.now() },
      { status: "working", timestamp: clock.now() },
    ];
    const outcome = await submitRemotely({ url, agent: key, message: text }, this.#transport);
    const timestamp = clock.now();
    const status: TaskState =
      "error" in outcome
        ? { status: "failed", message: outcome.error, timestamp }
        : { status: "completed", timestamp };
    const said: A2AMessage[] =
      "error" in outcome || outcome.text === ""
        ? []
        : [{ role: "agent", parts: [{ type: "text", text: outcome.text }] }];
    return {
      id,
      sessionId: id,
      status,
      messages: [message, ...said],
      artifacts: "error" in outcome ? [] : [...outcome.artifacts],
      ...more,
      history: [...history, status],
    };
  }
}
