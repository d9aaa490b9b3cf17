import { expect, it } from "vitest";
import { ConversableAgent } from "../../../src/conversation/index.ts";
import { contentText } from "../../../src/conversation/messages.ts";
import { scriptedModel } from "../../../src/testing/index.ts";

it("GRP1: answers a list of messages once, with the agent's own messages among them", async () => {
  const model = scriptedModel(["Lyon."]);
  const agent = new ConversableAgent({ name: "guide", systemMessage: "You guide.", llm: model });
  const reply = await agent.generateReply([
    { role: "user", content: "The capital of France?" },
    { role: "assistant", content: "Paris." },
    { role: "user", content: "And then?" },
  ]);
  expect(reply).toMatchObject({ role: "assistant", name: "guide", content: "Lyon." });
  expect(model.calls).toHaveLength(1);
  expect(
    model.calls[0]?.messages
      .slice(1)
      .map(({ role, content }) => `${role}: ${contentText(content)}`),
  ).toEqual(["user: The capital of France?", "assistant: Paris.", "user: And then?"]);
});

it("returns null without an answer, and refuses anything but a list", async () => {
  const silent = new ConversableAgent({
    name: "silent",
    isTerminationMsg: () => true,
    humanInputMode: "NEVER",
  });
  expect(await silent.generateReply(["Bye"])).toBeNull();
  await expect(silent.generateReply("Bye" as never)).rejects.toThrow("as a list");
  await expect(silent.generateReply([])).rejects.toThrow("as a list");
});

it("has the sender for reply functions", async () => {
  const critic = new ConversableAgent({ name: "critic" });
  const agent = new ConversableAgent({ name: "guide" }).registerReply(critic, ({ sender }) => ({
    final: true,
    reply: `Thanks, ${sender.name}`,
  }));
  expect(await agent.generateReply(["Shorter"], { sender: critic })).toMatchObject({
    content: "Thanks, critic",
  });
});
