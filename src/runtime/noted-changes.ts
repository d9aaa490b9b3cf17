import { isoTime } from "../base/clock.ts";
import type { StepRecord } from "../journal/journal-store.ts";
import type { CodeChange } from "./code-change.ts";
import type { RunStore } from "./run-store.ts";

/** Maximum changes listed by a run; the events have them all. */
export const MAX_CHANGES = 100;

export function changesOf(store: RunStore): readonly CodeChange[] {
  const json = store.value("changes");
  return json === undefined ? [] : (JSON.parse(json) as CodeChange[]);
}

/** Notes a change of a finished step, once, while there is room in the list. */
export function noteChange(store: RunStore, { key, kind, label }: StepRecord, atMs: number): void {
  const known = changesOf(store);
  if (known.length >= MAX_CHANGES || known.some((change) => change.key === key)) return;
  const name = label === null ? undefined : { label };
  const change: CodeChange = { key, kind, ...name, at: isoTime(atMs) };
  store.setValue("changes", JSON.stringify([...known, change]));
}
