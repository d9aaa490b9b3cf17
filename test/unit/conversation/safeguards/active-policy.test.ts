import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject, JsonValue } from "../../../../src/base/json.ts";
import { ConversableAgent } from "../../../../src/conversation/agents/conversable-agent.ts";
import { UserProxyAgent } from "../../../../src/conversation/agents/presets.ts";
import { ChatPlace } from "../../../../src/conversation/chats/chat-place.ts";
import { Talk } from "../../../../src/conversation/chats/talk.ts";
import { contentText, readMessage } from "../../../../src/conversation/messages.ts";
import {
  applySafeguardPolicy,
  resetSafeguardPolicy,
  safeguardedPlace,
} from "../../../../src/conversation/safeguards/active-policy.ts";
import {
  groupMessage,
  interAgentMessage,
} from "../../../../src/conversation/safeguards/screens.ts";
import type { RunScope } from "../../../../src/events/run-scope.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { LocalRun } from "../../../../src/runtime/handle/local-run.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { calling } from "../../../support/crew-harness.ts";
import { heldChat, scriptedMember } from "../../../support/held-chats.ts";

const transition = (source: string, destination: string, rest: JsonObject = {}): JsonObject => ({
  message_source: source,
  message_destination: destination,
  check_method: "regex",
  pattern: "secret",
  violation_response: "mask",
  ...rest,
});
const transitions = (...agent_transitions: JsonObject[]): JsonObject => ({
  inter_agent_safeguards: { agent_transitions },
});
const POLICY = transitions(transition("*", "*"));
const MASKED = "my [SENSITIVE_INFO]";

/** Two agents who talk as the test has it. */
const pair = (script: readonly string[] = ["my secret"]) => {
  const { agent: ana, model } = scriptedMember("ana", script);
  const { agent: bo } = scriptedMember("bo", ["my secret", "my secret", "my secret"]);
  return { ana, bo, model };
};
const said = async (ana: ConversableAgent, bo: ConversableAgent) =>
  (await heldChat([ana, bo], { message: "my secret", maxTurns: 1 })).texts;

/** Runs code in a run of its own, with what it emitted. */
async function inRun<T extends JsonValue>(code: (scope: RunScope) => Promise<T>) {
  const start = { kind: "conversation", name: "test", inputs: {} } as const;
  const run = new LocalRun(start, { run: code, tasks: [] }, {});
  const output = await run.output();
  const types: string[] = [];
  for await (const event of run.events()) types.push(event.type);
  return { output, types };
}

