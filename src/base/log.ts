// The log of a Worker: one JSON object a line, for its operator.
//
//   LOG1. No line contains words of people, models or tools. Errors are logged by kind, code and places in the code,
//         never by message; everything else by ids and numbers.
//   LOG2. `EDGECREW_LOG` is the lowest level that is logged: `off`, `errors` (failures and abandoned work), `runs` (and
//         each ended run), `debug` (and each request and minute of the cron).
//   LOG3. A failing log has no effect on its callers.
import { environmentVariables, writeLine, type LineLevel } from "./system.ts";
import { errorFacts, type ErrorFacts } from "./error-facts.ts";

/** Every message of the log, by its code. The table of docs/logs.md is this one. */
export const LOG_MESSAGES = {
  request_failed: ["error", "a request failed by a fault of the Worker"],
  alarm_failed: ["error", "the alarm of a run failed and is repeated"],
  cron_failed: ["error", "work of the cron failed"],
  listener_failed: ["error", "a listener failed"],
  background_failed: ["error", "work in the background failed"],
  queue_message_failed: ["error", "a queue message started no run and is retried"],
  start_failed: ["error", "a due run could not start and is retried"],
  webhook_unusable: ["error", "a webhook for starting runs is unusable"],
  unexpected: ["error", "an unhandled error"],
  clean_up_abandoned: ["warn", "a clean-up of a run was abandoned"],
  dead_letter: ["warn", "a queue abandoned the start of a run, and the run failed"],
  log_level_unknown: ["warn", "EDGECREW_LOG must be off, errors, runs or debug; errors is used"],
  model_away: ["warn", "a step waits for a model or server that is unavailable"],
  price_unknown: ["warn", "the price of a model is unknown and counts as 0"],
  quota_80: ["warn", "a tenant has used 80 % of a quota"],
  project_warning: ["warn", "a part of the project's definition has no effect"],
  run_held: ["warn", "a run is held because the code does not fit it"],
  tool_replaced: ["warn", "a tool replaces another one of the same name"],
  usage_unknown: [
    "warn",
    "a model does not report its tokens, so they count as 0 in usage and budgets",
  ],
  webhook_abandoned: ["warn", "a webhook was abandoned"],
  run_ended: ["info", "a run has ended"],
  request_answered: ["debug", "a request was answered"],
  cron_done: ["debug", "the work of a minute of the cron is done"],
} as const satisfies Record<string, readonly [LineLevel, string]>;

export type LogCode = keyof typeof LOG_MESSAGES;

/** Fields of a log line beside its message. Invalid ids are left out. */
export type LogFields = {
  readonly tenant?: string | undefined;
  readonly run?: string | undefined;
  readonly kind?: string | undefined;
  readonly status?: string | number | undefined;
  readonly step?: string | undefined;
  /** Name of a webhook that starts runs. */
  readonly hook?: string | undefined;
  readonly name?: string | undefined;
  readonly queue?: string | undefined;
  readonly listener?: string | undefined;
  readonly model?: string | undefined;
  readonly tool?: string | undefined;
  readonly part?: string | undefined;
  /** The id of an operation of the API. */
  readonly operation?: string | undefined;
  readonly event?: string | undefined;
  readonly reason?: string | undefined;
  readonly ms?: number | undefined;
  readonly attempt?: number | undefined;
  /** Words of the author's own files, which do not belong to a run. */
  readonly detail?: string | undefined;
};

/** Log code and fields for an error. */
export type LogNote = { readonly code: LogCode; readonly fields: LogFields };

export const LOG_LEVELS = ["off", "errors", "runs", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogSettings = { readonly level: LogLevel; readonly version?: string | undefined };

const RANK: Readonly<Record<LineLevel, number>> = { error: 1, warn: 1, info: 2, debug: 3 };
/** Names and ids, among them the keys of steps. */
const ID = /^[\w@.,:*/#~+-]{1,200}$/;
const MAX_DETAIL = 2_000;

let settings: LogSettings | undefined;

/** Sets the log level of this process, from the variables of its Worker. */
export function setLog(level: string | undefined, version?: string): void {
  const known = LOG_LEVELS.find((each) => each === level);
  const isNew = settings === undefined;
  settings = { level: known ?? "errors", version };
  if (isNew && known === undefined && level !== undefined && level !== "") log("log_level_unknown");
}

/** Writes a line, if the level allows it. `error` is the subject of the line. */
export function log(code: LogCode, fields: LogFields = {}, error?: unknown): void {
  const [level, msg] = LOG_MESSAGES[code];
  if (settings === undefined) setLog(environmentVariables()["EDGECREW_LOG"]);
  const { level: least, version } = settings ?? { level: "errors" };
  if (LOG_LEVELS.indexOf(least) < RANK[level]) return;
  try {
    const known = { level, code, msg, ...checked(fields) };
    const facts: { error?: ErrorFacts } = error === undefined ? {} : { error: errorFacts(error) };
    writeLine(level, JSON.stringify({ ...known, ...facts, version }));
  } catch {
    // an unreadable value must not stop the caller
  }
}

const notes = new WeakMap<object, LogNote>();

/** Attaches a log note to an error and returns it. An earlier note stays. */
export function noted<Thrown>(error: Thrown, code: LogCode, fields: LogFields = {}): Thrown {
  if (typeof error === "object" && error !== null && !notes.has(error))
    notes.set(error, { code, fields });
  return error;
}

/** Returns the log note of an error. */
export function noteOf(error: unknown): LogNote {
  const found = typeof error === "object" && error !== null ? notes.get(error) : undefined;
  return found ?? { code: "unexpected", fields: {} };
}

/** Logs an error without a handler. */
export function logError(error: unknown): void {
  const { code, fields } = noteOf(error);
  log(code, fields, error);
}

function checked({ detail, ...fields }: LogFields): LogFields {
  const ids = Object.entries(fields).filter(
    ([, value]) => typeof value === "number" || (typeof value === "string" && ID.test(value)),
  );
  const words = detail === undefined ? undefined : { detail: detail.slice(0, MAX_DETAIL) };
  return { ...Object.fromEntries(ids), ...words };
}
