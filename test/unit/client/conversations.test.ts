import { expect, it } from "vitest";
import { EdgecrewClient } from "../../../src/client/index.ts";
import { ConversationWorld, REVIEW } from "../../support/conversation-world.ts";

it("conversations are stored, drawn, started, read, spoken in, forked and deleted", async () => {
  const world = new ConversationWorld();
  const client = new EdgecrewClient({
    baseUrl: "http://crews.test/",
    clock: world.clock,
    fetch: (url, init) => Promise.resolve(world.app.request(url, init)),
  });
  const { conversations } = client;
  expect(await conversations.put("my review", REVIEW)).toMatchObject({
    name: "my review",
    source: "stored",
  });
  expect(await conversations.put("solo", { agents: { a: {} } })).toMatchObject({ maxRounds: 20 });
  expect((await conversations.list({ limit: 1 })).items).toMatchObject([{ name: "my review" }]);
  expect((await conversations.get("my review")).definition).toMatchObject({ name: "my review" });
  expect(await conversations.picture("my review")).toMatch(/^<svg /);
  expect(await conversations.picture("my review", "mermaid")).toMatch(/^flowchart /);

  const run = await conversations.kickoff("my review", { message: "A text, please.", id: "c-1" });
  expect(run.id).toBe("c-1");
  await world.clock.settle();
  await expect(conversations.say("c-1", { name: "ben", content: "Fine" })).rejects.toMatchObject({
    code: "conflict",
  });
  expect(await conversations.say("c-1", { name: "ana", content: "Fine" })).toMatchObject({
    id: "c-1",
  });
  await world.clock.settle();
  const { items, nextCursor } = await conversations.messages("c-1", { limit: 2 });
  expect(items.map(({ name }) => name)).toEqual(["ana", "writer"]);
  const rest = await conversations.messages("c-1", { cursor: nextCursor ?? "" });
  expect(rest.items).toMatchObject([{ index: 2, name: "ana", content: "Fine" }]);

  const fork = await conversations.forkAt("c-1", 1, { content: "My own words", branch: "mine" });
  await world.clock.settle();
  expect((await conversations.messages(fork.id)).items.at(-1)).toMatchObject({
    content: "My own words",
  });
  expect(await fork.status()).toMatchObject({ origin: { runId: "c-1", branch: "mine" } });

  await conversations.delete("my review");
  await expect(conversations.get("my review")).rejects.toMatchObject({ code: "not_found" });
});
