// Messages to runs under way, over HTTP.
import { describe, expect, it } from "vitest";
import { HttpWorld } from "../../support/http-app.ts";
import { Latch } from "../../support/journal-harness.ts";

/** A crew whose first model call ends by hand. */
async function begun(): Promise<{ readonly world: HttpWorld; readonly answer: Latch<string> }> {
  const answer = new Latch<string>();
  const world = new HttpWorld({
    script: ({ messages }) => {
      const words = JSON.stringify(messages);
      if (words.includes("in euros")) return "Prices in euros.";
      return words.includes("Research") ? answer.promise : "A page.";
    },
  });
  const json = { id: "r", inputs: { topic: "tea" } };
  expect((await world.ask("/crews/briefing/kickoff", { json })).status).toBe(202);
  await world.clock.settle();
  return { world, answer };
}

describe("a message to a run under way", () => {
  it("is accepted with its state, listed, and seen by the active agent", async () => {
    const { world, answer } = await begun();
    const json = { content: "in euros", speaker: { name: "Ana" } };
    const sent = await world.ask("/runs/r/messages", { json });
    expect(sent).toMatchObject({
      status: 202,
      json: { id: "m1", state: "pending", mode: "steer" },
    });
    answer.resolve("Prices.");
    await world.clock.settle();
    const { json: page } = await world.ask("/runs/r/messages");
    expect(page["items"]).toMatchObject([
      { id: "m1", state: "delivered", speaker: { name: "Ana" } },
    ]);
    const { json: run } = await world.ask("/runs/r");
    expect(run).toMatchObject({ status: "completed" });
    expect((await world.ask("/runs/r/journal?values=true")).text).toContain("Prices in euros.");
  });

  it("counts once by its id or its Idempotency-Key", async () => {
    const { world } = await begun();
    const headers = { "Idempotency-Key": "first" };
    const json = { content: "in euros" };
    const once = await world.ask("/runs/r/messages", { json, headers });
    const again = await world.ask("/runs/r/messages", { json: { ...json, id: "first" } });
    expect(again.json).toEqual(once.json);
    expect(
      await world.ask("/runs/r/messages", { json: { content: "else", id: "first" } }),
    ).toMatchObject({ status: 409, json: { code: "conflict" } });
    const both = await world.ask("/runs/r/messages", { json: { ...json, id: "other" }, headers });
    expect(both.status).toBe(400);
  });

  it("is taken back while it is pending", async () => {
    const { world } = await begun();
    await world.ask("/runs/r/messages", { json: { content: "wrong", id: "w" } });
    const withdraw = () => world.ask("/runs/r/messages/w", { method: "DELETE" });
    expect(await withdraw()).toMatchObject({ status: 200, json: { state: "withdrawn" } });
    expect((await world.ask("/runs/r/messages/x", { method: "DELETE" })).status).toBe(404);
  });

  it("is refused with the faulty field, after the end, and for an unknown run", async () => {
    const { world, answer } = await begun();
    for (const json of [
      {},
      { content: "" },
      { content: "a", mode: "shout" },
      { content: "a", too: 1 },
    ])
      expect((await world.ask("/runs/r/messages", { json })).status).toBe(400);
    expect((await world.ask("/runs/none/messages", { json: { content: "a" } })).status).toBe(404);
    answer.resolve("Prices.");
    await world.clock.settle();
    expect(await world.ask("/runs/r/messages", { json: { content: "late" } })).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining("is completed") },
    });
  });

  it("MBX5: is no answer to a question of the run", async () => {
    const world = new HttpWorld({ script: () => "unused" });
    await world.ask("/flows/review/kickoff", { json: { id: "f", inputs: { topic: "tea" } } });
    await world.clock.settle();
    const sent = await world.ask("/runs/f/messages", { json: { content: "approved" } });
    expect(sent).toMatchObject({ status: 202, json: { state: "pending" } });
    expect((await world.ask("/runs/f")).json).toMatchObject({
      status: "waiting",
      waits: [{ kind: "human" }],
    });
  });
});
