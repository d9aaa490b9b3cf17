import { describe, expect, it } from "vitest";
import * as z from "zod";
import { AssistantAgent, UserProxyAgent } from "../../../../src/conversation/agents/presets.ts";
import { chatProgram } from "../../../../src/conversation/chats/initiate-chat.ts";
import {
  modelGuardrail,
  regexGuardrail,
} from "../../../../src/conversation/safeguards/guardrails.ts";
import { agentTarget } from "../../../../src/conversation/targets/targets.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { calling } from "../../../support/crew-harness.ts";
import { cutAfterEveryWrite, runWhole } from "../../../support/cut-off.ts";
import { heldChat, scriptedMember } from "../../../support/held-chats.ts";
import { computedMs } from "../../../support/computed-ms.ts";

/** Finds and masks words in the texts that it is asked about. */
const judge = () =>
  scriptedModel(({ messages }) => {
    const [system, user] = messages.map(({ content }) => content);
    const word = /SECRET-\w+/.exec(system ?? "")?.[0] ?? "none";
    const activated = user?.includes(word) === true;
    return JSON.stringify({ activated, justification: activated ? "it tells" : "it does not" });
  });
const masker = () =>
  scriptedModel(({ messages }) => messages.at(-1)?.content.replaceAll(/SECRET-\w+/g, "***") ?? "");

/** A person asks, a model calls a tool, the user's agent executes it, the model answers; each of them says a word of its own. */
function secrets() {
  const ran: string[] = [];
  const look = tool({
    name: "look",
    description: "Looks.",
    input: z.object({ at: z.string() }),
    run: ({ at }) => {
      ran.push(at);
      return "saw SECRET-RESULT";
    },
  });
  const model = scriptedModel(({ messages }) =>
    messages.at(-1)?.role === "tool" ? "so SECRET-ANSWER" : calling("look", { at: "SECRET-CALL" }),
  );
  const assistant = new AssistantAgent({ name: "assistant", llm: model });
  const user = new UserProxyAgent({
    name: "user",
    humanInputMode: "NEVER",
    getHumanInput: () => "my SECRET-ASK",
  });
  assistant.registerForLlm(look);
  user.registerForExecution(look);
  return { pair: [user, assistant] as const, model, ran };
}

type Boundary = {
  readonly group: "inter_agent_safeguards" | "agent_environment_safeguards";
  readonly kind: string;
  readonly source: string;
  readonly target: string;
  /** What the rule is broken by. */
  readonly word: string;
  readonly event: { readonly kind: string };
};

const inter = { group: "inter_agent_safeguards", kind: "agent_transitions" } as const;
const around = { group: "agent_environment_safeguards" } as const;
const BOUNDARIES: Readonly<Record<string, Boundary>> = {
  "a message in words": {
    ...inter,
    source: "user",
    target: "assistant",
    word: "SECRET-ASK",
    event: { kind: "agent" },
  },
  "a message with calls": {
    ...inter,
    source: "assistant",
    target: "*",
    word: "SECRET-CALL",
    event: { kind: "agent" },
  },
  "a message with results": {
    ...inter,
    source: "*",
    target: "assistant",
    word: "SECRET-RESULT",
    event: { kind: "agent" },
  },
  "what a tool is called with, by who executes it": {
    ...around,
    kind: "tool_interaction",
    source: "user",
    target: "look",
    word: "SECRET-CALL",
    event: { kind: "tool" },
  },
  "what a tool is called with, by whose model called it": {
    ...around,
    kind: "tool_interaction",
    source: "assistant",
    target: "look",
    word: "SECRET-CALL",
    event: { kind: "tool" },
  },
  "what a tool returns": {
    ...around,
    kind: "tool_interaction",
    source: "look",
    target: "user",
    word: "SECRET-RESULT",
    event: { kind: "tool" },
  },
  "what a model is sent": {
    ...around,
    kind: "llm_interaction",
    source: "assistant",
    target: "llm",
    word: "SECRET-ASK",
    event: { kind: "llm" },
  },
  "what a model says": {
    ...around,
    kind: "llm_interaction",
    source: "LLM",
    target: "assistant",
    word: "SECRET-ANSWER",
    event: { kind: "llm" },
  },
  "what a person types": {
    ...around,
    kind: "user_interaction",
    source: "user",
    target: "user",
    word: "SECRET-ASK",
    event: { kind: "user" },
  },
};
const CHECKS = {
  regex: ({ word, kind }: Boundary) => ({
    pattern: kind === "agent_transitions" ? word : word.toLowerCase(),
  }),
  llm: ({ word }: Boundary) => ({ disallow_item: [word] }),
} as const;
const CASES = Object.keys(BOUNDARIES).flatMap((name) =>
  (["regex", "llm"] as const).flatMap((check) =>
    (["block", "mask", "warning"] as const).map((action) => [name, check, action] as const),
  ),
);

