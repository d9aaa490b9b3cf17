import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import { WAITING_RETRY } from "../../../src/base/retry.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { Latch } from "../../support/journal-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

const MINUTE_MS = 60_000;
/** Also the shortest wait is one of the run's: no drive sleeps. */
const LIMITS = { longestSleepMs: 0 };

/** A model that is away until `backAtMs`, counted from the start of its world, and notes when it was asked. */
class AwayModel {
  readonly askedAtMs: number[] = [];
  readonly keys = new Set<string>();
  backAtMs: number;
  code: "model_unavailable" | "model_rate_limited" = "model_unavailable";
  retryAfterMs: number | undefined;
  readonly #now: () => number;

  constructor(backAtMs: number, now: () => number) {
    this.backAtMs = backAtMs;
    this.#now = now;
  }

  readonly ask = (scope: RunScope, key = "llm"): Promise<JsonValue> =>
    scope.at(key).step<JsonValue>({
      kind: "model",
      label: "acme/large",
      retry: WAITING_RETRY,
      hearsSilence: true,
      run: async ({ idempotencyKey }) => {
        const nowMs = this.#now();
        this.askedAtMs.push(nowMs);
        this.keys.add(idempotencyKey);
        const { retryAfterMs } = this;
        if (nowMs < this.backAtMs)
          throw new EngineError(this.code, "connection refused", { retryable: true, retryAfterMs });
        return "an answer";
      },
    });
}

