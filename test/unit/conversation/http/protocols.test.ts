import { expect, it } from "vitest";
import { A2AWorld } from "../../protocols/a2a/server/world.ts";
import { conversationFromDefinition } from "../../../../src/conversation/definition/conversation-from-definition.ts";
import { contentText } from "../../../../src/conversation/messages.ts";
import { conversationPart } from "../../../../src/conversation/conversation-part.ts";
import { allReaders } from "../../../support/all-readers.ts";
import { echoing } from "../../../support/conversation-world.ts";
import { toldInGroup } from "../../../support/conversations.ts";
import { OpenAiWorld } from "../../../support/openai-world.ts";

const panel = conversationFromDefinition({
  name: "panel",
  description: "Answers, and a person looks at it.",
  agents: {
    writer: {
      system_message: "You write.",
      handoffs: [{ to: "ana", when: "${urgent}" }],
      after_work: "checker",
    },
    checker: { system_message: "You check.", after_work: "terminate" },
    ana: { human: true, after_work: "terminate" },
  },
  context_variables: { urgent: false },
});
const part = conversationPart({
  conversations: { panel },
  registry: {},
  readers: allReaders,
});

it("answers OpenAI's client with its summary, and continues with the sent messages", async () => {
  const world = new OpenAiWorld({
    openai: { expose: { "conversation/panel": true } },
    parts: [part],
    script: echoing,
  });
  const ask = async (
    messages: Parameters<typeof world.sdk.chat.completions.create>[0]["messages"],
  ) => {
    const answer = world.sdk.chat.completions.create({ model: "conversation/panel", messages });
    await world.clock.settle();
    return (await answer).choices[0]?.message;
  };
  const first = await ask([{ role: "user", content: "Write." }]);
  expect(first).toMatchObject({ role: "assistant", content: "You check. 3" });
  const again = await ask([
    { role: "system", content: "Be kind." },
    { role: "user", content: "Write." },
    { role: "assistant", content: "You check. 3" },
    { role: "user", content: "Shorter." },
  ]);
  expect(again).toMatchObject({ content: "You check. 6" });
  const { json } = await world.ask("/runs?kind=conversation");
  expect(json["items"]).toHaveLength(2);
  expect(
    world.model.calls
      .at(-2)
      ?.messages.map(({ role, content }) => `${role}: ${contentText(content)}`),
  ).toEqual([
    `system: ${toldInGroup("writer", "You write.")}`,
    "user: ana: Be kind.",
    "user: ana: Write.",
    "assistant: You check. 3",
    "user: ana: Shorter.",
  ]);
});

it("is called over A2A, with a person's turn as a question, and data as context variables", async () => {
  const world = new A2AWorld({
    a2a: { expose: { "conversation/panel": { as: "panel" } } },
    parts: [part],
    script: echoing,
  });
  const done = await world.rpc(
    "SendMessage",
    { message: world.message("Write.") },
    { agent: "panel" },
  );
  expect(done.json["result"]?.["task"]).toMatchObject({
    status: { state: "TASK_STATE_COMPLETED" },
    artifacts: [{ parts: [{ text: "You check. 3" }] }],
  });
  const urgent = {
    ...world.message("Quick!"),
    parts: [{ text: "Quick!" }, { data: { urgent: true } }],
  };
  const asked = await world.rpc("SendMessage", { message: urgent }, { agent: "panel" });
  const task = asked.json["result"]?.["task"];
  expect(task).toMatchObject({ status: { state: "TASK_STATE_INPUT_REQUIRED" } });
  const taskId = task?.["id"];
  const answer = { ...world.message("Do it."), taskId };
  const answered = await world.rpc("SendMessage", { message: answer }, { agent: "panel" });
  expect(answered.json["result"]?.["task"]).toMatchObject({
    id: taskId,
    status: { state: "TASK_STATE_COMPLETED" },
    artifacts: [{ parts: [{ text: "Do it." }] }],
  });
});
