// Fields of a run for listings, included in its regular index row.
import { runText } from "./run-text.ts";
import type { RunStore } from "./run-store.ts";
import { isTerminal, type ListedFacts, type RunRecord, type RunStart } from "./run.ts";

const MAX_ERROR_LENGTH = 200;

export function listedFacts(
  record: RunRecord,
  store: RunStore,
  { withText }: { readonly withText: boolean },
): ListedFacts {
  const { id, name, startedAtMs, finishedAtMs, error, deployment } = record;
  const tags = valueOf(store, "tags") as RunStart["tags"];
  const startedBy = valueOf(store, "startedBy") as RunStart["startedBy"];
  const origin = valueOf(store, "origin") as RunStart["origin"];
  return {
    ...(startedAtMs === null ? undefined : { startedAtMs }),
    ...(finishedAtMs === null ? undefined : { finishedAtMs }),
    ...usageOf(record, store),
    waits: openWaits(record, store),
    ...(error === null
      ? undefined
      : {
          error: {
            code: error.code,
            message: error.message.slice(0, MAX_ERROR_LENGTH).toWellFormed(),
          },
        }),
    ...(tags === undefined ? undefined : { tags }),
    ...(startedBy === undefined ? undefined : { startedBy }),
    ...(origin === undefined ? undefined : { originId: origin.runId }),
    ...(deployment === undefined ? undefined : { codeVersion: deployment }),
    ...(withText
      ? {
          text: runText({
            names: [id, name, ...(tags ?? [])],
            values: [store.value("inputs"), store.value("output")],
            error: error?.message,
          }),
        }
      : undefined),
  };
}

/** Reading it costs as much as the run has steps. */
function usageOf({ status }: RunRecord, store: RunStore): Pick<ListedFacts, "usage"> | undefined {
  if (!isTerminal(status) && status !== "waiting") return undefined;
  const { totalTokens: tokens, costUsd, requests } = store.journal.usage();
  return { usage: { tokens, costUsd, requests } };
}

/** The journal of a cancelled run still has its waits. */
function openWaits({ status }: RunRecord, { journal }: RunStore): number {
  if (isTerminal(status)) return 0;
  return journal.waits().filter(({ wait }) => wait !== null && FROM_OUTSIDE.has(wait.kind)).length;
}

const FROM_OUTSIDE: ReadonlySet<string> = new Set(["human", "input", "event"]);

function valueOf(store: RunStore, name: keyof RunStart): unknown {
  const json = store.value(name);
  return json === undefined ? undefined : JSON.parse(json);
}
