import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ConversableAgent } from "../../../../src/conversation/agents/conversable-agent.ts";
import { initiateGroupChat } from "../../../../src/conversation/groups/initiate-group-chat.ts";
import type { PatternOptions } from "../../../../src/conversation/groups/pattern-options.ts";
import {
  DefaultPattern,
  GraphPattern,
  RoundRobinPattern,
} from "../../../../src/conversation/groups/patterns.ts";
import {
  modelGuardrail,
  regexGuardrail,
} from "../../../../src/conversation/safeguards/guardrails.ts";
import {
  agentTarget,
  nestedChatTarget,
  terminateTarget,
} from "../../../../src/conversation/targets/targets.ts";
import { onContextCondition } from "../../../../src/conversation/targets/handoffs.ts";
import { ReplyResult } from "../../../../src/conversation/tool-results.ts";
import { contextVariables } from "../../../../src/conversation/turns/tool-injections.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { counting, lines, quiet, scripted } from "../../../support/conversations.ts";
import { calling } from "../../../support/crew-harness.ts";

const masking = (from: string, to: string) => ({
  inter_agent_safeguards: {
    agent_transitions: [
      {
        message_source: from,
        message_destination: to,
        check_method: "regex",
        pattern: "\\d{4}",
        violation_response: "mask",
      },
    ],
  },
});

const first = (agents: readonly ConversableAgent[]): ConversableAgent =>
  agents[0] as ConversableAgent;

const byDefault = (agents: readonly ConversableAgent[], options: Partial<PatternOptions> = {}) =>
  new DefaultPattern({ agents, initialAgent: first(agents), ...options });

describe("policies in groups", () => {
  it("GTK1: one member receives a masked copy, and the transcript keeps the original", async () => {
    const b = scriptedModel(["ok"]);
    const c = scriptedModel(["ok"]);
    const agents = [
      scripted("a", ["The code is 1234"]),
      quiet("b", { llm: b, systemMessage: "" }),
      quiet("c", { llm: c, systemMessage: "" }),
    ];
    const pattern = new RoundRobinPattern({ agents, initialAgent: first(agents) });
    const { messages } = await initiateGroupChat({
      pattern,
      messages: "Begin",
      maxRounds: 4,
      safeguardPolicy: masking("a", "b"),
    });
    expect(lines(messages)[1]).toBe("a: The code is 1234");
    expect(JSON.stringify(b.calls[0]?.messages)).toContain("a: The code is [SENSITIVE_INFO]");
    expect(JSON.stringify(c.calls[0]?.messages)).toContain("a: The code is 1234");
  });

  it("GLP1: a policy with an unknown name is refused before the first message", async () => {
    const agents = [counting("a"), counting("b")];
    const pattern = new RoundRobinPattern({ agents, initialAgent: first(agents) });
    const chat = initiateGroupChat({
      pattern,
      messages: "Begin",
      safeguardPolicy: masking("a", "nobody"),
    });
    await expect(chat).rejects.toThrow(/nobody/);
  });
});

describe("guardrails in groups", () => {
  it("GRD1: an input guardrail answers in place of the model, and selects the next speaker", async () => {
    const model = scriptedModel([]);
    const a = quiet("a", {
      llm: model,
      inputGuardrails: [
        regexGuardrail({ name: "pins", condition: "PIN \\d+", target: agentTarget("security") }),
      ],
    });
    const pattern = byDefault([a, scripted("security", ["Do not say PINs."])]);
    const { messages } = await initiateGroupChat({
      pattern,
      messages: "My PIN 1234",
      maxRounds: 5,
    });
    expect(messages.map(({ name }) => name)).toEqual(["user", "a", "security"]);
    expect(model.calls).toHaveLength(0);
  });

  it("GRD2: an input guardrail comes before a hand-over by context", async () => {
    const says = async (text: string): Promise<readonly unknown[]> => {
      const a = quiet("a", {
        inputGuardrails: [
          regexGuardrail({ name: "pins", condition: "PIN \\d+", target: agentTarget("security") }),
        ],
      });
      a.handoffs.add(onContextCondition({ target: agentTarget("desk"), condition: "open" }));
      const others = [scripted("desk", ["At the desk."]), scripted("security", ["No PINs."])];
      const pattern = byDefault([a, ...others], { contextVariables: { open: true } });
      const { messages } = await initiateGroupChat({ pattern, messages: text, maxRounds: 5 });
      return messages.map(({ name }) => name);
    };
    expect(await says("My PIN 1234")).toEqual(["user", "a", "security"]);
    expect(await says("Hello")).toEqual(["user", "a", "desk"]);
  });

  it("GRD1: an output guardrail may lead to nested chats", async () => {
    const target = nestedChatTarget([
      { recipient: scripted("lawyer", ["Say nothing."]), message: "May I?", maxTurns: 1 },
    ]);
    const a = scripted(
      "a",
      ["We promise it", { text: '{"activated":true,"justification":"a promise"}' }],
      {
        outputGuardrails: [modelGuardrail({ name: "promises", condition: "a promise", target })],
      },
    );
    a.setAfterWork(terminateTarget());
    const { messages } = await initiateGroupChat({
      pattern: byDefault([a]),
      messages: "Begin",
      maxRounds: 3,
    });
    expect(messages.at(-1)).toMatchObject({ name: "wrapped_nested_a_2", content: "Say nothing." });
  });
});