/** Where a word can still be found, past the boundary. */
function seen({ kind, source, word }: Boundary, told: { model: string; ran: string; log: string }) {
  if (kind === "tool_interaction" && source !== "look") return told.ran.includes(word);
  if (kind === "llm_interaction" && source === "assistant") return told.model.includes(word);
  return told.log.includes(word);
}

describe("SCR1: a policy at every boundary", () => {
  it.each(CASES)("%s, checked by %s: %s", async (name, check, action) => {
    const boundary = BOUNDARIES[name] as Boundary;
    const { pair, model, ran } = secrets();
    const rule = {
      message_source: boundary.source,
      message_destination: boundary.target,
      check_method: check,
      ...CHECKS[check](boundary),
      action,
    };
    const { result, of } = await heldChat(pair, {
      maxTurns: 2,
      safeguardPolicy: { [boundary.group]: { [boundary.kind]: [rule] } },
      safeguardLlm: judge(),
      maskLlm: masker(),
    });
    const told = {
      model: JSON.stringify(model.calls),
      ran: ran.join(),
      log: JSON.stringify(result.chatHistory),
    };
    expect(seen(boundary, told)).toBe(action === "warning");
    const mask = check === "llm" ? "***" : "[SENSITIVE_INFO]";
    const mark = { block: "[Blocked by a safeguard: ", mask, warning: boundary.word }[action];
    expect(JSON.stringify(told)).toContain(mark);
    const events = of("chat_safeguard_violated");
    expect(events.length).toBeGreaterThan(0);
    for (const event of events) expect(event).toMatchObject({ ...boundary.event, action, check });
    expect(events[0]?.preview).toContain(boundary.word);
  });

  it("has the agents' hooks first, then policies", async () => {
    const { pair } = secrets();
    pair[0].registerHook("safeguard_human_inputs", (text) => text.replace("SECRET-ASK", "word"));
    const { of, texts } = await heldChat(pair, {
      maxTurns: 1,
      safeguardPolicy: {
        agent_environment_safeguards: {
          user_interaction: [
            {
              message_source: "user",
              message_destination: "user",
              check_method: "regex",
              pattern: "SECRET-ASK",
              action: "block",
            },
          ],
        },
      },
    });
    expect(of("chat_safeguard_violated")).toEqual([]);
    expect(texts[0]).toBe("my word");
  });

  it("masks by a pattern without any model, also when the pattern finds no match", async () => {
    const { pair, model } = secrets();
    const rule = {
      message_source: "assistant",
      message_destination: "llm",
      check_method: "regex",
      pattern: "SECRET-RESULT",
      action: "mask",
    };
    const { of } = await heldChat(pair, {
      maxTurns: 2,
      safeguardPolicy: { agent_environment_safeguards: { llm_interaction: [rule] } },
    });
    expect(JSON.stringify(model.calls[0])).toContain("SECRET-ASK");
    expect(JSON.stringify(model.calls)).not.toContain("SECRET-RESULT");
    expect(of("chat_safeguard_violated")).toHaveLength(1);
  });

  it("takes linear time for a pattern with exponential backtracking", async () => {
    const { agent: ana } = scriptedMember("ana");
    const pattern = "(a|a)*(a*)*c";
    const { agent: bo } = scriptedMember("bo", ["fine"], {
      inputGuardrails: [
        regexGuardrail({ name: "slow", condition: pattern, target: agentTarget("ana") }),
      ],
    });
    const rule = { message_source: "*", message_destination: "*", check_method: "regex", pattern };
    const began = computedMs();
    const { texts } = await heldChat([ana, bo], {
      message: "a".repeat(20_000),
      maxTurns: 1,
      safeguardPolicy: {
        inter_agent_safeguards: { agent_transitions: [{ ...rule, action: "mask" }] },
      },
    });
    expect(texts[1]).toBe("fine");
    expect(computedMs() - began).toBeLessThan(5_000);
  });

  it("fails the chat when its judge fails", async () => {
    const { pair } = secrets();
    const broken = scriptedModel(() => "no JSON");
    const chat = heldChat(pair, {
      maxTurns: 1,
      safeguardPolicy: judged("user", "*"),
      safeguardLlm: broken,
    });
    await expect(chat).rejects.toMatchObject({ code: "output_invalid" });
  });
});

