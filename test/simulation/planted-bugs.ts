// Planted bugs: the test of the test. Each is a small change to the engine's source that the simulation must notice.
// They are made while the source is loaded and cost the engine nothing; a text to be changed that is not there exactly
// once is an error, so none of them can stop being planted without anybody noticing.

type Patch = { readonly file: string; readonly find: string; readonly replace: string };

export type PlantedBug = {
  readonly name: string;
  /** Where it can be seen. @default "memory" */
  readonly store?: "sqlite";
  readonly patches: readonly Patch[];
};

const JOURNAL = "src/journal/journal.ts";
const EXECUTION = "src/journal/step-execution.ts";
const HOST = "src/runtime/run-host.ts";

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: "started-is-not-recorded-before-the-call",
    patches: [
      {
        file: JOURNAL,
        find: "if (call || previous === undefined) this.#put(row);",
        replace: "if (!call && previous === undefined) this.#put(row);",
      },
    ],
  },
  {
    name: "result-is-handed-out-before-it-is-recorded",
    patches: [
      {
        file: JOURNAL,
        find: "    this.#put(finished);",
        replace: "    this.#clock.after(1, () => this.#put(finished));",
      },
    ],
  },
  {
    name: "keys-are-counted",
    patches: [
      {
        file: "src/events/run-scope.ts",
        find: "path: joinKey(this.#state.path, segment)",
        replace:
          "path: joinKey(this.#state.path, `${segment}~${(this.#environment.count = (this.#environment.count ?? 0) + 1)}`)",
      },
    ],
  },
  {
    name: "storage-error-is-swallowed",
    patches: [
      {
        file: JOURNAL,
        find: '      this.#finish({ state: "interrupted", cause });\n      return undefined;',
        replace: "return undefined;",
      },
    ],
  },
  {
    name: "crash-budget-is-reset-by-any-row",
    patches: [
      {
        file: HOST,
        find: "if (!crashed || suspects?.size !== 0) return;",
        replace: "if (!crashed) return;",
      },
      {
        file: JOURNAL,
        find: "const interrupted = (previous?.interrupted ?? 0) + (crashed ? 1 : 0);",
        replace: "const interrupted = 0;",
      },
    ],
  },
  {
    name: "expiry-is-forgotten",
    patches: [
      {
        file: HOST,
        find: '    if (record.status === "waiting") times.push(...this.#read.waitsDueMs());\n',
        replace: "",
      },
    ],
  },
  {
    name: "outbox-is-dropped-on-failure",
    patches: [
      {
        file: "src/runtime/outbox.ts",
        find: "      reason = error;\n",
        replace: "      return this.#store.removeOutbox(entry);\n",
      },
    ],
  },
  {
    name: "events-are-told-again-by-replay",
    patches: [
      {
        file: "src/events/event-log.ts",
        find: "if (kept.ended || kept.ids.has(id)) return id;",
        replace: "if (kept.ended) return id;",
      },
    ],
  },
  {
    name: "late-result-is-written-after-the-end",
    patches: [
      {
        file: EXECUTION,
        find: '      if (this.#host.isOver()) return "rests";\n      if ("error" in result',
        replace: '      if ("error" in result',
      },
      {
        file: JOURNAL,
        find: '    if (this.#closed) return never();\n    return end === "rests"',
        replace: '    return end === "rests"',
      },
      {
        file: JOURNAL,
        find: "    if (this.#closed) return never();\n    const ended = {",
        replace: "    const ended = {",
      },
      {
        file: JOURNAL,
        find: "    if (this.#closed) return;\n    this.#recorded.add(row.key);",
        replace: "    this.#recorded.add(row.key);",
      },
    ],
  },
  {
    name: "once-runs-twice",
    patches: [
      {
        file: JOURNAL,
        find: 'if (crashed && spec.effect === "once") {',
        replace: "if (crashed && spec.never) {",
      },
    ],
  },
  {
    name: "retry-has-another-idempotency-key",
    patches: [
      {
        file: EXECUTION,
        find: "new Execution(`${this.#host.runId}:${row.key}`,",
        replace: "new Execution(`${this.#host.runId}:${row.key}:${row.attempt}`,",
      },
    ],
  },
  {
    name: "replay-is-in-order-of-start",
    patches: [
      {
        file: "src/journal/replay-plan.ts",
        find: "(a.endedSeq ?? 0) - (b.endedSeq ?? 0)",
        replace: "a.startedSeq - b.startedSeq",
      },
    ],
  },
  {
    name: "second-answer-overwrites-the-first",
    patches: [
      {
        file: "src/journal/settle-wait.ts",
        find: 'if (row === undefined || row.state !== "waiting" || row.wait === null) return false;',
        replace: "if (row === undefined || row.wait === null) return false;",
      },
      {
        file: HOST,
        find: "pickWait(this.#store.journal.waits(), request.key, record.id)",
        replace: "pickWait(this.#store.journal.list(0, 10_000), request.key, record.id)",
      },
    ],
  },
  {
    name: "no-alarm-before-the-drive",
    patches: [
      {
        file: HOST,
        find: "    await this.#ports.alarm.set(this.#clock.now() + WATCHDOG_MS);\n",
        replace: "",
      },
    ],
  },
  {
    name: "no-alarm-after-a-storage-error",
    patches: [
      {
        file: HOST,
        find: "await this.#ports.alarm.set(this.#clock.now() + delayMs).catch(() => undefined);",
        replace: "",
      },
    ],
  },
  {
    name: "no-alarm-after-a-yield",
    patches: [
      {
        file: HOST,
        find: "    if (isDrivable(record)) times.push(this.#clock.now());\n",
        replace: "",
      },
    ],
  },
  {
    name: "status-is-overwritten-after-the-end",
    patches: [
      {
        file: HOST,
        find: "    if (isTerminal(record.status)) return;\n    const rested",
        replace: "    const rested",
      },
    ],
  },
  {
    name: "double-start-resets",
    patches: [
      {
        file: HOST,
        find: "    if (existing !== undefined) {\n      if (start.parent",
        replace:
          '    if (existing !== undefined && existing.status !== "queued") {\n      if (start.parent',
      },
    ],
  },
  {
    name: "events-of-an-undone-transaction-count",
    patches: [
      { file: "src/events/event-log.ts", find: "      this.#kept = undefined;\n", replace: "" },
    ],
  },
  {
    name: "finished-groups-are-replayed-step-by-step",
    patches: [
      {
        file: "src/journal/replay-plan.ts",
        find: "finished.filter(isOutermost)",
        replace: "finished.slice()",
      },
    ],
  },
  {
    name: "cancel-does-not-abort",
    patches: [
      {
        file: EXECUTION,
        find: "    for (const each of open) each.abort(reason);\n",
        replace: "",
      },
    ],
  },
  {
    name: "unpause-during-the-drive-is-lost",
    patches: [
      {
        file: HOST,
        find: 'const unpaused = result.reason === "paused" && !record.paused;',
        replace: "const unpaused = false;",
      },
    ],
  },
  {
    name: "tool-is-tried-again-beside-its-own-steps",
    patches: [{ file: EXECUTION, find: " || activity.nested > 0;", replace: ";" }],
  },
  {
    name: "tool-that-is-tried-again-waits-for-its-own-record",
    patches: [{ file: JOURNAL, find: " && !this.#plan.encloses(key)", replace: "" }],
  },
  {
    name: "wait-answered-after-the-end-is-a-mismatch",
    patches: [
      {
        file: JOURNAL,
        find: "firstOutstanding((key) => !this.#replays.has(key))",
        replace: "firstOutstanding(() => true)",
      },
    ],
  },
  {
    name: "results-are-handed-out-again-in-order-of-asking",
    patches: [
      {
        file: JOURNAL,
        find: "    this.#late.sort((a, b) => a.endedSeq - b.endedSeq);\n",
        replace: "",
      },
    ],
  },
  {
    name: "alarm-is-set-after-the-change",
    patches: [
      {
        file: HOST,
        find: "    const armed = this.#ports.alarm.set(this.#clock.now());\n",
        replace: "",
      },
      {
        file: HOST,
        find: "      await armed;\n",
        replace: "      await this.#ports.alarm.set(this.#clock.now());\n",
      },
    ],
  },
  {
    name: "long-values-are-cut-inside-a-character",
    store: "sqlite",
    patches: [
      {
        file: "src/cloudflare/sql-run-store.ts",
        find: "return splitsPair ? end - 1 : end;",
        replace: "return end;",
      },
    ],
  },
  {
    name: "index-is-told-before-the-change-is-kept",
    patches: [
      {
        file: "src/runtime/run-ledger.ts",
        find: "{ ...record, version: record.version + 1 };\n    this.#store.save(changed);",
        replace:
          "{ ...record, version: record.version + 1 };\n    void this.#sink.index(indexRow(changed, null, 0)).catch(() => undefined);\n    this.#store.save(changed);",
      },
    ],
  },
];

/** The source with those of the bug's patches that are for this file. */
export function patched(bug: PlantedBug, file: string, source: string): string {
  let text = source;
  for (const { find, replace } of bug.patches.filter((patch) => patch.file === file)) {
    const code = anyLayout(find);
    const count = text.match(code)?.length ?? 0;
    if (count !== 1)
      throw new Error(
        `planted bug ${bug.name}: expected its text exactly once in ${file}, found it ${count} times: ${find}`,
      );
    text = text.replace(code, () => replace);
  }
  return text;
}

/** Finds code however the formatter has laid it out: white space and commas after a last item may differ. */
function anyLayout(code: string): RegExp {
  const tokens = code.match(/[\w$#]+|[^\s\w$#]/g) ?? [];
  const parts = tokens.map((token, index) => {
    const before = tokens[index - 1] ?? "";
    const gap =
      index === 0 ? "" : /^[\w$#]/.test(token) && /^[\w$#]/.test(before) ? "\\s+" : "\\s*";
    const comma = /^[)\]}]$/.test(token) && before !== "," ? ",?\\s*" : "";
    return gap + comma + token.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(parts.join(""), "g");
}
