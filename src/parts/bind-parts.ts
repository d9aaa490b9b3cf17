import { noted, type LogNote } from "../base/log.ts";
import { EngineError } from "../base/error.ts";
import type { BoundPart, Part, PartEnv, PartHost } from "./part.ts";

/** Refuses parts with the same name, run kind, service or queue. Throws `invalid_definition`. */
export function checkParts(parts: readonly Part[]): void {
  const claims = parts.flatMap((part) => [
    `part "${part.name}"`,
    ...Object.keys(part.kinds ?? {}).map((kind) => `run kind "${kind}"`),
    ...Object.keys(part.services ?? {}).map((key) => `service "${key}"`),
    ...(part.queues ?? []).map((queue) => `queue "${queue}"`),
  ]);
  const twice = claims.find((claim, index) => claims.indexOf(claim) !== index);
  if (twice !== undefined)
    throw new EngineError(
      "invalid_definition",
      `two parts of the app define the ${twice}: remove one of them`,
    );
}

/** The bound parts of an app, by name. */
export function bindParts(host: PartHost): ReadonlyMap<string, BoundPart> {
  return new Map(host.parts.map((part) => [part.name, part.bind?.(host) ?? {}]));
}

/**
 * Runs the scheduled work of all parts concurrently, by name, and reports their errors. Once all have ended, rejects if
 * one has failed, with a generic error, because the platform logs it.
 */
export async function runDue(
  bound: Iterable<readonly [string, BoundPart]>,
  report: (error: unknown) => void,
): Promise<void> {
  const failed: string[] = [];
  await Promise.all(
    Array.from(bound, async ([part, { due }]) => {
      try {
        await due?.();
      } catch (error) {
        failed.push(part);
        report(noted(error, "cron_failed", { part }));
      }
    }),
  );
  if (failed.length > 0)
    throw new EngineError("internal", `work of the cron failed: ${failed.join(", ")}; see the log`);
}

/** Returns a function that passes log notes to interested parts. */
export function noticing(
  parts: readonly Part[],
  env: PartEnv,
): (note: LogNote) => Promise<unknown> {
  const all = parts.flatMap(({ notices }) => notices ?? []);
  return async (note) =>
    Promise.allSettled(
      all.filter(({ codes }) => codes.has(note.code)).map(({ receive }) => receive(env, note)),
    );
}

/** Returns the part consuming a queue, if any. */
export function consumerOf(parts: readonly Part[], queue: string): Part | undefined {
  return parts.find(({ queues = [] }) => queues.includes(queue));
}