describe("ACP1: the scope of a policy", () => {
  it("is every chat of its agents, and both sides have the masked message", async () => {
    const { ana, bo } = pair();
    applySafeguardPolicy({ agents: [ana, bo], policy: JSON.stringify(POLICY) });
    expect(await said(ana, bo)).toEqual([MASKED, MASKED]);
    const { agent: cy } = scriptedMember("cy", ["my secret"]);
    expect(await said(ana, cy)).toEqual([MASKED, "my secret"]);
  });

  it("is one chat of a queue, as an option", async () => {
    const { ana, bo } = pair();
    const chat = { recipient: bo, message: "my secret", maxTurns: 1 };
    const [guarded, free] = await ana.initiateChats([{ ...chat, safeguardPolicy: POLICY }, chat]);
    expect(guarded?.summary).toBe(MASKED);
    expect(free?.summary).toBe("my secret");
  });

  it("is every chat inside: before an answer, and in a tool", async () => {
    const inner = pair();
    const nested = pair();
    const ask = tool({
      name: "ask",
      description: "Asks others.",
      input: z.object({}),
      run: async () =>
        (await inner.ana.initiateChat(inner.bo, { message: "my secret", maxTurns: 1 })).summary,
    });
    const { agent: cy } = scriptedMember("cy");
    cy.registerNestedChats(
      [{ sender: nested.ana, recipient: nested.bo, message: "my secret", maxTurns: 1 }],
      "dan",
    );
    const { agent: eve } = scriptedMember("eve", [], { llm: scriptedModel([calling("ask")]) });
    eve.registerForLlm(ask);
    const dan = new ConversableAgent({ name: "dan", humanInputMode: "NEVER", tools: [ask] });
    const options = { message: "go", safeguardPolicy: POLICY };
    expect((await heldChat([dan, cy], { ...options, maxTurns: 1 })).texts).toEqual(["go", MASKED]);
    const withTool = await heldChat([dan, eve], {
      ...options,
      maxTurns: 2,
      summaryMethod: null,
    }).catch((error: unknown) => error as Error);
    expect(withTool).toMatchObject({ message: expect.stringContaining(MASKED) });
  });

  it("accepts AG2's field names and camelCase", async () => {
    const { ana, bo } = pair();
    const rule = {
      messageSource: "ana",
      messageDestination: "bo",
      checkMethod: "regex",
      pattern: "secret",
      action: "block",
    };
    const safeguardPolicy = { interAgentSafeguards: { agentTransitions: [rule] } };
    const { texts } = await heldChat([ana, bo], {
      message: "secret",
      maxTurns: 1,
      safeguardPolicy,
    });
    expect(texts[0]).toMatch(/^\[Blocked/);
  });
});

describe("ACP2: the removal of a policy", () => {
  it("leaves other policies and the agent's hooks", async () => {
    const { ana, bo } = pair();
    ana.registerHook("process_message_before_send", () => ({
      role: "assistant",
      content: "my secret!",
    }));
    const policy = transitions(transition("ana", "bo", { pattern: "my" }));
    applySafeguardPolicy({ agents: [ana, bo], policy });
    const applied = applySafeguardPolicy({ agents: [ana, bo], policy: POLICY });
    expect((await said(ana, bo))[0]).toBe("[SENSITIVE_INFO] [SENSITIVE_INFO]!");
    applied.remove();
    applied.remove();
    expect(await said(ana, bo)).toEqual(["[SENSITIVE_INFO] secret!", "my secret"]);
  });

  it("can remove all of them", async () => {
    const { ana, bo } = pair();
    bo.registerHook("safeguard_llm_outputs", (message) => ({ ...message, content: "hooked" }));
    applySafeguardPolicy({ agents: [ana, bo], policy: POLICY });
    resetSafeguardPolicy([ana, bo]);
    expect(await said(ana, bo)).toEqual(["my secret", "hooked"]);
  });
});

describe("a policy with faults", () => {
  const look = tool({ name: "look up", description: "Looks.", input: z.object({}), run: () => "" });
  const environment = (kind: string, rule: JsonObject): JsonObject => ({
    agent_environment_safeguards: { [kind]: [rule] },
  });

  it.each<[string, JsonObject | string, RegExp]>([
    ["a text without JSON", "{", /the safeguard policy is not JSON/],
    ["a missing agent", transitions(transition("eve", "bo")), /got "eve"/],
    [
      "a tool without an owner",
      environment("tool_interaction", transition("ana", "fly")),
      /expected a tool of "ana" \(look up, look_up\), got "fly"/,
    ],
    [
      "a rule for a model without one",
      transitions(transition("ana", "bo", { check_method: "llm", custom_prompt: "Is it rude?" })),
      /needs a model that judges: set safeguardLlm/,
    ],
  ])("is refused before the first message: %s", async (_, policy, message) => {
    const { ana, bo } = pair();
    ana.registerForExecution(look);
    expect(() => applySafeguardPolicy({ agents: [ana, bo], policy })).toThrow(message);
    await expect(
      ana.initiateChat(bo, { message: "hi", safeguardPolicy: policy }),
    ).rejects.toMatchObject({
      code: "invalid_definition",
      message: expect.stringMatching(message),
    });
  });

  it("names a tool in any spelling, and may name the manager of a group", () => {
    const { ana, bo } = pair();
    ana.registerForExecution(look);
    const agents = [ana, bo];
    for (const name of ["look up", "look_up"])
      applySafeguardPolicy({
        agents,
        policy: environment("tool_interaction", transition("ana", name)),
      });
    const policy = transitions(transition("chat_manager", "bo"));
    applySafeguardPolicy({ agents, manager: "chat_manager", policy });
    expect(() => applySafeguardPolicy({ agents, policy })).toThrow('got "chat_manager"');
  });
});

describe("messages in a group", () => {
  it("are checked for each recipient, who receives a copy of its own", async () => {
    const { ana, bo } = pair();
    const { agent: cy } = scriptedMember("cy");
    const message = readMessage("my secret", { name: "ana", role: "assistant" });
    const { output } = await inRun(async (scope) => {
      const policy = transitions(transition("ana", "bo"));
      const guarded = safeguardedPlace(
        scope,
        { safeguardPolicy: policy },
        { agents: [ana, bo, cy] },
      );
      const place = new ChatPlace(guarded.at("chat"));
      const talk = new Talk(scope);
      const copies = [bo, cy].map(({ name: destination }) =>
        interAgentMessage(talk, place, {
          message,
          source: ana,
          destination,
          key: `sent:1:${destination}`,
        }),
      );
      return (await Promise.all(copies)).map((copy) => [
        contentText(copy.message.content),
        copy.violations.length,
      ]);
    });
    expect(output).toEqual([
      [MASKED, 1],
      ["my secret", 0],
    ]);
  });

  it("are checked for the whole group, unlike in AG2", async () => {
    const { ana } = pair();
    const safeguardLlm = scriptedModel(({ messages }) =>
      JSON.stringify({
        activated: messages.at(-1)?.content.includes("secret") === true,
        justification: "",
      }),
    );
    const policy = {
      inter_agent_safeguards: { groupchat_message_check: { disallow_item: ["secrets"] } },
    };
    applySafeguardPolicy({ agents: [ana], policy, safeguardLlm });
    const { output, types } = await inRun(async (scope) => {
      const place = new ChatPlace(scope.at("chat"));
      const talk = new Talk(scope);
      const texts: string[] = [];
      for (const text of ["my secret", "hello"]) {
        const message = readMessage(text, { name: "ana", role: "assistant" });
        const key = `said:${texts.length}`;
        const checked = await groupMessage(talk, place, { message, source: ana, key });
        texts.push(contentText(checked.message.content));
      }
      return { texts, requests: place.cost.byAgent["ana"]?.requests ?? 0 };
    });
    expect(output).toEqual({
      texts: ["[Blocked by a safeguard: the content is not allowed]", "hello"],
      requests: 2,
    });
    expect(types.filter((type) => type === "chat_safeguard_violated")).toHaveLength(1);
  });
});

it("a chat opened by a person pays for the judge of the person's words", async () => {
  const { agent: ana } = scriptedMember("ana", ["fine"]);
  const bo = new UserProxyAgent({ name: "bo", getHumanInput: () => "hello" });
  const { result } = await heldChat([bo, ana], {
    maxTurns: 1,
    safeguardPolicy: {
      agent_environment_safeguards: {
        user_interaction: [
          {
            message_source: "user",
            message_destination: "bo",
            check_method: "llm",
            custom_prompt: "It is rude.",
            action: "block",
          },
        ],
      },
    },
    safeguardLlm: scriptedModel(['{"activated":false,"justification":""}']),
  });
  expect(result.cost.byAgent["bo"]?.requests).toBe(1);
});
