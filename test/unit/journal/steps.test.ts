import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { StepContext } from "../../../src/journal/step-spec.ts";
import { beginDrive, drive, perform, rowsOf } from "../../support/journal-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";

describe.each(RUN_STORES)("steps, $name", ({ open }) => {
  it("J1: puts a step on record as started before its action begins", async () => {
    const { journal } = open().store;
    let seen: string | undefined;
    await drive(journal, (scope) =>
      perform(scope, "a", () => ((seen = journal.get("a")?.state), null)),
    );
    expect(seen).toBe("started");
  });

  it("J1: records a result before the code continues", async () => {
    const { journal } = open().store;
    let seen: unknown;
    await drive(journal, async (scope) => {
      await perform(scope, "a", () => 42);
      seen = journal.get("a");
      return null;
    });
    expect(seen).toMatchObject({ state: "done", value: "42" });
  });

  it("J1: records a failure before the code receives it", async () => {
    const { journal } = open().store;
    let seen: unknown;
    await drive(journal, async (scope) => {
      await perform(scope, "a", () => Promise.reject(new Error("no luck"))).catch(
        () => (seen = journal.get("a")),
      );
      return null;
    });
    expect(seen).toMatchObject({ state: "error", error: { message: "no luck" } });
  });

  it("ends with the program's value", async () => {
    const result = await drive(open().store.journal, (scope) =>
      perform(scope, "a", () => ({ words: ["x"] })),
    );
    expect(result).toEqual({ state: "completed", value: { words: ["x"] } });
  });

  it("ends as failed with the error the program let through", async () => {
    const result = await drive(open().store.journal, () =>
      Promise.reject(new EngineError("output_invalid", "no title")),
    );
    expect(result).toEqual({
      state: "failed",
      error: { code: "output_invalid", message: "no title", retryable: false },
    });
  });

  it("reports an unexpected exception as internal", async () => {
    const result = await drive(open().store.journal, () =>
      Promise.reject(new TypeError("x is undefined")),
    );
    expect(result).toMatchObject({
      state: "failed",
      error: { code: "internal", message: "x is undefined" },
    });
  });

  it("turns a program that throws at once into a failed drive", async () => {
    const result = await drive(open().store.journal, () => {
      throw new Error("at once");
    });
    expect(result).toMatchObject({ state: "failed", error: { message: "at once" } });
  });

  it("names a failure after the kind of its step", async () => {
    const { journal } = open().store;
    await drive(journal, async (scope) => {
      for (const kind of ["model", "tool", "effect", "agent", "method"] as const) {
        await perform(scope, kind, { kind, action: () => Promise.reject(new Error("no")) }).catch(
          () => null,
        );
      }
      return null;
    });
    expect(rowsOf(journal).map((row) => row.error?.code)).toEqual([
      "model_failed",
      "tool_failed",
      "internal",
      "agent_failed",
      "user_code_failed",
    ]);
  });

  it("gives an action its key, its attempt, and an idempotency key made of the run's id and the path", async () => {
    let seen: StepContext | undefined;
    await drive(open().store.journal, (scope) =>
      scope
        .at("task:x")
        .at("tool:y#0")
        .step({ kind: "tool", run: async (context) => ((seen = context), null) }),
    );
    expect(seen).toMatchObject({
      key: "task:x/tool:y#0",
      attempt: 1,
      idempotencyKey: "run-1:task:x/tool:y#0",
    });
  });

  it("numbers all starts and ends in one order", async () => {
    const { journal } = open().store;
    await drive(journal, (scope) =>
      scope.at("g").group("group", async (inner) => {
        await perform(inner, "a", () => null);
        return perform(inner, "b", () => null);
      }),
    );
    expect(
      rowsOf(journal).map(({ key, startedSeq, endedSeq }) => [key, startedSeq, endedSeq]),
    ).toEqual([
      ["g", 1, 6],
      ["g/a", 2, 3],
      ["g/b", 4, 5],
    ]);
    expect(journal.lastSeq()).toBe(6);
  });

  it("keeps when a step started and ended", async () => {
    const { journal } = open().store;
    const { ended, clock } = beginDrive(journal, (scope) =>
      perform(
        scope,
        "a",
        () => new Promise<null>((resolve) => clock.after(250, () => resolve(null))),
      ),
    );
    const startMs = clock.now();
    await clock.advance(250);
    await ended;
    expect(journal.get("a")).toMatchObject({ startedAtMs: startMs, endedAtMs: startMs + 250 });
  });

  it("refuses a second step of the same key, naming it", async () => {
    const result = await drive(open().store.journal, async (scope) => {
      await perform(scope, "a", () => null);
      return perform(scope, "a", () => null);
    });
    expect(result).toMatchObject({
      state: "failed",
      error: { code: "invalid_definition", message: expect.stringContaining("the key a:") },
    });
  });

  it("takes a reading once: later drives read the same", async () => {
    const { journal } = open().store;
    const first = beginDrive(journal, async (scope) => scope.at("a").now());
    const reading = await first.ended;
    const { clock } = first;
    await clock.advance(5000);
    expect(await drive(journal, async (scope) => scope.at("a").now(), { clock })).toEqual(reading);
    expect(journal.get("a/now")).toMatchObject({ kind: "value", state: "done" });
  });

  it("adds up the usage of model calls, including earlier drives", async () => {
    const { journal } = open().store;
    const usage = {
      promptTokens: 3,
      cachedPromptTokens: 0,
      cacheCreationTokens: 0,
      completionTokens: 2,
      reasoningTokens: 0,
      totalTokens: 5,
      requests: 1,
      costUsd: 0.25,
    };
    const program = (keys: readonly string[]) =>
      beginDrive(journal, async (scope) => {
        for (const key of keys)
          await perform(scope, key, { kind: "model", usage: () => usage, action: () => null });
        return { tokens: scope.usage.totalTokens, cost: scope.usage.costUsd };
      });
    expect(await program(["a"]).ended).toMatchObject({ value: { tokens: 5, cost: 0.25 } });
    const second = program(["a", "b"]);
    expect(await second.ended).toMatchObject({ value: { tokens: 10, cost: 0.5 } });
    expect(journal.usage()).toEqual(second.journal.usage);
  });

  it("notifies the observer of new results only", async () => {
    const recorded: string[] = [];
    const { journal } = open().store;
    const program = (scope: Parameters<typeof perform>[0]) => perform(scope, "a", () => 1);
    await drive(journal, program, { observer: { recorded: (key) => recorded.push(key) } });
    await drive(journal, program, { observer: { recorded: (key) => recorded.push(key) } });
    expect(recorded).toEqual(["a"]);
  });
});
