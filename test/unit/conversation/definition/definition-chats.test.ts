// Chats as data, beside the same chats in code.
import { expect, it } from "vitest";
import { EngineError, type Issue } from "../../../../src/base/error.ts";
import { conversationFromDefinition } from "../../../../src/conversation/definition/conversation-from-definition.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { allReaders } from "../../../support/all-readers.ts";

const AGENTS = {
  ana: { system_message: "You ask.", max_consecutive_auto_reply: 1 },
  bob: { system_message: "You answer." },
  eve: { system_message: "You add." },
};

/** Messages of a run, by the words of the speaker's instructions. */
async function talk(definition: object, message?: string) {
  const model = scriptedModel(({ messages }) => {
    const said = JSON.stringify(messages);
    if (said.includes("select the next role")) return "eve";
    return said.includes("You answer.") ? "four" : said.includes("You add.") ? "five" : "and?";
  });
  const conversation = conversationFromDefinition({ name: "talk", ...definition });
  const output = await conversation.kickoff(message === undefined ? {} : { message }, {
    models: () => model,
  });
  return output;
}

function issuesOf(definition: object): readonly Issue[] {
  try {
    conversationFromDefinition(definition);
    return [];
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    return error.issues ?? [{ path: "", message: error.message }];
  }
}

const said = ({ messages }: Awaited<ReturnType<typeof talk>>) =>
  messages.map(({ name, content }) => `${name}: ${typeof content === "string" ? content : ""}`);

it("CDX2: a chat of two is as in code, with the kickoff's message or its own", async () => {
  const definition = {
    agents: AGENTS,
    chat: { sender: "ana", recipient: "bob", message: "2 + 2?", max_turns: 2 },
  };
  expect(said(await talk(definition))).toEqual([
    "ana: 2 + 2?",
    "bob: four",
    "ana: and?",
    "bob: four",
  ]);
  expect(said(await talk(definition, "Hi"))[0]).toBe("ana: Hi");
});

it("CDX2: a group chat has a manager with the default model, and ends at its limit", async () => {
  const output = await talk({
    agents: AGENTS,
    chat: {
      sender: "ana",
      group_chat: {
        agents: ["ana", "bob", "eve"],
        max_rounds: 3,
        speaker_selection_method: "ROUND_ROBIN",
      },
      message: "Begin",
    },
  });
  expect(said(output)).toEqual(["ana: Begin", "bob: four", "eve: five"]);
});

it("a queue carries summaries over, and its sender opens the chats without one", async () => {
  const output = await talk({
    agents: AGENTS,
    sender: "ana",
    chats: [
      { recipient: "bob", message: "2 + 2?", maxTurns: 1 },
      { sender: "eve", recipient: "bob", message: "And?", maxTurns: 1 },
    ],
  });
  expect(output.chats?.map(({ summary }) => summary)).toEqual(["four", "four"]);
  expect(JSON.stringify(output)).toContain("Context");
});

it("is read from YAML, and checked by the same reader as a stored one", async () => {
  const text = `agents:
  ana: { human: true }
  bob: { system_message: You answer. }
chat: { sender: ana, recipient: bob, max_turns: 3 }
`;
  const body = await allReaders.yaml("chat.yaml", text);
  const conversation = conversationFromDefinition(body.value);
  expect(conversation.exchange.prepare().group.members.map(({ name }) => name)).toEqual([
    "ana",
    "bob",
  ]);
});

it.each<readonly [object, string, RegExp]>([
  [{ chat: { sender: "ana", recipient: "zoe" } }, "/chat/recipient", /expected an agent of this/],
  [{ chat: { sender: "ana" } }, "/chat/recipient", /`recipient` or `groupChat`, got neither/],
  [{ chat: { recipient: "bob" } }, "/chat/sender", /required/],
  [{ chat: { sender: "ana", recipient: "ana" } }, "/chat/recipient", /another agent/],
  [{ chat: { sender: "ana", recipient: "bob" }, pattern: "auto" }, "/chat", /`pattern` or `chat`/],
  [{ chat: { sender: "ana", recipient: "bob" }, sender: "ana" }, "/sender", /for `chats`/],
  [
    { chat: { sender: "ana", recipient: "bob" }, contextVariables: { a: 1 } },
    "/contextVariables",
    /no effect/,
  ],
  [{ chats: [{ recipient: "bob" }] }, "/chats/0/sender", /required/],
  [{ chats: [] }, "/chats", /./],
  [
    { chat: { sender: "ana", group_chat: { agents: ["ana", "zoe"] } } },
    "/chat/groupChat/agents/1",
    /expected an agent/,
  ],
])("CDX1: refuses %j", (exchange, path, message) => {
  const issues = issuesOf({ agents: AGENTS, ...exchange });
  expect(issues.map((issue) => issue.path)).toContain(path);
  expect(issues.find((issue) => issue.path === path)?.message).toMatch(message);
});

it("CDX1: refuses hand-overs beside a chat", () => {
  const agents = { ...AGENTS, bob: { after_work: "ana" } };
  expect(issuesOf({ agents, chat: { sender: "ana", recipient: "bob" } })).toMatchObject([
    { path: "/agents/bob/afterWork", message: "has no effect beside `chat`" },
  ]);
});
