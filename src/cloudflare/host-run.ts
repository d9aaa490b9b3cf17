import { systemClock } from "../base/system.ts";
import { EngineError } from "../base/error.ts";
import { crewFromDefinition, readCrewDefinition } from "../crew/crew-definition.ts";
import type { Crew } from "../crew/crew.ts";
import { entryProgram, readEntry } from "../crew/entry.ts";
import type { RunServices } from "../events/run-services.ts";
import { modelCatalog, type ModelCatalog } from "../llm/model-catalog.ts";
import type { LanguageModel } from "../llm/language-model.ts";
import type { AiBinding } from "../llm/workers-ai/ai-binding.ts";
import type { JournalLimits } from "../journal/step-spec.ts";
import { RunHost, type AlarmSlot } from "../runtime/run-host.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import type { RunStart } from "../runtime/run.ts";
import type { Tool } from "../tools/tool.ts";
import { D1EvaluationStore } from "./d1-evaluation-store.ts";
import { D1RunIndex } from "./d1-run-index.ts";
import { D1TrainedStore } from "./d1-trained-store.ts";
import { EventSockets } from "./event-sockets.ts";
import { SqlRunStore, type SqlDatabase, type SqlValue } from "./sql-run-store.ts";

/** What an app's runs are made of. */
export type RunApp = {
  readonly crews: Readonly<Record<string, Crew>>;
  /** What stored definitions can name. */
  readonly tools: readonly Tool[];
  /** Models of one's own, by the name that definitions call them. */
  readonly models: Readonly<Record<string, LanguageModel>>;
  readonly limits?: Partial<JournalLimits>;
};

/** The bindings and variables that a run needs. */
export type RunEnv = { readonly DB: D1Database; readonly AI?: AiBinding };

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
    services: (start) => servicesOf(env, start),
    outbox: { index: (row) => index.put(row) },
    ...(app.limits === undefined ? undefined : { limits: app.limits }),
  });
  return { host, sockets: new EventSockets(state, host) };
}

function servicesOf({ DB }: RunEnv, { tenant }: RunStart): RunServices {
  return {
    trained: new D1TrainedStore(DB, tenant, systemClock),
    evaluations: new D1EvaluationStore(DB, tenant),
  };
}

/** Finds what a run runs, and makes it once. */
function programs(app: RunApp): (start: RunStart) => RunProgram {
  let made: RunProgram | undefined;
  return (start) => (made ??= programOf(crewOf(start, app), start));
}

function programOf(crew: Crew, { name, entry }: RunStart): RunProgram {
  return entry === undefined ? crew.program() : entryProgram(crew, readEntry(entry), name);
}

function crewOf({ name, definition }: RunStart, app: RunApp): Crew {
  if (definition !== undefined)
    return crewFromDefinition(readCrewDefinition(definition), app.tools);
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
function modelsOf(env: RunEnv, app: RunApp): ModelCatalog {
  let known = catalogs.get(app);
  if (known === undefined || known.env !== env) {
    const ai = env.AI === undefined ? undefined : { ai: env.AI };
    known = { env, models: modelCatalog({ variables: textsOf(env), models: app.models, ...ai }) };
    catalogs.set(app, known);
  }
  return known.models;
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
