import { describe, expect, it } from "vitest";
import { keySegment, joinKey, ancestors, MAX_KEY_LENGTH } from "../../../src/journal/step-key.ts";
import { doneRow, drive, perform } from "../../support/journal-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";

describe.each(RUN_STORES)("limits, $name", ({ open }) => {
  it("ends a run with more steps than allowed, naming the one too many", async () => {
    const { journal } = open().store;
    const result = await drive(
      journal,
      async (scope) => {
        for (let n = 0; ; n++) await perform(scope, `s:${n}`, () => null);
      },
      { limits: { maxSteps: 3 } },
    );
    expect(result).toMatchObject({
      state: "failed",
      error: {
        code: "limit_exceeded",
        message: "the run has more than 3 steps; the one too many is s:3",
      },
    });
    expect(journal.count()).toBe(3);
  });

  it("cannot be passed by catching the failure", async () => {
    const result = await drive(
      open().store.journal,
      async (scope) => {
        await perform(scope, "a", () => null);
        return perform(scope, "b", () => null).catch(() => "caught");
      },
      { limits: { maxSteps: 1 } },
    );
    expect(result).toMatchObject({ state: "failed", error: { code: "limit_exceeded" } });
  });

  it("counts the steps of earlier drives", async () => {
    const { journal } = open().store;
    journal.put(doneRow("a", 1));
    const result = await drive(
      journal,
      async (scope) => [
        await perform(scope, "a", () => null),
        await perform(scope, "b", () => null),
      ],
      {
        limits: { maxSteps: 1 },
      },
    );
    expect(result).toMatchObject({ error: { code: "limit_exceeded" } });
  });

  it("lets a full run still replay and end", async () => {
    const { journal } = open().store;
    journal.put(doneRow("a", 1, { value: "1" }));
    expect(
      await drive(journal, (scope) => perform(scope, "a", () => 2), { limits: { maxSteps: 1 } }),
    ).toEqual({ state: "completed", value: 1 });
  });

  it("counts waits and readings as steps", async () => {
    const waits = open().store.journal;
    const waiting = await drive(
      waits,
      async (scope) => {
        await Promise.all([
          scope.at("w1").wait({ kind: "input" }),
          scope.at("w2").wait({ kind: "input" }),
        ]);
        return null;
      },
      { limits: { maxSteps: 1 } },
    );
    expect(waiting).toMatchObject({
      state: "failed",
      error: { code: "limit_exceeded", message: expect.stringContaining("w2") },
    });
    expect(waits.count()).toBe(1);
    const readings = open().store.journal;
    const reading = await drive(
      readings,
      async (scope) => [scope.at("r1").now(), scope.at("r2").now()],
      { limits: { maxSteps: 1 } },
    );
    expect(reading).toMatchObject({
      state: "failed",
      error: { code: "limit_exceeded", message: expect.stringContaining("r2/now") },
    });
    expect(readings.count()).toBe(1);
  });

  it("refuses an overlong result: the step fails with value_too_large", async () => {
    const { journal } = open().store;
    const result = await drive(journal, (scope) => perform(scope, "a", () => "x".repeat(100)), {
      limits: { maxValueLength: 50 },
    });
    expect(result).toMatchObject({
      state: "failed",
      error: { code: "value_too_large", retryable: false },
    });
    expect(journal.get("a")).toMatchObject({ state: "error", value: null });
  });

  it("keeps a result of just the allowed length", async () => {
    const result = await drive(
      open().store.journal,
      (scope) => perform(scope, "a", () => "x".repeat(48)),
      { limits: { maxValueLength: 50 } },
    );
    expect(result).toMatchObject({ state: "completed" });
  });
});

describe("step keys", () => {
  it("are paths", () => {
    expect(joinKey("", "task:a")).toBe("task:a");
    expect(joinKey("task:a", "turn:3")).toBe("task:a/turn:3");
    expect([...ancestors("a/b/c")]).toEqual(["a/b", "a"]);
    expect([...ancestors("a")]).toEqual([]);
  });

  it("have a longest length, and no empty part", () => {
    expect(joinKey("", "x".repeat(MAX_KEY_LENGTH))).toHaveLength(MAX_KEY_LENGTH);
    expect(() => joinKey("a", "x".repeat(MAX_KEY_LENGTH))).toThrow(/1 to 512 characters/);
    expect(() => joinKey("a", "")).toThrow(/no empty part/);
  });

  it.each([
    ["Write the report", "Write-the-report"],
    ["a/b", "a%2Fb"],
    ["tool:search", "tool:search"],
    ["", "~"],
    [" \n ", "~"],
    ["\ud800", "%EF%BF%BD"],
  ])("show any text as one part: %j", (text, segment) => {
    expect(keySegment(text)).toBe(segment);
  });

  it("truncate long texts, keep them distinct, and never cut through an escape", () => {
    const [one, two] = [keySegment(`${"ä".repeat(60)}1`), keySegment(`${"ä".repeat(60)}2`)];
    expect(one).not.toBe(two);
    expect(Math.max(one.length, two.length)).toBeLessThanOrEqual(64);
    for (let lead = 0; lead < 3; lead++)
      expect(keySegment("x".repeat(lead) + "ä".repeat(60))).toMatch(
        /^(?:x|%[0-9A-F]{2})+~[0-9a-f]{16}$/,
      );
  });
});
