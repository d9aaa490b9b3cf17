// Reports runs that are held because the served code does not match them.
//
//   HLD1. A held run is reported once, with the step, and with the command that continues it with the current code.
import { sleep } from "../base/clock.ts";
import type { Run, RunSummary } from "../client/index.ts";
import type { CliContext } from "./command.ts";
import { plain } from "./output.ts";

const LOOK_EVERY_MS = 2_000;

/** Polls the Worker for held runs until the signal, and prints each. */
export async function watchHeldRuns(
  { fetch, clock, out }: Pick<CliContext, "fetch" | "clock" | "out">,
  { url, signal }: { readonly url: string; readonly signal: AbortSignal },
): Promise<void> {
  const ask = async <Answer>(path: string): Promise<Answer | undefined> => {
    try {
      const response = await fetch(`${url}${path}`, { signal });
      return response.ok ? ((await response.json()) as Answer) : undefined;
    } catch {
      return undefined; // it takes new code, or ends
    }
  };
  let said = new Set<string>();
  while (!signal.aborted) {
    const page = await ask<{ readonly items: readonly RunSummary[] }>("/runs?held=1&limit=20");
    const held = page?.items ?? [];
    for (const { id } of held) {
      if (said.has(id)) continue;
      const run = await ask<Run>(`/runs/${encodeURIComponent(id)}`);
      if (run?.held !== undefined) out.note(heldLine(run));
    }
    if (page !== undefined) said = new Set(held.map(({ id }) => id));
    await sleep(clock, LOOK_EVERY_MS, signal).catch(() => undefined);
  }
}

/** Describes a held run and the next step. */
function heldLine({ id, kind, name, held }: Run): string {
  const what = `! run ${id} (${kind} ${plain(name)}) is held`;
  if (held?.key === undefined)
    return `${what}: ${plain(held?.message ?? "")}; edgecrew runs cancel ${id}`;
  return `${what}: the code does not fit it any more at ${plain(held.key)}; it goes on with code that fits, or in a new run: edgecrew replay ${id} --task ${plain(held.key)}`;
}
