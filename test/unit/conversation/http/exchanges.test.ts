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
import type { ConversationOptions } from "../../../../src/conversation/index.ts";
import { chatProgram } from "../../../../src/conversation/chats/initiate-chat.ts";
import type { JsonObject } from "../../../../src/base/json.ts";
import type { RunProgram } from "../../../../src/runtime/run-program.ts";
import { cutAfterEveryWrite, runWhole } from "../../../support/cut-off.ts";
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

/** Runs a program, and returns the places of its calls of models. */
async function callsOf(program: RunProgram, inputs: JsonObject = {}): Promise<readonly string[]> {
  const { events } = await runWhole({ program, inputs });
  return events.flatMap((event) => (event.type === "llm_call_started" ? [event.path] : []));
}

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
    expect(shown).toMatchObject(run["output"]?.["messages"] as unknown as object[]);
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
    const messages = [
      ...((before?.["messages"] ?? []) as unknown as object[]),
      { content: "And a dog?" },
    ];
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

/** The successions in a picture, by name. */
const PICTURES = {
  lesson: ["student → teacher", "teacher → student", "teacher → (end): after 2 turns"],
  help: ["ana → desk", "desk → ana", "desk → (end)"],
  panel: [
    "admin → planner",
    "planner → critic",
    "critic → bob",
    "bob → planner",
    "bob → (end): after 5 messages",
  ],
  report: [
    "admin → finder: chat 1",
    "admin → writer: chat 2",
    "writer → admin: chat 2",
    "writer → (end): after 2 turns",
  ],
  question: ["asker → expert", "expert → (end)"],
} as const;

const KINDS = {
  lesson: ["chat", "student", "teacher"],
  help: ["chat", "ana", "desk"],
  panel: ["group_chat", "admin", "planner", "critic", "bob"],
  report: ["chats", "admin", "finder", "writer"],
  question: ["channel", "asker", "expert"],
} as const;

