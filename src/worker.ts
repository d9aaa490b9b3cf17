// The Worker: makes an app of crews into what Cloudflare runs.
import { crewRunClass } from "../durable-objects/crew-run.ts";
import { EngineError } from "./base/error.ts";
import type { JsonObject } from "./base/json.ts";
import { logError, randomId, randomSecret, systemClock } from "./base/system.ts";
import type { Agent } from "./agent/agent.ts";
import { checkMessages, type AgentRequest } from "./agent/run-agent.ts";
import type { AppPart } from "./cloudflare/app-part.ts";
import { D1DefinitionStore } from "./cloudflare/d1-definition-store.ts";
import { D1EvaluationStore } from "./cloudflare/d1-evaluation-store.ts";
import { D1KeyStore } from "./cloudflare/d1-key-store.ts";
import { D1RunIndex } from "./cloudflare/d1-run-index.ts";
import { D1TrainedStore } from "./cloudflare/d1-trained-store.ts";
import { DurableRun } from "./cloudflare/durable-run.ts";
import { DurableRunDirectory } from "./cloudflare/durable-run-directory.ts";
import {
  modelsOf,
  outboundPolicy,
  partPlace,
  runNamespace,
  textsOf,
  type RunApp,
  type RunEnv,
} from "./cloudflare/host-run.ts";
import { checkBatch } from "./crew/batch.ts";
import type { FlowStatesSetting } from "./cloudflare/durable-flow-store.ts";
import type { FilesSetting } from "./cloudflare/file-store-setting.ts";
import type { Crew } from "./crew/crew.ts";
import type { DefinitionRegistry } from "./crew/definition-registry.ts";
import { checkInputs } from "./base/interpolate.ts";
import { ListenerPlan, type Listeners } from "./events/listener.ts";
import { checkHooks, type Hook } from "./hooks/hook.ts";
import type { DeclarativeFlows } from "./flow/declarative-flows.ts";
import { builtFlow, type FlowLike } from "./flow/flow-like.ts";
import type { BuiltFlow } from "./flow/built-flow.ts";
import { createApp } from "./http/app.ts";
import { MAX_BODY_BYTES, type AppServices } from "./http/services.ts";
import type { JournalLimits } from "./journal/step-spec.ts";
import type { LanguageModel } from "./llm/language-model.ts";
import { CREWAI_FORMAT, crewaiBody } from "./protocols/crewai/codec.ts";
import { failQueued, startQueued } from "./queues/tasks.ts";
import type { RunHandle } from "./runtime/run-handle.ts";
import { BUILTIN_TOOLS } from "./tools/builtin/builtin-tools.ts";
import type { Tool } from "./tools/tool.ts";
import type { Triggers } from "./triggers/triggers.ts";

/** Where flows keep their states: in D1, or in Durable Objects. */
export { d1FlowStates } from "./cloudflare/d1-flow-store.ts";
export { FlowStates } from "../durable-objects/flow-states.ts";
export { durableFlowStates, type FlowStatesSetting } from "./cloudflare/durable-flow-store.ts";

export { VectorIndex } from "../durable-objects/vector-index.ts";
export { durableVectors } from "./cloudflare/durable-vector-store.ts";
export { vectorizeVectors } from "./cloudflare/vectorize/vectorize-store.ts";

