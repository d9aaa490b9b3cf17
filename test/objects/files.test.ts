import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/system.ts";
import { D1FileStore } from "../../src/cloudflare/stores/d1-file-store.ts";
import { R2FileStore, type Bucket } from "../../src/cloudflare/stores/r2-file-store.ts";
import { runWithEvictions, runWithKills } from "./support/faults.ts";
import { callsOf } from "./support/ledger.ts";
import { reaches, start, TENANT } from "./support/runs.ts";

const d1 = (tenant: string): D1FileStore => new D1FileStore(env.DB, tenant, systemClock);
const r2 = (tenant: string): R2FileStore =>
  new R2FileStore((env as unknown as { FILES: Bucket }).FILES, tenant);

describe.each([
  ["D1", d1],
  ["R2", r2],
])("files in %s", (_, open) => {
  it("are read as they were written, by their own tenant", async () => {
    const store = open("acme");
    await store.put("dir/a.txt", "Grüße", "text/plain");
    await store.put("dir/a.txt", new Uint8Array([0, 255]), "application/pdf");
    expect(await store.get("dir/a.txt")).toEqual({
      content: new Uint8Array([0, 255]),
      mediaType: "application/pdf",
    });
    expect(await store.get("dir/b.txt")).toBeUndefined();
    expect(await open("other").get("dir/a.txt")).toBeUndefined();
  });
});

describe("DE3: a crew of a manager", () => {
  it("ends with the same output and file when each of its calls is killed once, and lets every call through once", async () => {
    const calm = await reaches(await start("delegating", { inputs: { id: "calm" } }), "completed");
    const { run, killed } = await runWithKills("delegating", { inputs: { id: "killed" } });
    expect(run.output).toEqual(calm.output);
    expect(killed.length).toBeGreaterThan(8);
    const passed = callsOf(run.id).filter((call) => call.passed);
    expect(new Set(passed.map(({ key }) => key)).size).toBe(passed.length);
    const [file, other] = await Promise.all(
      ["killed", "calm"].map((id) => d1(TENANT).get(`reports/${id}.md`)),
    );
    expect(new TextDecoder().decode(file?.content)).toBe((run.output as { raw: string }).raw);
    expect(file).toEqual(other);
  });

  it("ends the same when it is evicted after every call", async () => {
    const calm = await reaches(await start("delegating", { inputs: { id: "a" } }), "completed");
    const { run, evictions } = await runWithEvictions("delegating", { id: "b" });
    expect(run.output).toEqual(calm.output);
    expect(evictions).toBeGreaterThan(5);
  });
});