describe.each(RUN_STORES)("an unavailable model, $name", ({ open }) => {
  function awayFor(
    ms: number,
    program?: (scope: RunScope, model: AwayModel) => Promise<JsonValue>,
  ) {
    let model: AwayModel | undefined;
    const world = new RunWorld(
      (scope) => (program ?? ((place, away) => away.ask(place)))(scope, away()),
      { fixture: open(), limits: LIMITS },
    );
    const startMs = world.clock.now();
    const away = (): AwayModel => (model ??= new AwayModel(startMs + ms, () => world.clock.now()));
    return { world, model: away(), startMs };
  }

  /** Serves the alarm until the run has come to an end, or `ms` are over. */
  async function live(world: RunWorld, ms: number): Promise<void> {
    const endMs = world.clock.now() + ms;
    for (let rings = 0; rings < 500; rings++) {
      await world.rest();
      const due = world.alarm.dueAtMs;
      if (due === null || due > endMs) return;
      await world.clock.advance(Math.max(0, due - world.clock.now()));
    }
    throw new Error("the run never came to rest");
  }

  it("J17, RTY2: is retried for over ten minutes, without loss", async () => {
    const { world, model } = awayFor(10 * MINUTE_MS);
    await world.begin();
    await live(world, 11 * MINUTE_MS);
    expect(world.host.reader.record()).toMatchObject({ status: "completed", crashes: 0 });
    expect(model.keys.size).toBe(1);
    // Half a second first, then longer and longer, never more than 37.5 s.
    expect(model.askedAtMs.length).toBeGreaterThan(18);
    expect(model.askedAtMs.length).toBeLessThan(30);
    const waits = model.askedAtMs.slice(1).map((at, n) => at - (model.askedAtMs[n] ?? 0));
    expect(Math.max(...waits)).toBeLessThanOrEqual(37_500);
    expect(waits.slice(0, 3).every((wait, n) => wait < 1000 * 2 ** n)).toBe(true);
    expect(world.store.journal.get("llm")).toMatchObject({ state: "done", wait: null });
  });

  it("J17: lets the run rest meanwhile, which shows the model and the start of the outage", async () => {
    const { world } = awayFor(10 * MINUTE_MS);
    await world.begin();
    await live(world, 2 * MINUTE_MS);
    const run = await world.host.status();
    expect(run).toMatchObject({ status: "waiting", waits: [{ key: "llm", kind: "timer" }] });
    expect(run.waits[0]?.prompt).toMatch(
      /^waiting for acme\/large since \d{4}-\d\d-\d\dT[\d:.]+Z: connection refused$/,
    );
    expect(world.alarm.dueAtMs).toBe(Date.parse(run.waits[0]?.expiresAt ?? ""));
  });

  it("RTY2: fails with a code of its own after the policy's time, and gives the number of tries", async () => {
    const { world, model, startMs } = awayFor(60 * MINUTE_MS);
    await world.begin();
    await live(world, 20 * MINUTE_MS);
    const { status, error } = await world.host.status();
    expect({ status, code: error?.code }).toEqual({ status: "failed", code: "model_unavailable" });
    expect(error?.message).toBe(
      `connection refused (asked ${model.askedAtMs.length} times in 900 s; limits.outageMs is 900000)`,
    );
    // The last try is made when the time is over.
    expect(model.askedAtMs.at(-1)).toBe(startMs + 15 * MINUTE_MS);
    expect(error?.retryable).toBe(false);
  });

  it("RTY2: sets the wait by its retry time, and ends at once when this is too long", async () => {
    const { world, model, startMs } = awayFor(6 * MINUTE_MS);
    model.code = "model_rate_limited";
    model.retryAfterMs = 6 * MINUTE_MS;
    await world.begin();
    await live(world, 7 * MINUTE_MS);
    expect(model.askedAtMs).toEqual([startMs, startMs + 6 * MINUTE_MS]);
    const patient = awayFor(60 * MINUTE_MS);
    patient.model.retryAfterMs = 16 * MINUTE_MS;
    await patient.world.begin();
    expect(await patient.world.host.status()).toMatchObject({
      status: "failed",
      error: { code: "model_unavailable", message: expect.stringMatching(/asks for 960 s more/) },
    });
  });

  it("J17: goes on after a crash of the host and a pause in its time, and asks no more often for them", async () => {
    const { world, model } = awayFor(10 * MINUTE_MS);
    await world.begin();
    await live(world, MINUTE_MS);
    const before = model.askedAtMs.length;
    for (let crash = 0; crash < 20; crash++) {
      world.restart();
      await world.rest();
    }
    expect(model.askedAtMs.length).toBe(before);
    await world.host.pause();
    await world.clock.advance(5 * MINUTE_MS);
    await world.rest();
    expect(model.askedAtMs.length).toBe(before);
    await world.host.unpause();
    await live(world, 10 * MINUTE_MS);
    expect(await world.host.status()).toMatchObject({ status: "completed" });
  });

  it("J17: leaves other branches going, with waits of their own, whose answers end no wait early", async () => {
    const { world, model } = awayFor(3 * MINUTE_MS, (scope, away) =>
      Promise.all([
        away.ask(scope),
        scope
          .at("ask")
          .wait<JsonValue>({ kind: "human" })
          .then((said) => scope.at("then").step({ kind: "effect", run: async () => said })),
      ]),
    );
    await world.begin();
    await live(world, MINUTE_MS);
    const before = model.askedAtMs.length;
    await world.host.resume({ feedback: "yes" });
    await world.rest();
    expect(world.store.journal.get("then")).toMatchObject({ state: "done" });
    expect(model.askedAtMs.length).toBe(before);
    await live(world, 5 * MINUTE_MS);
    expect(await world.host.status()).toMatchObject({ status: "completed" });
  });

  it("J17: rings no alarm once the step around it has ended, also after a crash before its record", async () => {
    const { world, model } = awayFor(60 * MINUTE_MS, (scope, away) =>
      scope
        .at("race")
        .group("group", (inside) =>
          Promise.race([
            away.ask(inside).then(() => "model"),
            inside
              .at("soon")
              .wait({ kind: "timer", dueAtMs: scope.clock.now() + 2 * MINUTE_MS })
              .then(() => "timer"),
          ]),
        )
        .then(() => scope.at("more").wait({ kind: "input" })),
    );
    await world.begin();
    await live(world, 5 * MINUTE_MS);
    expect(world.alarm.dueAtMs).toBeNull();
    const asked = model.askedAtMs.length;
    // As a crash leaves it that came between the end of the group and the note.
    const row = world.store.journal.get("race/llm");
    if (row === undefined) throw new Error("no row");
    const wait = { kind: "timer", dueAtMs: world.clock.now() - 1, sinceMs: 0, tries: 3 } as const;
    world.store.journal.put({ ...row, state: "waiting", wait });
    world.restart();
    await world.host.resume({ value: 1 });
    await world.rest();
    expect(await world.host.status()).toMatchObject({ status: "completed" });
    expect(model.askedAtMs.length).toBe(asked);
  });

  it("does not count an outage against the tries of other failures", async () => {
    let tries = 0;
    const world = new RunWorld(
      (scope) =>
        scope.at("llm").step<JsonValue>({
          kind: "model",
          retry: WAITING_RETRY,
          run: async () => {
            tries++;
            if (tries <= 8) throw new EngineError("model_unavailable", "no", { retryable: true });
            if (tries <= 10) throw new EngineError("model_failed", "odd", { retryable: true });
            return "an answer";
          },
        }),
      { fixture: open(), limits: LIMITS },
    );
    await world.begin();
    await live(world, 10 * MINUTE_MS);
    expect(await world.host.status()).toMatchObject({ status: "completed" });
    expect(tries).toBe(11);
  });

  it("J17: ends no wait of a cancelled run", async () => {
    const { world } = awayFor(3 * MINUTE_MS);
    await world.begin();
    await live(world, MINUTE_MS);
    await world.host.cancel("enough");
    await live(world, 5 * MINUTE_MS);
    expect(await world.host.status()).toMatchObject({ status: "cancelled", waits: [] });
    expect(world.alarm.dueAtMs).toBeNull();
  });
});

