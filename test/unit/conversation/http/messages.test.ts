import { describe, expect, it } from "vitest";
import { ConversationWorld, REVIEW } from "../../../support/conversation-world.ts";
import { greeting, type JsonAnswer } from "../../../support/http-app.ts";

const LONG = `agents:
  a: { system_message: A, after_work: b }
  b: { system_message: B, after_work: a }
max_rounds: 6
`;

async function reviewing(): Promise<{ readonly world: ConversationWorld; readonly id: string }> {
  const world = new ConversationWorld();
  await world.store("review", REVIEW);
  return { world, id: await world.converse("review", { message: "A text, please." }) };
}

async function say(world: ConversationWorld, id: string, message: unknown) {
  const answer = await world.ask(`/runs/${id}/messages`, { json: message });
  await world.clock.settle();
  return answer;
}

const spoken = (json: JsonAnswer): readonly string[] =>
  (json["items"] as unknown as ReadonlyArray<{ index: number; name: string; content: string }>).map(
    ({ index, name, content }) => `${index} ${name}: ${content}`,
  );

describe("messages", () => {
  it("CMS1: are there while the conversation waits, and all of them once it is over", async () => {
    const { world, id } = await reviewing();
    const before = await world.ask(`/runs/${id}/messages`);
    expect(spoken(before.json)).toEqual(["0 ana: A text, please.", "1 writer: You write. 2"]);
    await say(world, id, { name: "ana", content: "Fine" });
    await say(world, id, { name: "ben", content: "OK" });
    const { json } = await world.ask(`/runs/${id}/messages`);
    expect(spoken(json).slice(2)).toEqual(["2 ana: Fine", "3 ben: OK"]);
    const { json: run } = await world.ask(`/runs/${id}`);
    expect(run["output"]?.["messages"]).toHaveLength(4);
  });

  it("CMS1: come in pages, in the order of the conversation", async () => {
    const world = new ConversationWorld();
    await world.store("long", LONG);
    const messages = ["First", { role: "assistant", content: "Second" }, "Third"];
    const id = await world.converse("long", { messages });
    const whole = spoken((await world.ask(`/runs/${id}/messages`)).json);
    expect(whole.slice(0, 3)).toEqual(["0 user: First", "1 a: Second", "2 user: Third"]);
    expect(whole).toHaveLength(8);
    for (const limit of [1, 2, 3, 7, 8]) {
      const pages: string[] = [];
      let cursor: string | undefined;
      do {
        const after = cursor === undefined ? "" : `&cursor=${cursor}`;
        const { json } = await world.ask(`/runs/${id}/messages?limit=${limit}${after}`);
        pages.push(...spoken(json));
        cursor = json["nextCursor"] as unknown as string | undefined;
      } while (cursor !== undefined);
      expect(pages).toEqual(whole);
    }
    expect((await world.ask(`/runs/${id}/messages?cursor=bm9uZQ`)).status).toBe(400);
  });

  it("CMS1: are still there when the definition is gone", async () => {
    const { world, id } = await reviewing();
    await world.ask("/conversations/review", { method: "DELETE" });
    const { json } = await world.ask(`/runs/${id}/messages`);
    expect(spoken(json)).toEqual(["0 user: A text, please.", "1 writer: You write. 2"]);
  });

  it("of another run are those sent to it", async () => {
    const world = new ConversationWorld({ crews: { greeting } });
    const id = await world.kickoff();
    expect(await world.ask(`/runs/${id}/messages`)).toMatchObject({
      status: 200,
      json: { items: [] },
    });
    const said = await say(world, id, { name: "ben", content: "OK" });
    expect(said).toMatchObject({
      status: 404,
      json: { detail: expect.stringContaining("only runs of conversations have participants") },
    });
  });

  it("MBX5: without a participant wait for a conversation that waits, and answer no question", async () => {
    const { world, id } = await reviewing();
    const json = { content: "In euros, please.", speaker: { name: "Cy" } };
    const sent = await world.ask(`/runs/${id}/messages`, { json });
    expect(sent).toMatchObject({ status: 202, json: { state: "pending" } });
    await say(world, id, { name: "ana", content: "Fine" });
    await world.clock.settle();
    const { json: all } = await world.ask(`/runs/${id}/messages?sent=true`);
    expect(all).toMatchObject({ items: [{ content: "In euros, please.", state: "delivered" }] });
    const { json: said } = await world.ask(`/runs/${id}/messages`);
    const texts = (said as unknown as { items: { name: string; content: string }[] }).items;
    expect(texts.slice(-2).map(({ name, content }) => [name, content])).toEqual([
      ["ana", "Fine"],
      ["Cy", "In euros, please."],
    ]);
  });
});

