import { evictDurableObject } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { drawFlow } from "../../src/flow/plot/draw-flow.ts";
import { review } from "./support/flows.ts";
import { heldCalls, holdCalls, letGo } from "./support/ledger.ts";
import { newId, SOON, stubOf } from "./support/runs.ts";

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return exports.default.fetch(new Request(`https://api.test${path}`, init));
}

function post(path: string, body: unknown): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return ask(path, { method: "POST", body: JSON.stringify(body), headers });
}

type Report = {
  status: string;
  methods: Record<string, { state: string; count: number; labels?: Record<string, number> }>;
};

async function report(id: string): Promise<Report> {
  const response = await ask(`/runs/${id}/plot?format=json`);
  return (await response.json<{ run: Report }>()).run;
}

async function states(id: string): Promise<Record<string, string>> {
  const { methods } = await report(id);
  return Object.fromEntries(Object.entries(methods).map(([name, { state }]) => [name, state]));
}

it("draws a flow in a Worker as it does anywhere", async () => {
  const response = await ask("/flows/review/plot", { headers: { accept: "image/svg+xml" } });
  expect(response.headers.get("content-type")).toContain("image/svg+xml");
  expect(await response.text()).toBe(drawFlow(new review().flow.definition));
});

it("shows running, waiting and decided methods, also after an eviction, and does not wait for a running run", async () => {
  const id = newId("review");
  holdCalls(id);
  await post("/flows/review/kickoff", { id, inputs: { topic: "tea" } });
  await expect.poll(() => heldCalls(id).length, SOON).toBe(2);
  expect(await states(id)).toEqual({
    begin: "done",
    count: "done",
    left: "running",
    right: "running",
    whole: "idle",
    check: "idle",
    publish: "idle",
  });
  letGo(id, "method:left/left");
  letGo(id, "method:right/right");
  await expect.poll(async () => (await report(id)).status, SOON).toBe("waiting");
  await evictDurableObject(stubOf(id, "default"));
  expect((await states(id))["whole"]).toBe("waiting");
  await post(`/runs/${id}/resume`, { feedback: "good" });
  await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
  letGo(id, "method:publish/send");
  await expect.poll(async () => (await report(id)).status, SOON).toBe("completed");
  const { methods } = await report(id);
  expect(methods["whole"]).toMatchObject({ state: "done", count: 1, labels: { good: 1 } });
  expect(methods["check"]).toMatchObject({ state: "done", labels: { checked: 1 } });
  expect(methods["publish"]).toMatchObject({ state: "done", count: 1 });
});
