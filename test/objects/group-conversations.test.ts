// Conversations of several agents and people in Durable Objects, over HTTP, through evictions and kills.
import { evictDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import sample from "../../examples/samples/incident-review.json";
import { EdgecrewClient } from "../../src/client/index.ts";
import { conversations as storedOnly } from "../../src/conversation/index.ts";
import { defineApp } from "../../src/worker.ts";
import { killAll } from "./support/faults.ts";
import { newId, stubOf, until } from "./support/runs.ts";
import app from "./worker.ts";

const client = new EdgecrewClient({
  baseUrl: "https://api.test",
  fetch: (url, init) => exports.default.fetch(new Request(url, init)),
});
const { conversations } = client;

const REVIEW = `agents:
  writer: { system_message: You write., after_work: ana }
  ana: { human: true, after_work: ben }
  ben: { human: true, after_work: { conversation: closing } }
pattern: { kind: default, initial_agent: writer, user_agent: ana }
max_rounds: 5
`;
const CLOSING = `agents:
  clerk: { system_message: You close things., after_work: terminate }
`;

/** Returns the key of the question to a participant. */
async function waitsFor(id: string, name: string): Promise<string> {
  let key = "";
  await until(`${name} is asked`, async () => {
    const { waits } = await client.runs.get(id);
    key = waits.find(({ data }) => data?.["agent"] === name)?.key ?? "";
    return key !== "";
  });
  return key;
}

describe("a conversation with two people", () => {
  it("goes on over evictions between their answers, and refuses late answers", async () => {
    await conversations.put("review", REVIEW);
    await conversations.put("closing", CLOSING);
    const { id } = await conversations.kickoff("review", {
      message: "A haiku about tea",
      id: newId("talk"),
    });
    await waitsFor(id, "ana");
    await evictDurableObject(stubOf(id, "default"));
    await expect(conversations.say(id, { name: "ben", content: "Fine" })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining('waits for "ana", not for "ben"'),
    });
    await conversations.delete("closing"); // the run has found it already
    await conversations.say(id, { name: "ana", content: "Shorter" });
    const key = await waitsFor(id, "ben");
    await evictDurableObject(stubOf(id, "default"));
    await client.runs.handle(id).resume({ key, feedback: "Agreed" });
    const output = await client.runs.handle(id).output();
    expect(output).toMatchObject({ rounds: 5, humanInput: ["Agreed", "Shorter"] });
    const { items } = await conversations.messages(id);
    expect(items.map(({ name }) => name)).toEqual([
      "ana",
      "writer",
      "ana",
      "ben",
      "wrapped_group_ben_4",
    ]);
    expect((output as { messages: object[] }).messages).toHaveLength(5);
    await expect(conversations.say(id, { name: "ana", content: "Wait" })).rejects.toMatchObject({
      code: "conflict",
      message: `conversation ${id} is over (completed): nobody can say anything in it any more`,
    });
  });

  it("is forked at an earlier answer, with another answer there", async () => {
    await conversations.put("closing", CLOSING);
    await conversations.put("review", REVIEW);
    const { id } = await conversations.kickoff("review", { message: "A poem", id: newId("talk") });
    await waitsFor(id, "ana");
    await conversations.say(id, { name: "ana", content: "Longer" });
    await waitsFor(id, "ben");
    const fork = await conversations.forkAt(id, 2, { content: "Funnier", id: newId("fork") });
    await waitsFor(fork.id, "ben");
    expect((await client.runs.get(fork.id)).waits).toMatchObject([{ subject: "Funnier" }]);
    expect((await client.runs.get(id)).waits).toMatchObject([{ subject: "Longer" }]);
    await conversations.say(fork.id, { name: "ben", content: "Yes" });
    expect(await fork.output()).toMatchObject({ humanInput: ["Yes", "Funnier"] });
    await client.runs.handle(id).cancel();
  });
});

describe("the example of an incident", () => {
  it("is reviewed until the person on duty approves, also when its process is killed", async () => {
    const { id } = await conversations.kickoff("incident-review", {
      ...sample,
      id: newId("incident"),
    });
    await waitsFor(id, "duty");
    await killAll(id);
    await conversations.say(id, { name: "duty", content: "Why did nobody see it in staging?" });
    await until("it asks again", async () => {
      const { items } = await conversations.messages(id);
      return items.filter(({ name }) => name === "reviewer").length === 2;
    });
    const key = await waitsFor(id, "duty");
    await conversations.say(id, { name: "duty", content: "Approved", key });
    const output = await client.runs.handle(id).output();
    expect(output).toMatchObject({ lastSpeaker: "duty", contextVariables: { approved: true } });
    expect(JSON.stringify(output)).toContain("orders-db: refused a connection");
  });
});

describe("a classic group", () => {
  it("goes on over an eviction and a kill, and forks at a person's message", async () => {
    const { id } = await conversations.kickoff("desk", {
      message: "It is broken.",
      id: newId("desk"),
    });
    await waitsFor(id, "caller");
    await evictDurableObject(stubOf(id, "default"));
    await conversations.say(id, { name: "caller", content: "The printer." });
    await killAll(id);
    expect(await client.runs.handle(id).output()).toMatchObject({
      rounds: 5,
      lastSpeaker: "clerk",
    });
    const said = async (run: string) =>
      (await conversations.messages(run)).items.map(
        ({ name, content }) => `${name}: ${content as string}`,
      );
    const before = await said(id);
    expect(before.map((line) => line.split(":")[0])).toEqual([
      "caller",
      "clerk",
      "boss",
      "caller",
      "clerk",
    ]);
    const fork = await conversations.forkAt(id, 3, { content: "The screen.", id: newId("fork") });
    await fork.output();
    const after = await said(fork.id);
    expect(after.slice(0, 4)).toEqual([...before.slice(0, 3), "caller: The screen."]);
  });
});

describe("an app", () => {
  it("starts its conversations from code of its own", async () => {
    const runs = app.runs(env);
    const run = await runs.kickoffConversation("incident-review", {
      ...sample,
      id: newId("own"),
      maxRounds: 1,
    });
    expect(await run.output()).toMatchObject({ rounds: 1, reason: "maximum rounds reached" });
    await expect(runs.kickoffConversation("nobody", sample)).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(runs.kickoffConversation("incident-review", {})).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  it("takes stored ones without its own, and has no routes without both", async () => {
    const list = (options: Parameters<typeof defineApp>[0]) =>
      defineApp(options).fetch(
        new Request("http://localhost/conversations"),
        { ...env, EDGECREW_AUTH: "open" },
        {} as ExecutionContext,
      );
    expect((await list({ conversations: storedOnly() })).status).toBe(200);
    expect((await list({})).status).toBe(404);
    expect((await list({ conversations: {} })).status).toBe(404);
  });
});