export type AppOptions = {
  /** The crews of the app, by the name in their routes: `{ briefing }` is `POST /crews/briefing/kickoff`. @default {} */
  readonly crews?: Readonly<Record<string, Crew>>;
  /** The agents that can be started on their own, by name. @default {} */
  readonly agents?: Readonly<Record<string, Agent>>;
  /** The flows by name: flow classes, their objects, or values of `defineFlow`. @default {} */
  readonly flows?: Readonly<Record<string, FlowLike>>;
  /** Accepts flows as data over HTTP: `declarativeFlows()` of `edgecrew/flow/declarative`. @default none */
  readonly declarativeFlows?: DeclarativeFlows;
  /** Tools that crews stored over HTTP can name, in addition to `calculator`, `current_time` and `wait`. @default [] */
  readonly tools?: readonly Tool[];
  /** Functions that crews stored over HTTP can name: callbacks, conditions, guardrails. @default {} */
  readonly functions?: DefinitionRegistry["functions"];
  /** Output schemas that crews stored over HTTP can name. @default {} */
  readonly schemas?: DefinitionRegistry["schemas"];
  /** Models of your own, by the string that selects them in `llm`. @default {} */
  readonly models?: Readonly<Record<string, LanguageModel>>;
  /**
   * Where tasks write `outputFile` and read files: `"d1"` for texts and small files, or the binding name of an R2 bucket.
   * @default none: a crew that names a file fails before its first task
   */
  readonly files?: FilesSetting;
  /**
   * Where flows that persist store their states: `d1FlowStates`, or `durableFlowStates("BINDING")`.
   * @default none: such a flow fails
   */
  readonly flowStates?: FlowStatesSetting;
  /** Called for the events of all runs, in addition to the listeners of crews; see `listen()`. @default [] */
  readonly listeners?: Listeners;
  /** Hooks of all runs, called before those of crews and agents; see `on()`. @default [] */
  readonly hooks?: readonly Hook[];
  /** Memory for all runs: `memory()` of `edgecrew/memory`. @default none */
  readonly memory?: AppPart<"memory">;
  /** Knowledge for all runs: `knowledge()` of `edgecrew/knowledge`. @default none, except for what crews bring themselves */
  readonly knowledge?: AppPart<"knowledge">;
  /** Schedules, webhooks and queue messages that start runs: `triggers()` of `edgecrew/triggers`. @default none */
  readonly triggers?: Triggers;
  /** Origins of web pages that may call the API. @default none with API keys, those of this machine without */
  readonly cors?: { readonly origins: readonly string[] | "*" };
  /** Limits that a caller cannot exceed. */
  readonly limits?: Partial<JournalLimits> & {
    /** Size of a request body in bytes. @default 1_048_576 */
    readonly maxBodyBytes?: number;
    /** Inputs of one `kickoff-for-each`. @default 1000 */
    readonly maxBatchInputs?: number;
  };
};

/** The bindings and variables of the Worker. */
export type WorkerEnv = RunEnv & {
  /** `keys` (the default) or `open`. */
  readonly EDGECREW_AUTH?: string;
  /** A key of tenant `default` with all scopes. */
  readonly EDGECREW_ADMIN_KEY?: string;
  /** Durable Objects of the class `VectorIndex`: vectors of memory and knowledge. */
  readonly VECTORS?: unknown;
  /** A Vectorize index, which is taken before `VECTORS`. */
  readonly VECTORIZE?: unknown;
  /** 32 bytes in base64, with which secrets of webhooks are kept encrypted. Needed for `PUT /hooks/:name` alone. */
  readonly EDGECREW_SECRETS_KEY?: string;
};

/** Runs as code of the same Worker sees them. */
export type AppRuns = {
  readonly handle: (id: string) => RunHandle;
  /** Starts a registered crew; with an id that is in use, answers that run. */
  readonly kickoff: (
    crew: string,
    options?: { readonly id?: string; readonly inputs?: JsonObject },
  ) => Promise<RunHandle>;
  /** Starts a batch: a run of the crew for each input. Its output is a `BatchOutput`. */
  readonly kickoffForEach: (
    crew: string,
    inputs: readonly JsonObject[],
    options?: { readonly id?: string; readonly timeoutMs?: number },
  ) => Promise<RunHandle>;
  /** Starts a registered agent; with an id that is in use, answers that run. */
  readonly kickoffAgent: (
    agent: string,
    options: AgentRequest & { readonly id?: string },
  ) => Promise<RunHandle>;
};

