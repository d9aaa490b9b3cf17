import { sleep } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import type { AgentKickoffBody, AgentView } from "../agent/operations/agents.ts";
import type { SessionView } from "../flow/conversational/conversation.ts";
import type { FlowKickoffBody, TurnBody } from "../flow/operations/schemas.ts";
import type { FlowDetails, FlowView } from "../flow/operations/flow-view.ts";
import type { FlowStateSummary, FlowStateView } from "../flow/operations/flow-states.ts";
import type { Training } from "../base/training.ts";
import type { ChatMessage } from "../crew/chat-crew.ts";
import type { CrewDetails, CrewView } from "../crew/operations/crew-view.ts";
import type {
  ChatBody,
  KickoffBody,
  KickoffForEachBody,
  TestBody,
  TrainBody,
} from "../crew/operations/schemas.ts";
import type { EvaluationView } from "../crew/operations/crew-results.ts";
import type { CreatedKey, CreateKeyBody, KeyView } from "../http/keys.ts";
import type { PruneBody } from "../http/run-schemas.ts";
import type { Pruned } from "../http/runs.ts";
import type { StartedRun } from "../parts/started-run.ts";
import type { Page, RunQuery, RunSummary } from "../runtime/run-directory.ts";
import type { Run } from "../runtime/run.ts";
import type { HookView } from "../triggers/hooks.ts";
import type { ScheduleDetails, ScheduleView } from "../triggers/schedules.ts";
import type { ChangeScheduleBody, CreateScheduleBody, PutHookBody } from "../triggers/schemas.ts";
import type { TriggeredRun } from "../triggers/triggered-run.ts";
import { KnowledgeApi } from "./knowledge-api.ts";
import { MemoryApi } from "./memory-api.ts";
import { RemoteRun } from "./remote-run.ts";
import { backoffMs, mayRetry, Transport, type ClientOptions } from "./transport.ts";

export type PageOptions = {
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
  /** 1 to 200. @default 50 */
  readonly limit?: number;
};

export type KickoffOptions = {
  /** Values for the `{placeholders}` of the crew or agent. */
  readonly inputs?: JsonObject;
  /** Names the run; a name in use answers the run that has it. @default a random UUID */
  readonly id?: string;
  /** Kept with the run and shown again. */
  readonly meta?: JsonObject;
};

export type TrainOptions = KickoffOptions & {
  /** 1 to 100. */
  readonly iterations: number;
  /** What the training is kept under. @default as the crew's `trained` says, or its name */
  readonly name?: string;
};

export type TestOptions = KickoffOptions & {
  /** 1 to 100. */
  readonly iterations: number;
  /** The model that judges: its name, or settings. @default the Worker's */
  readonly evalModel?: string | (JsonObject & { readonly model: string });
};

export type KickoffForEachOptions = {
  /** Names the batch. @default a random UUID */
  readonly id?: string;
  /** Of each run, from the start of the batch, in milliseconds. One that takes longer is cancelled. */
  readonly timeoutMs?: number;
  /** Kept with the batch and shown again. */
  readonly meta?: JsonObject;
};

export type FlowKickoffOptions = KickoffOptions &
  Pick<FlowKickoffBody, "restoreFromStateId" | "fromCheckpoint">;

export type ListRunsOptions = PageOptions &
  Partial<Pick<RunQuery, "kind" | "name" | "status" | "parent">>;

const KICKOFF_ATTEMPTS = 3;

/** A Worker's API. Works in browsers, Node and Workers; rejects with `EngineError`s as they were thrown on the other side. */
export class EdgecrewClient {
  readonly crews: CrewsApi;
  readonly agents: AgentsApi;
  readonly flows: FlowsApi;
  readonly runs: RunsApi;
  readonly trainings: TrainingsApi;
  readonly keys: KeysApi;
  readonly schedules: SchedulesApi;
  readonly hooks: HooksApi;
  readonly memory: MemoryApi;
  readonly knowledge: KnowledgeApi;

  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    this.crews = new CrewsApi(transport);
    this.agents = new AgentsApi(transport);
    this.flows = new FlowsApi(transport);
    this.runs = new RunsApi(transport);
    this.trainings = new TrainingsApi(transport);
    this.keys = new KeysApi(transport);
    this.schedules = new SchedulesApi(transport);
    this.hooks = new HooksApi(transport);
    this.memory = new MemoryApi(transport);
    this.knowledge = new KnowledgeApi(transport);
  }
}

class CrewsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(page: PageOptions = {}): Promise<Page<CrewView>> {
    return this.#transport.json("/crews", { query: { ...page } });
  }

  get(name: string): Promise<CrewDetails> {
    return this.#transport.json(crewPath(name));
  }

  /** Stores a crew: an object, or a text of YAML. */
  put(name: string, definition: object | string): Promise<CrewDetails> {
    return this.#transport.json(crewPath(name), { method: "PUT", ...definitionBody(definition) });
  }

  async delete(name: string): Promise<void> {
    await this.#transport.send(crewPath(name), { method: "DELETE" });
  }

  /** Starts a run. It has an id from the beginning, so a lost answer is asked for again without starting a second one. */
  kickoff(name: string, options: KickoffOptions = {}): Promise<RemoteRun> {
    const body: KickoffBody = { ...options, id: options.id ?? crypto.randomUUID() };
    return startRun(this.#transport, `${crewPath(name)}/kickoff`, body);
  }

  /** Starts a training; its run waits for feedback on each answer. Its output is a `Training`. */
  train(name: string, options: TrainOptions): Promise<RemoteRun> {
    const body: TrainBody = { ...options, id: options.id ?? crypto.randomUUID() };
    return startRun(this.#transport, `${crewPath(name)}/train`, body);
  }

  /** Starts a test. Its output is a `TestReport`. */
  test(name: string, options: TestOptions): Promise<RemoteRun> {
    const body: TestBody = { ...options, id: options.id ?? crypto.randomUUID() };
    return startRun(this.#transport, `${crewPath(name)}/test`, body);
  }

  /** The results of tests, newest first. */
  evaluations(name: string, page: PageOptions = {}): Promise<Page<EvaluationView>> {
    return this.#transport.json(`${crewPath(name)}/evaluations`, { query: { ...page } });
  }

  /** Starts a turn of a conversation: an answer to the last message. Its output is a `ChatReply`. */
  chat(
    name: string,
    messages: readonly ChatMessage[],
    options: Omit<KickoffOptions, "inputs"> = {},
  ): Promise<RemoteRun> {
    const id = options.id ?? crypto.randomUUID();
    const body: ChatBody = { ...options, messages: [...messages], id };
    return startRun(this.#transport, `${crewPath(name)}/chat`, body);
  }

  /** Starts a batch: a run for each of many inputs. Its output is a `BatchOutput`. */
  kickoffForEach(
    name: string,
    inputs: readonly JsonObject[],
    options: KickoffForEachOptions = {},
  ): Promise<RemoteRun> {
    const id = options.id ?? crypto.randomUUID();
    const body: KickoffForEachBody = { ...options, inputs: [...inputs], id };
    return startRun(this.#transport, `${crewPath(name)}/kickoff-for-each`, body);
  }
}

class AgentsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(page: PageOptions = {}): Promise<Page<AgentView>> {
    return this.#transport.json("/agents", { query: { ...page } });
  }

  get(name: string): Promise<AgentView> {
    return this.#transport.json(agentPath(name));
  }

  /** Asks an agent: a text, or a conversation whose last message is the user's. As `crews.kickoff`. */
  kickoff(
    name: string,
    messages: AgentKickoffBody["messages"],
    options: KickoffOptions = {},
  ): Promise<RemoteRun> {
    const body: AgentKickoffBody = {
      ...options,
      messages,
      id: options.id ?? crypto.randomUUID(),
    };
    return startRun(this.#transport, `${agentPath(name)}/kickoff`, body);
  }
}

class FlowsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(page: PageOptions = {}): Promise<Page<FlowView>> {
    return this.#transport.json("/flows", { query: { ...page } });
  }

  get(name: string): Promise<FlowDetails> {
    return this.#transport.json(flowPath(name));
  }

  /** Stores a declared flow: an object, or a text of YAML. */
  put(name: string, declaration: object | string): Promise<FlowDetails> {
    return this.#transport.json(flowPath(name), { method: "PUT", ...definitionBody(declaration) });
  }

  async delete(name: string): Promise<void> {
    await this.#transport.send(flowPath(name), { method: "DELETE" });
  }

  /** As `crews.kickoff`; begins with a kept state, or at a checkpoint, where one is named. */
  kickoff(name: string, options: FlowKickoffOptions = {}): Promise<RemoteRun> {
    const body: FlowKickoffBody = { ...options, id: options.id ?? crypto.randomUUID() };
    return startRun(this.#transport, `${flowPath(name)}/kickoff`, body);
  }

  /**
   * Says something to a conversational flow. Its output is a `TurnOutput`; without a `sessionId` a conversation begins, whose id
   * it tells. With an id of the turn's own a repeated call takes it once.
   */
  turn(
    name: string,
    message: string,
    options: Omit<TurnBody, "message" | "webhooks"> = {},
  ): Promise<RemoteRun> {
    const body: TurnBody = { ...options, message, id: options.id ?? crypto.randomUUID() };
    return startRun(this.#transport, `${flowPath(name)}/turns`, body);
  }

  /** A conversation, as far as everybody may see it. */
  session(name: string, sessionId: string): Promise<SessionView> {
    return this.#transport.json(sessionPath(name, sessionId));
  }

  async deleteSession(name: string, sessionId: string): Promise<void> {
    await this.#transport.send(sessionPath(name, sessionId), { method: "DELETE" });
  }

  /** The newest state that is kept under a flow id, or the one of a place in its history. */
  state(
    name: string,
    flowId: string,
    options: { readonly seq?: number } = {},
  ): Promise<FlowStateView> {
    return this.#transport.json(statePath(name, flowId), { query: { ...options } });
  }

  /** The kept states of a flow id, newest first, without the states themselves. */
  stateHistory(
    name: string,
    flowId: string,
    page: PageOptions = {},
  ): Promise<Page<FlowStateSummary>> {
    return this.#transport.json(`${statePath(name, flowId)}/history`, { query: { ...page } });
  }

  /** Deletes all kept states of a flow id; needs an admin key. */
  async deleteStates(name: string, flowId: string): Promise<void> {
    await this.#transport.send(statePath(name, flowId), { method: "DELETE" });
  }
}

async function startRun(
  transport: Transport,
  path: string,
  body:
    | KickoffBody
    | FlowKickoffBody
    | KickoffForEachBody
    | TrainBody
    | TestBody
    | ChatBody
    | TurnBody
    | AgentKickoffBody,
): Promise<RemoteRun> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { id } = await transport.json<StartedRun>(path, { method: "POST", json: body });
      return new RemoteRun(transport, id);
    } catch (error) {
      if (!mayRetry(error) || attempt === KICKOFF_ATTEMPTS) throw error;
      await sleep(transport.clock, error.retryAfterMs ?? backoffMs(attempt));
    }
  }
}

/** What crews were taught. */
class TrainingsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(name: string): Promise<Training> {
    return this.#transport.json(`/trainings/${encodeURIComponent(name)}`);
  }

  async delete(name: string): Promise<void> {
    await this.#transport.send(`/trainings/${encodeURIComponent(name)}`, { method: "DELETE" });
  }
}

class RunsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Newest first. */
  list(options: ListRunsOptions = {}): Promise<Page<RunSummary>> {
    return this.#transport.json("/runs", { query: { ...options } });
  }

  get(id: string): Promise<Run> {
    return this.handle(id).status();
  }

  /** Deletes finished runs that are older, oldest first, a few at a time; needs an admin key. */
  prune(options: PruneBody): Promise<Pruned> {
    return this.#transport.json("/runs/prune", { method: "POST", json: options });
  }

  /** A handle on a run that was started before; asks nothing yet. */
  handle(id: string): RemoteRun {
    return new RemoteRun(this.#transport, id);
  }
}

/** API keys; needs an admin key of tenant `default`. */
class KeysApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The answer's `key` is shown this once. */
  create(options: CreateKeyBody): Promise<CreatedKey> {
    return this.#transport.json("/keys", { method: "POST", json: options });
  }

  list(page: PageOptions = {}): Promise<Page<KeyView>> {
    return this.#transport.json("/keys", { query: { ...page } });
  }

  async delete(id: string): Promise<void> {
    await this.#transport.send(`/keys/${encodeURIComponent(id)}`, { method: "DELETE" });
  }
}

