// Chats and classic groups over every protocol: a message opens them, a person's turn is a question, the summary answers.
import { expect, it } from "vitest";
import {
  AssistantAgent,
  ConversableAgent,
  defineConversation,
  GroupChat,
  GroupChatManager,
  UserProxyAgent,
} from "../../../../src/conversation/index.ts";
import { conversationPart } from "../../../../src/conversation/conversation-part.ts";
import { acp } from "../../../../src/entry/acp.ts";
import { allReaders } from "../../../support/all-readers.ts";
import { scriptedModel } from "../../../../src/testing/index.ts";
import { AgUiWorld } from "../../../support/ag-ui-world.ts";
import { echoing } from "../../../support/conversation-world.ts";
import { HttpWorld } from "../../../support/http-app.ts";
import { McpWorld } from "../../../support/mcp-world.ts";
import { OpenAiWorld } from "../../../support/openai-world.ts";
import { A2AWorld } from "../../protocols/a2a/server/world.ts";

const assistant = (name: string) =>
  new AssistantAgent({ name, systemMessage: name, llm: scriptedModel(["unused"]) });

const help = defineConversation({
  name: "help",
  description: "Answers, and asks back.",
  chat: {
    sender: new UserProxyAgent({ name: "ana" }),
    recipient: assistant("desk"),
  },
});
const panel = defineConversation({
  name: "panel",
  description: "Discusses a subject.",
  chat: {
    sender: new ConversableAgent({ name: "admin", humanInputMode: "NEVER" }),
    recipient: new GroupChatManager({
      groupChat: new GroupChat({
        agents: [assistant("planner"), assistant("critic")],
        speakerSelectionMethod: "round_robin",
        maxRound: 3,
      }),
    }),
  },
});
const options = () => ({
  parts: [conversationPart({ conversations: { help, panel }, registry: {}, readers: allReaders })],
  script: echoing,
});

it("answers OpenAI's client with the summary of a group, and recalls earlier messages of a chat", async () => {
  const openai = { expose: { "conversation/panel": true, "conversation/help": true } } as const;
  const world = new OpenAiWorld({ openai, ...options() });
  const ask = async (
    model: string,
    messages: Parameters<typeof world.sdk.chat.completions.create>[0]["messages"],
  ) => {
    const answer = world.sdk.chat.completions.create({ model, messages });
    await world.clock.settle();
    return (await answer).choices[0]?.message.content;
  };
  const hello = { role: "user", content: "A party." } as const;
  expect(await ask("conversation/panel", [hello])).toBe("critic 3");
  const asked = await ask("conversation/help", [
    hello,
    { role: "assistant", content: "Where?" },
    { role: "user", content: "Here." },
  ]);
  expect(asked).toContain("desk 4");
});

it("is called over A2A, with a person's turn as a question", async () => {
  const a2a = { expose: { "conversation/help": { as: "help" } } } as const;
  const world = new A2AWorld({ a2a, ...options() });
  const send = (message: object) => world.rpc("SendMessage", { message }, { agent: "help" });
  const { json } = await send(world.message("The printer is dead."));
  const task = json["result"]?.["task"];
  expect(task).toMatchObject({ status: { state: "TASK_STATE_INPUT_REQUIRED" } });
  const ended = await send({ ...world.message("exit"), taskId: task?.["id"] });
  expect(ended.json["result"]?.["task"]).toMatchObject({
    status: { state: "TASK_STATE_COMPLETED" },
    artifacts: [{ parts: [{ text: "desk 2" }] }],
  });
});

it("is a tool of MCP", async () => {
  const world = new McpWorld({ expose: { "conversation/panel": { as: "panel" } } }, options());
  const client = await world.connect();
  const call = client.callTool({ name: "panel", arguments: { message: "A party." } });
  expect((await world.until(call)).content).toMatchObject([{ text: "critic 3" }]);
});

it("runs for a front end over AG-UI", async () => {
  const world = new AgUiWorld({ expose: { "conversation/panel": { as: "panel" } }, ...options() });
  const answered = world.events("panel", {
    threadId: "t",
    runId: "r",
    state: {},
    messages: [{ id: "1", role: "user", content: "A party." }],
    tools: [],
    context: [],
    forwardedProps: {},
  });
  await world.clock.settle();
  const events = await answered;
  const said = events.flatMap((event) => ("delta" in event ? [event.delta as string] : []));
  expect(said.join("")).toBe("critic 3");
  expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED" });
});

it("is an agent of ACP, whose result is the summary", async () => {
  const { parts, ...rest } = options();
  const world = new HttpWorld({ ...rest, parts: [...parts, acp({ expose: "all" })] });
  const sent = world.ask("/api/acp/send", {
    json: {
      agentId: "conversation/panel",
      message: { role: "user", parts: [{ type: "text", text: "A party." }] },
    },
  });
  await world.clock.settle();
  const { status, text } = await sent;
  expect({ status, text }).toMatchObject({ status: 200 });
  expect(text).toContain("critic 3");
});
