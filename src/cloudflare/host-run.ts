import type { Agent } from "../agent/agent.ts";
import { logError, systemClock } from "../base/system.ts";
import { EngineError, unreachable } from "../base/error.ts";
import type { OutboundPolicy } from "../base/outbound.ts";
import { crewFromDefinition, readCrewDefinition } from "../crew/crew-definition.ts";
import { crewProgram } from "../crew/crew-programs.ts";
import type { Crew } from "../crew/crew.ts";
import type { DefinitionRegistry } from "../crew/definition-registry.ts";
import type { ListenerPlan } from "../events/listener.ts";
import { needDeclarativeFlows, type DeclarativeFlows } from "../flow/declarative-flows.ts";
import type { BuiltFlow } from "../flow/flow.ts";
import type { Hook } from "../hooks/hook.ts";
import { modelCatalog, type ModelCatalog } from "../llm/model-catalog.ts";
import type { LanguageModel } from "../llm/language-model.ts";
import type { ModelEnvironment } from "../llm/resolve-model.ts";
import type { AiBinding } from "../llm/workers-ai/ai-binding.ts";
import type { JournalLimits } from "../journal/step-spec.ts";
import { RunHost, type AlarmSlot } from "../runtime/run-host.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import { isTerminal, type RunStart } from "../runtime/run.ts";
import type { WebhookFormat } from "../runtime/webhooks.ts";
import type { Tool } from "../tools/tool.ts";
import { withServices, type RunServices } from "../events/run-services.ts";
import type { AppPart, PartPlace } from "./app-part.ts";
import { childDeliveries, type TaskQueue } from "./child-starter.ts";
import { D1EvaluationStore } from "./d1-evaluation-store.ts";
import type { FlowStatesSetting } from "./durable-flow-store.ts";
import { D1RunIndex } from "./d1-run-index.ts";
import { D1TrainedStore } from "./d1-trained-store.ts";
import type { RunNamespace } from "./durable-run-directory.ts";
import { EventSockets } from "./event-sockets.ts";
import { fileStoreOf, type FilesSetting } from "./file-store-setting.ts";
import { callRun } from "./run-object-api.ts";
import { webhookCourier } from "./webhook-courier.ts";
import { SqlRunStore, type SqlDatabase, type SqlValue } from "./sql-run-store.ts";

/** What an app's runs are made of. */
export type RunApp = {
  readonly crews: Readonly<Record<string, Crew>>;
  readonly agents?: Readonly<Record<string, Agent>>;
  readonly flows?: Readonly<Record<string, BuiltFlow>>;
  /** Reads flows that came as data. */
  readonly declarativeFlows?: DeclarativeFlows;
  /** What stored definitions can name. */
  readonly tools: readonly Tool[];
  readonly functions?: DefinitionRegistry["functions"];
  readonly schemas?: DefinitionRegistry["schemas"];
  /** Models of one's own, by the name that definitions call them. */
  readonly models: Readonly<Record<string, LanguageModel>>;
  /** Code that steps in, in all runs. */
  readonly hooks?: readonly Hook[];
  readonly limits?: Partial<JournalLimits>;
  /** Memory and knowledge, where the app has them. */
  readonly parts?: readonly AppPart[];
  readonly files?: FilesSetting;
  /** Where flows keep their states. */
  readonly flowStates?: FlowStatesSetting;
  /** Bodies of webhooks that are not the event itself, by the name of their form. */
  readonly webhookFormats?: Readonly<Record<string, WebhookFormat>>;
  /** Hear of what happens in all runs. */
  readonly listeners?: ListenerPlan;
};

/** The bindings and variables that a run needs. */
export type RunEnv = {
  readonly DB: D1Database;
  readonly AI?: AiBinding;
  readonly CREW_RUN: unknown;
  /** Where webhooks may go: `public` (the default), or `any` for development. */
  readonly EDGECREW_OUTBOUND?: string;
  /** Signs the webhooks that have no secret of their own. */
  readonly EDGECREW_WEBHOOK_SECRET?: string;
  /** Where the starts of child runs pass through. Without it a run starts its children itself. */
  readonly TASKS?: TaskQueue;
};

/** The host of the run that lives in this Durable Object. */
export function hostRun(
  state: DurableObjectState,
  env: RunEnv,
  app: RunApp,
): { host: RunHost; sockets: EventSockets } {
  const index = new D1RunIndex(env.DB);
  const host = new RunHost({
    store: new SqlRunStore(databaseOf(state.storage)),
    alarm: alarmOf(state.storage),
    clock: systemClock,
    program: programs(app),
    models: modelsOf(env, app),
    services: servicesOf(env, app),
    outbox: {
      index: (row) => index.put(row),
      ...childDeliveries(runNamespace(env), env.TASKS),
      webhook: webhookCourier({
        clock: systemClock,
        policy: outboundPolicy(env),
        secret: env.EDGECREW_WEBHOOK_SECRET,
        formats: app.webhookFormats ?? {},
      }),
    },
    ...(app.limits === undefined ? undefined : { limits: app.limits }),
    ...(app.listeners === undefined ? undefined : { listeners: app.listeners }),
    report: logError,
  });
  return { host, sockets: new EventSockets(state, host) };
}

/** Throws `invalid_definition` for a setting that means nothing. */
export function outboundPolicy({ EDGECREW_OUTBOUND: setting = "public" }: RunEnv): OutboundPolicy {
  if (setting === "public" || setting === "any") return { allowPrivate: setting === "any" };
  throw new EngineError(
    "invalid_definition",
    `the variable EDGECREW_OUTBOUND must be "public" or "any", got ${JSON.stringify(setting)}`,
  );
}

