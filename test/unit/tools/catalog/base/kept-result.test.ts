import { expect, it } from "vitest";
import * as z from "zod";
import { InMemoryModelCache } from "../../../../../src/llm/in-memory-model-cache.ts";
import { catalogTool, httpTool } from "../../../../../src/tools/catalog/base/catalog-tool.ts";
import { toolResult } from "../../../../../src/tools/tool-result.ts";
import { callOf } from "../../../../support/tool-world.ts";

const VARIABLES = { DOCS_KEY: "a-key-of-the-service" };

const docs = httpTool({
  className: "DocsTool",
  displayName: "docs",
  group: "search",
  service: "Docs",
  effectClass: "R",
  description: "Looks things up.",
  input: () => z.object({ query: z.string() }),
  options: () => z.object({ depth: z.number().default(1) }),
  env: [{ name: "DOCS_KEY", description: "its key", send: { header: "X-Key" }, option: "apiKey" }],
  hosts: ["api.docs.example"],
  request: (body) => ({ url: "https://api.docs.example/search", body }),
  answer: () => z.looseObject({ found: z.string() }),
  result: ({ found }) =>
    toolResult({
      text: found,
      data: { found },
      sources: [{ url: "https://docs.example/1" }],
      cost: { amount: 2, unit: "usd" },
    }),
});

let count = 0;
const answers = (): Response => Response.json({ found: `answer ${++count}` });
const services = () => ({ modelCache: new InMemoryModelCache() });

it("KRT1: a result is reused for an equal call only", async () => {
  const world = { answers, services: services(), variables: VARIABLES };
  const first = await callOf(docs({ cacheSeconds: 60 }), { query: "tea" }, world);
  const second = await callOf(docs({ cacheSeconds: 60 }), { query: "tea" }, world);
  expect(second.requests).toEqual([]);
  expect([second.text, second.data]).toEqual([first.text, first.data]);
  expect(second.everything).toContain("https://docs.example/1");
  for (const other of [
    callOf(docs({ cacheSeconds: 60 }), { query: "cups" }, world),
    callOf(docs({ cacheSeconds: 60, depth: 2 }), { query: "tea" }, world),
    callOf(docs({ cacheSeconds: 60, headers: { "X-Site": "b" } }), { query: "tea" }, world),
    callOf(
      docs({ cacheSeconds: 60 }),
      { query: "tea" },
      {
        ...world,
        variables: { DOCS_KEY: "another-key-of-it" },
      },
    ),
    callOf(docs(), { query: "tea" }, world),
  ])
    expect((await other).requests).toHaveLength(1);
});

it("KRT2: a reused result is free, and failures are not cached", async () => {
  const world = { answers, services: services(), variables: VARIABLES };
  const first = await callOf(docs({ cacheSeconds: 60 }), { query: "tea" }, world);
  const second = await callOf(docs({ cacheSeconds: 60 }), { query: "tea" }, world);
  expect(first.everything).toContain('"amount":2');
  expect(second.everything).not.toContain('"amount":2');
  const down = { ...world, answers: () => new Response("no", { status: 404 }) };
  expect((await callOf(docs({ cacheSeconds: 60 }), { query: "x" }, down)).failure).toBeDefined();
  expect((await callOf(docs({ cacheSeconds: 60 }), { query: "x" }, world)).text).toContain(
    "answer",
  );
});

it("KRT2: effects outside of the run are repeated each time", async () => {
  let done = 0;
  const send = catalogTool({
    className: "SendTool",
    displayName: "send",
    group: "messages",
    service: "Post",
    effectClass: "X",
    description: "Sends.",
    input: () => z.object({ text: z.string() }),
    options: () => z.object({}),
    run: () => `sent ${++done}`,
  });
  const world = { services: services() };
  for (const expected of ["sent 1", "sent 2"]) {
    const made = send({ cacheSeconds: 60, needsApproval: false });
    expect((await callOf(made, { text: "a" }, world)).text).toBe(expected);
  }
});

it("KRT3: a failing cache is ignored", async () => {
  const broken = {
    get: () => Promise.reject(new Error("down")),
    set: () => Promise.reject(new Error("down")),
  };
  const world = { answers, services: { modelCache: broken }, variables: VARIABLES };
  expect((await callOf(docs({ cacheSeconds: 60 }), { query: "tea" }, world)).text).toContain(
    "answer",
  );
  const odd = { get: () => Promise.resolve(["odd"]), set: () => Promise.resolve() };
  const other = { ...world, services: { modelCache: odd } };
  expect((await callOf(docs({ cacheSeconds: 60 }), { query: "tea" }, other)).text).toContain(
    "answer",
  );
});
