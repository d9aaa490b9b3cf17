// Functions and shapes of users: refused where they are defined, and named where they fail.
import { describe, expect, it } from "vitest";
import {
  agentTarget,
  ConversableAgent,
  DefaultPattern,
  GroupChat,
  GroupChatManager,
  initiateGroupChat,
  NestedChatTarget,
  onCondition,
  onContextCondition,
  runGroupChatIter,
  terminateTarget,
} from "../../../src/conversation/index.ts";
import { scriptedModel } from "../../../src/testing/index.ts";

const saying = (name: string, ...words: readonly string[]) =>
  new ConversableAgent({
    name,
    humanInputMode: "NEVER",
    llm: scriptedModel((_, index) => words[index] ?? "more"),
  });
const [a, b] = [saying("a"), saying("b")];
const group = (options: object) => new GroupChat({ agents: [a, b], ...options });

describe("definitions", () => {
  it.each([
    [
      "a policy of AG2",
      () => group({ eligibilityPolicies: [{ is_eligible: () => true }] }),
      "eligibilityPolicies[0] must be a function, got",
    ],
    ["an unknown option of a group", () => group({ max_round: 3 }), '"max_round": write maxRound'],
    [
      "AG2's form of nested chats",
      () => NestedChatTarget({ chat_queue: [{ recipient: a }] } as never),
      "takes the list of chats: write the list of chat_queue itself",
    ],
    [
      "a chat without a recipient",
      () => NestedChatTarget([{}] as never),
      "chat 1 needs a recipient",
    ],
    [
      "AG2's form of registered chats",
      () => saying("c").registerNestedChats({ chat_queue: [] } as never, "a"),
      "takes the list of chats",
    ],
    [
      "AG2's name of a hand-over's tool",
      () =>
        onCondition({ target: agentTarget(a), condition: "x", llmFunctionName: "to_a" } as never),
      '"llmFunctionName": write toolName',
    ],
    [
      "an unknown option of a condition",
      () => onContextCondition({ target: agentTarget(a), expression: "x" } as never),
      'no option "expression"',
    ],
    [
      "a reply that is no function",
      () => saying("c").registerReply("a", "x" as never),
      "must be a function",
    ],
    [
      "a predicate that is no function",
      () => new ConversableAgent({ name: "c", isTerminationMsg: "TERMINATE" as never }),
      "isTerminationMsg must be a function",
    ],
  ])("refuse %s", (_, make, message) => {
    expect(make).toThrow(message);
    expect(make).toThrow(expect.objectContaining({ code: "invalid_definition" }) as Error);
  });

  it("refuse a group without a round", async () => {
    const pattern = new DefaultPattern({ initialAgent: a, agents: [a, b] });
    const none = initiateGroupChat({ pattern, messages: "Hi", maxRounds: 0 });
    await expect(none).rejects.toThrow("maxRounds must be an integer >= 1, got 0");
  });
});

describe("failures", () => {
  const talk = (options: object) =>
    saying("user").initiateChat(new GroupChatManager({ groupChat: group(options) }), {
      message: "Hi",
    });

  it("of a selection function name it and its group", async () => {
    function pick(): never {
      throw new Error("oops");
    }
    await expect(talk({ speakerSelectionMethod: pick })).rejects.toMatchObject({
      code: "user_code_failed",
      message: 'the selection function "pick" of the group of a, b threw: oops',
    });
  });

  it("of an eligibility policy name its group", async () => {
    const eligibilityPolicies = [
      () => {
        throw new Error("oops");
      },
    ];
    await expect(
      talk({ speakerSelectionMethod: "round_robin", eligibilityPolicies }),
    ).rejects.toThrow("an eligibility policy of the group of a, b threw: oops");
  });
});

it("shows the messages to the trigger of nested chats", async () => {
  const helper = saying("helper", "helped");
  const agent = saying("desk", "alone", "alone").registerNestedChats(
    [{ recipient: helper, maxTurns: 1 }],
    (_, { messages }) => messages.at(-1)?.content === "Help",
  );
  const ask = (message: string) => saying("x").initiateChat(agent, { message, maxTurns: 1 });
  expect((await ask("Hello")).summary).toBe("alone");
  expect((await ask("Help")).summary).toBe("helped");
});

it("steps through a group of a pattern", async () => {
  const one = saying("one", "first");
  one.setAfterWork(terminateTarget());
  const steps = runGroupChatIter({
    pattern: new DefaultPattern({ initialAgent: one, agents: [one] }),
    messages: "Hi",
    yieldOn: ["text"],
  });
  const seen: unknown[] = [];
  for await (const event of steps)
    seen.push(event.type === "text" ? ["text", event.content.content] : event.type);
  expect(seen).toEqual([
    ["text", "Hi"],
    ["text", "first"],
  ]);
  expect((await steps.handle?.output())?.lastSpeaker).toBe("one");
});

it("names the user of a group, and takes the messages of a result again", async () => {
  const one = saying("one", "first", "second");
  one.setAfterWork(terminateTarget());
  const pattern = new DefaultPattern({ initialAgent: one, agents: [one] });
  const { messages } = await initiateGroupChat({ pattern, messages: "Hi" });
  expect(messages.map(({ name }) => name)).toEqual(["user", "one"]);
  const next = await initiateGroupChat({ pattern, messages: [...messages, "And?"] });
  expect(next.messages.map(({ name }) => name)).toEqual(["user", "one", "user", "one"]);
});

it("takes a list of parts as the opening message, and refuses a list of messages", async () => {
  const parts = [{ type: "text", text: "look" }];
  const { chatHistory } = await saying("x").initiateChat(saying("y", "seen"), {
    message: parts,
    maxTurns: 1,
  });
  expect(chatHistory[0]?.content).toEqual(parts);
  const list = [{ role: "user", content: "look" }];
  await expect(
    saying("x").initiateChat(saying("y"), { message: list, maxTurns: 1 }),
  ).rejects.toThrow("pass the message itself");
});
