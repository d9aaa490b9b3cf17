import { load } from "js-yaml";
import { expect, it } from "vitest";
import { TEMPLATE_NAMES } from "../../../../console/pages/definitions/template-names.ts";
import { templateOf } from "../../../../console/pages/editor/templates.ts";
import { conversationFromDefinition } from "../../../../src/conversation/definition/conversation-from-definition.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";

const talkOf = (id: string) =>
  conversationFromDefinition({
    name: id,
    ...(load(templateOf("conversation", id) ?? "") as object),
  });

it.each(TEMPLATE_NAMES.conversation)(
  "template $id is a conversation that can be stored",
  ({ id }) => {
    expect(talkOf(id).name).toBe(id);
  },
);

it("has no template for other kinds and names", () => {
  expect(templateOf("crew", "chat-of-two")).toBeUndefined();
  expect(templateOf("conversation", "novel")).toBeUndefined();
  expect(templateOf("conversation", undefined)).toBeUndefined();
});

it.each([
  [
    "queue-of-chats",
    ["editor", "author", "editor", "author", "editor", "reviewer", "editor", "author"],
  ],
  ["nested-chats", ["user", "author", "editor"]],
])("template %s runs to its end", async (id, speakers) => {
  const model = scriptedModel(() => "Tea is warm.");
  const { messages } = await talkOf(id).kickoff({ message: "Tea" }, { models: () => model });
  expect(messages.map(({ name }) => name)).toEqual(speakers);
});