function statePath(name: string, flowId: string): string {
  return `${flowPath(name)}/states/${encodeURIComponent(flowId)}`;
}

/** Cron schedules, of Workers with `triggers`. */
class SchedulesApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(page: PageOptions = {}): Promise<Page<ScheduleView>> {
    return this.#transport.json("/schedules", { query: { ...page } });
  }

  /** With its next slots and its last runs. */
  get(id: string): Promise<ScheduleDetails> {
    return this.#transport.json(schedulePath(id));
  }

  create(schedule: CreateScheduleBody): Promise<ScheduleDetails> {
    return this.#transport.json("/schedules", { method: "POST", json: schedule });
  }

  /** What is left out stays. */
  change(id: string, changes: ChangeScheduleBody): Promise<ScheduleDetails> {
    return this.#transport.json(schedulePath(id), { method: "PATCH", json: changes });
  }

  pause(id: string): Promise<ScheduleDetails> {
    return this.change(id, { paused: true });
  }

  /** Slots that came in the meantime are not made up for. */
  unpause(id: string): Promise<ScheduleDetails> {
    return this.change(id, { paused: false });
  }

  async delete(id: string): Promise<void> {
    await this.#transport.send(schedulePath(id), { method: "DELETE" });
  }

  /** Starts a run now, beside the slots. */
  async run(id: string, options: { readonly id?: string } = {}): Promise<RemoteRun> {
    const json = { id: options.id ?? crypto.randomUUID() };
    const path = `${schedulePath(id)}/run`;
    const run = await this.#transport.json<TriggeredRun>(path, { method: "POST", json });
    return new RemoteRun(this.#transport, run.id);
  }
}

