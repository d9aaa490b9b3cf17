import { hc } from "hono/client";
import { expect, it } from "vitest";
import type { App } from "../../../src/http/app.ts";
import { HttpWorld } from "../../support/http-app.ts";

it("types the requests and answers of hc<App>", async () => {
  const world = new HttpWorld();
  const api = hc<App>("http://crews.test", {
    fetch: ((url: string, init?: RequestInit) => world.app.request(url, init)) as typeof fetch,
  });
  const started = await api.crews[":name"].kickoff.$post({
    param: { name: "briefing" },
    json: { inputs: { topic: "tea" }, id: "run-1" },
  });
  expect(started.status).toBe(202);
  const { items } = await (await api.crews.$get({ query: { limit: "1" } })).json();
  const names: readonly string[] = items.map(({ name }) => name);
  expect(names).toEqual(["briefing"]);
  // @ts-expect-error a field that no schema has
  const wrong = await api.runs[":id"].cancel.$post({ param: { id: "run-1" }, json: { why: "x" } });
  expect(wrong.status).toBe(400);
});
