import { mapAtMost } from "../../base/concurrency.ts";
import { cut } from "../../base/cut.ts";
import { EngineError } from "../../base/error.ts";
import type { RunDirectory } from "../../runtime/run-directory.ts";
import { artifactsOf } from "./run-codec.ts";
import type { AcpStore, StoredTask } from "./store.ts";
import type { PastMessage } from "./subject-input.ts";
import { getTaskResult, textsOf } from "./task.ts";

/** Limits of a resumed conversation: number of tasks, and length of their messages in UTF-16 units. */
const MAX_TASKS = 5;
const MAX_LENGTH = 65_536;
const RUNS_AT_ONCE = 5;

/** Returns the messages of the last tasks in the resumed session, oldest first. */
export async function pastOf(
  { tenant, resumes }: Pick<StoredTask, "tenant" | "resumes">,
  { store, runs }: { readonly store: AcpStore; readonly runs: Pick<RunDirectory, "get"> },
): Promise<readonly PastMessage[]> {
  if (resumes === undefined) return [];
  const earlier = await store.tasks.ofSession(tenant, resumes, { limit: MAX_TASKS, ended: true });
  const turns = await mapAtMost(earlier, RUNS_AT_ONCE, async (task) => {
    const run = await runs.get(tenant, task.runId).catch((error: unknown) => {
      if (EngineError.is(error) && error.code === "not_found") return undefined;
      throw error;
    });
    const artifacts = artifactsOf(run);
    if (artifacts.length === 0) return []; // an unanswered question is not repeated
    const status = { status: "completed", timestamp: 0 } as const;
    const asked = task.messages.map(({ parts }) => textsOf(parts).join("\n")).join("\n\n");
    return [
      { role: "user", content: asked },
      { role: "assistant", content: getTaskResult({ artifacts, messages: [], status }) },
    ] satisfies PastMessage[];
  });
  return newest(turns);
}

/** Returns the newest turns that fit. */
function newest(turns: ReadonlyArray<readonly PastMessage[]>): readonly PastMessage[] {
  let left = MAX_LENGTH;
  const kept: PastMessage[] = [];
  for (const turn of turns.toReversed()) {
    const fitting = turn.map(({ role, content }) => ({
      role,
      content: cut(content, MAX_LENGTH / 4),
    }));
    left -= fitting.reduce((sum, { content }) => sum + content.length, 0);
    if (left < 0) break;
    kept.unshift(...fitting);
  }
  return kept;
}
