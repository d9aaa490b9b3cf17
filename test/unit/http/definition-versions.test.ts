import { describe, expect, it } from "vitest";
import { declarativeFlows } from "../../../src/declarative/index.ts";
import type { DefinitionRules } from "../../../src/llm/definition-rules.ts";
import { SecretBox } from "../../../src/security/secret-box.ts";
import { ConversationWorld } from "../../support/conversation-world.ts";
import {
  textOf,
  type AskOptions,
  type HttpWorld,
  type HttpWorldOptions,
} from "../../support/http-app.ts";

const CANARY = "CANARY-key-0123456789";
const box = new SecretBox("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", (length) =>
  crypto.getRandomValues(new Uint8Array(length)),
);
const RULES: DefinitionRules = {
  outbound: {},
  secrets: [],
  seal: (key, owner) => box.seal(key, owner),
  open: (sealed, owner) => box.open(sealed, owner),
};

const CREW = (goal: string): string => `# Who writes
agents:
  writer: { role: Writer, goal: ${goal}, backstory: Short. } # alone
tasks:
  draft: { description: Write, expected_output: A page, agent: writer }
`;
const FLOW = (greeting: string): string => `# What is said
name: Hello
methods:
  hello:
    start: true
    do: { call: expression, expr: "'${greeting}'" }
`;
const CONVERSATION = (message: string): string => `# Who talks
agents:
  one: { systemMessage: ${message} }
  two: { systemMessage: You answer. }
`;
const KINDS = [
  ["crews", CREW],
  ["flows", FLOW],
  ["conversations", CONVERSATION],
] as const;

const world = (options: HttpWorldOptions = {}): HttpWorld =>
  new ConversationWorld({
    declarativeFlows: declarativeFlows(),
    definitionRules: RULES,
    ...options,
  });
const put = (body: string, headers: Record<string, string> = {}): AskOptions => ({
  method: "PUT",
  body,
  headers: { "content-type": "application/yaml", ...headers },
});

describe.each(KINDS)("versions of %s", (kind, source) => {
  const path = `/${kind}/notes`;

  it("DVW1: only the version in If-Match is replaced (CA23)", async () => {
    const app = world();
    const created = await app.ask(path, put(source("one"), { "if-none-match": "*" }));
    expect([created.status, created.headers.get("etag")]).toEqual([201, '"1"']);
    const second = await app.ask(path, put(source("two"), { "if-match": '"1"' }));
    expect([second.status, second.headers.get("etag")]).toEqual([200, '"2"']);
    expect((await app.ask(path)).headers.get("etag")).toBe('"2"');
    expect((await app.ask(path)).json["version"]).toBe(2);
    const late = await app.ask(path, put(source("three"), { "if-match": '"1"' }));
    expect(late).toMatchObject({
      status: 412,
      json: { code: "precondition_failed", version: 2, title: "Precondition Failed" },
    });
    expect(late.headers.get("etag")).toBe('"2"');
    const taken = await app.ask(path, put(source("three"), { "if-none-match": "*" }));
    expect(taken).toMatchObject({ status: 412, json: { version: 2 } });
    const absent = await app.ask(`/${kind}/other`, put(source("x"), { "if-match": "*" }));
    expect(absent).toMatchObject({ status: 412, json: { version: null } });
    expect((await app.ask(`/${kind}/other`)).status).toBe(404);
  });

  it("DVW2: a source unchanged in text and meaning makes no version; a comment makes one (CA23)", async () => {
    const app = world();
    await app.ask(path, put(source("one")));
    const same = await app.ask(path, put(source("one")));
    expect([same.status, same.headers.get("etag")]).toEqual([200, '"1"']);
    const commented = await app.ask(path, put(`${source("one")}# why\n`));
    expect(commented.headers.get("etag")).toBe('"2"');
  });

  it("YAML comes back with its comments, and an old version can be restored (CA23)", async () => {
    const app = world();
    await app.ask(`${path}?note=first`, put(source("one")));
    await app.ask(path, put(source("two")));
    const list = await app.ask(`${path}/versions`);
    expect(list.json).toMatchObject({
      items: [{ version: 2 }, { version: 1, note: "first", bytes: source("one").length }],
    });
    const first = await app.ask(`${path}/versions/1`);
    expect(first.json).toMatchObject({
      source: source("one"),
      mediaType: "application/yaml",
      definition: {},
    });
    const restored = await app.ask(`${path}/versions/1/restore`, { method: "POST" });
    expect([restored.status, restored.headers.get("etag")]).toEqual([200, '"3"']);
    expect(restored.json["definition"]).toEqual(first.json["definition"]);
    expect((await app.ask(`${path}/versions/3`)).json).toMatchObject({
      source: source("one"),
      note: "Version 1 again",
    });
    const again = await app.ask(`${path}/versions/3/restore`, { method: "POST" });
    expect(again.headers.get("etag")).toBe('"3"');
    const page = await app.ask(`${path}/versions?limit=1`);
    const rest = await app.ask(`${path}/versions?cursor=${textOf(page.json["nextCursor"])}`);
    expect(rest.json).toMatchObject({ items: [{ version: 2 }, { version: 1 }] });
    for (const missing of ["9", "0", "x"])
      expect((await app.ask(`${path}/versions/${missing}`)).status).toBe(404);
    expect((await app.ask(`/${kind}/nothing/versions`)).status).toBe(404);
  });

  it("a deleted definition keeps its versions, and can be restored", async () => {
    const app = world();
    await app.ask(path, put(source("one")));
    await app.ask(path, { method: "DELETE" });
    expect((await app.ask(`${path}/versions`)).json).toMatchObject({ items: [{ version: 1 }] });
    const restored = await app.ask(`${path}/versions/1/restore`, { method: "POST" });
    expect([restored.status, restored.json["version"]]).toEqual([201, 2]);
    expect((await app.ask(path)).status).toBe(200);
  });

  it.each([
    ["if-match", "x"],
    ["if-match", "1"],
    ["if-match", 'W/"1"'],
    ["if-none-match", '"1"'],
  ])("refuses %s: %s, without a version in quotes (BI11)", async (header, value) => {
    const answer = await world().ask(path, put(source("one"), { [header]: value }));
    expect(answer).toMatchObject({ status: 400, json: { errors: [{ path: `/${header}` }] } });
  });
});

