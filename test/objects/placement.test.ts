import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { systemClock } from "../../src/base/system.ts";
import { placement } from "../../src/cloudflare/placement.ts";
import { D1RunIndex } from "../../src/cloudflare/runs/d1-run-index.ts";
import { DurableRunDirectory } from "../../src/cloudflare/runs/durable-run-directory.ts";
import { runNamespace } from "../../src/cloudflare/runs/run-namespace.ts";
import { newId, reaches, runs, startOf } from "./support/runs.ts";

const TENANT = "placed";

it("PLC2, PLC4: D1 itself refuses a run started by a Worker of another place, and lets those of its place run (DP21)", async () => {
  const here = placement({ jurisdiction: "eu", locationHint: "weur" });
  const placed = new DurableRunDirectory(runNamespace(here.env(env)), new D1RunIndex(env.DB), {
    clock: systemClock,
    announce: here.announce(env.DB),
  });
  const id = newId("single");
  await placed.start(startOf("single", { id, tenant: TENANT }));
  await expect
    .poll(async () => (await placed.get(TENANT, id)).status, { timeout: 15_000 })
    .toBe("completed");
  const row = await env.DB.prepare("SELECT jurisdiction FROM placements WHERE tenant = ?")
    .bind(TENANT)
    .first();
  expect(row).toEqual({ jurisdiction: "eu" });
  const later = startOf("single", { id: newId("single"), tenant: TENANT });
  await expect(runs.start(later)).rejects.toMatchObject({ code: "not_configured" });
  await expect(runs.get(TENANT, later.id)).rejects.toMatchObject({ code: "not_found" });
  const elsewhere = newId("single");
  await runs.start(startOf("single", { id: elsewhere }));
  await reaches(elsewhere, "completed");
});
