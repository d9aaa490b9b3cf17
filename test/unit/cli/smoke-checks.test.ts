import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json.ts";
import { checkCode, checkCron } from "../../../src/cli/deploy/smoke/check-code.ts";
import type { Check, ExpectedCode, SmokeTest } from "../../../src/cli/deploy/smoke/ask-worker.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";

const EXPECTED: ExpectedCode = { version: "v-2", tag: "0.2.0+abc.o3", packageVersion: "0.2.0" };

const SOUND: JsonObject = {
  version: "0.2.0",
  code: { id: "v-2", tag: "0.2.0+abc.o3" },
  storage: { d1Migrations: { applied: [], pending: [] } },
  sweeper: {},
  missing: [],
};

/** Runs a check against what the Worker says at each time, while time passes. */
async function checked(
  check: Check,
  about: (elapsedMs: number) => JsonObject,
  expected: ExpectedCode = EXPECTED,
) {
  const clock = new SimulatedClock();
  const startMs = clock.now();
  const notes: string[] = [];
  const asked: Headers[] = [];
  const test: SmokeTest = {
    url: "https://crews.test",
    key: "key",
    expected,
    isOpen: false,
    clock,
    signal: new AbortController().signal,
    onNote: (note) => notes.push(note),
    fetch: (async (_url: string, init?: RequestInit) => {
      asked.push(new Headers(init?.headers));
      return Response.json({ ...SOUND, ...about(clock.now() - startMs) });
    }) as typeof fetch,
  };
  const ended: unknown[] = [];
  const done = check(test).then(
    (skipped) => ended.push(skipped),
    (error: unknown) => ended.push(error),
  );
  while (ended.length === 0) await clock.advance(1_000);
  await done;
  return { result: ended[0], notes, asked, elapsedMs: clock.now() - startMs };
}

describe("the check of the code (DP12)", () => {
  it.each<[string, JsonObject, RegExp]>([
    ["another version", { code: { id: "v-1" } }, /the version v-1, not v-2/],
    [
      "another package",
      { version: "0.1.0" },
      /made with edgecrew 0.1.0, and the project has 0.2.0/,
    ],
    ["another tag", { code: { id: "v-2", tag: "x" } }, /its tag is x, not 0.2.0\+abc.o3/],
    ["another package, and no version", { code: {}, version: "0.1.0" }, /made with edgecrew 0.1.0/],
    [
      "pending migrations",
      { missing: [{ code: "migrations_pending", message: "lacks 0009", fix: "apply it" }] },
      /lacks 0009/,
    ],
  ])("SMK1: %s", async (_, about, message) => {
    const { result } = await checked(checkCode, () => about);
    expect(result).toMatchObject({ exitCode: 1, message: expect.stringMatching(message) });
  });

  it("waits for new code for a minute", async () => {
    const old = { code: { id: "v-1" } };
    const { result, elapsedMs } = await checked(checkCode, (ms) => (ms < 40_000 ? old : {}));
    expect([result, elapsedMs]).toEqual([undefined, expect.closeTo(43_000, -4)]);
  });

  it("passes without a binding VERSION, and shows the missing settings", async () => {
    const missing = [
      { code: "no_model_key", message: "no key", fix: "secrets put" },
      { code: "no_cron", message: "no cron", fix: "add it" },
    ];
    const { result, notes } = await checked(checkCode, () => ({ code: {}, missing }));
    expect([result, notes]).toEqual([undefined, ["no key (no_model_key): secrets put"]]);
  });

  it("SMK4: requests a version with shared traffic by its name", async () => {
    const { asked } = await checked(checkCode, () => ({}), { ...EXPECTED, sharedBy: "demo" });
    expect(asked[0]?.get("cloudflare-workers-version-overrides")).toBe('demo="v-2"');
    const whole = await checked(checkCode, () => ({}));
    expect(whole.asked[0]?.has("cloudflare-workers-version-overrides")).toBe(false);
  });
});

describe("the check of the cron (DP12)", () => {
  const START_MS = new SimulatedClock().now();
  const at = (ms: number): JsonObject => ({
    sweeper: { lastAt: new Date(START_MS + ms).toISOString() },
  });

  it.each<[string, (ms: number) => JsonObject, number]>([
    ["came a moment ago", () => at(-60_000), 0],
    ["comes at last", (ms) => (ms < 120_000 ? {} : at(120_000)), 120_000],
    ["came long ago, and comes again", (ms) => at(ms < 60_000 ? -3_600_000 : 60_000), 60_000],
  ])("passes when it %s", async (_, about, leastMs) => {
    const { result, elapsedMs } = await checked(checkCron, about);
    expect(result).toBeUndefined();
    expect(elapsedMs).toBeGreaterThanOrEqual(leastMs);
    expect(elapsedMs).toBeLessThan(leastMs + 10_000);
  });

  it.each<[string, () => JsonObject]>([
    ["never came", () => ({})],
    ["came long ago alone", () => at(-3_600_000)],
  ])("fails after 130 s when it %s", async (_, about) => {
    const { result, elapsedMs } = await checked(checkCron, about);
    expect(result).toMatchObject({
      exitCode: 1,
      message: expect.stringContaining("its cron has not come within 130 s"),
    });
    expect([elapsedMs >= 129_000, elapsedMs < 140_000]).toEqual([true, true]);
  });
});
