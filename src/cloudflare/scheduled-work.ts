// The work of the Worker's cron trigger.
import { log, logError } from "../base/log.ts";
import { systemClock } from "../base/system.ts";
import { runDue } from "../parts/bind-parts.ts";
import type { BoundPart } from "../parts/part.ts";
import type { RunEnv } from "./host-run.ts";
import type { DurableRunDirectory } from "./runs/durable-run-directory.ts";
import { D1Sweeper } from "./stores/d1-sweeper.ts";

/** Wakes runs without an alarm, and runs the scheduled work of parts. */
export async function runScheduledWork({
  runs,
  bound,
  env,
}: {
  readonly runs: DurableRunDirectory;
  readonly bound: ReadonlyMap<string, BoundPart>;
  readonly env: RunEnv;
}): Promise<void> {
  const beganMs = systemClock.now();
  const sweep = { due: () => runs.sweep(env.VERSION?.id) };
  const sweeper = { due: () => new D1Sweeper(env.DB).note(beganMs) };
  const due = new Map<string, BoundPart>([["runs", sweep], ["sweeper", sweeper], ...bound]);
  await runDue(due, logError);
  log("cron_done", { ms: systemClock.now() - beganMs });
}
