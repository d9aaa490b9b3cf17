// Memories of people over HTTP: by keys that name a person, and by front ends' tokens bound to one.
import { describe, expect, it } from "vitest";
import { console } from "../../../../src/entry/console.ts";
import { memory } from "../../../../src/entry/memory.ts";
import { Crew } from "../../../../src/crew/crew.ts";
import { InMemoryVectorStores } from "../../../../src/vectors/exact-vectors.ts";
import { ADMIN_KEY, keyOf, TOKEN_KEY } from "../../../support/access-world.ts";
import { HttpWorld, textOf, type Answer } from "../../../support/http-app.ts";
import { saidEmbedder } from "../../../support/memory-harness.ts";
import { Agent } from "../../../../src/agent/description/agent.ts";
import type { Script } from "../../../../src/llm/scripted/scripted-model.ts";
import { taskFor } from "../../../support/crew-harness.ts";
import { sqliteD1 } from "../../../support/sqlite-d1.ts";

const FIELDS = { categories: ["fact"], importance: 0.5, scope: "/notes" };

async function world(crews = {}, script: Script = () => "done") {
  const variables = { EDGECREW_TOKEN_KEY: TOKEN_KEY };
  const vectors = new InMemoryVectorStores();
  const http = new HttpWorld({
    auth: { mode: "keys", adminKey: ADMIN_KEY },
    env: { DB: sqliteD1() },
    variables,
    placeVariables: variables,
    crews,
    script,
    parts: [...console(), memory({ vectors: () => vectors, embedder: saidEmbedder() })],
  });
  const { key } = await keyOf(http);
  const token = async (body: object): Promise<string> => {
    const answer = await http.ask("/tokens", { key, json: body });
    expect(answer.status).toBe(201);
    return textOf(answer.json["token"]);
  };
  return { http, key, token };
}

const contents = ({ json }: Answer): unknown =>
  (json["items"] as unknown as { record?: { content: string }; content?: string }[]).map(
    (item) => item.record?.content ?? item.content,
  );