/** The runs' Durable Objects. Throws `invalid_definition` when they are not bound. */
export function runNamespace(env: { readonly CREW_RUN: unknown }): RunNamespace {
  const namespace = env.CREW_RUN;
  if (typeof namespace === "object" && namespace !== null && "getByName" in namespace)
    return namespace as RunNamespace;
  throw new EngineError(
    "invalid_definition",
    "wrangler.toml must bind the Durable Object class CrewRun as CREW_RUN",
  );
}

/** What runs can use beside models. A file store that is set wrong is told to the runs that need it, and harms no others. */
function servicesOf(env: RunEnv, app: RunApp): (start: RunStart) => RunServices {
  const { hooks = [], files, flowStates, parts = [] } = app;
  const shared: RunServices = { hooks: { app: hooks }, variables: textsOf(env) };
  return ({ tenant }) => {
    const services: RunServices = {
      ...shared,
      trained: new D1TrainedStore(env.DB, tenant, systemClock),
      evaluations: new D1EvaluationStore(env.DB, tenant),
      runEnded: (id) => hasEnded(env, tenant, id),
    };
    const states =
      flowStates === undefined
        ? services
        : withServices(services, {
            get flowStates() {
              return flowStates(env, tenant);
            },
          });
    const withFiles =
      files === undefined
        ? states
        : withServices(states, {
            get files() {
              return fileStoreOf(env, files, tenant);
            },
          });
    const place = partPlace(env, app, tenant);
    return parts.reduce((known, part) => {
      let made: object | undefined;
      const get = (): object => (made ??= part.service(place));
      return withServices(known, Object.defineProperty({}, part.kind, { get, enumerable: true }));
    }, withFiles);
  };
}

/** What a tenant's part of memory or knowledge is made from. */
export function partPlace(env: RunEnv, app: RunApp, tenant: string): PartPlace {
  const { files } = app;
  return {
    tenant,
    env,
    environment: modelEnvironment(env, app),
    outbound: outboundPolicy(env),
    get files() {
      return files === undefined ? undefined : fileStoreOf(env, files, tenant);
    },
  };
}

async function hasEnded(env: RunEnv, tenant: string, id: string): Promise<boolean | undefined> {
  try {
    return isTerminal((await callRun(runNamespace(env), { tenant, id }, ["status"])).status);
  } catch (error) {
    if (EngineError.is(error) && error.code === "not_found") return undefined;
    throw error;
  }
}

/** Finds what a run runs, and makes it once. */
function programs(app: RunApp): (start: RunStart) => RunProgram {
  let made: RunProgram | undefined;
  return (start) => (made ??= programOf(start, app));
}

function programOf(start: RunStart, app: RunApp): RunProgram {
  switch (start.kind) {
    case "agent":
      return agentOf(start, app).program();
    case "flow":
      return flowOf(start, app).program(start.entry);
    case "crew":
    case "batch":
    case "task":
    case "conversation":
      return crewProgram(crewOf(start, app), start);
    case "memory":
    case "knowledge":
      return partOf(start, app).program(start);
    default:
      return unreachable(start.kind);
  }
}

function partOf({ kind }: RunStart, { parts = [] }: RunApp): AppPart {
  const part = parts.find((each) => each.kind === kind);
  if (part === undefined)
    throw new EngineError("not_found", `this deployment has no ${kind} any more`);
  return part;
}

function flowOf({ name, definition }: RunStart, app: RunApp): BuiltFlow {
  const { flows = {}, declarativeFlows } = app;
  if (definition !== undefined)
    return needDeclarativeFlows(declarativeFlows).read(definition, { name, registry: app }).flow;
  const flow = Object.hasOwn(flows, name) ? flows[name] : undefined;
  if (flow === undefined)
    throw new EngineError(
      "not_found",
      `flow "${name}" is not registered in this deployment any more`,
    );
  return flow;
}

function agentOf({ name }: RunStart, { agents = {} }: RunApp): Agent {
  const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (agent === undefined)
    throw new EngineError(
      "not_found",
      `agent "${name}" is not registered in this deployment any more`,
    );
  return agent;
}

function crewOf({ name, definition }: RunStart, app: RunApp): Crew {
  if (definition !== undefined) return crewFromDefinition(readCrewDefinition(definition), app);
  const crew = Object.hasOwn(app.crews, name) ? app.crews[name] : undefined;
  if (crew === undefined)
    throw new EngineError(
      "not_found",
      `crew "${name}" is not registered in this deployment any more`,
    );
  return crew;
}

const catalogs = new WeakMap<RunApp, { readonly env: unknown; readonly models: ModelCatalog }>();

/** The models of this isolate, shared by all its runs. */
export function modelsOf(env: RunEnv, app: RunApp): ModelCatalog {
  let known = catalogs.get(app);
  if (known === undefined || known.env !== env) {
    known = { env, models: modelCatalog(modelEnvironment(env, app)) };
    catalogs.set(app, known);
  }
  return known.models;
}

function modelEnvironment(env: RunEnv, { models }: RunApp): ModelEnvironment {
  const ai = env.AI === undefined ? undefined : { ai: env.AI };
  return { variables: textsOf(env), models, ...ai };
}

/** The variables and secrets among the bindings. */
export function textsOf(env: object): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function databaseOf(storage: DurableObjectStorage): SqlDatabase {
  return {
    exec: (query: string, ...bindings: SqlValue[]) => storage.sql.exec(query, ...bindings),
    transaction: (change) => storage.transactionSync(change),
  };
}

function alarmOf(storage: DurableObjectStorage): AlarmSlot {
  return {
    get: () => storage.getAlarm(),
    set: (atMs) => storage.setAlarm(atMs),
    delete: () => storage.deleteAlarm(),
  };
}
