// The description of memory and knowledge, against what they answer.
import { expect, it } from "vitest";
import { validateJsonSchema } from "../../../src/base/json-schema.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import type { OpenApiDocument } from "../../../src/http/openapi/openapi.ts";
import { textOf, type AskOptions } from "../../support/http-app.ts";
import { RecallWorld } from "../../support/recall-world.ts";

const world = new RecallWorld({ auth: { mode: "open" } });
const document = (await world.ask("/openapi.json")).json as unknown as OpenApiDocument;
const ours = Object.entries(document.paths)
  .filter(([path]) => /^\/(memory|knowledge)/.test(path))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method })),
  );

function whole(schema: JsonObject): JsonObject {
  return { ...schema, components: document.components };
}

it("describes every route", () => {
  const routes = world.app.routes
    .filter(({ method, path }) => method !== "ALL" && /^\/(memory|knowledge)/.test(path))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
  const described = ours.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect(described.toSorted()).toEqual([...new Set(routes)].toSorted());
  expect(described).toHaveLength(23);
});

it("has valid examples, and allows document bodies of any type", () => {
  const bodies = ours.flatMap(({ requestBody }) => requestBody?.content["application/json"] ?? []);
  expect(bodies).toHaveLength(8);
  for (const { schema, example } of bodies)
    expect(validateJsonSchema(whole(schema), example)).toEqual([]);
  const added = ours.find(({ operationId }) => operationId === "addKnowledge");
  expect(Object.keys(added?.requestBody?.content ?? {})).toEqual(["application/json", "*/*"]);
});

it("answers as is described, for every operation", async () => {
  const covered = new Set<string>();
  async function conforms(id: string, path: string, options: AskOptions = {}) {
    const answer = await world.ask(path, options);
    const described = ours.find(({ operationId }) => operationId === id)?.responses[
      String(answer.status)
    ];
    expect(described, `${id} answered ${answer.status}: ${answer.text}`).toBeDefined();
    const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
    const schema = described?.content?.[type]?.schema;
    const faults =
      answer.text === "" ? [] : validateJsonSchema(whole(schema ?? { not: {} }), answer.json);
    expect(faults).toEqual([]);
    if (answer.status < 300) covered.add(id);
    return answer.json;
  }
  const content = { content: "tea", scope: "/a/b", categories: ["drink"], importance: 0.4 };
  const saved = await conforms("saveMemory", "/memory", { json: { ...content, source: "me" } });
  await conforms("saveMemory", "/memory", { json: [content] });
  await conforms("saveMemory", "/memory", { json: {} });
  await conforms("recallMemories", "/memory/recall", { json: { query: "tea" } });
  await conforms("recallMemories", "/memory/recall", { json: { limit: 1 } });
  await conforms("listMemories", "/memory/records?limit=1");
  await conforms("listMemories", "/memory/records?cursor=x");
  const record = `/memory/records/${textOf(saved["id"])}`;
  await conforms("getMemory", record);
  await conforms("changeMemory", record, { method: "PATCH", json: { importance: 1 } });
  await conforms("forgetMemory", record, { method: "DELETE" });
  await conforms("getMemory", record);
  await conforms("forgetMemories", "/memory/forget", { json: { scope: "/a" } });
  await conforms("forgetMemories", "/memory/forget", { json: {} });
  await conforms("listMemoryScopes", "/memory/scopes");
  await conforms("memoryTree", "/memory/tree");
  await conforms("memoryTree", "/memory/tree?format=json");
  await conforms("memoryInfo", "/memory/info");
  await conforms("memoryInfo", "/memory/info?path=/a/..");
  await conforms("memoryCategories", "/memory/categories");
  await conforms("resetMemory", "/memory/reset", { json: { scope: "/a" } });
  await conforms("resetMemory", "/memory/reset", { json: {} });
  await conforms("reindexMemory", "/memory/reindex", { json: {} });
  const { id } = await conforms("addKnowledge", "/knowledge/manuals/sources", {
    json: { name: "a.md", text: "# Tea\n\nHot." },
  });
  await conforms("addKnowledge", "/knowledge/manuals/sources", { body: "tea" });
  for (let turn = 0; turn < 100; turn++) {
    await world.clock.settle();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect((await world.ask(`/runs/${textOf(id)}`)).json["status"]).toBe("completed");
  await conforms("listKnowledge", "/knowledge");
  await conforms("listKnowledge", "/knowledge?limit=0");
  const { items } = await conforms("listDocuments", "/knowledge/manuals");
  const path = `/knowledge/manuals/documents/${textOf(items?.[0]?.["id"])}`;
  await conforms("getDocument", path);
  await conforms("listChunks", `${path}/chunks`);
  await conforms("queryKnowledge", "/knowledge/manuals/query", { json: { query: "hot tea" } });
  await conforms("queryKnowledge", "/knowledge/manuals/query", { json: {} });
  await conforms("reindexKnowledge", "/knowledge/manuals/reindex", { method: "POST" });
  await conforms("reindexKnowledge", "/knowledge/none/reindex", { method: "POST" });
  await world.clock.settle();
  await conforms("memoryIndex", "/memory/index");
  await conforms("deleteDocument", path, { method: "DELETE" });
  await conforms("deleteDocument", path, { method: "DELETE" });
  await conforms("deleteCollection", "/knowledge/manuals", { method: "DELETE" });
  await conforms("addKnowledge", "/knowledge/other/sources?name=b.txt", {
    body: "cold",
    headers: { "content-type": "text/plain" },
  });
  for (let turn = 0; turn < 100; turn++) {
    await world.clock.settle();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await conforms("deleteCollection", "/knowledge/other", { method: "DELETE" });
  expect([...covered].toSorted()).toEqual(ours.map(({ operationId }) => operationId).toSorted());
});