/** Webhooks that start runs, of Workers with `triggers`. */
class HooksApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(page: PageOptions = {}): Promise<Page<HookView>> {
    return this.#transport.json("/hooks", { query: { ...page } });
  }

  get(name: string): Promise<HookView> {
    return this.#transport.json(hookPath(name));
  }

  /** Stores a hook, or replaces it. Its secret is never shown again. */
  put(name: string, hook: PutHookBody): Promise<HookView> {
    return this.#transport.json(hookPath(name), { method: "PUT", json: hook });
  }

  async delete(name: string): Promise<void> {
    await this.#transport.send(hookPath(name), { method: "DELETE" });
  }
}

function schedulePath(id: string): string {
  return `/schedules/${encodeURIComponent(id)}`;
}

function hookPath(name: string): string {
  return `/hooks/${encodeURIComponent(name)}`;
}

function definitionBody(definition: object | string) {
  return typeof definition === "string"
    ? { text: { type: "application/yaml", body: definition } }
    : { json: definition };
}

function flowPath(name: string): string {
  return `/flows/${encodeURIComponent(name)}`;
}

function sessionPath(name: string, sessionId: string): string {
  return `${flowPath(name)}/sessions/${encodeURIComponent(sessionId)}`;
}

function agentPath(name: string): string {
  return `/agents/${encodeURIComponent(name)}`;
}

function crewPath(name: string): string {
  return `/crews/${encodeURIComponent(name)}`;
}
