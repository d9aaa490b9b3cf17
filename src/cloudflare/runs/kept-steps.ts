// Journal rows in a run's object. Their summaries are in memory, their results in the log of commits.
import type { StepRecord, StepSummary } from "../../journal/journal-store.ts";
import {
  lengthOf,
  newText,
  textAt,
  type Change,
  type HeadPlace,
  type KeptText,
} from "./commit-log.ts";

export type KeptStep = {
  readonly summary: StepSummary;
  readonly value: KeptText | null;
  readonly request: KeptText | null;
};

/** Values of fields absent from the head. */
const UNSAID = {
  label: null,
  parent: null,
  mark: null,
  attempt: 1,
  interrupted: 0,
  inputHash: null,
  endedSeq: null,
  endedAtMs: null,
  error: null,
  wait: null,
  usage: null,
} as const satisfies Partial<StepSummary>;

const FIELDS = [
  "key",
  "kind",
  "state",
  "startedAtMs",
  ...(Object.keys(UNSAID) as Array<keyof typeof UNSAID>),
  "call",
  "cutWeight",
] as const satisfies readonly (keyof StepSummary)[];

/** Step in the head of a commit: its changes since its last commit. `at` is the place of its start. */
type StepEntry = {
  readonly at: number;
  readonly value?: HeadPlace | null;
  readonly request?: HeadPlace | null;
} & Partial<Omit<StepSummary, "startedSeq" | "bytes">>;

/** Creates the row to store. It keeps the place of its first write. */
export function keptStep(record: StepRecord, before: KeptStep | undefined): KeptStep {
  const { value, request, ...rest } = record;
  const startedSeq = before?.summary.startedSeq ?? record.startedSeq;
  return {
    summary: { ...rest, startedSeq, bytes: value?.length ?? 0 },
    value: value === null ? null : newText(value),
    request: request === null ? null : newText(request),
  };
}

/** Returns the changes of a step since it was last written, or undefined without changes. */
export function stepChange(step: KeptStep, written: KeptStep | undefined): Change | undefined {
  const { summary, value, request } = step;
  const said: Partial<Record<keyof StepSummary, unknown>> = {};
  for (const field of FIELDS) {
    const known =
      written === undefined ? UNSAID[field as keyof typeof UNSAID] : written.summary[field];
    if (summary[field] !== known && summary[field] !== undefined) said[field] = summary[field];
  }
  const texts = [value, request].filter((text) => text?.place === undefined && text !== null);
  const gone = {
    ...(value === null && written?.value != null ? { value: null } : undefined),
    ...(request === null && written?.request != null ? { request: null } : undefined),
  };
  if (written !== undefined && texts.length === 0 && Object.keys({ ...said, ...gone }).length === 0)
    return undefined;
  return {
    list: "steps",
    texts: texts as KeptText[],
    entry: (places) => {
      let next = 0;
      return {
        at: summary.startedSeq,
        ...said,
        ...gone,
        ...(texts.includes(value) && value !== null ? { value: places[next++] } : undefined),
        ...(texts.includes(request) && request !== null ? { request: places[next] } : undefined),
      };
    },
  };
}

/** Returns the place of a step's start, which identifies the step in later commits. */
export function startOf(entry: unknown): number {
  return (entry as StepEntry).at;
}

/** Applies the entry of a commit to a step. */
export function stepAfter(entry: unknown, before: KeptStep | undefined, row: number): KeptStep {
  const { at, value, request, ...said } = entry as StepEntry;
  const text = (place: HeadPlace | null | undefined, old: KeptText | null): KeptText | null =>
    place === undefined ? old : place === null ? null : textAt(place, row);
  const kept = {
    value: text(value, before?.value ?? null),
    request: text(request, before?.request ?? null),
  };
  const known = before?.summary ?? UNSAID;
  const bytes = kept.value === null ? 0 : lengthOf(kept.value);
  const summary = { ...known, ...said, startedSeq: at, bytes } as StepSummary;
  return { summary, ...kept };
}
