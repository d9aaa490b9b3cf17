import { describe, expect, it } from "vitest";
import type { RunScope } from "../../../src/events/run-scope.ts";
import {
  cutOffRow,
  doneRow,
  beginDrive,
  drive,
  perform,
  rowsOf,
} from "../../support/journal-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";

describe.each(RUN_STORES)("steps a crash interrupted, $name", ({ open }) => {
  it("J9: are tried until the fifth crash, and then end the run, naming themselves", async () => {
    const { journal } = open().store;
    const program = (scope: RunScope): Promise<null> =>
      perform(scope, "killer", () => new Promise<null>(() => {}));
    // A crash: nobody ends the drive, and the next one begins on the same rows.
    for (let crash = 1; crash <= 5; crash++) {
      const { clock } = beginDrive(journal, program);
      await clock.settle();
      expect(journal.get("killer")).toMatchObject({
        state: "started",
        attempt: crash,
        interrupted: crash - 1,
      });
    }
    const result = await drive(journal, program);
    expect(result).toMatchObject({
      state: "failed",
      error: {
        code: "crash_budget_exceeded",
        retryable: false,
        message: expect.stringContaining("step killer"),
      },
    });
  });

  it("J9: have a configurable budget", async () => {
    const { journal } = open().store;
    journal.put(cutOffRow("a", 1, { attempt: 2, interrupted: 1 }));
    const result = await drive(journal, (scope) => perform(scope, "a", () => 1), {
      limits: { maxInterruptions: 2 },
    });
    expect(result).toMatchObject({ error: { code: "crash_budget_exceeded" } });
  });

  it("J9: end the run even if the program catches the failure", async () => {
    const { journal } = open().store;
    journal.put(cutOffRow("a", 1, { attempt: 5, interrupted: 4 }));
    expect(
      await drive(journal, (scope) => perform(scope, "a", () => 1).catch(() => 2)),
    ).toMatchObject({ state: "failed" });
  });

  it("J9: do not count a step that only waits for its own steps", async () => {
    const { journal } = open().store;
    journal.put(cutOffRow("task", 1, { kind: "task" }));
    journal.put(cutOffRow("task/tool", 2, { kind: "tool", state: "waiting" }));
    journal.put(cutOffRow("task/tool/model", 3, { kind: "model" }));
    await drive(journal, (scope) =>
      scope.at("task").group("task", (task) =>
        task.at("tool").step({
          kind: "tool",
          run: (_, tool) => perform(tool, "model", { kind: "model", action: () => null }),
        }),
      ),
    );
    expect(rowsOf(journal).map(({ key, interrupted }) => [key, interrupted])).toEqual([
      ["task", 0],
      ["task/tool", 0],
      ["task/tool/model", 1],
    ]);
  });

  it("are named before the next drive begins, without enclosing and abandoned steps", () => {
    const { journal } = open().store;
    journal.put(cutOffRow("task", 1, { kind: "task" }));
    journal.put(cutOffRow("task/model", 2, { kind: "model" }));
    journal.put(doneRow("race", 3, { kind: "group", endedSeq: 6 }));
    journal.put(cutOffRow("race/loser", 4, { kind: "tool" }));
    const { journal: driven } = beginDrive(journal, () => new Promise(() => {}));
    expect(driven.unfinished).toEqual(["task/model"]);
    driven.stop();
  });
});
