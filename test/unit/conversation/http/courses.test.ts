// Conversations other than patterns over HTTP: chats of two, classic groups, queues, channels.
import { describe, expect, it } from "vitest";
import { defineConversation } from "../../../../src/conversation/conversation.ts";
import {
  AssistantAgent,
  ConversableAgent,
  GroupChat,
  GroupChatManager,
  Network,
  UserProxyAgent,
} from "../../../../src/conversation/index.ts";
import { scriptedModel } from "../../../../src/testing/index.ts";
import type { Script } from "../../../../src/llm/scripted/scripted-model.ts";
import { ConversationWorld } from "../../../support/conversation-world.ts";
import type { JsonAnswer } from "../../../support/http-app.ts";

const spoken = (json: JsonAnswer): readonly string[] =>
  (json["items"] as unknown as ReadonlyArray<{ index: number; name: string; content: string }>).map(
    ({ index, name, content }) => `${index} ${name}: ${content}`,
  );

/** Answers with the agent's text, and with the number of its answers. */
const counting: Script = ({ messages }) => {
  const [system] = messages;
  const [told] = system?.role === "system" ? system.content.split("\n\n") : ["nobody"];
  return `${told} ${messages.filter(({ role }) => role === "assistant").length + 1}`;
};

const member = (name: string) =>
  new ConversableAgent({
    name,
    systemMessage: name,
    llm: scriptedModel(counting),
    humanInputMode: "NEVER",
  });

const [student, teacher] = [member("student"), member("teacher")];
const lesson = defineConversation({
  name: "lesson",
  chat: { sender: student, recipient: teacher, maxTurns: 2 },
});

const asking = new UserProxyAgent({ name: "ana" });
const help = defineConversation({
  name: "help",
  chat: {
    sender: asking,
    recipient: new AssistantAgent({
      name: "desk",
      systemMessage: "desk",
      llm: scriptedModel(counting),
    }),
  },
});

const admin = new ConversableAgent({ name: "admin", humanInputMode: "NEVER" });
const panel = defineConversation({
  name: "panel",
  chat: {
    sender: admin,
    recipient: new GroupChatManager({
      groupChat: new GroupChat({
        agents: [member("planner"), member("critic"), new UserProxyAgent({ name: "bob" })],
        maxRound: 5,
        speakerSelectionMethod: "round_robin",
      }),
    }),
  },
});

const report = defineConversation({
  name: "report",
  sender: admin,
  chats: [
    { recipient: member("finder"), message: "Find three.", maxTurns: 1 },
    { recipient: member("writer"), message: "Write it up.", maxTurns: 2 },
  ],
});

const network = new Network({
  members: [{ agent: member("asker") }, { agent: member("expert") }],
});
const question = defineConversation({
  name: "question",
  channel: network.channel({ kind: "consulting", initiator: "asker", participants: ["expert"] }),
});

const conversations = { lesson, help, panel, report, question };

const worldOf = () => new ConversationWorld({ conversations, script: counting });

const messagesOf = async (world: ConversationWorld, id: string) =>
  spoken((await world.ask(`/runs/${id}/messages`)).json);

async function say(world: ConversationWorld, id: string, message: object): Promise<number> {
  const { status } = await world.ask(`/runs/${id}/messages`, { json: message });
  await world.clock.settle();
  return status;
}

describe("a chat of two", () => {
  it("CRS2: is a run with messages, as it is in code", async () => {
    const world = worldOf();
    const id = await world.converse("lesson", { message: "What is a cat?" });
    const { json } = await world.ask(`/runs/${id}/messages`);
    expect(spoken(json)).toEqual([
      "0 student: What is a cat?",
      "1 teacher: teacher 1",
      "2 student: student 2",
      "3 teacher: teacher 2",
    ]);
    const { json: run } = await world.ask(`/runs/${id}`);
    expect(run).toMatchObject({
      kind: "conversation",
      status: "completed",
      output: {
        summary: "teacher 2",
        lastSpeaker: "teacher",
        rounds: 4,
        usage: { requests: 3 },
        reason: "maximum turns reached",
      },
    });
    const shown = json["items"] as unknown as ReadonlyArray<Record<string, unknown>>;
    expect(shown.map(({ index: _, at: __, ...message }) => message)).toEqual(
      run["output"]?.["messages"],
    );
    const inCode = await student.initiateChat(teacher, { message: "What is a cat?", maxTurns: 2 });
    expect(inCode.chatHistory.map(({ name, content }) => [name, content])).toEqual(
      shown.map(({ name, content }) => [name, content]),
    );
    expect(run["output"]?.["summary"]).toBe(inCode.summary);
  });

  it("waits for its person, who answers over HTTP", async () => {
    const world = worldOf();
    const id = await world.converse("help", { message: "The printer is dead." });
    expect(await world.waitOf(id)).toMatchObject({ data: { agent: "ana", peer: "desk" } });
    expect(await say(world, id, { name: "desk", content: "x" })).toBe(409);
    expect(await say(world, id, { name: "ana", content: "It has paper." })).toBe(200);
    expect(await messagesOf(world, id)).toEqual([
      "0 ana: The printer is dead.",
      "1 desk: desk 1",
      "2 ana: It has paper.",
      "3 desk: desk 2",
    ]);
    const wait = await world.waitOf(id);
    await say(world, id, { name: "ana", key: wait?.["key"], content: "exit" });
    const { json } = await world.ask(`/runs/${id}`);
    expect(json).toMatchObject({
      status: "completed",
      output: { summary: "desk 2", humanInput: ["It has paper.", "exit"] },
    });
  });

  it("CMS3: forks at any message, the opening and a person's included", async () => {
    const world = worldOf();
    const id = await world.converse("help", { message: "The printer is dead." });
    await say(world, id, { name: "ana", content: "It has paper." });
    const fork = async (index: number, content: string) => {
      const path = `/runs/${id}/messages/${index}/fork`;
      const { json } = await world.ask(path, { json: { content } });
      await world.clock.settle();
      const of = json["id"] as unknown as string;
      return { of, said: await messagesOf(world, of) };
    };
    const other = await fork(2, "It has no paper.");
    expect(other.said).toEqual([
      "0 ana: The printer is dead.",
      "1 desk: desk 1",
      "2 ana: It has no paper.",
      "3 desk: desk 2",
    ]);
    expect((await fork(0, "The screen is dead.")).said).toEqual([
      "0 ana: The screen is dead.",
      "1 desk: desk 1",
    ]);
    const wait = await world.waitOf(other.of);
    await say(world, other.of, { name: "ana", key: wait?.["key"], content: "exit" });
    expect((await world.ask(`/runs/${other.of}`)).json["output"]).toMatchObject({
      humanInput: ["It has no paper.", "exit"],
    });
  });

  it("continues from messages, and ends at the caller's limit", async () => {
    const world = worldOf();
    const first = await world.converse("lesson", { message: "What is a cat?", maxRounds: 2 });
    const before = (await world.ask(`/runs/${first}`)).json["output"];
    expect(before).toMatchObject({ rounds: 2, reason: "maximum rounds reached" });
    const messages = [...(before?.["messages"] as unknown as object[]), { content: "And a dog?" }];
    const id = await world.converse("lesson", { messages });
    expect(await messagesOf(world, id)).toEqual([
      "0 student: What is a cat?",
      "1 teacher: teacher 1",
      "2 student: And a dog?",
      "3 teacher: teacher 2",
      "4 student: student 3",
      "5 teacher: teacher 3",
    ]);
    const { status, json } = await world.ask("/conversations/lesson/kickoff", {
      json: { messages: ["a", { role: "assistant", content: "b" }] },
    });
    expect(status).toBe(400);
    expect(json["errors"]).toMatchObject([
      { path: "/messages/1", message: expect.stringContaining("who opens this conversation") },
    ]);
  });
});

