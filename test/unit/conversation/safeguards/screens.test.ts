import { describe, expect, it } from "vitest";
import * as z from "zod";
import { AssistantAgent, UserProxyAgent } from "../../../../src/conversation/agents/presets.ts";
import type { ConversationHooks } from "../../../../src/conversation/agents/conversation-hooks.ts";
import { contentText } from "../../../../src/conversation/messages.ts";
import { applySafeguardPolicy } from "../../../../src/conversation/safeguards/active-policy.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { calling, toldTo } from "../../../support/crew-harness.ts";
import { heldChat, scriptedMember } from "../../../support/held-chats.ts";

/** A person asks, a model calls a tool, the user's agent executes it, the model answers. */
function workshop() {
  const ran: string[] = [];
  const look = tool({
    name: "look",
    description: "Looks.",
    input: z.object({ at: z.string().optional() }),
    run: ({ at = "nothing" }) => {
      ran.push(at);
      return `saw ${at}`;
    },
  });
  const model = scriptedModel(({ messages }) =>
    messages.at(-1)?.role === "tool" ? "It is the disk." : calling("look", { at: "logs" }),
  );
  const assistant = new AssistantAgent({ name: "assistant", llm: model });
  const user = new UserProxyAgent({
    name: "user",
    humanInputMode: "NEVER",
    getHumanInput: () => "What is wrong?",
  });
  assistant.registerForLlm(look);
  user.registerForExecution(look);
  const chat = () => heldChat([user, assistant], { maxTurns: 2 });
  return { assistant, user, model, ran, chat };
}

describe("SCR1: the result of a safeguard hook is used", () => {
  it("in place of a person's opening text, before others see it", async () => {
    const { user, model, chat } = workshop();
    user.registerHook("safeguard_human_inputs", (text, { agent }) => `${agent}: ${text}`);
    user.registerHook("safeguard_human_inputs", (text) => text.toUpperCase());
    const { texts, result } = await chat();
    expect(texts[0]).toBe("USER: WHAT IS WRONG?");
    expect(result.humanInput).toEqual(["USER: WHAT IS WRONG?"]);
    expect(toldTo(model, 0).at(-1)?.content).toBe("USER: WHAT IS WRONG?");
  });

  it("PSR2: in place of a person's answer", async () => {
    const { agent: ana } = scriptedMember("ana", ["fine"]);
    const bo = new UserProxyAgent({ name: "bo", getHumanInput: () => "my secret" });
    bo.registerHook("safeguard_human_inputs", (text) => text.replace("secret", "***"));
    const { texts, result } = await heldChat([ana, bo], { message: "Well?", maxTurns: 1 });
    expect(texts).toEqual(["Well?", "my ***"]);
    expect(result.humanInput).toEqual(["my ***"]);
  });

  it("in place of a model's input, and the log stays as it is", async () => {
    const { assistant, model, chat } = workshop();
    assistant.registerHook("safeguard_llm_inputs", (messages) =>
      messages.map((message) =>
        message.role === "user" ? { ...message, content: "masked" } : message,
      ),
    );
    const { texts } = await chat();
    expect(toldTo(model, 0)).toMatchObject([{ role: "system" }, { content: "masked" }]);
    expect(texts[0]).toBe("What is wrong?");
  });

  it("in place of a model's output, in words and in calls", async () => {
    const { assistant, ran, chat } = workshop();
    assistant.registerHook("safeguard_llm_outputs", (message) => ({
      ...message,
      content: message.content === null ? null : "masked",
      ...(message.toolCalls === undefined
        ? undefined
        : { toolCalls: message.toolCalls.map((call) => ({ ...call, arguments: '{"at":"x"}' })) }),
    }));
    const { texts } = await chat();
    expect(texts.at(-1)).toBe("masked");
    expect(ran).toEqual(["x"]);
  });

  it("in place of a tool's input, and of its result", async () => {
    const { user, ran, chat } = workshop();
    const about: unknown[] = [];
    user.registerHook("safeguard_tool_inputs", (call, whose) => {
      about.push(whose);
      return { ...call, arguments: '{"at":"the cellar"}' };
    });
    user.registerHook("safeguard_tool_outputs", (result, whose) => {
      about.push(whose);
      return { ...result, content: `${result.content}!` };
    });
    const { texts, result } = await chat();
    expect(ran).toEqual(["the cellar"]);
    expect(texts[2]).toBe("saw the cellar!");
    expect(result.chatHistory[2]?.toolResponses?.[0]?.content).toBe("saw the cellar!");
    expect(about).toEqual([
      { agent: "user", tool: "look" },
      { agent: "user", tool: "look" },
    ]);
  });

  it("in place of a summary's input", async () => {
    const { agent: bo, model } = scriptedMember("bo", ["b1", "They agreed."]);
    bo.registerHook("safeguard_llm_inputs", (messages) =>
      messages.map((message) => ({ ...message, content: "masked" })),
    );
    const { agent: ana } = scriptedMember("ana");
    await heldChat([ana, bo], {
      message: "my secret",
      maxTurns: 1,
      summaryMethod: "reflection_with_llm",
    });
    expect(model.calls).toHaveLength(2);
    expect(JSON.stringify(model.calls)).not.toContain("secret");
  });
});