describe("every exchange", () => {
  it.each(["lesson", "help", "panel", "report", "question"] as const)(
    "%s is listed, described and drawn",
    async (name) => {
      const world = worldOf();
      const { status, json } = await world.ask(`/conversations/${name}`);
      expect(status).toBe(200);
      const agents = json["agents"] as unknown as ReadonlyArray<{ name: string }>;
      expect([json["pattern"], ...agents.map((agent) => agent.name)]).toEqual(KINDS[name]);
      const { json: drawn } = await world.ask(`/conversations/${name}/picture?format=json`);
      const links = drawn["links"] as unknown as ReadonlyArray<Record<string, string>>;
      expect(
        links.map(({ from, to, label }) => `${from} → ${to}${label ? `: ${label}` : ""}`),
      ).toEqual(PICTURES[name]);
      const graph = await world.ask(`/conversations/${name}/graph`);
      expect(graph.json).toMatchObject({ kind: "conversation", name, warnings: [] });
    },
  );

  it("draws choices, transitions and nested chats", async () => {
    const editor = member("editor").registerNestedChats(
      [{ recipient: member("proofreader"), maxTurns: 1 }],
      "chat_manager",
    );
    const groupChat = (options: object) =>
      new GroupChat({ agents: [editor, member("author")], maxRound: 4, ...options });
    const draw = (chat: GroupChat) =>
      defineConversation({
        name: "desk",
        chat: {
          sender: admin,
          recipient: new GroupChatManager({ groupChat: chat, llm: scriptedModel(counting) }),
        },
      })
        .exchange.graph()
        .links.map(({ from, to }) => `${from} → ${to}`);
    expect(draw(groupChat({}))).toEqual([
      "admin → (a model chooses)",
      "editor → (a model chooses)",
      "(a model chooses) → editor",
      "author → (a model chooses)",
      "(a model chooses) → author",
      "(a model chooses) → (end)",
      "editor → (chats with proofreader)",
    ]);
    const transitions = {
      allowedOrDisallowedSpeakerTransitions: { editor: ["author"], author: ["editor"] },
      speakerTransitionsType: "allowed",
    };
    expect(draw(groupChat(transitions))).toContain("author → editor");
    function pick() {
      return null;
    }
    expect(draw(groupChat({ speakerSelectionMethod: pick }))).toContain("admin → (function pick)");
  });

  it("CRS1: is exactly one of a definition, and sound", () => {
    const chat = { sender: student, recipient: teacher };
    const make = (options: object) => () =>
      defineConversation({ name: "x", ...options } as ConversationOptions);
    expect(make({})).toThrow("expected one of pattern, chat, chats, channel, got none");
    expect(make({ chat, chats: [chat] })).toThrow("got chat and chats");
    expect(make({ chats: [] })).toThrow("at least one chat");
    expect(make({ chats: [chat, { recipient: teacher }] })).toThrow(
      'conversation "x": chat 2 of the queue: needs a sender',
    );
    expect(make({ chat: { ...chat, maxTurns: -1 } })).toThrow("maxTurns must be an integer >= 0");
    expect(make({ chat: { ...chat, recipient: student } })).toThrow("names of their own");
    expect(make({ pattern: chat })).toThrow("pattern must be a pattern");
    expect(make({ channel: chat })).toThrow("channel must be a channel");
  });

  it("CRS3: sets variables of a start on top of those of each member", async () => {
    const shared = { contextVariables: { color: "red", size: 1 } };
    const told = (name: string, own: object) => {
      const agent = new ConversableAgent({ name, humanInputMode: "NEVER", ...own });
      return agent.registerReply(ConversableAgent, ({ contextVariables }) => ({
        final: true,
        reply: `${name}: ${JSON.stringify(contextVariables)}`,
      }));
    };
    const colors = defineConversation({
      name: "colors",
      chat: { sender: told("one", shared), recipient: told("two", {}), maxTurns: 1 },
    });
    const output = await colors.kickoff({ message: "Go", contextVariables: { color: "blue" } });
    expect(output.messages.map(({ content }) => content)).toEqual(["Go", 'two: {"color":"blue"}']);
    expect(output.contextVariables).toEqual({ color: "blue", size: 1 });
    const twice = await Promise.all([
      colors.kickoff({ message: "Go" }),
      colors.kickoff({ message: "Go" }),
    ]);
    expect(twice.map(({ contextVariables }) => contextVariables["color"])).toEqual(["red", "red"]);
  });

  it("CCR2: recalls earlier messages in the first chat of a queue alone", async () => {
    const messages = ["Find three.", { role: "assistant", content: "Three." }, "Find two."];
    const { messages: all } = await report.kickoff({ messages });
    expect(all.map(({ name, content }) => `${name}: ${content as string}`)).toEqual([
      "admin: Find three.",
      "finder: Three.",
      "admin: Find two.",
      "finder: finder 2",
      "admin: Write it up.\nContext: \nfinder 2",
      "writer: writer 1",
      "admin: ",
      "writer: writer 2",
    ]);
    expect(() =>
      report.kickoff({ messages: [{ name: "writer", content: "x" }, "Find two."] }),
    ).toThrow("who is no member; members: admin, finder");
  });

  it("gives the caller's message to a function that makes the opening", async () => {
    const asked = defineConversation({
      name: "asked",
      chat: {
        sender: student,
        recipient: teacher,
        maxTurns: 1,
        message: ({ message }) => `Problem: ${typeof message === "string" ? message : "none"}`,
      },
    });
    const opening = async (request: object) => (await asked.kickoff(request)).messages[0]?.content;
    expect(await opening({ message: "2 + 2" })).toBe("Problem: 2 + 2");
    expect(await opening({})).toBe("Problem: none");
  });
});

describe("kills", () => {
  const subjects = {
    help: { program: help.program(), inputs: { message: "It is dead." } },
    panel: { program: panel.program(), inputs: { message: "A party." } },
    report: { program: report.program(), inputs: {} },
  };
  it.each(["help", "panel", "report"] as const)(
    "CHM1: %s comes to the same end after a kill at each write",
    async (name) => {
      const { whole, cut } = await cutAfterEveryWrite(() => ({
        ...subjects[name],
        answer: ({ key }) => ({ key, feedback: key.includes("round:5") ? "exit" : "Yes." }),
      }));
      expect(whole.run.status).toBe("completed");
      expect(cut.length).toBeGreaterThan(3);
      for (const { course } of cut) expect(course).toEqual(whole.course);
    },
    60_000,
  );

  it("CHM2: a chat in code keeps the keys of its steps", async () => {
    const inCode = chatProgram([student, teacher], { message: "Hi", maxTurns: 1 });
    expect(await callsOf(inCode)).toEqual(["chat/turn:1:teacher/llm"]);
    const deployed = await callsOf(lesson.program(), { message: "Hi", maxRounds: 2 });
    expect(deployed).toEqual(["chat/chat:1/round:2/teacher/llm"]);
  });
});

describe("a person's turn", () => {
  it("takes words, which may be empty: approval alone is refused", async () => {
    const world = worldOf();
    const id = await world.converse("help", { message: "It is dead." });
    expect(await world.waitOf(id)).toMatchObject({ freeText: true });
    for (const approve of [true, false]) {
      const { status, json } = await world.ask(`/runs/${id}/resume`, { json: { approve } });
      expect(status).toBe(400);
      expect(json["errors"]).toMatchObject([{ path: "/feedback" }]);
    }
    const answered = await world.ask(`/runs/${id}/resume`, { json: { feedback: "" } });
    expect(answered.status).toBe(200);
  });
});
