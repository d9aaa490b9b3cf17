// Checkpoints: the journal at the ends of steps marked as checkpoints: tasks of a crew, methods of a flow.
//
//   CK1. Each finished marked step is a checkpoint; no extra data is stored for it beside the journal.
//   CK2. Its id names the step and its place in the order of results, so a fork has the same ids for copied results.
//   CK3. Continuing from a checkpoint is a fork that takes over every result up to it.
import { EngineError } from "../base/error.ts";
import { isoTime } from "../base/clock.ts";
import { fingerprint } from "../base/hash.ts";
import { preview, type JsonValue } from "../base/json.ts";
import { parsedView } from "../base/recorded.ts";
import { addUsage, NO_USAGE, type Usage } from "../base/usage.ts";
import type { JournalStore } from "../journal/journal-store.ts";
import { allRows } from "../journal/replay-plan.ts";
import { isAdopted } from "./adopted-rows.ts";
import type { Page } from "./page.ts";
import type { RunOrigin } from "./run.ts";
import { ValuePage } from "./value-page.ts";

/** A finished task or method, from which a fork can continue. */
export type Checkpoint = {
  /** `<step key>@<place in the order of results>` */
  readonly id: string;
  /** The finished task or method: its name, and its step key. */
  readonly task: string;
  readonly key: string;
  /** The checkpoint before it. */
  readonly parentId?: string;
  /** Branch on which it was made: the name given to the fork, else the run's id. */
  readonly branch: string;
  readonly at: string;
  /** Usage of this run up to then; the usage of copied steps counts in the other run. */
  readonly usage: Usage;
  /** Output of the task, if requested. */
  readonly output?: JsonValue;
  /** Length of `output` in UTF-16 units, if it was requested and is too long for an answer. */
  readonly omitted?: number;
};

/** A checkpoint with the fingerprint of the task's output, if requested. */
export type HashedCheckpoint = Checkpoint & { readonly hash?: string };

export type CheckpointPageOptions = {
  /** Adds the outputs of the tasks. */
  readonly values: boolean;
  readonly cursor?: string | undefined;
  /** Only these step keys. @default all */
  readonly keys?: readonly string[];
};

/** Difference between two checkpoints. */
export type CheckpointDiff = {
  readonly from: string;
  readonly to: string;
  readonly tasks: ReadonlyArray<{
    readonly task: string;
    readonly key: string;
    readonly change: "added" | "removed" | "changed";
    readonly from?: JsonValue;
    readonly to?: JsonValue;
    /** True when `from` or `to` is left out because the answer would be too long. */
    readonly omitted?: true;
  }>;
  /** `to` less `from`. */
  readonly usage: Usage;
};

export type CheckpointSource = {
  readonly runId: string;
  readonly origin: RunOrigin | undefined;
  /** Results up to here were taken over when the run was forked. */
  readonly adoptedSeq: number;
  readonly journal: JournalStore;
  readonly nameOf: (key: string) => string | undefined;
};

/** The checkpoints of a run, oldest first. */
export function checkpointsOf(
  { runId, origin, adoptedSeq, journal, nameOf }: CheckpointSource,
  { values, hashes = false }: { readonly values: boolean; readonly hashes?: boolean },
): HashedCheckpoint[] {
  const ended = [...allRows(journal)]
    .filter((row) => row.endedSeq !== null)
    .toSorted((a, b) => (a.endedSeq ?? 0) - (b.endedSeq ?? 0));
  let usage = NO_USAGE;
  let parentId: string | undefined;
  const checkpoints: HashedCheckpoint[] = [];
  for (const { key, label, mark, state, endedSeq, endedAtMs, usage: used } of ended) {
    if (used !== null) usage = addUsage(usage, used);
    if (mark !== "checkpoint" || state !== "done" || endedSeq === null) continue;
    const inherited = origin !== undefined && isAdopted({ endedSeq }, adoptedSeq);
    const value = values || hashes ? journal.get(key)?.value : undefined;
    const id = `${key}@${endedSeq}`;
    checkpoints.push({
      id,
      task: nameOf(key) ?? label ?? key,
      key,
      ...(parentId === undefined ? undefined : { parentId }),
      branch: inherited ? origin.runId : (origin?.branch ?? runId),
      at: isoTime(endedAtMs ?? 0),
      usage,
      ...(value == null || !values ? undefined : { output: parsedView(value) }),
      ...(value == null || !hashes ? undefined : { hash: fingerprint(value) }),
    });
    parentId = id;
  }
  return checkpoints;
}