describe("SCN1: a hook without a result", () => {
  it("keeps the model from being asked; a fixed reply replaces its answer", async () => {
    const { agent: bo, model } = scriptedMember("bo");
    bo.registerHook("safeguard_llm_inputs", () => null);
    const { agent: ana } = scriptedMember("ana");
    const { texts } = await heldChat([ana, bo], { message: "hi", maxTurns: 1 });
    expect(texts).toEqual(["hi", "[Blocked by a safeguard: the model was not asked]"]);
    expect(model.calls).toHaveLength(0);
  });

  it.each([
    "safeguard_tool_inputs",
    "safeguard_tool_outputs",
    "safeguard_llm_outputs",
    "safeguard_human_inputs",
  ] as const)("fails the work anywhere else: %s", async (name) => {
    const { user, assistant, chat } = workshop();
    const owner = name === "safeguard_llm_outputs" ? assistant : user;
    owner.registerHook(name, () => null);
    await expect(chat()).rejects.toMatchObject({
      code: "hook_aborted",
      message: `the hook ${name} of "${owner.name}" refused`,
    });
  });

  it.each<[keyof ConversationHooks, unknown]>([
    ["safeguard_tool_inputs", { name: "look" }],
    ["safeguard_tool_outputs", "saw"],
    ["safeguard_llm_inputs", [{ role: "me", content: "x" }]],
    ["safeguard_llm_inputs", []],
    ["safeguard_human_inputs", 3],
  ])("acts like one with an unusable result: %s, %j", async (name, returned) => {
    const { user, assistant, chat } = workshop();
    const owner = name === "safeguard_llm_inputs" ? assistant : user;
    owner.registerHook(name, (() => returned) as never);
    await expect(chat()).rejects.toMatchObject({
      code: "hook_aborted",
      message: expect.stringContaining(
        `the hook ${name} of "${owner.name}" returned an unusable value`,
      ),
    });
  });

  it("acts like one with an error: the message does not pass", async () => {
    const { assistant, model, chat } = workshop();
    assistant.registerHook("safeguard_llm_inputs", () => {
      throw new Error("the filter is broken");
    });
    await expect(chat()).rejects.toThrow("the filter is broken");
    expect(model.calls).toHaveLength(0);
  });
});

describe("SCN2: a blocked call is not executed", () => {
  const rule = { check_method: "regex", pattern: "logs", action: "block" };

  it("on its way to its executor, even if its tool accepts any arguments", async () => {
    const { user, assistant, ran, chat } = workshop();
    applySafeguardPolicy({
      agents: [user, assistant],
      policy: {
        inter_agent_safeguards: {
          agent_transitions: [
            { ...rule, message_source: "assistant", message_destination: "user" },
          ],
        },
      },
    });
    const { result } = await chat();
    expect(ran).toEqual([]);
    const text = "[Blocked by a safeguard: the content is not allowed]";
    expect(result.chatHistory[2]?.toolResponses).toMatchObject([{ content: text }]);
  });

  it("before its tool; others of the message are executed", async () => {
    const { user, assistant, ran } = workshop();
    applySafeguardPolicy({
      agents: [user, assistant],
      policy: {
        agent_environment_safeguards: {
          tool_interaction: [{ ...rule, message_source: "user", message_destination: "look" }],
        },
      },
    });
    const call = (id: string, at: string) => ({ id, name: "look", arguments: `{"at":"${at}"}` });
    const toolCalls = [call("x", "logs"), call("y", "code"), call("z", "logs")];
    const { result } = await heldChat([assistant, user], {
      message: { content: null, toolCalls },
      maxTurns: 1,
    });
    expect(ran).toEqual(["code"]);
    expect(result.chatHistory[1]?.toolResponses?.map(({ content }) => content)).toEqual([
      expect.stringMatching(/^\[Blocked/),
      "saw code",
      expect.stringMatching(/^\[Blocked/),
    ]);
  });

  it("in the old form of a call, too", async () => {
    const { user, assistant, ran } = workshop();
    const functionCall = { name: "look", arguments: '{"at":"logs"}' };
    applySafeguardPolicy({
      agents: [user, assistant],
      policy: {
        inter_agent_safeguards: {
          agent_transitions: [{ ...rule, message_source: "*", message_destination: "*" }],
        },
      },
    });
    const { texts } = await heldChat([assistant, user], {
      message: { content: null, functionCall },
      maxTurns: 1,
    });
    expect(ran).toEqual([]);
    expect(texts[1]).toMatch(/^\[Blocked/);
  });
});

it("SCN3: a tool is the same by any spelling, and so are its rules", async () => {
  const { user, assistant, ran } = workshop();
  applySafeguardPolicy({
    agents: [user, assistant],
    policy: {
      agent_environment_safeguards: {
        tool_interaction: [
          {
            message_source: "assistant",
            message_destination: "look",
            check_method: "regex",
            pattern: "logs",
            action: "mask",
          },
        ],
      },
    },
  });
  const toolCalls = [{ id: "x", name: "functions.Look", arguments: '{"at":"logs"}' }];
  const { of } = await heldChat([assistant, user], {
    message: { content: null, toolCalls },
    maxTurns: 1,
  });
  expect(ran).toEqual(["[SENSITIVE_INFO]"]);
  expect(of("chat_safeguard_violated")).toMatchObject([{ source: "assistant", target: "look" }]);
});

it("SCN4: a person can always end a conversation", async () => {
  const { agent: ana } = scriptedMember("ana");
  const bo = new UserProxyAgent({ name: "bo", getHumanInput: () => "exit" });
  bo.registerHook("safeguard_human_inputs", () => "go on");
  const { result } = await heldChat([ana, bo], { message: "Well?" });
  expect(result.reason).toBe("the person ended the chat");
  expect(contentText(result.chatHistory.at(-1)?.content)).toBe("Well?");
});