describe("a message from outside", () => {
  it("CMS2: answers the question to its participant, and is refused for others by name", async () => {
    const { world, id } = await reviewing();
    const early = await say(world, id, { name: "ben", content: "OK" });
    expect(early).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining('waits for "ana", not for "ben"') },
    });
    const { status, json } = await say(world, id, {
      name: "ana",
      content: "Fine",
      by: "Ana Silva",
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({ id });
    const { json: waits } = await world.ask("/waits");
    expect(waits["items"]).toMatchObject([
      {
        data: { agent: "ben" },
        prompt: expect.stringContaining("ana said:\n\nFine"),
        run: { id, kind: "conversation" },
      },
    ]);
    const keyless = await world.ask(`/runs/${id}/resume`, { json: { feedback: "OK" } });
    expect(keyless).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining("was answered by Ana Silva at 20") },
    });
    const [wait] = waits["items"] as unknown as ReadonlyArray<{ key: string }>;
    await world.ask(`/runs/${id}/resume`, { json: { key: wait?.key, feedback: "OK" } });
    await world.clock.settle();
    const over = await say(world, id, { name: "ana", content: "One more thing" });
    expect(over).toMatchObject({
      status: 409,
      json: {
        detail: `conversation ${id} is over (completed): nobody can say anything in it any more`,
      },
    });
  });

  describe("CMS2: to a participant who is asked again", () => {
    /** The model and bob speak in turns. */
    const ASKING = `agents:
  q: { system_message: You ask., after_work: bob }
  bob: { human: true, after_work: q }
pattern: { kind: default, initial_agent: q }
max_rounds: 12
`;
    const asking = async () => {
      const world = new ConversationWorld();
      await world.store("asking", ASKING);
      const id = await world.converse("asking", { message: "hi" });
      const said = async () =>
        spoken((await world.ask(`/runs/${id}/messages`)).json).filter((line) =>
          line.includes(" bob: pay"),
        );
      const send = async (message: object, key?: string) => {
        const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
        const path = `/runs/${id}/messages`;
        const answer = await world.ask(path, { json: { name: "bob", ...message }, headers });
        await world.clock.settle();
        return answer;
      };
      const question = async () => {
        const { json } = await world.ask(`/runs/${id}`);
        return (json["waits"] as unknown as ReadonlyArray<{ key: string }>)[0]?.key;
      };
      return { said, send, question };
    };
    const pay = { content: "pay 100" };

    it("is recognised by its Idempotency-Key, however often it comes", async () => {
      const { send, said } = await asking();
      for (let n = 0; n < 3; n++) expect((await send(pay, "abc")).status).toBe(200);
      expect((await send({ content: "pay 200" }, "abc")).status).toBe(409);
      expect(await said()).toEqual(["2 bob: pay 100"]);
    });

    it("without a key is refused, since it may be late", async () => {
      const { send, said, question } = await asking();
      await send(pay);
      const late = await send(pay);
      expect(late).toMatchObject({
        status: 409,
        json: { detail: expect.stringMatching(/"bob" was asked before: .* at 20.*key/) },
      });
      expect((await send({ ...pay, key: await question() })).status).toBe(200);
      expect(await said()).toEqual(["2 bob: pay 100", "4 bob: pay 100"]);
    });

    it("belongs to the question of its key, or after the message of its index", async () => {
      const { send, said, question } = await asking();
      const first = await question();
      for (let n = 0; n < 2; n++) {
        expect((await send({ ...pay, key: first })).status).toBe(200);
        expect((await send({ ...pay, index: 1 })).status).toBe(200);
      }
      for (const other of [{ key: first }, { index: 1 }])
        expect(await send({ content: "pay 200", ...other })).toMatchObject({
          status: 409,
          json: { detail: expect.stringMatching(/was answered .*at 20/) },
        });
      expect((await send({ ...pay, index: 3 })).status).toBe(200);
      expect((await send({ ...pay, index: 99 })).status).toBe(400);
      expect(await said()).toEqual(["2 bob: pay 100", "4 bob: pay 100"]);
    });
  });

  it("CMS2: is refused while no participant is expected", async () => {
    const { world, id } = await reviewing();
    await world.ask(`/runs/${id}/pause`, { method: "POST" });
    await say(world, id, { name: "ana", content: "Fine" });
    const { status, json } = await say(world, id, { name: "ben", content: "OK" });
    expect(status).toBe(409);
    expect(json["detail"]).toContain("waits for nobody to speak now");
    await world.ask(`/runs/${id}/unpause`, { method: "POST" });
    await world.clock.settle();
    expect((await say(world, id, { name: "ben", content: "OK" })).status).toBe(200);
  });
});

