// Origin of an error within a run: its task and agent, or its method.
//
//   EPL1. The error of a run names its origin before its message. An error caught by user code keeps its original
//         message, in the first execution and in each replay.
import { errorRecord } from "./error-record.ts";
import { EngineError, type ErrorCode, type ErrorRecord } from "./error.ts";

/** Errors about the run as a whole, at any place in it. */
const OF_RUN: ReadonlySet<ErrorCode> = new Set(["run_cancelled", "journal_mismatch"]);

/** Last run in which each error was thrown: code may throw the same error repeatedly. */
const runs = new WeakMap<object, string>();

/**
 * Adds a place in the run to an error, such as `task "letter" (agent "Clerk")`, and returns the error. A method comes
 * before a task or an agent within it; of two places of one kind the last counts.
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

/** Returns the record of a run's final error (EPL1). */
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
