// The Worker: turns an app of crews into a main module for Cloudflare.
import { refuseUnknownOptions } from "./base/unknown-options.ts";
import { waitUntil } from "cloudflare:workers";
import { crewRunClass } from "../durable-objects/crew-run.ts";
import { sessionsClass } from "../durable-objects/sessions.ts";
import { agentPart } from "./agent/agent-part.ts";
import type { Agent } from "./agent/description/agent.ts";
import { EngineError } from "./base/error.ts";
import { setLog } from "./base/log.ts";
import { randomId, randomSecret, systemClock } from "./base/system.ts";
import { APP_OPTIONS, type AppOptions } from "./cloudflare/app-options.ts";
import { consumeBatch } from "./cloudflare/consume-batch.ts";
import { runScheduledWork } from "./cloudflare/scheduled-work.ts";
import { developmentSettings } from "./cloudflare/development-settings.ts";
import { D1DefinitionStore } from "./cloudflare/stores/d1-definition-store.ts";
import { D1KeyStore } from "./cloudflare/stores/d1-key-store.ts";
import { D1RunIndex } from "./cloudflare/runs/d1-run-index.ts";
import { appRuns, type AppRuns } from "./cloudflare/runs/app-runs.ts";
import { DurableRunDirectory } from "./cloudflare/runs/durable-run-directory.ts";
import {
  modelsOf,
  outboundPolicy,
  placeOf,
  reportTo,
  type RunApp,
  type RunEnv,
} from "./cloudflare/host-run.ts";
import { textsOf } from "./cloudflare/texts-of.ts";
import { platformPart } from "./cloudflare/platform-part.ts";
import { workerFacts } from "./cloudflare/worker-facts.ts";
import { runNamespace } from "./cloudflare/runs/run-namespace.ts";
import type { Conversation } from "./conversation/conversation.ts";
import type { Conversations } from "./conversation/conversations.ts";
import { crewPart } from "./crew/crew-part.ts";
import type { Crew } from "./crew/crew.ts";
import { evaluationPart } from "./evaluation/evaluation-part.ts";
import { ListenerPlan } from "./events/listener.ts";
import type { AppApi } from "./flow/app-api.ts";
import { builtFlow, type FlowLike } from "./flow/flow-like.ts";
import type { BuiltFlow } from "./flow/built-flow.ts";
import { checkHooks } from "./hooks/hook.ts";
import { createApp } from "./http/app.ts";
import { checkBasePath, withoutBasePath } from "./http/base-path.ts";
import type { AppServices, AuthMode } from "./http/services.ts";
import { checkOnChange } from "./runtime/code-change.ts";
import { bindParts, checkParts } from "./parts/bind-parts.ts";
import type { QuotaGate } from "./parts/quota-gate.ts";
import type { Part } from "./parts/part.ts";
import { MAX_BODY_BYTES } from "./parts/request-body.ts";
import { mapVersions, VersionedDefinitions, type Versioned } from "./parts/versions.ts";
import { crewProjects } from "./project/crew-projects.ts";
import { definitionReaders } from "./project/definition-readers.ts";
import { BUILTIN_TOOLS } from "./tools/builtin/builtin-tools.ts";
import { partedTools } from "./tools/tool-catalog.ts";
import { toolsPart } from "./tools/tools-part.ts";

/** Storage of flow states: in D1, or in Durable Objects. */
export { versions } from "./parts/versions.ts";
export { d1FlowStates } from "./cloudflare/stores/d1-flow-store.ts";
export { FlowStates } from "../durable-objects/flow-states.ts";
export {
  durableFlowStates,
  type FlowStatesSetting,
} from "./cloudflare/stores/durable-flow-store.ts";

export { VectorIndex } from "../durable-objects/vector-index.ts";
export { durableVectors } from "./cloudflare/vectors/durable-vector-store.ts";
export { vectorizeVectors } from "./cloudflare/vectors/vectorize/vectorize-store.ts";

export { placement, type Place, type Placement } from "./cloudflare/placement.ts";

export { d1ModelCache } from "./cloudflare/stores/d1-model-cache.ts";
export { kvModelCache } from "./cloudflare/stores/kv-model-cache.ts";
export type { ModelCacheSetting } from "./cloudflare/stores/kv-model-cache.ts";
export { whisper, type FileDeliverySetting } from "./cloudflare/file-delivery.ts";

/** Options of `defineApp()`. */
export type { AppOptions } from "./cloudflare/app-options.ts";

/** The bindings and variables of the Worker. */
export type WorkerEnv = RunEnv & {
  /** `keys` (the default), `open` on hosts of this machine, or `open-to-everybody`. */
  readonly EDGECREW_AUTH?: string;
  /** A key of tenant `default` with all scopes. */
  readonly EDGECREW_ADMIN_KEY?: string;
  /** Durable Objects of the class `VectorIndex`: vectors of memory and knowledge. */
  readonly VECTORS?: unknown;
  /** A Vectorize index; it takes precedence over `VECTORS`. */
  readonly VECTORIZE?: unknown;
};

