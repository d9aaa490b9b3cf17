// Saves and recalls with their events: one at the start, one on completion or failure.
import { isoTime } from "../base/clock.ts";
import { errorMessage } from "../base/error.ts";
import type { AboutAnalysis } from "./events.ts";
import type { MatchData } from "./memory-record.ts";
import { workAt, type MemoryWork } from "./memory-work.ts";
import { recallMemories } from "./recall-memories.ts";
import type { RecallRequest } from "./recall-request.ts";
import { saveMemories, type SaveOutcome } from "./save-memories.ts";
import type { SaveRequest } from "./save-request.ts";

/** Values for the events of a save. */
export type SaveReport = {
  /** Value of the start event: a text, or the number of texts. */
  readonly value: string;
  /** Value of the completion event. @default `value` */
  readonly saved?: string | undefined;
  readonly metadata?: SaveRequest["metadata"] | undefined;
  readonly agentRole?: string | undefined;
};

export async function reportedSave(
  work: MemoryWork,
  request: SaveRequest,
  { value, saved: savedValue = value, metadata, agentRole }: SaveReport,
): Promise<SaveOutcome> {
  const about = {
    value,
    ...(metadata === undefined ? undefined : { metadata }),
    ...(agentRole === undefined ? undefined : { agentRole }),
  };
  const steps = work.steps.open("memory_save_started", about);
  const elapsedMs = stopwatch(work);
  let outcome: SaveOutcome;
  try {
    outcome = await saveMemories(workAt(work, steps), request);
  } catch (error) {
    steps.emit("memory_save_failed", { ...about, error: errorMessage(error) });
    throw error;
  }
  const { saved, degraded } = outcome;
  if (degraded !== undefined)
    steps.emit("memory_index_degraded", { reason: degraded, missing: saved.length });
  const saveTimeMs = elapsedMs();
  steps.emit("memory_save_completed", { ...about, value: savedValue, saveTimeMs, saved });
  return outcome;
}

export async function reportedRecall(
  work: MemoryWork,
  asked: Omit<RecallRequest, "minScore"> & { readonly minScore: number | undefined },
): Promise<readonly MatchData[]> {
  const { query, limit, scope, minScore = work.settings.minScore } = asked;
  const request = { ...asked, minScore };
  const about = { query, limit, scope, scoreThreshold: minScore };
  const steps = work.steps.open("memory_query_started", about);
  const elapsedMs = stopwatch(work);
  let found: readonly MatchData[];
  let analysis: AboutAnalysis | undefined;
  try {
    found = await recallMemories(workAt(work, steps), request, ({ queries, scopes, fromMs }) => {
      analysis = {
        queries,
        scopes,
        ...(fromMs === undefined ? undefined : { since: isoTime(fromMs) }),
      };
    });
  } catch (error) {
    steps.emit("memory_query_failed", { ...about, error: errorMessage(error) });
    throw error;
  }
  const results = found.map(({ record }) => record.id);
  steps.emit("memory_query_completed", {
    ...about,
    results,
    queryTimeMs: elapsedMs(),
    ...(analysis === undefined ? undefined : { analysis }),
  });
  return found;
}

function stopwatch({ steps, settings }: MemoryWork): () => number {
  const clock = steps.scope?.clock ?? settings.clock;
  const startedAtMs = clock.now();
  return () => clock.now() - startedAtMs;
}
