// Where in a run an error came from: its task and agent, its method.
//
//   EPL1. The error of a run names it before its message. An error that code of the user's catches keeps the message it was thrown with,
//        in the first execution and in each replay.
import { errorRecord } from "./error-record.ts";
import { EngineError, type ErrorCode, type ErrorRecord } from "./error.ts";

/** Errors that are about the run, whatever it was at. */
const OF_RUN: ReadonlySet<ErrorCode> = new Set(["run_cancelled", "journal_mismatch"]);

/** The run that an error was thrown in last: code may throw the same error again and again. */
const runs = new WeakMap<object, string>();

/**
 * Notes with an error what it came out of in a run, such as `task "letter" (agent "Clerk")`, and returns it. A method comes before a task
 * or an agent within it; of two places of one kind the last counts.
 */
export function cameFrom<Thrown>(place: string, runId: string, error: Thrown): Thrown {
  if (!EngineError.is(error) || Object.isFrozen(error)) return error;
  const before = runs.get(error) === runId ? error.where : undefined;
  runs.set(error, runId);
  const isOfKind = before === undefined || kindOf(before) === kindOf(place);
  error.where = isOfKind ? place : `${place}: ${before}`;
  return error;
}

function kindOf(place: string): string {
  return place.slice(0, place.indexOf(" "));
}

/** The record of the error that a run ended with (EPL1). */
export function endOfRun(error: unknown): ErrorRecord {
  const record = errorRecord(error);
  const where = EngineError.is(error) ? error.where : undefined;
  if (where === undefined || OF_RUN.has(record.code)) return record;
  const isNamed = where.split(": ").every((place) => record.message.includes(nameIn(place)));
  return isNamed ? record : errorRecord(withPlace(record, where));
}

/** The beginning of a place, up to the end of the first name in it. */
function nameIn(place: string): string {
  return place.slice(0, place.indexOf('"', place.indexOf('"') + 1) + 1);
}

function withPlace(record: ErrorRecord, where: string): EngineError {
  return EngineError.fromRecord({ ...record, message: `${where}: ${record.message}` });
}
