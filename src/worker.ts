// The Worker: turns an app of crews into a main module for Cloudflare.
import { definitionOptions, refuseUnknownOptions } from "./base/unknown-options.ts";
import { waitUntil } from "cloudflare:workers";
import { crewRunClass } from "../durable-objects/crew-run.ts";
import { sessionsClass } from "../durable-objects/sessions.ts";
import { agentPart } from "./agent/agent-part.ts";
import type { Agent } from "./agent/description/agent.ts";
import { EngineError } from "./base/error.ts";
import { setLog } from "./base/log.ts";
import { randomId, randomSecret, systemClock } from "./base/system.ts";
import { consumeBatch } from "./cloudflare/consume-batch.ts";
import { runScheduledWork } from "./cloudflare/scheduled-work.ts";
import { developmentSettings } from "./cloudflare/development-settings.ts";
import { D1DefinitionStore } from "./cloudflare/stores/d1-definition-store.ts";
import { D1KeyStore } from "./cloudflare/stores/d1-key-store.ts";
import { D1RunIndex } from "./cloudflare/runs/d1-run-index.ts";
import type { FlowStatesSetting } from "./cloudflare/stores/durable-flow-store.ts";
import { appRuns, type AppRuns } from "./cloudflare/runs/app-runs.ts";
import { DurableRunDirectory } from "./cloudflare/runs/durable-run-directory.ts";
import type { FileDeliverySetting } from "./cloudflare/file-delivery.ts";
import type { FilesSetting } from "./cloudflare/stores/file-store-setting.ts";
import {
  modelsOf,
  outboundPolicy,
  placeOf,
  reportTo,
  type RunApp,
  type RunEnv,
} from "./cloudflare/host-run.ts";
import type { Placement } from "./cloudflare/placement.ts";
import { textsOf } from "./cloudflare/texts-of.ts";
import { platformPart } from "./cloudflare/platform-part.ts";
import { workerFacts } from "./cloudflare/worker-facts.ts";
import { runNamespace } from "./cloudflare/runs/run-namespace.ts";
import type { Conversation } from "./conversation/conversation.ts";
import type { Conversations } from "./conversation/conversations.ts";
import { crewPart } from "./crew/crew-part.ts";
import type { Crew } from "./crew/crew.ts";
import type { DefinitionRegistry } from "./crew/definition/definition-registry.ts";
import { evaluationPart } from "./evaluation/evaluation-part.ts";
import { ListenerPlan, type Listeners } from "./events/listener.ts";
import type { DeclarativeFlows } from "./flow/declarative-flows.ts";
import type { AppApi } from "./flow/app-api.ts";
import { builtFlow, type FlowLike } from "./flow/flow-like.ts";
import type { BuiltFlow } from "./flow/built-flow.ts";
import { checkHooks, type Hook } from "./hooks/hook.ts";
import { createApp } from "./http/app.ts";
import { checkBasePath, withoutBasePath } from "./http/base-path.ts";
import type { AppServices, AuthMode } from "./http/services.ts";
import { checkOnChange, type OnChange } from "./runtime/code-change.ts";
import type { Recording } from "./model-calls/call-record.ts";
import type { RunLimits } from "./runtime/crash-budget.ts";
import type { LanguageModel } from "./llm/language-model.ts";
import { bindParts, checkParts } from "./parts/bind-parts.ts";
import type { QuotaGate } from "./parts/quota-gate.ts";
import type { Part } from "./parts/part.ts";
import { MAX_BODY_BYTES } from "./parts/request-body.ts";
import { mapVersions, VersionedDefinitions, type Versioned } from "./parts/versions.ts";
import type { CrewProjects } from "./project/crew-projects.ts";
import { definitionReaders } from "./project/definition-readers.ts";
import type { ModelCacheSetting } from "./cloudflare/stores/kv-model-cache.ts";
import { BUILTIN_TOOLS } from "./tools/builtin/builtin-tools.ts";
import { partedTools, type ToolCatalog } from "./tools/tool-catalog.ts";
import type { Tool } from "./tools/tool.ts";
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
export type { ModelCacheSetting };
export { whisper, type FileDeliverySetting } from "./cloudflare/file-delivery.ts";