/** Returns the checkpoints after a cursor, as many as fit a page with their outputs (VP1). Throws `invalid_input`. */
export function checkpointPage(
  source: CheckpointSource,
  { values, cursor, keys }: CheckpointPageOptions,
): Page<Checkpoint> {
  const all = checkpointsOf(source, { values: false }).filter(
    ({ key }) => keys?.includes(key) ?? true,
  );
  const begin = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1;
  if (cursor !== undefined && begin === 0)
    throw new EngineError(
      "invalid_input",
      `cursor must be the nextCursor of an earlier page, got ${preview(cursor)}`,
    );
  const page = new ValuePage();
  const items: Checkpoint[] = [];
  for (const checkpoint of all.slice(begin)) {
    const value = values ? source.journal.get(checkpoint.key)?.value : undefined;
    const length = value?.length ?? 0;
    if (page.isFullFor(length)) break;
    const omits = page.omits(length);
    if (!omits) page.add(length);
    const output = value == null || omits ? undefined : { output: parsedView(value) };
    items.push({ ...checkpoint, ...output, ...(omits ? { omitted: length } : undefined) });
  }
  const last = items.at(-1);
  return last === undefined || begin + items.length === all.length
    ? { items }
    : { items, nextCursor: last.id };
}

/** The place of a checkpoint in the order of results. Throws `not_found`. */
export function checkpointSeq(journal: JournalStore, id: string, runId: string): number {
  const cut = id.lastIndexOf("@");
  const row = cut < 0 ? undefined : journal.get(id.slice(0, cut));
  if (
    row?.mark === "checkpoint" &&
    row.state === "done" &&
    String(row.endedSeq) === id.slice(cut + 1)
  )
    return row.endedSeq ?? 0;
  throw new EngineError("not_found", `run ${runId} has no checkpoint ${preview(id)}`);
}

/**
 * Compares two checkpoints, of one run or of two. Both lists need their outputs, or their hashes. Throws `not_found`.
 */
export function diffCheckpoints(
  from: { readonly list: readonly HashedCheckpoint[]; readonly id: string },
  to: { readonly list: readonly HashedCheckpoint[]; readonly id: string },
): CheckpointDiff {
  const [before, after] = [upTo(from.list, from.id), upTo(to.list, to.id)];
  const keys = new Set([...before, ...after].map(({ key }) => key));
  const tasks = [...keys].flatMap((key): CheckpointDiff["tasks"][number][] => {
    const [old, now] = [before, after].map((list) => list.find((each) => each.key === key));
    const { task } = (now ?? old) as Checkpoint;
    const change = old === undefined ? "added" : now === undefined ? "removed" : "changed";
    if (old !== undefined && now !== undefined && sameOutput(old, now)) return [];
    return [
      {
        task,
        key,
        change,
        ...(old?.output === undefined ? undefined : { from: old.output }),
        ...(now?.output === undefined ? undefined : { to: now.output }),
      },
    ];
  });
  const usage = difference(after.at(-1)?.usage ?? NO_USAGE, before.at(-1)?.usage ?? NO_USAGE);
  return { from: from.id, to: to.id, tasks, usage };
}

function sameOutput(old: HashedCheckpoint, now: HashedCheckpoint): boolean {
  if (old.hash !== undefined || now.hash !== undefined) return old.hash === now.hash;
  return JSON.stringify(old.output) === JSON.stringify(now.output);
}

function upTo(list: readonly HashedCheckpoint[], id: string): readonly HashedCheckpoint[] {
  const place = list.findIndex((each) => each.id === id);
  if (place < 0) throw new EngineError("not_found", `there is no checkpoint ${preview(id)}`);
  return list.slice(0, place + 1);
}

function difference(after: Usage, before: Usage): Usage {
  const fields = Object.keys(NO_USAGE) as ReadonlyArray<keyof Usage>;
  return Object.fromEntries(fields.map((field) => [field, after[field] - before[field]])) as Usage;
}