describe("tools in groups", () => {
  const count = tool({
    name: "count",
    description: "Counts.",
    input: z.object({}),
    inject: { variables: contextVariables() },
    run: (_, { variables }) => {
      variables.set("n", Number(variables.get("n", 0)) + 1);
      return `counted ${JSON.stringify(variables.get("n"))}`;
    },
  });
  const leadTo = (name: string) =>
    tool({
      name: `to_${name}`,
      description: "Leads on.",
      input: z.object({}),
      run: () =>
        new ReplyResult({
          message: `on to ${name}`,
          target: agentTarget(name),
          contextVariables: { seen: name },
        }),
    });

  it("GEC1: a tool sets variables for all members and leads to a member before the after-work (D4.33)", async () => {
    const a = scripted("a", [calling("to_b")], { tools: [leadTo("b")] });
    a.setAfterWork(agentTarget("c"));
    const pattern = byDefault([a, counting("b"), counting("c")]);
    const result = await initiateGroupChat({ pattern, messages: "Begin", maxRounds: 5 });
    expect(result.messages.map(({ name }) => name)).toEqual([
      "user",
      "a",
      "_Group_Tool_Executor",
      "b",
    ]);
    expect(result.contextVariables).toEqual({ seen: "b" });
  });

  it("GEC1: the last of two calls with a target wins, and a plain result does not change it (D4.34)", async () => {
    const both = {
      toolCalls: [
        { name: "to_b", arguments: {} },
        { name: "to_c", arguments: {} },
        { name: "count", arguments: {} },
      ],
    };
    const a = scripted("a", [both], { tools: [leadTo("b"), leadTo("c"), count] });
    const pattern = byDefault([a, counting("b"), counting("c")]);
    const result = await initiateGroupChat({ pattern, messages: "Begin", maxRounds: 5 });
    expect(result.lastSpeaker).toBe("c");
    expect(result.contextVariables).toEqual({ seen: "c", n: 1 });
  });

  it("GEC1: results without a target return to the calling member (D4.35)", async () => {
    const a = scripted("a", [calling("count"), calling("count"), "done"], { tools: [count] });
    const pattern = byDefault([a, counting("b")]);
    const result = await initiateGroupChat({ pattern, messages: "Begin", maxRounds: 9 });
    expect(result.contextVariables).toEqual({ n: 2 });
    expect(lines(result.messages).slice(2)).toEqual([
      "_Group_Tool_Executor: counted 1",
      "a: ",
      "_Group_Tool_Executor: counted 2",
      "a: done",
    ]);
  });

  it("GSL2: in a graph a tool's target comes before the graph, which sees the variables of the turn (D9.80, D9.81)", async () => {
    const graph = {
      initialSpeaker: "a",
      transitions: [
        {
          when: { name: "context_equals", args: { key: "seen", value: "c" } },
          // oxlint-disable-next-line unicorn/no-thenable -- how graphs are written
          then: { name: "terminate", args: { reason: "seen" } },
          priority: 0,
        },
      ],
      defaultTarget: { name: "agent", args: { agentId: "b" } },
    };
    const a = scripted("a", [calling("to_c")], { tools: [leadTo("c")] });
    const pattern = new GraphPattern({ agents: [a, counting("b"), counting("c")], graph });
    const { messages, reason } = await initiateGroupChat({ pattern, messages: "Begin" });
    expect(messages.map(({ name }) => name)).toEqual(["user", "a", "_Group_Tool_Executor", "c"]);
    expect(reason).toBe("seen");
  });
});
