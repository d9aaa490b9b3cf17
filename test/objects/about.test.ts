import { createScheduledController } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { EdgecrewClient } from "../../src/client/index.ts";
import worker from "./worker.ts";

const client = new EdgecrewClient({
  baseUrl: "https://api.test",
  fetch: (url, init) => exports.default.fetch(new Request(url, init)),
});

it("a Worker reports the layout of its objects, its migrations, and the last time of its cron", async () => {
  const before = Date.now();
  await worker.scheduled(createScheduledController(), env);
  const { sweeper, storage, missing, limits } = await client.about();
  expect(Date.parse(sweeper.lastAt ?? "")).toBeGreaterThanOrEqual(before);
  expect(storage.objectSchema?.reads).toContain(storage.objectSchema?.writes);
  expect(storage.d1Migrations?.pending).toEqual([]);
  expect(storage.d1Migrations?.applied).toContain("0021_sweeper.sql");
  expect(missing.map(({ code }) => code)).not.toContain("no_cron");
  expect(limits["maxBodyBytes"]).toBeGreaterThan(0);
});