describe("a fork at a message", () => {
  it("CMS3: has the earlier messages, and runs the rest again", async () => {
    const { world, id } = await reviewing();
    await say(world, id, { name: "ana", content: "Fine" });
    await say(world, id, { name: "ben", content: "OK" });
    const path = `/runs/${id}/messages/2/fork`;
    const fork = await world.ask(path, {
      json: { content: "Shorter!", id: "f-1", branch: "shorter" },
    });
    expect(fork.status).toBe(202);
    await world.clock.settle();
    expect(spoken((await world.ask("/runs/f-1/messages")).json)).toEqual([
      "0 ana: A text, please.",
      "1 writer: You write. 2",
      "2 ana: Shorter!",
    ]);
    await say(world, "f-1", { name: "ben", content: "Agreed" });
    expect((await world.ask("/runs/f-1")).json).toMatchObject({
      status: "completed",
      origin: { runId: id, branch: "shorter" },
      output: { summary: "Agreed", humanInput: ["Agreed", "Shorter!"] },
    });
    expect((await world.ask(`/runs/${id}`)).json["output"]).toMatchObject({
      humanInput: ["OK", "Fine"],
    });
    expect(world.model.calls).toHaveLength(1);
  });

  it.each([
    [0, ["Changed", "Second", "Third"]],
    [2, ["First", "Second", "Changed"]],
  ])("CMS3: at opening message %i, begins with another one", async (index, texts) => {
    const world = new ConversationWorld();
    await world.store("long", LONG);
    const messages = ["First", { role: "assistant", content: "Second" }, "Third"];
    const id = await world.converse("long", { messages });
    await world.ask(`/runs/${id}/messages/${index}/fork`, {
      json: { content: "Changed", id: "f-2" },
    });
    await world.clock.settle();
    const { json } = await world.ask("/runs/f-2/messages");
    expect(
      spoken(json)
        .slice(0, 3)
        .map((line) => line.split(": ")[1]),
    ).toEqual(texts);
    expect(world.model.calls).toHaveLength(10);
  });

  it("CMS3: at the one message of a kickoff, begins with another one", async () => {
    const { world, id } = await reviewing();
    await world.ask(`/runs/${id}/messages/0/fork`, { json: { content: "A poem", id: "f-3" } });
    await world.clock.settle();
    expect((await world.ask("/runs/f-3")).json["inputs"]).toEqual({ message: "A poem" });
  });

  it("GLP3: each round is a checkpoint, from which any fork can continue, with another result", async () => {
    const { world, id } = await reviewing();
    const { json } = await world.ask(`/runs/${id}/checkpoints?values=1`);
    const [first] = json["items"] as unknown as ReadonlyArray<{
      id: string;
      key: string;
      output: object;
    }>;
    expect(first).toMatchObject({ key: "chat/round:1", output: { speaker: "writer" } });
    const message = { role: "assistant", name: "writer", content: "Other words" };
    const replace = { "chat/round:1": { ...first?.output, message } };
    const fork = { id: "f-9", fromCheckpoint: first?.id, replace };
    expect((await world.ask(`/runs/${id}/fork`, { json: fork })).status).toBe(202);
    await world.clock.settle();
    expect(await world.waitOf("f-9")).toMatchObject({ subject: "Other words" });
    const late = { ...fork, id: "f-10", replace: { "chat/round:2": {} } };
    expect((await world.ask(`/runs/${id}/fork`, { json: late })).status).toBe(409);
  });

  it("CMS3: needs an existing message with plain words, and an id of its own", async () => {
    const world = new ConversationWorld({
      script: ({ messages }) =>
        messages.at(-1)?.role === "tool"
          ? "It is late."
          : { toolCalls: [{ name: "current_time", arguments: {} }] },
    });
    await world.store("clock", "agents:\n  a: { tools: [current_time] }\n");
    const id = await world.converse("clock");
    const fork = (index: string, json: object = { content: "x" }) =>
      world.ask(`/runs/${id}/messages/${index}/fork`, { json });
    expect(await fork("1")).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining("more than words") },
    });
    expect((await fork("2")).status).toBe(409);
    expect((await fork("3")).status).toBe(202);
    expect(await fork("9")).toMatchObject({
      status: 404,
      json: { detail: expect.stringContaining("has 4 so far") },
    });
    expect((await fork("3", { content: "x", id })).status).toBe(400);
  });
});