/** Contents and settings of an app; all optional. */
export type AppOptions = {
  /**
   * Crews of the app, by the name in their routes: `{ briefing }` is `POST /crews/briefing/kickoff`. `versions()` puts
   * several under one name. @default {}
   */
  readonly crews?: Versioned<Crew>;
  /** Agents of the app, started on their own, by name. @default {} */
  readonly agents?: Versioned<Agent>;
  /** The flows by name: flow classes, their objects, or values of `defineFlow`. @default {} */
  readonly flows?: Versioned<FlowLike>;
  /**
   * Conversations by name, made by `defineConversation`; `conversations()` of `edgecrew/conversation` accepts stored
   * ones in an app without its own. @default none, also over HTTP
   */
  readonly conversations?: Versioned<Conversation> | Conversations;
  /** Accepts flows as data over HTTP: `declarativeFlows()` of `edgecrew/flow/declarative`. @default off */
  readonly declarativeFlows?: DeclarativeFlows;
  /**
   * Tools for crews stored over HTTP, in addition to `calculator`, `current_time` and `wait`: your own, and those of
   * `toolCatalog()` of `edgecrew/tools/catalog`.
   * @default []
   */
  readonly tools?: ToolCatalog | readonly (Tool | ToolCatalog)[];
  /** Functions for crews stored over HTTP, by name: callbacks, conditions, guardrails. @default {} */
  readonly functions?: DefinitionRegistry["functions"];
  /** Output schemas for crews stored over HTTP, by name. @default {} */
  readonly schemas?: DefinitionRegistry["schemas"];
  /** Models of your own, by their name in `llm`. @default {} */
  readonly models?: Readonly<Record<string, LanguageModel>>;
  /**
   * Storage for the `outputFile` and the input files of tasks: `"d1"` for texts and small files, or the binding name of
   * an R2 bucket. `files()` of `edgecrew/files` adds upload and download over HTTP.
   * @default off: a crew with a file fails before its first task
   */
  readonly files?: FilesSetting | Part;
  /**
   * Storage for the states of persistent flows: `d1FlowStates`, or `durableFlowStates("BINDING")`.
   * @default off: such a flow fails
   */
  readonly flowStates?: FlowStatesSetting;
  /**
   * Storage for the answers of models with a `cacheSeed`: `d1ModelCache`, or `kvModelCache("BINDING")`. @default
   * d1ModelCache
   */
  readonly modelCache?: ModelCacheSetting;
  /**
   * Conversion of files for models without support for them: readers of documents, `whisper()` for sound, the binding
   * of Images.
   * @default the binding `IMAGES`, if it exists, and the readers of `knowledge()`
   */
  readonly fileDelivery?: FileDeliverySetting;
  /** Called for the events of all runs, in addition to the listeners of crews; see `onEvent()`. @default [] */
  readonly listeners?: Listeners;
  /** Hooks of all runs, called before those of crews and agents; see `on()`. @default [] */
  readonly hooks?: readonly Hook[];
  /** Memory for all runs: `memory()` of `edgecrew/memory`. @default off */
  readonly memory?: Part;
  /** Knowledge for all runs: `knowledge()` of `edgecrew/knowledge`. @default only the crews' own */
  readonly knowledge?: Part;
  /** Runner of code written by models: `codeRunners()` of `edgecrew/code`. @default off: such code is not run */
  readonly code?: Part;
  /** Schedules, webhooks and queue messages for starting runs: `triggers()` of `edgecrew/triggers`. @default off */
  readonly triggers?: Part;
  /**
   * The web console, sessions of browsers and tokens for front ends: `console()` of `edgecrew/console`. @default off
   */
  readonly console?: readonly Part[];
  /**
   * Accepts crews over HTTP as the files of a CrewAI project: `crewProjects()` of `edgecrew/project`. @default off: a
   * crew over HTTP is one document, JSON or YAML
   */
  readonly projects?: CrewProjects;
  /** Skills in a project's `definitions()`. They have no effect here: the project's crews have theirs. */
  readonly skills?: Readonly<Record<string, unknown>>;
  /** Further parts, such as protocols or features of your own. @default [] */
  readonly parts?: readonly Part[];
  /**
   * Hosts allowed for models and embedders of stored definitions and requests, also private ones: `api.example.com`,
   * `*.example.com`, `localhost:11434`. Definitions in code may use any host. @default every public host, over https
   */
  readonly modelHosts?: readonly string[];
  /** Variables allowed as secrets in stored definitions and requests: `apiKey: { secret: "TEAM_KEY" }`. @default [] */
  readonly secrets?: readonly string[];
  /**
   * Path under which the app is mounted, such as `/ai`: links, `Location`, `/docs` and `/openapi.json` begin with it.
   * @default ""
   */
  readonly basePath?: string;
  /** Origins of web pages with access to the API. @default none with API keys, those of this machine without */
  readonly cors?: { readonly origins: readonly string[] | "*" };
  /**
   * Handling of runs after a deploy has changed the input of one of their finished steps, such as a prompt: `continue`
   * keeps the recorded result and notes the change, `hold` holds the run until matching code is deployed, `fail` ends
   * it. @default "continue"
   */
  readonly onChange?: OnChange;
  /**
   * Location of the app's objects: `placement({ jurisdiction: "eu" })`. @default each near the caller that starts its
   * run, under no jurisdiction
   */
  readonly placement?: Placement;
  /**
   * Stored part of model requests: `requests: "none"` stores no requests, `redact` changes each text before it is
   * stored.
   * @default { requests: "full" }
   */
  readonly record?: Recording;
  /** Upper limits for callers. */
  readonly limits?: Partial<RunLimits> & {
    /** Size of a request body in bytes. @default 1_048_576 */
    readonly maxBodyBytes?: number;
    /** Inputs of one `kickoff-for-each`. @default 1000 */
    readonly maxBatchInputs?: number;
  };
};

const APP_OPTIONS = definitionOptions<AppOptions>("defineApp()", {
  crews: true,
  agents: true,
  flows: true,
  conversations: true,
  declarativeFlows: true,
  tools: true,
  functions: true,
  schemas: true,
  models: true,
  files: true,
  flowStates: true,
  modelCache: true,
  fileDelivery: true,
  listeners: true,
  hooks: true,
  memory: true,
  knowledge: true,
  code: true,
  triggers: true,
  console: true,
  projects: true,
  skills: true,
  parts: true,
  modelHosts: true,
  secrets: true,
  basePath: true,
  cors: true,
  onChange: true,
  placement: true,
  record: true,
  limits: true,
});

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
  const readers = definitionReaders(options.projects);
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
