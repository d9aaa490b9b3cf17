import { describe, expect, it } from "vitest";
import { arrayOf, textOf } from "../../../support/http-app.ts";
import { OpenAiWorld } from "../../../support/openai-world.ts";

const model = "agent/clerk";

describe("a conversation", () => {
  it("OK2: is read, changed and deleted, with its metadata", async () => {
    const { conversations } = new OpenAiWorld().sdk;
    const made = await conversations.create({ metadata: { topic: "tea" } });
    expect(made).toMatchObject({ object: "conversation", metadata: { topic: "tea" } });
    expect(await conversations.retrieve(made.id)).toEqual(made);
    const changed = await conversations.update(made.id, { metadata: { topic: "milk" } });
    expect(changed).toEqual({ ...made, metadata: { topic: "milk" } });
    expect(await conversations.retrieve(made.id)).toEqual(changed);
    expect(await conversations.delete(made.id)).toMatchObject({ id: made.id, deleted: true });
    for (const request of [
      conversations.retrieve(made.id),
      conversations.items.list(made.id),
      conversations.update(made.id, { metadata: {} }),
    ])
      await expect(request).rejects.toMatchObject({ status: 404 });
  });

  it("is made without a body, too", async () => {
    const { status, json } = await new OpenAiWorld().ask("/v1/conversations", { method: "POST" });
    expect([status, json["metadata"]]).toEqual([200, {}]);
  });

  it("has its messages as items, and added ones go to the agent", async () => {
    const world = new OpenAiWorld({ script: () => "Well." });
    const { conversations, responses } = world.sdk;
    const { id } = await conversations.create({
      items: [{ type: "message", role: "user", content: "my dog is Rex" }],
    });
    const added = await conversations.items.create(id, {
      items: [{ type: "message", role: "assistant", content: "good" }],
    });
    expect(added.data).toMatchObject([{ role: "assistant", content: [{ text: "good" }] }]);
    await responses.create({ model, input: "Who?", conversation: id });
    const asked = world.model.calls[0]?.request.messages.map(({ content }) => content);
    expect(asked?.slice(-3)).toEqual(["my dog is Rex", "good", expect.stringContaining("Who?")]);
    const items = await arrayOf(await conversations.items.list(id, { order: "asc", limit: 2 }));
    expect(items).toMatchObject([
      { role: "user", content: [{ type: "input_text", text: "my dog is Rex" }] },
      { role: "assistant" },
      { role: "user", content: [{ text: "Who?" }] },
      { role: "assistant", content: [{ type: "output_text", text: "Well." }] },
    ]);
    const [first] = items;
    const itemId = first?.id ?? "";
    expect(await conversations.items.retrieve(itemId, { conversation_id: id })).toEqual(first);
    await expect(
      conversations.items.retrieve("msg_none", { conversation_id: id }),
    ).rejects.toMatchObject({ status: 404 });
  });

  it("OK1: exists by its messages, under any text, for its tenant alone", async () => {
    const world = new OpenAiWorld({
      auth: { mode: "keys", adminKey: "boss" },
      script: () => "Well.",
    });
    const keys = await Promise.all(
      ["one", "two"].map(async (tenant) => {
        const scopes = ["run", "read"];
        const { json } = await world.ask("/keys", { key: "boss", json: { tenant, scopes } });
        return textOf(json["key"]);
      }),
    );
    const [one, two] = keys.map((key) => world.client(key));
    await one?.responses.create({ model, input: "hi", conversation: "mine" });
    expect(await one?.conversations.retrieve("mine")).toMatchObject({ id: "mine", metadata: {} });
    await expect(two?.conversations.retrieve("mine")).rejects.toMatchObject({ status: 404 });
    await expect(one?.conversations.retrieve("other")).rejects.toMatchObject({ status: 404 });
  });

  it("OK3: is changed and continued by the key that made it, or with the scope admin", async () => {
    const world = new OpenAiWorld({
      auth: { mode: "keys", adminKey: "boss" },
      script: () => "Well.",
    });
    const newClient = async (scopes: readonly string[]) => {
      const json = { tenant: "default", scopes };
      return world.client(textOf((await world.ask("/keys", { key: "boss", json })).json["key"]));
    };
    const [mine, theirs] = [await newClient(["run", "read"]), await newClient(["run", "read"])];
    const made = await mine.conversations.create({ metadata: { topic: "tea" } });
    await mine.responses.create({ model, input: "hi", conversation: "named" });
    for (const id of [made.id, "named"]) {
      expect(await theirs.conversations.retrieve(id)).toMatchObject({ id });
      const items = [{ type: "message", role: "user", content: "Say yes" }] as const;
      for (const refused of [
        theirs.conversations.update(id, { metadata: { topic: "rum" } }),
        theirs.conversations.items.create(id, { items: [...items] }),
        theirs.conversations.delete(id),
        theirs.responses.create({ model, input: "hi", conversation: id }),
      ])
        await expect(refused).rejects.toMatchObject({ status: 403 });
    }
    expect((await mine.conversations.retrieve(made.id)).metadata).toEqual({ topic: "tea" });
    const changed = { metadata: { topic: "milk" } };
    expect(await world.client("boss").conversations.update(made.id, changed)).toMatchObject(
      changed,
    );
    await mine.conversations.delete("named");
    await expect(
      mine.responses.create({ model, input: "hi", conversation: "named" }),
    ).rejects.toMatchObject({ status: 404 });
  });

  it("takes no instructions as items", async () => {
    const { conversations } = new OpenAiWorld().sdk;
    const items = [{ type: "message", role: "system", content: "Be kind" }] as const;
    await expect(conversations.create({ items: [...items] })).rejects.toMatchObject({
      status: 400,
      param: "items[0].role",
    });
  });
});
