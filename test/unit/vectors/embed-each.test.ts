import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { InMemoryJournalStore } from "../../../src/journal/in-memory-journal-store.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { embedAll, embedEach, type Embedded } from "../../../src/vectors/embed-each.ts";
import type { Embedder } from "../../../src/vectors/embedder.ts";
import { cutAfterEveryWrite } from "../../support/cut-off.ts";
import { beginDrive, drive, rowsOf } from "../../support/journal-harness.ts";

/** Embeds a number as a vector of it; refuses texts of letters. */
function numbers(options: { maxBatch?: number; faults?: unknown[] } = {}): {
  embedder: Embedder;
  calls: string[];
} {
  const calls: string[] = [];
  const faults = [...(options.faults ?? [])];
  const embedder: Embedder = {
    id: "test/numbers",
    model: "test/numbers",
    maxBatch: options.maxBatch ?? 4,
    embed: async (texts) => {
      calls.push(texts.join(" "));
      if (faults.length > 0) throw faults.shift();
      if (texts.some((text) => !/^\d+$/.test(text))) {
        throw new EngineError("model_rejected", "there are letters in it");
      }
      return texts.map((text) => Float32Array.of(Number(text), 1));
    },
  };
  return { embedder, calls };
}

function firsts(results: readonly Embedded[]): (number | string | undefined)[] {
  return results.map(({ vector, error }) => vector?.[0] ?? error?.code);
}

const TEXTS = ["1", "2", "3", "4", "5", "x", "7", "8", "9"];
const RESULT = [1, 2, 3, 4, 5, "model_rejected", 7, 8, 9];

describe("embedding many texts", () => {
  it("EE1: sends batches of the embedder's size", async () => {
    const { embedder, calls } = numbers();
    await embedEach(embedder, ["1", "2", "3", "4", "5"]);
    expect(calls).toEqual(["1 2 3 4", "5"]);
    await expect(embedEach(embedder, [])).resolves.toEqual([]);
    expect(calls).toHaveLength(2);
  });

  it("EE1: sends long texts in smaller batches", async () => {
    const { embedder, calls } = numbers({ maxBatch: 100 });
    const long = "1".repeat(150_000);
    await embedEach(embedder, [long, long, long, long.repeat(4), "2"]);
    expect(calls.map((call) => call.length)).toEqual([300_001, 150_000, 600_000, 1]);
  });

  it("EE3: halves a refused batch until the text at fault is alone", async () => {
    const { embedder, calls } = numbers();
    expect(firsts(await embedEach(embedder, TEXTS))).toEqual(RESULT);
    expect(calls).toEqual(["1 2 3 4", "5 x 7 8", "5 x", "5", "x", "7 8", "9"]);
    await expect(embedAll(embedder, TEXTS)).rejects.toMatchObject({
      code: "model_rejected",
      message: "text 5 cannot be embedded: there are letters in it",
    });
  });

  it("EE3: halves no batch for other failures", async () => {
    const unauthorized = new EngineError("model_unauthorized", "no key");
    const { embedder, calls } = numbers({ faults: [unauthorized] });
    await expect(embedEach(embedder, TEXTS)).rejects.toBe(unauthorized);
    expect(calls).toHaveLength(1);
  });

  it("EE2: outside of a run retries temporary failures, after the requested wait", async () => {
    const busy = new EngineError("model_rate_limited", "slow down", {
      retryable: true,
      retryAfterMs: 7000,
    });
    const { embedder, calls } = numbers({ faults: [busy, busy] });
    const clock = new SimulatedClock();
    const pending = embedEach(embedder, ["1"], { clock });
    await clock.advance(6999);
    expect(calls).toHaveLength(1);
    await clock.advance(1);
    expect(calls).toHaveLength(2);
    await clock.advance(7000);
    expect(firsts(await pending)).toEqual([1]);
    const failing = numbers({ faults: [busy, busy, busy] });
    const refused = embedEach(failing.embedder, ["1"], { clock }).catch((error: unknown) => error);
    await clock.advance(7000);
    await clock.advance(7000);
    expect(await refused).toBe(busy);
    expect(failing.calls).toHaveLength(3);
  });

  it("EE2: stops waiting when its signal is aborted", async () => {
    const busy = new EngineError("model_failed", "busy", { retryable: true });
    const { embedder } = numbers({ faults: [busy] });
    const controller = new AbortController();
    const pending = embedEach(embedder, ["1"], {
      clock: new SimulatedClock(),
      signal: controller.signal,
    });
    const ended = pending.catch((error: unknown) => error);
    await Promise.resolve();
    controller.abort(new Error("enough"));
    expect(await ended).toMatchObject({ message: "enough" });
  });

  it("EE4: refuses vectors of different lengths", async () => {
    let length = 2;
    const embedder: Embedder = {
      ...numbers().embedder,
      maxBatch: 1,
      embed: async () => [new Float32Array(length++).fill(1)],
    };
    await expect(embedEach(embedder, ["1", "2"])).rejects.toThrow("of 2 and of 3 dimensions");
  });
});

describe("embedding in a run", () => {
  it("EE1: keeps each batch as a step, vectors as text, and replays without a call", async () => {
    const store = new InMemoryJournalStore();
    const { embedder, calls } = numbers();
    const program = async (place: Parameters<Parameters<typeof drive>[1]>[0]): Promise<string> =>
      JSON.stringify(firsts(await embedEach(embedder, TEXTS, { place: place.at("recall") })));
    const first = await drive(store, program);
    expect(first).toMatchObject({ state: "completed", value: JSON.stringify(RESULT) });
    const rows = rowsOf(store).map(({ key, kind }) => ({ key, kind }));
    expect(rows).toEqual([0, 1, 2].map((n) => ({ key: `recall/embed:${n}`, kind: "model" })));
    const count = calls.length;
    expect(await beginDrive(store, program).ended).toEqual(first);
    expect(calls).toHaveLength(count);
  });

  it("DC1: ends with the same result wherever the process dies, and repeats no batch with stored vectors", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const { embedder, calls } = numbers();
      return {
        calls,
        program: {
          tasks: [],
          run: async (place): Promise<JsonObject> => ({
            firsts: firsts(await embedEach(embedder, TEXTS, { place })).map(String),
          }),
        },
      };
    });
    expect(whole.run.output).toMatchObject({ firsts: RESULT.map(String) });
    expect(cut.length).toBeGreaterThan(5);
    for (const { course } of cut) expect(course).toEqual(whole.course);
  });
});