describe("a classic group with its manager", () => {
  it("CRS2: has the messages of its members and of a person, and goes on after the answer", async () => {
    const world = worldOf();
    const id = await world.converse("panel", { message: "A party." });
    expect(await messagesOf(world, id)).toEqual([
      "0 admin: A party.",
      "1 planner: planner 1",
      "2 critic: critic 1",
    ]);
    expect(await say(world, id, { name: "bob", content: "Bring cake." })).toBe(200);
    expect((await messagesOf(world, id)).slice(3)).toEqual([
      "3 bob: Bring cake.",
      "4 planner: planner 2",
    ]);
    const { json } = await world.ask(`/runs/${id}`);
    expect(json["output"]).toMatchObject({
      lastSpeaker: "planner",
      rounds: 5,
      reason: "maximum rounds reached",
      humanInput: ["Bring cake."],
    });
    expect(json["output"]?.["messages"]).toHaveLength(5);
    const forked = await world.ask(`/runs/${id}/messages/3/fork`, {
      json: { content: "No cake." },
    });
    await world.clock.settle();
    expect((await messagesOf(world, forked.json["id"] as unknown as string)).at(3)).toBe(
      "3 bob: No cake.",
    );
  });
});

describe("a queue of chats", () => {
  it("CCR1: begins by itself or with the caller's message, and passes its summaries on", async () => {
    const world = worldOf();
    const id = await world.converse("report", {});
    expect(await messagesOf(world, id)).toEqual([
      "0 admin: Find three.",
      "1 finder: finder 1",
      "2 admin: Write it up.\nContext: \nfinder 1",
      "3 writer: writer 1",
      "4 admin: ",
      "5 writer: writer 2",
    ]);
    const { json } = await world.ask(`/runs/${id}`);
    expect(json["output"]).toMatchObject({
      summary: "writer 2",
      rounds: 6,
      chats: [
        { sender: "admin", recipient: "finder", summary: "finder 1" },
        { sender: "admin", recipient: "writer", summary: "writer 2" },
      ],
    });
    const other = await world.converse("report", { message: "Find two." });
    expect((await messagesOf(world, other))[0]).toBe("0 admin: Find two.");
  });
});

describe("a channel", () => {
  it("is opened by the caller for its initiator", async () => {
    const world = worldOf();
    const id = await world.converse("question", { message: "How far is it?" });
    expect(await messagesOf(world, id)).toEqual(["0 asker: How far is it?", "1 expert: expert 1"]);
    const { json } = await world.ask(`/runs/${id}`);
    expect(json).toMatchObject({
      status: "completed",
      output: { summary: "expert 1", channel: { status: "closed", violations: [], hidden: [] } },
    });
  });
});

describe("every course", () => {
  it.each(Object.keys(conversations))("%s is listed, described and drawn", async (name) => {
    const world = worldOf();
    const { status, json } = await world.ask(`/conversations/${name}`);
    expect(status).toBe(200);
    expect({ pattern: json["pattern"], agents: json["agents"] }).toMatchSnapshot();
    const drawn = await world.ask(`/conversations/${name}/picture?format=mermaid`);
    expect(drawn.text).toMatchSnapshot();
    const graph = await world.ask(`/conversations/${name}/graph`);
    expect(graph.json).toMatchObject({ kind: "conversation", name, warnings: [] });
  });
});
