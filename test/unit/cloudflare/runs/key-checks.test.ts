import { describe, expect, it } from "vitest";
import { KeyChecks } from "../../../../src/cloudflare/runs/key-checks.ts";
import type { ApiKey } from "../../../../src/parts/key-store.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const KEY: ApiKey = { id: "a", tenant: "t", scopes: ["read"], createdAtMs: 0 };

function world(find: () => Promise<ApiKey | undefined>) {
  const clock = new SimulatedClock();
  let asked = 0;
  const keys = {
    find: () => {
      asked++;
      return find();
    },
  };
  return { clock, checks: new KeyChecks(keys, clock), asked: () => asked };
}

describe("keys of open sockets", () => {
  it("are looked up once in 30 seconds, and waiting messages keep their order", async () => {
    const { clock, checks, asked } = world(async () => KEY);
    const passed: string[] = [];
    const pass = (name: string, key = "hash"): void =>
      checks.pass(key, (isValid) => passed.push(`${name} ${isValid}`));
    pass("a");
    pass("b");
    pass("other", "hash-2");
    await clock.settle();
    pass("c");
    checks.pass(undefined, (isValid) => passed.push(`no key ${isValid}`));
    expect(passed).toEqual(["a true", "b true", "other true", "c true", "no key true"]);
    expect(asked()).toBe(2);
    await clock.advance(30_001);
    pass("d");
    await clock.settle();
    expect(asked()).toBe(3);
  });

  it("let no message pass after deletion or expiry", async () => {
    for (const key of [undefined, { ...KEY, expiresAtMs: 1 }]) {
      const { clock, checks } = world(async () => key);
      const passed: boolean[] = [];
      checks.pass("hash", (isValid) => passed.push(isValid));
      await clock.settle();
      checks.pass("hash", (isValid) => passed.push(isValid));
      await clock.settle();
      expect(passed).toEqual([false, false]);
    }
  });

  it("count as valid while the database does not answer", async () => {
    const { clock, checks } = world(() => Promise.reject(new Error("away")));
    const passed: boolean[] = [];
    checks.pass("hash", (isValid) => passed.push(isValid));
    await clock.settle();
    expect(passed).toEqual([true]);
  });
});
