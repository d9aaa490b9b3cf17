// The Worker: makes an app of crews into what Cloudflare runs.
import { crewRunClass } from "../durable-objects/crew-run.ts";
import { EngineError } from "./base/error.ts";
import type { JsonObject } from "./base/json.ts";
import { randomId, randomSecret, systemClock } from "./base/system.ts";
import { D1DefinitionStore } from "./cloudflare/d1-definition-store.ts";
import { D1EvaluationStore } from "./cloudflare/d1-evaluation-store.ts";
import { D1KeyStore } from "./cloudflare/d1-key-store.ts";
import { D1RunIndex } from "./cloudflare/d1-run-index.ts";
import { D1TrainedStore } from "./cloudflare/d1-trained-store.ts";
import { DurableRun } from "./cloudflare/durable-run.ts";
import { DurableRunDirectory, type RunNamespace } from "./cloudflare/durable-run-directory.ts";
import type { RunApp, RunEnv } from "./cloudflare/host-run.ts";
import type { Crew } from "./crew/crew.ts";
import { checkInputs } from "./crew/interpolate.ts";
import { createApp } from "./http/app.ts";
import type { JournalLimits } from "./journal/step-spec.ts";
import type { LanguageModel } from "./llm/language-model.ts";
import type { RunHandle } from "./runtime/run-handle.ts";
import { BUILTIN_TOOLS } from "./tools/builtin/builtin-tools.ts";
import type { Tool } from "./tools/tool.ts";

export type AppOptions = {
  /** The crews that can be started by name. */
  readonly crews?: Readonly<Record<string, Crew>>;
  /** What crews stored over HTTP can name, beside the built-in `calculator`, `current_time` and `wait`. */
  readonly tools?: readonly Tool[];
  /** Models of one's own, by the name that `llm` calls them. */
  readonly models?: Readonly<Record<string, LanguageModel>>;
  /** Web pages that may call the API. @default none when keys are needed, those of this machine when it is open */
  readonly cors?: { readonly origins: readonly string[] | "*" };
  readonly limits?: Partial<JournalLimits> & {
    /** Of a request body, in bytes. @default 1 MiB */
    readonly maxBodyBytes?: number;
  };
};

/** The bindings and variables of the Worker. */
export type WorkerEnv = RunEnv & {
  readonly CREW_RUN: unknown;
  /** `keys` (the default) or `open`. */
  readonly EDGECREW_AUTH?: string;
  /** A key of tenant `default` with all scopes. */
  readonly EDGECREW_ADMIN_KEY?: string;
};

/** Runs as code of the same Worker sees them. */
export type AppRuns = {
  readonly handle: (id: string) => RunHandle;
  /** Starts a registered crew; with an id that is in use, answers that run. */
  readonly kickoff: (
    crew: string,
    options?: { readonly id?: string; readonly inputs?: JsonObject },
  ) => Promise<RunHandle>;
};

/** What a Worker's main module exports: `export default app`, and the classes of `app.durableObjects`. */
export function defineApp(options: AppOptions) {
  const runApp: RunApp = {
    crews: options.crews ?? {},
    tools: [...BUILTIN_TOOLS, ...(options.tools ?? [])],
    models: options.models ?? {},
    ...(options.limits === undefined ? undefined : { limits: options.limits }),
  };
  const services = perEnv((env) => {
    const runs = new DurableRunDirectory(namespaceOf(env), new D1RunIndex(env.DB), systemClock);
    const http = createApp({
      runs,
      definitions: new D1DefinitionStore(env.DB),
      keys: new D1KeyStore(env.DB),
      trained: (tenant) => new D1TrainedStore(env.DB, tenant, systemClock),
      evaluations: (tenant) => new D1EvaluationStore(env.DB, tenant),
      crews: runApp.crews,
      tools: runApp.tools,
      auth: {
        mode: authMode(env),
        ...(env.EDGECREW_ADMIN_KEY ? { adminKey: env.EDGECREW_ADMIN_KEY } : undefined),
      },
      ...(options.cors === undefined ? undefined : { cors: options.cors }),
      ...(options.limits?.maxBodyBytes === undefined
        ? undefined
        : { limits: { maxBodyBytes: options.limits.maxBodyBytes } }),
      clock: systemClock,
      randomId,
      randomSecret,
      // oxlint-disable-next-line no-console -- the Worker's log is where faults of ours are looked for
      report: (error) => console.error(error),
    });
    return { runs, http };
  });
  return {
    fetch: (
      request: Request,
      env: WorkerEnv,
      context: ExecutionContext,
    ): Response | Promise<Response> => services(env).http.fetch(request, env, context),
    /** The sweeper: wakes runs that have lost their alarm. Wants a cron trigger, such as every minute. */
    scheduled: async (_: ScheduledController, env: WorkerEnv): Promise<void> => {
      await services(env).runs.sweep();
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
    }),
    durableObjects: { CrewRun: crewRunClass(runApp) },
  };
}

function authMode(env: WorkerEnv): "open" | "keys" {
  const mode = env.EDGECREW_AUTH ?? "keys";
  if (mode === "open" || mode === "keys") return mode;
  throw new EngineError(
    "invalid_definition",
    `the variable EDGECREW_AUTH must be "keys" or "open", got ${JSON.stringify(mode)}`,
  );
}

function namespaceOf(env: WorkerEnv): RunNamespace {
  const namespace = env.CREW_RUN;
  if (typeof namespace === "object" && namespace !== null && "getByName" in namespace)
    return namespace as RunNamespace;
  throw new EngineError(
    "invalid_definition",
    "wrangler.toml must bind the Durable Object class CrewRun as CREW_RUN",
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
