import { describe, expect, it } from "vitest";
import { D1CallerCounts } from "../../../src/cloudflare/stores/d1-caller-counts.ts";
import { checkLimits, countCall, type CallerLimits } from "../../../src/protocols/caller-limits.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

function worldOf(limits: CallerLimits) {
  const database = sqliteD1();
  const counts = new D1CallerCounts(database);
  const clock = new SimulatedClock();
  const call = (more: object = {}) =>
    countCall({ tenant: "acme", callerId: "key", subject: "crew/a", ...more }, limits, {
      counts,
      clock,
    });
  const rows = () =>
    database.sqlite.prepare("SELECT COUNT(*) AS n FROM caller_counts").get()?.["n"];
  return { call, clock, counts, rows };
}

describe("limits of callers", () => {
  it("CL1: count each caller and subject by itself, in storage", async () => {
    const { call } = worldOf({ perMinute: 2 });
    await call();
    await call();
    await expect(call()).rejects.toMatchObject({ code: "rate_limited" });
    await call({ callerId: "other" });
    await call({ tenant: "other" });
    await call({ subject: "crew/b" });
    await expect(call()).rejects.toMatchObject({ code: "rate_limited" });
  });

  it("CL2: a refused caller gets the time to call again, and is then let through", async () => {
    const { call, clock } = worldOf({ perMinute: 1 });
    await clock.advance(60_000 - (clock.now() % 60_000) + 15_000);
    await call();
    const refusal: unknown = await call().catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      message: "crew/a may be called 1 times a minute with this key: call again in 45 s",
      retryAfterMs: 45_000,
      retryable: true,
    });
    await clock.advance(45_000);
    await call();
  });

  it("CL1: a day has a limit of its own", async () => {
    const { call, clock } = worldOf({ perMinute: 5, perDay: 2 });
    await call();
    await clock.advance(120_000);
    await call();
    await clock.advance(120_000);
    await expect(call()).rejects.toThrow("2 times a day");
  });

  it("stores no counts without limits", async () => {
    const { call, rows } = worldOf({});
    await call();
    expect(rows()).toBe(0);
  });

  it("forgets old windows", async () => {
    const { call, clock, counts, rows } = worldOf({ perMinute: 9 });
    await call();
    await clock.advance(180_000);
    await call();
    await counts.prune(clock.now() - 120_000);
    expect(rows()).toBe(1);
  });

  it.each([0, -1, 1.5, Number.NaN, "5"])("refuses the limit %j", (perMinute) => {
    expect(() => checkLimits({ perMinute } as CallerLimits)).toThrow(
      "limits.perMinute must be an integer >= 1",
    );
  });
});
