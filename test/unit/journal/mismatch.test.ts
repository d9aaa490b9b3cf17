import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import type { StepRecord } from "../../../src/journal/journal-store.ts";
import { changedInput } from "../../../src/journal/step-row.ts";
import {
  beginDrive,
  cutOffRow,
  doneRow,
  drive,
  perform,
  rowsOf,
} from "../../support/journal-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";

const mismatchAt = (key: string) => ({
  state: "held",
  key,
  error: {
    code: "journal_mismatch",
    retryable: false,
    message: expect.stringContaining(`at step ${key}:`),
  },
});

describe.each(RUN_STORES)("code that no longer fits its record, $name", ({ open }) => {
  it("J7: is found by a step of another kind", async () => {
    const { journal } = open().store;
    journal.put(doneRow("a", 1, { kind: "tool" }));
    expect(await drive(journal, (scope) => perform(scope, "a", () => 1))).toMatchObject(
      mismatchAt("a"),
    );
  });

  it("J7: is found by a wait recorded as a step, and by a reading recorded as a wait", async () => {
    const { journal } = open().store;
    journal.put(doneRow("a", 1, { kind: "tool" }));
    journal.put(doneRow("r/now", 3, { kind: "wait" }));
    expect(await drive(journal, (scope) => scope.at("a").wait({ kind: "input" }))).toMatchObject(
      mismatchAt("a"),
    );
    expect(await drive(journal, async (scope) => scope.at("r").now())).toMatchObject(
      mismatchAt("r/now"),
    );
  });

  it("J7: is found by an open wait missing from the code, before new work starts", async () => {
    const { journal } = open().store;
    journal.put(openWait("ask/old", 1));
    let calls = 0;
    const result = await drive(journal, async (scope) => {
      await perform(scope, "new", () => ++calls);
      return scope.at("ask").at("new").wait({ kind: "human" });
    });
    expect(result).toMatchObject(mismatchAt("ask/old"));
    expect(calls).toBe(0);
    expect(journal.list(0, 10)).toHaveLength(1);
  });

  it("J7: is found by an open step missing from the code, also at the code's end", async () => {
    const { journal } = open().store;
    journal.put(cutOffRow("a", 1));
    expect(await drive(journal, (scope) => perform(scope, "b", () => 1))).toMatchObject(
      mismatchAt("a"),
    );
    expect(await drive(journal, async () => null)).toMatchObject(mismatchAt("a"));
    expect(await drive(journal, (scope) => perform(scope, "a", () => 1))).toMatchObject({
      state: "completed",
    });
  });

  it("J7: a repeated call may end without its earlier wait, which is then withdrawn", async () => {
    const { journal } = open().store;
    journal.put(cutOffRow("tool", 1));
    journal.put(openWait("tool/ask", 2, { parent: "tool" }));
    expect(await drive(journal, (scope) => perform(scope, "tool", () => 1))).toEqual({
      state: "completed",
      value: 1,
    });
    expect(journal.waits()).toEqual([]);
  });

  it("J7: a repeated call may end without its earlier steps, as when it finds its effect done", async () => {
    const begun = () => {
      const { journal } = open().store;
      journal.put(cutOffRow("tool", 1));
      journal.put(doneRow("tool/upload", 2, { parent: "tool" }));
      journal.put(doneRow("other", 4, { value: "2" }));
      return journal;
    };
    const beside = (action: () => number) => (scope: RunScope) =>
      Promise.all([perform(scope, "tool", action), perform(scope, "other", () => 0)]);
    expect(
      await drive(
        begun(),
        beside(() => 1),
      ),
    ).toEqual({ state: "completed", value: [1, 2] });
    const failing = beside(() => {
      throw new EngineError("tool_failed", "down");
    });
    expect(await drive(begun(), failing)).toMatchObject({
      state: "failed",
      error: { code: "tool_failed" },
    });
  });

  it("J7: is found by a call that replaces an earlier step by a new one", async () => {
    const { journal } = open().store;
    journal.put(cutOffRow("tool", 1, { kind: "tool" }));
    journal.put(doneRow("tool/charge", 2, { parent: "tool" }));
    let charges = 0;
    const renamed = (scope: RunScope) =>
      scope.at("tool").step<number>({
        kind: "tool",
        run: (_, inside) => perform(inside, "pay", () => ++charges),
      });
    expect(await drive(journal, renamed)).toMatchObject(mismatchAt("tool/charge"));
    expect(charges).toBe(0);
  });

  it("J7: is not found while a retried call returns to its earlier place", async () => {
    const { journal } = open().store;
    journal.put(cutOffRow("tool", 1, { kind: "tool" }));
    journal.put(doneRow("tool/one", 2, { parent: "tool", value: "1" }));
    journal.put(doneRow("tool/two", 4, { parent: "tool", value: "2" }));
    let isDown = true;
    const { ended, clock } = beginDrive(journal, (scope) =>
      scope.at("tool").step<number>({
        kind: "tool",
        run: async (_, inside) => {
          const one = await perform<number>(inside, "one", () => 0);
          if (isDown) {
            isDown = false;
            throw new EngineError("unavailable", "not now", { retryable: true });
          }
          return one + (await perform<number>(inside, "two", () => 0));
        },
      }),
    );
    await clock.advance(10_000);
    expect(await ended).toEqual({ state: "completed", value: 3 });
  });

  it("J16: is not found when a race is decided before a retried call has returned to its place", async () => {
    const { journal } = open().store;
    journal.put(cutOffRow("race", 1, { kind: "group" }));
    journal.put(cutOffRow("race/tool", 2, { kind: "tool", parent: "race" }));
    journal.put(cutOffRow("race/tool/one", 3, { parent: "race/tool" }));
    journal.put(doneRow("race/quick", 4, { parent: "race", value: "1" }));
    let isDown = true;
    const { ended, clock } = beginDrive(journal, async (scope) => {
      const won = await scope.at("race").group("group", (race) =>
        Promise.race([
          race.at("tool").step<number>({
            kind: "tool",
            run: (_, inside) => {
              if (!isDown) return perform<number>(inside, "one", () => 0);
              isDown = false;
              throw new EngineError("unavailable", "not now", { retryable: true });
            },
          }),
          perform<number>(race, "quick", () => 0),
        ]),
      );
      return won + (await perform<number>(scope, "after", () => 1));
    });
    await clock.advance(10_000);
    expect(await ended).toEqual({ state: "completed", value: 2 });
    expect(journal.get("race/tool/one")?.state).toBe("started");
  });

  it("J12: is not found by a finished step with another input, which returns the record and reports the change", async () => {
    const { journal } = open().store;
    journal.put(doneRow("a", 1, { inputHash: "1", value: "7" }));
    const changed: string[] = [];
    const result = await drive(
      journal,
      (scope) => perform(scope, "a", { inputHash: "2", action: () => 1 }),
      { observer: { changed: ({ key }) => changed.push(key) } },
    );
    expect(result).toEqual({ state: "completed", value: 7 });
    expect(changed).toEqual(["a"]);
  });

  it("J12: a recorded failure stays, whatever its input was", async () => {
    const { journal } = open().store;
    const error = { code: "tool_failed", message: "no", retryable: false } as const;
    journal.put(doneRow("a", 1, { inputHash: "1", state: "error", value: null, error }));
    const result = await drive(journal, (scope) =>
      perform(scope, "a", { inputHash: "2", action: () => 1 }),
    );
    expect(result).toEqual({ state: "failed", error });
  });

  it("J12: an unfinished step runs with its new input, and keeps it", async () => {
    const { journal } = open().store;
    journal.put(cutOffRow("a", 1, { inputHash: "1" }));
    const changed: string[] = [];
    const result = await drive(
      journal,
      (scope) => perform(scope, "a", { inputHash: "2", action: () => 1 }),
      { observer: { changed: ({ key }) => changed.push(key) } },
    );
    expect(result).toEqual({ state: "completed", value: 1 });
    expect(journal.get("a")?.inputHash).toBe("2");
    expect(changed).toEqual([]);
  });

  it("J12: the observer may hold the drive instead", async () => {
    const { journal } = open().store;
    journal.put(doneRow("a", 1, { inputHash: "1" }));
    const begun = beginDrive(
      journal,
      (scope) => perform(scope, "a", { inputHash: "2", action: () => 1 }),
      { observer: { changed: ({ key }) => begun.journal.hold(changedInput(key)) } },
    );
    expect(await begun.ended).toMatchObject(mismatchAt("a"));
  });

  it.each(["returns", "throws"])(
    "J7: is found when an enclosing step %s without its recorded steps, and its end is not recorded",
    async (how) => {
      const { journal } = open().store;
      journal.put(cutOffRow("method", 1, { kind: "method" }));
      journal.put(doneRow("method/one", 2, { parent: "method" }));
      journal.put(doneRow("method/ask", 4, { kind: "wait", parent: "method" }));
      const before = JSON.stringify(rowsOf(journal));
      const result = await drive(journal, (scope) =>
        scope.at("method").group("method", async (method) => {
          await perform(method, "one", () => null);
          if (how === "throws") throw new Error("not any more");
          return "early";
        }),
      );
      expect(result).toMatchObject(mismatchAt("method/ask"));
      expect(JSON.stringify(rowsOf(journal))).toBe(before);
    },
  );

  it("J7: is found when results wait behind one missing from the code", async () => {
    const { journal } = open().store;
    journal.put(cutOffRow("method", 1, { kind: "method" }));
    journal.put(doneRow("method/one", 2, { parent: "method" }));
    journal.put(doneRow("other", 4));
    const result = await drive(journal, async (scope) => {
      const value = await scope.at("method").group("method", async (method) => {
        await perform(method, "one", () => null);
        return perform(method, "now", { kind: "group", action: () => "early" });
      });
      await scope.at("ask").wait({ kind: "human" });
      return value;
    });
    expect(result).toMatchObject(mismatchAt("other"));
  });

  it("J7: compares no input of rows copied by a fork", async () => {
    const { journal } = open().store;
    journal.put(doneRow("a", 1, { inputHash: null, value: "5" }));
    expect(
      await drive(journal, (scope) => perform(scope, "a", { inputHash: "2", action: () => 1 })),
    ).toEqual({ state: "completed", value: 5 });
  });

  it("J7: is found by a recorded step missing from the code, before new work starts", async () => {
    const { journal } = open().store;
    journal.put(doneRow("old", 1));
    const before = JSON.stringify(rowsOf(journal));
    let calls = 0;
    const result = await drive(journal, (scope) => perform(scope, "new", () => ++calls));
    expect(result).toMatchObject(mismatchAt("old"));
    expect(calls).toBe(0);
    expect(JSON.stringify(rowsOf(journal))).toBe(before);
  });

  it("J7: is found when two steps changed places", async () => {
    const { journal } = open().store;
    journal.put(doneRow("a", 1));
    journal.put(doneRow("b", 3));
    const result = await drive(journal, async (scope) => [
      await perform(scope, "b", () => null),
      await perform(scope, "a", () => null),
    ]);
    expect(result).toMatchObject(mismatchAt("a"));
  });

  it("J7: is found when the program ends without asking for a step, whether it returns or throws", async () => {
    const { journal } = open().store;
    journal.put(doneRow("a", 1));
    expect(await drive(journal, async () => "done")).toMatchObject(mismatchAt("a"));
    const thrown = await drive(journal, () =>
      Promise.reject(new Error("the definition has no model")),
    );
    expect(thrown).toMatchObject(mismatchAt("a"));
    expect(thrown).toMatchObject({
      error: { message: expect.stringContaining("the definition has no model") },
    });
  });

  it("J7: is found by a new wait before the record is replayed, which is then not opened", async () => {
    const { journal } = open().store;
    journal.put(doneRow("a", 1));
    expect(await drive(journal, (scope) => scope.at("ask").wait({ kind: "human" }))).toMatchObject(
      mismatchAt("a"),
    );
    expect(journal.waits()).toEqual([]);
  });

  it("J7: cannot be caught by the program", async () => {
    const { journal } = open().store;
    journal.put(doneRow("a", 1, { kind: "tool" }));
    const result = await drive(journal, (scope) =>
      perform(scope, "a", () => 1).catch(() => "caught"),
    );
    expect(result).toMatchObject({ state: "held" });
  });

  it("J7: lets a new branch beside a replayed one start when the record is through", async () => {
    const { journal } = open().store;
    journal.put(doneRow("a", 1));
    journal.put(doneRow("b", 3));
    const result = await drive(journal, async (scope) => {
      const old = async () => [
        await perform(scope, "a", () => null),
        await perform(scope, "b", () => "b"),
      ];
      const added = perform(scope, "new", () => "new");
      return [...(await old()), await added];
    });
    expect(result).toMatchObject({ state: "completed" });
    expect(journal.get("new")?.startedSeq).toBe(5);
  });

  it("does not complain of code with its own awaits between steps, when no other branch runs", async () => {
    const { journal } = open().store;
    journal.put(doneRow("a", 1));
    journal.put(doneRow("b", 3, { value: "7" }));
    const result = await drive(journal, async (scope) => {
      await perform(scope, "a", () => null);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return perform(scope, "b", () => null);
    });
    expect(result).toEqual({ state: "completed", value: 7 });
  });
});

/** A question that is on record and has no answer. */
function openWait(key: string, place: number, row: Partial<StepRecord> = {}): StepRecord {
  return cutOffRow(key, place, { kind: "wait", state: "waiting", wait: { kind: "human" }, ...row });
}