/** What a Worker's main module exports: `export default app`, and the classes of `app.durableObjects`. */
export function defineApp(options: AppOptions) {
  const { flowStates } = options;
  const parts = [options.memory, options.knowledge].filter((part) => part !== undefined);
  const runApp: RunApp = {
    crews: options.crews ?? {},
    agents: options.agents ?? {},
    flows: builtFlows(options.flows),
    tools: [...BUILTIN_TOOLS, ...(options.tools ?? [])],
    ...(options.declarativeFlows === undefined
      ? undefined
      : { declarativeFlows: options.declarativeFlows }),
    ...(options.functions === undefined ? undefined : { functions: options.functions }),
    ...(options.schemas === undefined ? undefined : { schemas: options.schemas }),
    models: options.models ?? {},
    parts,
    webhookFormats: { [CREWAI_FORMAT]: crewaiBody },
    hooks: checkHooks(options.hooks, "defineApp"),
    ...(options.limits === undefined ? undefined : { limits: options.limits }),
    ...(flowStates === undefined ? undefined : { flowStates }),
    ...(options.files === undefined ? undefined : { files: options.files }),
    ...(options.listeners === undefined
      ? undefined
      : { listeners: new ListenerPlan(options.listeners) }),
  };
  options.triggers?.check(runApp);
  const services = perEnv((env) => {
    const runs = new DurableRunDirectory(runNamespace(env), new D1RunIndex(env.DB), systemClock);
    const shared: AppServices = {
      runs,
      definitions: new D1DefinitionStore(env.DB),
      keys: new D1KeyStore(env.DB),
      trained: (tenant) => new D1TrainedStore(env.DB, tenant, systemClock),
      evaluations: (tenant) => new D1EvaluationStore(env.DB, tenant),
      ...(flowStates === undefined
        ? undefined
        : { flowStates: (tenant: string) => flowStates(env, tenant) }),
      crews: runApp.crews,
      agents: options.agents ?? {},
      flows: runApp.flows ?? {},
      tools: runApp.tools,
      ...(options.declarativeFlows === undefined
        ? undefined
        : { declarativeFlows: options.declarativeFlows }),
      ...(options.functions === undefined ? undefined : { functions: options.functions }),
      ...(options.schemas === undefined ? undefined : { schemas: options.schemas }),
      auth: {
        mode: authMode(env),
        ...(env.EDGECREW_ADMIN_KEY ? { adminKey: env.EDGECREW_ADMIN_KEY } : undefined),
      },
      ...(options.cors === undefined ? undefined : { cors: options.cors }),
      ...(options.limits === undefined ? undefined : { limits: options.limits }),
      webhooks: { ...outboundPolicy(env), hasSecret: Boolean(env.EDGECREW_WEBHOOK_SECRET) },
      clock: systemClock,
      randomId,
      randomSecret,
      // oxlint-disable-next-line no-console -- the Worker's log is where faults of ours are looked for
      report: (error) => console.error(error),
    };
    const bound = options.triggers?.bind({
      ...shared,
      runs,
      database: env.DB,
      variables: textsOf(env),
      maxBodyBytes: options.limits?.maxBodyBytes ?? MAX_BODY_BYTES,
      report: logError,
    });
    const boundParts = parts.map((part) =>
      part.bind({
        ...shared,
        env,
        placeOf: (tenant) => partPlace(env, runApp, tenant),
        models: modelsOf(env, runApp),
        maxBodyBytes: options.limits?.maxBodyBytes ?? MAX_BODY_BYTES,
      }),
    );
    const apis = [...(bound === undefined ? [] : [bound]), ...boundParts].map(({ api }) => api);
    // Memory and knowledge have their vectors in common, so one of them looks after these.
    const [vectors] = boundParts;
    return { runs, http: createApp({ ...shared, parts: apis }), triggers: bound, vectors };
  });
  return {
    fetch: (
      request: Request,
      env: WorkerEnv,
      context: ExecutionContext,
    ): Response | Promise<Response> => services(env).http.fetch(request, env, context),
    /** The sweeper: wakes runs that have lost their alarm, and starts what schedules have due. Wants a cron trigger, every minute. */
    scheduled: async (_: ScheduledController, env: WorkerEnv): Promise<void> => {
      const { runs, triggers, vectors } = services(env);
      const done = await Promise.allSettled([runs.sweep(), triggers?.due(), vectors?.due()]);
      for (const each of done) if (each.status === "rejected") throw each.reason;
    },
    /**
     * Starts child runs, and those of the queues of `triggers`. Wants the queue `TASKS`, and one whose name ends in `-dlq` for what
     * it gives up.
     */
    queue: async (batch: MessageBatch, env: WorkerEnv): Promise<void> => {
      if (options.triggers?.queues.includes(batch.queue))
        return services(env).triggers?.queue(batch.queue, batch.messages);
      const consume = batch.queue.endsWith("-dlq") ? failQueued : startQueued;
      await consume(batch.messages, runNamespace(env));
    },
    /** The runs, for code of this Worker's own: other routes, cron, queues. Knows no keys. @default tenant "default" */
    runs: (env: WorkerEnv, tenant = "default"): AppRuns => ({
      handle: (id) => new DurableRun(id, { runs: services(env).runs, tenant, clock: systemClock }),
      kickoff: async (crew, { id = randomId(), inputs = {} } = {}) => {
        const { runs } = services(env);
        if (!Object.hasOwn(runApp.crews, crew)) {
          throw new EngineError("not_found", `there is no crew "${crew}" in this app`);
        }
        checkInputs(inputs);
        await runs.start({ id, tenant, kind: "crew", name: crew, inputs });
        return new DurableRun(id, { runs, tenant, clock: systemClock });
      },
      kickoffForEach: async (name, inputs, { id = randomId(), timeoutMs } = {}) => {
        const { runs } = services(env);
        const crew = Object.hasOwn(runApp.crews, name) ? runApp.crews[name] : undefined;
        if (crew === undefined)
          throw new EngineError("not_found", `there is no crew "${name}" in this app`);
        const { maxBatchInputs: maxInputs } = options.limits ?? {};
        checkBatch(inputs, { required: crew.requiredInputs, maxInputs });
        const batch = { inputs, ...(timeoutMs === undefined ? undefined : { timeoutMs }) };
        await runs.start({ id, tenant, kind: "batch", name, inputs: batch });
        return new DurableRun(id, { runs, tenant, clock: systemClock });
      },
      kickoffAgent: async (agent, { id = randomId(), messages, inputs = {} }) => {
        const { runs } = services(env);
        if (!Object.hasOwn(options.agents ?? {}, agent)) {
          throw new EngineError("not_found", `there is no agent "${agent}" in this app`);
        }
        checkMessages(messages);
        checkInputs(inputs);
        const start = { id, tenant, kind: "agent", name: agent } as const;
        await runs.start({ ...start, inputs: { messages, inputs } });
        return new DurableRun(id, { runs, tenant, clock: systemClock });
      },
    }),
    durableObjects: { CrewRun: crewRunClass(runApp) },
  };
}

function builtFlows(flows: AppOptions["flows"] = {}): Record<string, BuiltFlow> {
  return Object.fromEntries(
    Object.entries(flows).map(([name, flow]) => [name, builtFlow(flow, name)]),
  );
}

function authMode(env: WorkerEnv): "open" | "keys" {
  const mode = env.EDGECREW_AUTH ?? "keys";
  if (mode === "open" || mode === "keys") return mode;
  throw new EngineError(
    "invalid_definition",
    `the variable EDGECREW_AUTH must be "keys" or "open", got ${JSON.stringify(mode)}`,
  );
}

/** Makes something once for each environment that this isolate is handed. */
function perEnv<Made>(make: (env: WorkerEnv) => Made): (env: WorkerEnv) => Made {
  const made = new WeakMap<WorkerEnv, Made>();
  return (env) => {
    let known = made.get(env);
    if (known === undefined) made.set(env, (known = make(env)));
    return known;
  };
}