describe.each(RUN_STORES)("a silent model, $name", ({ open }) => {
  function talking(signsMs: readonly number[]) {
    const world = new RunWorld(
      (scope) =>
        scope.at("llm").step<JsonValue>({
          kind: "model",
          label: "acme/large",
          retry: { ...WAITING_RETRY, maxAttempts: 1 },
          hearsSilence: true,
          run: async ({ alive, signal }) => {
            const ended = new Latch<JsonValue>();
            for (const atMs of signsMs) world.clock.after(atMs, () => alive());
            signal.addEventListener("abort", () => ended.reject(signal.reason as Error));
            return ended.promise;
          },
        }),
      { fixture: open() },
    );
    return world;
  }

  async function endOf(world: RunWorld): Promise<{ message: string | undefined; afterMs: number }> {
    const startMs = world.clock.now();
    const begun = world.begin();
    for (let n = 0; n < 400 && !["failed", "completed"].includes(statusOf(world)); n++)
      await world.clock.advance(10_000);
    await begun;
    const { error } = await world.host.status();
    return { message: error?.message, afterMs: world.clock.now() - startMs };
  }

  const statusOf = (world: RunWorld): string => {
    try {
      return world.host.reader.record().status;
    } catch {
      return "none";
    }
  };

  it("is cut after two minutes of silence within its answer, and the error names the limit", async () => {
    const { message, afterMs } = await endOf(talking([30_000, 60_000]));
    expect(message).toBe(
      "acme/large fell silent within its answer for 120000 ms (limits.silenceMs)",
    );
    expect(afterMs).toBe(180_000);
  });

  it("has ten minutes for the first sign of its answer", async () => {
    const { message, afterMs } = await endOf(talking([]));
    expect(message).toBe("acme/large gave no sign of an answer for 600000 ms (limits.firstSignMs)");
    expect(afterMs).toBe(600_000);
  });

  it("is never cut while it talks, before the limit of the whole", async () => {
    const everyMinute = Array.from({ length: 60 }, (_, n) => (n + 1) * 60_000);
    const { message, afterMs } = await endOf(talking(everyMinute));
    expect(message).toBe("acme/large did not complete its answer for 1800000 ms (limits.callMs)");
    expect(afterMs).toBe(1_800_000);
  });
});
