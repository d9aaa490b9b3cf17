import { logError, noteOf, setLog } from "../base/log.ts";
import { randomBytes, randomId, systemClock } from "../base/system.ts";
import { EngineError } from "../base/error.ts";
import type { ListenerPlan } from "../events/listener.ts";
import { withServices, type RunServices } from "../events/run-services.ts";
import type { Hook } from "../hooks/hook.ts";
import type { LanguageModel } from "../llm/language-model.ts";
import { modelCatalog, type ModelCatalog } from "../llm/model-catalog.ts";
import type { ModelEnvironment } from "../llm/model-environment.ts";
import type { AiBinding } from "../llm/workers-ai/ai-binding.ts";
import type { Recording } from "../model-calls/call-record.ts";
import type { EndedRun } from "../runtime/run-sums.ts";
import type { Part, PartPlace } from "../parts/part.ts";
import { currentVersionsOf, programsOf } from "../parts/programs.ts";
import { noticing } from "../parts/bind-parts.ts";
import { openServices, runCare } from "../parts/services.ts";
import type { OnChange } from "../runtime/code-change.ts";
import type { RunLimits } from "../runtime/crash-budget.ts";
import type { DrivePorts } from "../runtime/run-drive.ts";
import { RunHost } from "../runtime/run-host.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import { isTerminal, type RunStart } from "../runtime/run.ts";
import type { OutboundPolicy } from "../security/outbound.ts";
import { textsOf } from "./texts-of.ts";
import { SecretBox } from "../security/secret-box.ts";
import { childDeliveries, type TaskQueue } from "./runs/child-starter.ts";
import { D1RunIndex } from "./runs/d1-run-index.ts";
import { EventSockets } from "./runs/event-sockets.ts";
import { alarmOf, databaseOf } from "./runs/object-storage.ts";
import { callRun } from "./runs/run-object-api.ts";
import { KeyChecks } from "./runs/key-checks.ts";
import { runNamespace } from "./runs/run-namespace.ts";
import { D1KeyStore } from "./stores/d1-key-store.ts";
import { SqlRunStore } from "./runs/sql-run-store.ts";
import { webhookCourier } from "./runs/webhook-courier.ts";
import type { DurableTables } from "../tools/catalog/tables/table-database.ts";

/** App settings for its runs. */
export type RunApp = {
  readonly parts: readonly Part[];
  /** The app's own models, by their name in definitions. */
  readonly models: Readonly<Record<string, LanguageModel>>;
  /** Hooks for all runs. */
  readonly hooks?: readonly Hook[];
  /** Allowed hosts for models and embedders of definitions. @default every public host, over https */
  readonly modelHosts?: readonly string[];
  /** Variables that definitions may use as secrets. @default [] */
  readonly secrets?: readonly string[];
  /** Recording of model requests in runs. */
  readonly record?: Recording;
  readonly limits?: Partial<RunLimits>;
  /** Returns the bindings with objects addressed at their place. */
  readonly placed: <Env extends object>(env: Env) => Env;
  readonly onChange?: OnChange;
  /** Listeners to the events of all runs. */
  readonly listeners?: ListenerPlan;
  /** Definitions of each kind with versions, by name. */
  readonly versioned?: Readonly<Record<string, Readonly<Record<string, object>> | undefined>>;
};

/** Bindings and variables of a run. */
export type RunEnv = {
  readonly DB: D1Database;
  readonly AI?: AiBinding;
  readonly CREW_RUN: unknown;
  /** Allowed targets of addresses in data: `public` (the default), `any` for development, or `any-for-everybody`. */
  readonly EDGECREW_OUTBOUND?: string;
  /** Key of 32 bytes in base64 for encrypting keys of definitions and secrets of webhooks. */
  readonly EDGECREW_SECRETS_KEY?: string;
  /** Signs webhooks without their own secret. */
  readonly EDGECREW_WEBHOOK_SECRET?: string;
  /** Log level: `off`, `errors` (the default), `runs` or `debug`. */
  readonly EDGECREW_LOG?: string;
  /** Signs addresses of files. */
  readonly EDGECREW_FILES_SECRET?: string;
  /** Queue for starting child runs. Without it a run starts its children itself. */
  readonly TASKS?: TaskQueue;
  /** Binding `version_metadata`: lets held runs continue by themselves after a deploy. */
  readonly VERSION?: { readonly id: string; readonly tag?: string; readonly timestamp?: string };
};

/** Creates the host of the run in this Durable Object. */
export function hostRun(
  state: DurableObjectState,
  unplaced: RunEnv,
  app: RunApp,
): { host: RunHost; sockets: EventSockets } {
  const env = app.placed(unplaced);
  setLog(env.EDGECREW_LOG, env.VERSION?.id);
  const index = new D1RunIndex(env.DB, app.parts);
  const variables = textsOf(env);
  const formats = Object.assign({}, ...app.parts.map((part) => part.webhookFormats));
  const tableStorage: DurableTables = state.storage;
  const host: RunHost = new RunHost({
    store: runStoreOf(state),
    alarm: alarmOf(state.storage),
    clock: systemClock,
    ...drivePorts(env, app),
    services: ({ tenant }) => withServices(servicesOf(env, app, tenant), { tableStorage }),
    program: programOnce(app),
    currentVersion: currentVersionsOf(app.parts),
    care: runCare(app.parts, (tenant) => placeOf(env, app, tenant)),
    outbox: {
      index: async (row) => {
        const isNew = await index.put(row);
        if (isNew && isTerminal(row.status)) tellEnd(host.reader.ended(), { app, env });
      },
      ...childDeliveries(runNamespace(env), env.TASKS),
      webhook: webhookCourier({
        clock: systemClock,
        policy: outboundPolicy(env),
        secret: variables["EDGECREW_WEBHOOK_SECRET"],
        open: (sealed, owner) =>
          new SecretBox(variables["EDGECREW_SECRETS_KEY"], randomBytes).open(sealed, owner),
        formats,
      }),
    },
    recordPage: ({ tenant, runId: id, place }) =>
      callRun(runNamespace(env), { tenant, id }, ["recordPage", place]),
    drivesAtOnce: true,
    withSums: index.withSums,
    withText: index.withText,
    codeVersion: codeVersionOf(env),
    deployment: env.VERSION?.id,
    ...(app.listeners === undefined ? undefined : { listeners: app.listeners }),
    report: reportTo(app, env),
  });
  const keys = new KeyChecks(new D1KeyStore(env.DB), systemClock);
  return { host, sockets: new EventSockets(state, host, keys) };
}