export type { AppRuns, CodeStart } from "./cloudflare/runs/app-runs.ts";

type AppFlows = Versioned<FlowLike>;

/** Startable subjects of an app, as a type for clients: `createClient<ApiOf<typeof app>>({ url })`. */
export type ApiOf<App extends { readonly api?: unknown }> = NonNullable<App["api"]>;

/** Creates the exports of a Worker's main module: `export default app`, and the classes of `app.durableObjects`. */
export function defineApp<
  Flows extends AppFlows = AppFlows,
  Crews extends Versioned<Crew> = Versioned<Crew>,
  Agents extends Versioned<Agent> = Versioned<Agent>,
  Talks extends Versioned<Conversation> | Conversations = Versioned<Conversation>,
>(
  options: AppOptions & {
    readonly flows?: Flows;
    readonly crews?: Crews;
    readonly agents?: Agents;
    readonly conversations?: Talks;
  },
) {
  refuseUnknownOptions(options, APP_OPTIONS);
  const basePath = checkBasePath(options.basePath ?? "");
  const flows = mapVersions(options.flows ?? {}, builtFlow);
  const parts = partsOf(options, flows);
  for (const part of parts) part.check?.(parts);
  const runApp = runAppOf(options, { parts, flows });
  const serve = servedApp(options, runApp, basePath);
  const services = perEnv((env) => {
    setLog(env.EDGECREW_LOG, env.VERSION?.id);
    return serve(runApp.placed(env));
  });
  return {
    fetch: (
      request: Request,
      env: WorkerEnv,
      context: ExecutionContext,
    ): Response | Promise<Response> =>
      services(env).http.fetch(withoutBasePath(request, basePath), env, context),
    /**
     * Wakes runs that have lost their alarm, and runs the scheduled work of parts. Needs a cron trigger, every minute.
     */
    scheduled: async (_: ScheduledController, env: WorkerEnv): Promise<void> => {
      const { runs, bound } = services(env);
      await runScheduledWork({ runs, bound, env });
    },
    /**
     * Starts child runs, and consumes the queues of parts. Needs the queue `TASKS`, and its dead letter queue with a
     * name ending in `-dlq`.
     */
    queue: (batch: MessageBatch, env: WorkerEnv): Promise<void> =>
      consumeBatch(batch, { env, app: runApp, boundPart: (name) => services(env).bound.get(name) }),
    /** The runs, for code of this Worker's own: other routes, cron, queues. Checks no keys. @default tenant "default" */
    runs: (env: WorkerEnv, tenant = "default"): AppRuns<Flows> =>
      appRuns<Flows>(services(env).host, tenant),
    durableObjects: {
      CrewRun: crewRunClass(runApp),
      McpSessions: sessionsClass((env: WorkerEnv) => services(env).bound.get("mcp")),
    },
    /** For types alone; see `ApiOf`. Undefined at run time. */
    api: undefined as AppApi<Crews, Flows, Agents, Talks> | undefined,
  };
}

/** Settings of the app for its runs. */
function runAppOf(
  options: AppOptions,
  { parts, flows }: { readonly parts: readonly Part[]; readonly flows: Versioned<BuiltFlow> },
): RunApp {
  return {
    parts,
    models: options.models ?? {},
    hooks: checkHooks(options.hooks, "defineApp"),
    placed: options.placement?.env ?? (<Env>(env: Env): Env => env),
    ...(options.modelHosts === undefined ? undefined : { modelHosts: options.modelHosts }),
    ...(options.secrets === undefined ? undefined : { secrets: options.secrets }),
    ...(options.record === undefined ? undefined : { record: options.record }),
    ...(options.limits === undefined ? undefined : { limits: options.limits }),
    ...(options.onChange === undefined ? undefined : { onChange: checkOnChange(options.onChange) }),
    ...(options.listeners === undefined
      ? undefined
      : { listeners: new ListenerPlan(options.listeners) }),
    versioned: {
      crew: options.crews,
      flow: flows,
      agent: options.agents,
      conversation: conversationsOf(options.conversations)?.registered,
    },
  };
}