describe("a token bound to a person", () => {
  it("MO4: saves, recalls, lists, changes and forgets the person's memories alone", async () => {
    const { http, key, token } = await world();
    const people = ["anna", "anna/../bert", "bert"];
    const ids = new Map<string, string>();
    for (const person of people) {
      const bound = await token({ scopes: ["person"], person });
      const saved = await http.ask("/memory", {
        key: bound,
        json: { ...FIELDS, content: `${person} cos=0.9` },
      });
      expect(saved.status).toBe(201);
      expect(saved.json).toMatchObject({ private: true });
      ids.set(person, textOf(saved.json["id"]));
    }
    await http.ask("/memory", { key, json: { ...FIELDS, content: "shared cos=0.9" } });
    for (const person of people) {
      const bound = await token({ scopes: ["person"], person });
      const ask = (path: string, options: object = {}) =>
        http.ask(path, { key: bound, ...options });
      const recalled = await ask("/memory/recall", { json: { query: "base", minScore: 0 } });
      expect(contents(recalled)).toEqual([`${person} cos=0.9`]);
      for (const path of ["", "?scope=/notes", "?scope=/", `?person=${encodeURIComponent(person)}`])
        expect(contents(await ask(`/memory/records${path}`))).toEqual([`${person} cos=0.9`]);
      expect(contents(await ask("/memory/records?scope=/person/bert"))).toEqual([]);
      for (const other of people.filter((each) => each !== person)) {
        const path = `/memory/records/${ids.get(other)}`;
        expect((await ask(path)).status).toBe(404);
        expect((await ask(path, { method: "PATCH", json: { content: "x" } })).status).toBe(404);
        expect((await ask(path, { method: "DELETE" })).status).toBe(404);
        const named = { query: "base", person: other };
        expect((await ask("/memory/recall", { json: named })).status).toBe(403);
        const saving = { ...FIELDS, content: "x", person: other };
        expect((await ask("/memory", { json: saving })).status).toBe(403);
        expect((await ask("/memory", { json: [saving] })).status).toBe(403);
      }
      const own = `/memory/records/${ids.get(person)}`;
      expect((await ask(own)).status).toBe(200);
      const moved = await ask(own, {
        method: "PATCH",
        json: { scope: "/person/bert", importance: 1 },
      });
      expect(textOf(moved.json["scope"])).toMatch(/^\/person\/[^/]+\/person\/bert$/);
      for (const change of [{ private: false }, { source: "person:bert" }])
        expect((await ask(own, { method: "PATCH", json: change })).status).toBe(400);
      for (const body of [{ source: "person:bert" }, { includePrivate: true }])
        expect(
          (await ask("/memory/recall", { json: { query: "base", ...body } })).status,
        ).toBeOneOf([400, 403]);
      for (const path of ["/memory/tree", "/memory/info", "/memory/categories", "/memory/scopes"])
        expect((await ask(path)).status).toBe(403);
      expect((await ask("/memory/forget", { json: { scope: "/" } })).status).toBe(403);
      expect((await ask("/runs")).status).toBe(403);
    }
  });

  it("MO3: returns no record of another person for a repeated Idempotency-Key", async () => {
    const { http, token } = await world();
    const save = async (person: string) =>
      http.ask("/memory", {
        key: await token({ scopes: ["person"], person }),
        json: { ...FIELDS, content: `of ${person}` },
        headers: { "idempotency-key": "one" },
      });
    expect((await save("anna")).json).toMatchObject({ content: "of anna" });
    expect((await save("anna")).json).toMatchObject({ content: "of anna" });
    const other = await save("bert");
    expect(other.status).toBe(409);
    expect(other.text).not.toContain("anna");
  });

  it("RIG4: needs a maker with run and read, and a person", async () => {
    const { http, key } = await world();
    const make = async (body: object, by = key) =>
      (await http.ask("/tokens", { key: by, json: body })).status;
    const reader = await keyOf(http, { scopes: ["read"] });
    const runner = await keyOf(http, { scopes: ["run"] });
    expect(await make({ scopes: ["person"], person: "anna" }, reader.key)).toBe(403);
    expect(await make({ scopes: ["person"], person: "anna" }, runner.key)).toBe(403);
    expect(await make({ scopes: ["person"] })).toBe(400);
    expect(await make({ scopes: ["read"], person: "anna" })).toBe(400);
    expect(await make({ scopes: ["person", "read"], person: "anna" })).toBe(400);
  });

  it("starts runs of its person, and a front end cannot name another", async () => {
    const asked: string[] = [];
    const clerk = new Agent({ role: "Clerk", goal: "Help", backstory: "You remember." });
    const crew = new Crew({
      name: "desk",
      tasks: [taskFor(clerk, { description: "base" })],
      memory: { scope: "person", minScore: 0.5 },
    });
    const { http, key, token } = await world({ desk: crew }, ({ messages }) => {
      asked.push(JSON.stringify(messages));
      return "done";
    });
    await http.ask("/memory", {
      key,
      json: { ...FIELDS, content: "bert cos=0.9", person: "bert" },
    });
    await http.ask("/memory", {
      key,
      json: { ...FIELDS, content: "anna cos=0.9", person: "anna" },
    });
    const target = { kind: "crew", name: "desk" };
    const bound = await token({ target, scopes: ["kickoff", "person"], person: "anna" });
    const forged = await http.ask("/crews/desk/kickoff", { key: bound, json: { person: "bert" } });
    expect(forged.status).toBe(400);
    const started = await http.ask("/crews/desk/kickoff", { key: bound, json: {} });
    expect(started.status).toBe(202);
    const path = `/runs/${textOf(started.json["id"])}`;
    await expect.poll(async () => (await http.ask(path, { key })).json["status"]).toBe("completed");
    const prompts = asked.join("\n");
    expect(prompts).toContain("anna cos=0.9");
    expect(prompts).not.toContain("bert cos=0.9");
    expect((await http.ask(path, { key })).json).toMatchObject({ person: "anna" });
  });
});

describe("a key that names a person", () => {
  it("works on that person's memory, while other requests do not see it", async () => {
    const { http, key } = await world();
    const json = { ...FIELDS, content: "base", person: "anna" };
    const saved = await http.ask("/memory", { key, json });
    expect(saved.json).toMatchObject({
      scope: "/person/anna/notes",
      source: "person:anna",
      private: true,
    });
    expect(contents(await http.ask("/memory/records", { key }))).toEqual([]);
    expect(contents(await http.ask("/memory/records?person=anna", { key }))).toEqual(["base"]);
    expect(contents(await http.ask("/memory/records?person=an", { key }))).toEqual([]);
    for (const path of ["tree?format=json", "info?", "categories?", "scopes?"]) {
      expect((await http.ask(`/memory/${path}`, { key })).text).not.toMatch(/anna|fact/);
      expect((await http.ask(`/memory/${path}&person=anna`, { key })).text).toMatch(/notes|fact/);
    }
    const refused = await http.ask("/memory", { key, json: { ...json, source: "bert" } });
    expect(refused.status).toBe(400);
  });
});