/** Returns the ports for driving the app's runs, in their objects and in replays elsewhere. */
export function drivePorts(
  env: RunEnv,
  app: RunApp,
): Pick<DrivePorts, "program" | "models" | "services" | "onChange" | "limits"> {
  return {
    program: programsOf(app.parts),
    models: modelsOf(env, app),
    services: ({ tenant }) => servicesOf(env, app, tenant),
    ...(app.onChange === undefined ? undefined : { onChange: app.onChange }),
    ...(app.limits === undefined ? undefined : { limits: app.limits }),
  };
}

/** Notifies parts of the end of a run. */
function tellEnd(
  run: EndedRun,
  { app, env }: { readonly app: RunApp; readonly env: RunEnv },
): void {
  for (const { runs } of app.parts)
    try {
      runs?.ended?.(env, env.VERSION === undefined ? run : { ...run, codeVersion: env.VERSION.id });
    } catch (error) {
      logError(error);
    }
}

/** Logs an error and notifies interested parts. */
export function reportTo({ parts }: Pick<RunApp, "parts">, env: RunEnv): (error: unknown) => void {
  const notice = noticing(parts, env);
  return (error) => {
    logError(error);
    void notice(noteOf(error));
  };
}

/** Returns the store of the run in this Durable Object. */
export function runStoreOf({ storage }: DurableObjectState): SqlRunStore {
  return new SqlRunStore(databaseOf(storage));
}

let isolate: string | undefined;

/**
 * Returns the version of the deployed code. Without version metadata each isolate counts as a version, as it may run
 * other code.
 */
function codeVersionOf({ VERSION: version }: RunEnv): string {
  return version?.id ?? (isolate ??= `isolate:${randomId()}`);
}

/** Fails with `invalid_definition` for an unknown setting. */
export function outboundPolicy({ EDGECREW_OUTBOUND: setting = "public" }: RunEnv): OutboundPolicy {
  if (setting === "public") return { allowPrivate: false };
  if (setting === "any" || setting === "any-for-everybody") return { allowPrivate: true };
  throw new EngineError(
    "invalid_definition",
    `the variable EDGECREW_OUTBOUND must be "public", "any" or "any-for-everybody", got ${JSON.stringify(setting)}`,
  );
}

/** Services of a tenant's runs beside models. */
function servicesOf(env: RunEnv, app: RunApp, tenant: string): RunServices {
  const base = {
    hooks: { app: app.hooks ?? [] },
    variables: textsOf(env),
    ...(app.record === undefined ? undefined : { recording: app.record }),
  };
  return openServices(app.parts, placeIn(env, app, tenant), base);
}

/** Opens a tenant's services outside of runs. */
export function placeOf(env: RunEnv, app: RunApp, tenant: string): PartPlace {
  const place = placeIn(env, app, tenant);
  return { ...place, services: openServices(app.parts, place) };
}

function placeIn(env: RunEnv, app: RunApp, tenant: string): Omit<PartPlace, "services"> {
  const environment = modelEnvironment(env, app);
  return { tenant, env, environment, outbound: outboundPolicy(env) };
}

/** Finds the program of a run and creates it once. */
function programOnce({ parts }: RunApp): (start: RunStart) => RunProgram {
  const find = programsOf(parts);
  let made: RunProgram | undefined;
  return (start) => (made ??= find(start));
}

const catalogs = new WeakMap<RunApp, { readonly env: unknown; readonly models: ModelCatalog }>();

/** Models of this isolate, shared by all its runs. */
export function modelsOf(env: RunEnv, app: RunApp): ModelCatalog {
  let known = catalogs.get(app);
  if (known === undefined || known.env !== env) {
    known = { env, models: modelCatalog(modelEnvironment(env, app)) };
    catalogs.set(app, known);
  }
  return known.models;
}

function modelEnvironment(env: RunEnv, { models, modelHosts, secrets }: RunApp): ModelEnvironment {
  const ai = env.AI === undefined ? undefined : { ai: env.AI };
  const box = new SecretBox(textsOf(env)["EDGECREW_SECRETS_KEY"], randomBytes);
  const definitions = {
    outbound: outboundPolicy(env),
    modelHosts,
    secrets,
    seal: (key: string, owner: string) => box.seal(key, owner),
    open: (sealed: string, owner: string) => box.open(sealed, owner),
  };
  // These models serve all tenants. A run brings its own cache.
  return { variables: textsOf(env), models, definitions, cache: undefined, ...ai };
}
