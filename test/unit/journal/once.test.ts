import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { cutOffRow, doneRow, drive, perform } from "../../support/journal-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";

describe.each(RUN_STORES)("steps with effect once, $name", ({ open }) => {
  it("J8: are not run again after a crash: they fail with outcome_unknown, naming themselves", async () => {
    const { journal } = open().store;
    journal.put(cutOffRow("pay", 1));
    let calls = 0;
    const result = await drive(journal, (scope) =>
      perform(scope, "pay", { effect: "once", action: () => ++calls }),
    );
    expect(result).toMatchObject({
      state: "failed",
      error: {
        code: "outcome_unknown",
        retryable: false,
        message: expect.stringContaining("step pay"),
      },
    });
    expect(calls).toBe(0);
  });

  it("J8: fail in a way the program can catch, the same in every replay", async () => {
    const { journal } = open().store;
    journal.put(cutOffRow("pay", 1));
    const program = (scope: RunScope): Promise<string> =>
      perform<string>(scope, "pay", { effect: "once", action: () => "paid" }).catch(
        (error: unknown) => (EngineError.is(error) ? error.code : "?"),
      );
    expect(await drive(journal, program)).toEqual({ state: "completed", value: "outcome_unknown" });
    expect(await drive(journal, program)).toEqual({ state: "completed", value: "outcome_unknown" });
    expect(journal.get("pay")).toMatchObject({ state: "error", attempt: 1, interrupted: 1 });
  });

  it("J8: fail the same after steps of their own, which are no longer requested", async () => {
    const { journal } = open().store;
    journal.put(cutOffRow("pay", 1));
    journal.put(doneRow("pay/quote", 2, { parent: "pay", endedSeq: 4, value: '"5"' }));
    journal.put(doneRow("after", 3, { endedSeq: 5, value: '"a"' }));
    const program = async (scope: RunScope): Promise<string[]> =>
      Promise.all([
        perform<string>(scope, "pay", { effect: "once", action: () => "paid" }).catch(
          (error: unknown) => (EngineError.is(error) ? error.code : "?"),
        ),
        perform<string>(scope, "after", { action: () => "b" }),
        perform<string>(scope, "new", { action: () => "c" }),
      ]);
    const expected = { state: "completed", value: ["outcome_unknown", "a", "c"] };
    expect(await drive(journal, program)).toEqual(expected);
    expect(await drive(journal, program)).toEqual(expected);
  });

  it("J8: run when they had not begun", async () => {
    const result = await drive(open().store.journal, (scope) =>
      perform(scope, "pay", { effect: "once", action: () => "paid" }),
    );
    expect(result).toEqual({ state: "completed", value: "paid" });
  });

  it.each(["pure", "idempotent"] as const)(
    "J8: other steps are repeated: a step that is %s runs again",
    async (effect) => {
      const { journal } = open().store;
      journal.put(cutOffRow("a", 1));
      expect(
        await drive(journal, (scope) => perform(scope, "a", { effect, action: () => "again" })),
      ).toMatchObject({ state: "completed" });
    },
  );
});