function judged(source: string, target: string) {
  const rule = {
    message_source: source,
    message_destination: target,
    check_method: "llm",
    disallow_item: ["SECRET-ASK"],
    action: "block",
  };
  return { inter_agent_safeguards: { agent_transitions: [rule] } };
}

describe("SCR2, SCR3", () => {
  it("SCR2: patterns leave no row, and a rule without matching agents calls no model", async () => {
    const { pair } = secrets();
    const model = judge();
    const pattern = { check_method: "regex", pattern: "SECRET", action: "mask" };
    const { events } = await heldChat(pair, {
      maxTurns: 2,
      safeguardPolicy: {
        ...judged("assistant", "assistant"),
        agent_environment_safeguards: {
          user_interaction: [{ ...pattern, message_source: "user", message_destination: "user" }],
        },
      },
      safeguardLlm: model,
    });
    expect(model.calls).toHaveLength(0);
    const steps = events.filter(({ path }) => /judge|mask|hook/.test(path));
    expect(steps).toEqual([]);
  });

  it("SCR2: the cost of judging and masking models counts for their agent", async () => {
    const { pair } = secrets();
    const { result } = await heldChat(pair, {
      maxTurns: 1,
      safeguardPolicy: judged("user", "*"),
      safeguardLlm: judge(),
    });
    expect(result.cost.byAgent).toMatchObject({
      user: { requests: 1 },
      assistant: { requests: 1 },
    });
  });

  it("SCR2, SCR3: wherever its process dies, a guarded chat has the same messages, and repeats no question", async () => {
    const rule = (source: string, target: string, rest: object) => ({
      message_source: source,
      message_destination: target,
      action: "mask",
      ...rest,
    });
    const byModel = (word: string) => ({ check_method: "llm", disallow_item: [word] });
    const made = () => {
      const calls: string[] = [];
      const look = tool({
        name: "look",
        description: "Looks.",
        input: z.object({ at: z.string() }),
        run: ({ at }) => {
          calls.push(`look ${at}`);
          return "saw SECRET-RESULT";
        },
      });
      const assistant = new AssistantAgent({
        name: "assistant",
        llm: scriptedModel(({ messages, responseSchema }) => {
          if (responseSchema !== undefined)
            return JSON.stringify({ activated: false, justification: "fine" });
          return messages.at(-1)?.role === "tool"
            ? "so SECRET-ANSWER"
            : calling("look", { at: "SECRET-CALL" });
        }),
        outputGuardrails: [
          modelGuardrail({ name: "rude", condition: "It is rude.", target: agentTarget("user") }),
        ],
      });
      const user = new UserProxyAgent({ name: "user", humanInputMode: "NEVER" });
      user.registerHook("safeguard_tool_outputs", (result) => {
        calls.push(`hook ${result.content}`);
        return result;
      });
      assistant.registerForLlm(look);
      user.registerForExecution(look);
      const program = chatProgram([user, assistant], {
        maxTurns: 2,
        safeguardPolicy: {
          inter_agent_safeguards: {
            agent_transitions: [
              rule("assistant", "user", byModel("SECRET-ANSWER")),
              rule("user", "assistant", { check_method: "regex", pattern: "SECRET-RESULT" }),
            ],
          },
          agent_environment_safeguards: {
            tool_interaction: [rule("user", "look", byModel("SECRET-CALL"))],
            llm_interaction: [rule("assistant", "llm", { check_method: "regex", pattern: "ask" })],
            user_interaction: [rule("user", "user", { ...byModel("SECRET-ASK"), action: "block" })],
          },
        },
        safeguardLlm: judge(),
        maskLlm: masker(),
      });
      return {
        calls,
        program,
        answer: () => ({ feedback: "my SECRET-ASK" }),
      };
    };
    const whole = await runWhole(made());
    expect(whole.course.output).toMatchObject({
      humanInput: ["[Blocked by a safeguard: the content is not allowed]"],
      chatHistory: [
        { content: "[Blocked by a safeguard: the content is not allowed]" },
        { toolCalls: [{ arguments: '{"at":"SECRET-CALL"}' }] },
        { content: "saw [SENSITIVE_INFO]" },
        { content: "so ***" },
      ],
    });
    expect(whole.calls).toEqual(["look ***", "hook saw SECRET-RESULT"]);
    const violations = whole.events.filter(({ type }) => type === "chat_safeguard_violated");
    expect(violations.length).toBeGreaterThan(3);
    const { cut } = await cutAfterEveryWrite(made);
    expect(cut.length).toBeGreaterThan(20);
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });
});