/** Binds the app to an environment: its runs, its parts, and their routes. */
function servedApp(options: AppOptions, runApp: RunApp, basePath: string) {
  const { parts } = runApp;
  const hasQuotas = parts.some((part) => part.services?.quotas !== undefined);
  return (env: WorkerEnv) => {
    const gateOf = (tenant: string): QuotaGate | undefined =>
      hasQuotas ? placeOf(env, runApp, tenant).services.quotas : undefined;
    const announce = options.placement?.announce(env.DB);
    const index = new D1RunIndex(env.DB, parts);
    const runs = new DurableRunDirectory(runNamespace(env), index, {
      clock: systemClock,
      gateOf,
      announce,
    });
    const host: AppServices = {
      parts,
      runs,
      env,
      placeOf: (tenant) => placeOf(env, runApp, tenant),
      definitions: new D1DefinitionStore(env.DB, gateOf),
      keys: new D1KeyStore(env.DB),
      models: modelsOf(env, runApp),
      variables: textsOf(env),
      auth: {
        mode: authMode(env),
        ...(env.EDGECREW_ADMIN_KEY ? { adminKey: env.EDGECREW_ADMIN_KEY } : undefined),
      },
      ...(options.cors === undefined ? undefined : { cors: options.cors }),
      developmentSettings: developmentSettings(env),
      facts: workerFacts(env, { limits: options.limits, models: runApp.models }),
      basePath,
      maxBodyBytes: options.limits?.maxBodyBytes ?? MAX_BODY_BYTES,
      webhooks: {
        ...outboundPolicy(env),
        hasSecret: Boolean(textsOf(env)["EDGECREW_WEBHOOK_SECRET"]),
      },
      clock: systemClock,
      randomId,
      randomSecret,
      report: reportTo(runApp, env),
      background: (work) => waitUntil(work),
    };
    const bound = bindParts(host);
    return { runs, host, bound, http: createApp(host, [...bound.values()]) };
  };
}

/**
 * Returns the parts of an app. A feature with an option of its own, such as memory, is one line here; others are
 * entries of `parts`.
 */
function partsOf(options: AppOptions, flows: Versioned<BuiltFlow>): readonly Part[] {
  const { crews = {}, agents = {}, declarativeFlows, functions, schemas, limits } = options;
  const [anyFlow] = Object.values(new VersionedDefinitions(flows).current);
  const named = partedTools(options.tools);
  const { catalogs } = named;
  const tools = [...BUILTIN_TOOLS, ...named.tools];
  const registry = { tools, catalogs, functions, schemas };
  const { projects = crewProjects() } = options;
  const readers = definitionReaders(projects === false ? undefined : projects);
  const flowPart = declarativeFlows?.part ?? anyFlow?.part;
  const conversations = conversationsOf(options.conversations);
  const parts = [
    crewPart({
      crews,
      registry,
      maxBatchInputs: limits?.maxBatchInputs,
      readers,
    }),
    agentPart(agents),
    flowPart?.({
      flows,
      declarativeFlows,
      registry: { ...registry, crews: new VersionedDefinitions(crews).current },
      readers,
    }),
    conversations?.part({
      conversations: conversations.registered,
      registry: { ...registry, agents: new VersionedDefinitions(agents).current },
      readers,
    }),
    options.memory,
    options.knowledge,
    options.code,
    options.triggers,
    toolsPart({ tools, catalogs }),
    evaluationPart,
    ...(options.parts ?? []),
    ...(options.console ?? []),
    isFilesPart(options.files) ? options.files : undefined,
    platformPart({
      files: isFilesPart(options.files) ? undefined : options.files,
      flowStates: options.flowStates,
      modelCache: options.modelCache,
      fileDelivery: options.fileDelivery,
    }),
  ].filter((part) => part !== undefined);
  checkParts(parts);
  return parts;
}

function isFilesPart(files: AppOptions["files"]): files is Part {
  return typeof files === "object" && "name" in files;
}

/** Returns the conversations of an app with their part; undefined without any. */
function conversationsOf(
  listed: AppOptions["conversations"] = {},
): Pick<Conversations, "registered" | "part"> | undefined {
  if (isConversations(listed)) return listed;
  const [any] = Object.values(new VersionedDefinitions(listed).current);
  return any === undefined ? undefined : { registered: listed, part: any.part };
}

function isConversations(listed: Versioned<Conversation> | Conversations): listed is Conversations {
  return typeof listed["part"] === "function";
}

function authMode(env: WorkerEnv): AuthMode {
  const mode = env.EDGECREW_AUTH ?? "keys";
  if (mode === "open" || mode === "keys" || mode === "open-to-everybody") return mode;
  throw new EngineError(
    "invalid_definition",
    `the variable EDGECREW_AUTH must be "keys", "open" or "open-to-everybody", got ${JSON.stringify(mode)}`,
  );
}

/** Creates one value per environment of this isolate. */
function perEnv<Made>(make: (env: WorkerEnv) => Made): (env: WorkerEnv) => Made {
  const made = new WeakMap<WorkerEnv, Made>();
  return (env) => {
    let known = made.get(env);
    if (known === undefined) made.set(env, (known = make(env)));
    return known;
  };
}