describe("versions of definitions", () => {
  it("a run may take an old version; an unknown one is 404, and definitions of the code have none", async () => {
    const app = world();
    await app.ask("/crews/notes", put(CREW('"About {topic}"')));
    await app.ask("/crews/notes", put(CREW("About tea")));
    const kickoff = (version?: number): AskOptions => ({
      method: "POST",
      json: version === undefined ? {} : { version },
    });
    expect((await app.ask("/crews/notes/kickoff", kickoff())).status).toBe(202);
    expect((await app.ask("/crews/notes/kickoff", kickoff(2))).status).toBe(202);
    expect(await app.ask("/crews/notes/kickoff", kickoff(1))).toMatchObject({
      status: 400,
      json: { errors: [{ path: "/inputs/topic" }] },
    });
    const batch = { method: "POST", json: { version: 1, inputs: [{}] } };
    expect((await app.ask("/crews/notes/kickoff-for-each", batch)).status).toBe(400);
    expect((await app.ask("/crews/notes/kickoff", kickoff(7))).status).toBe(404);
    expect(await app.ask("/crews/greeting/kickoff", kickoff(1))).toMatchObject({
      status: 400,
      json: { errors: [{ path: "/version" }] },
    });
  });

  it("DVW3: a plain key is in no version, and is encrypted again each time", async () => {
    const app = world();
    const withKey = CREW("one").replace(
      "role: Writer",
      `role: Writer, llm: { model: openai/gpt-5-mini, apiKey: ${CANARY} }`,
    );
    for (const version of [1, 2]) {
      const stored = await app.ask("/crews/notes", put(withKey));
      expect(stored.json["version"]).toBe(version);
    }
    const { text, json } = await app.ask("/crews/notes/versions/1");
    expect(text).not.toContain(CANARY);
    expect(json["mediaType"]).toBe("application/json");
    const restored = await app.ask("/crews/notes/versions/1/restore", { method: "POST" });
    expect(restored.json["version"]).toBe(3);
    expect(restored.text).not.toContain(CANARY);
  });

  it("versions are of their tenant", async () => {
    const app = world();
    await app.ask("/crews/notes", put(CREW("one")));
    const other = await app.definitions.versions("other", "crew", { name: "notes", limit: 5 });
    expect(other).toEqual([]);
  });
});
