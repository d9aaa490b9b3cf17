import type { JournalStore, WaitRequest } from "./journal-store.ts";
import { failure } from "./step-row.ts";
import type { Answer } from "./step-spec.ts";

/** Answers an open wait in the store, for a journal without a running drive. Returns false if the wait is not open. */
export function settleWait(
  store: JournalStore,
  key: string,
  end: { answer: Answer; seq: number; atMs: number },
): boolean {
  const row = store.get(key);
  if (row === undefined || row.kind !== "wait" || row.state !== "waiting" || row.wait === null)
    return false;
  const { answer, seq, atMs } = end;
  const ended = { ...row, endedSeq: seq, endedAtMs: atMs, usage: answer.usage ?? null };
  store.put(
    "error" in answer
      ? { ...ended, state: "error", error: answer.error }
      : { ...ended, state: "done", value: JSON.stringify(answer.value) },
  );
  return true;
}

/** Returns the answer of a wait at its due time. */
export function expiredAnswer(key: string, wait: WaitRequest): Answer {
  if (wait.kind === "timer") return { value: null };
  if (wait.otherwise !== undefined) return { value: wait.otherwise };
  if (wait.kind === "child") {
    const message = `run ${wait.runId ?? "of a child"} did not end in time for ${key}`;
    return { error: failure("timeout", message) };
  }
  return { error: failure("wait_expired", `${key} was not answered in time`) };
}
