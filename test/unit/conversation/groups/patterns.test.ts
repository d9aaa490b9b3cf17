import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ConversableAgent } from "../../../../src/conversation/agents/conversable-agent.ts";
import { handoffNotice } from "../../../../src/conversation/targets/handoff-messages.ts";
import {
  Handoffs,
  onCondition,
  onContextCondition,
} from "../../../../src/conversation/targets/handoffs.ts";
import { initiateGroupChat } from "../../../../src/conversation/groups/initiate-group-chat.ts";
import { groupChatProgram } from "../../../support/group-chat-program.ts";
import type { PatternOptions } from "../../../../src/conversation/groups/pattern-options.ts";
import {
  AutoPattern,
  DefaultPattern,
  GraphPattern,
  ManualPattern,
  RandomPattern,
  RoundRobinPattern,
} from "../../../../src/conversation/groups/patterns.ts";
import {
  agentTarget,
  functionTarget,
  groupChatTarget,
  nestedChatTarget,
  randomAgentTarget,
  revertToUserTarget,
  stayTarget,
  terminateTarget,
} from "../../../../src/conversation/targets/targets.ts";
import {
  roundRobinGraph,
  sequenceGraph,
} from "../../../../src/conversation/targets/transition-graph.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import {
  counting,
  lines,
  person,
  quiet,
  scripted,
  toldInGroup,
} from "../../../support/conversations.ts";
import { calling } from "../../../support/crew-harness.ts";
import { cutAfterEveryWrite } from "../../../support/cut-off.ts";

/** What a group says, by name, when `Begin` is said to it. */
async function course(
  pattern: Parameters<typeof initiateGroupChat>[0]["pattern"],
  options: Partial<Parameters<typeof initiateGroupChat>[0]> = {},
) {
  const result = await initiateGroupChat({ pattern, messages: "Begin", maxRounds: 8, ...options });
  return {
    ...result,
    said: lines(result.messages),
    names: result.messages.map(({ name }) => name),
  };
}

const byDefault = (
  agents: readonly ConversableAgent[],
  options: Partial<PatternOptions> = {},
): DefaultPattern =>
  new DefaultPattern({ agents, initialAgent: agents[0] as ConversableAgent, ...options });

describe("hand-overs", () => {
  it("PTN1: the initial agent speaks first, for any variables (D4.30)", async () => {
    const eager = counting("eager").registerHandoffs(
      onContextCondition({ target: stayTarget(), condition: "${now}" }),
    );
    const { names } = await course(byDefault([counting("first"), eager]), {
      contextVariables: { now: true },
    });
    expect(names).toEqual(["user", "first"]);
  });

  it("GRD2: a hand-over by context comes before the model, with a notice (D4.31, D4.32)", async () => {
    const model = scriptedModel([]);
    const a = quiet("a", { llm: model }).registerHandoffs(
      onContextCondition({ target: agentTarget("b"), condition: "${go}" }),
      onContextCondition({ target: agentTarget("c"), condition: "${go}" }),
      onCondition({ target: agentTarget("c"), condition: "never" }),
    );
    const { said, lastSpeaker } = await course(byDefault([a, counting("b"), counting("c")]), {
      contextVariables: { go: true },
    });
    expect(said).toEqual(["user: Begin", `a: ${handoffNotice(agentTarget("b"))}`, "b: b 3"]);
    expect(model.calls).toHaveLength(0);
    expect(lastSpeaker).toBe("b");
  });

  it("GRD2: the notice of a hand-over by context goes out through the member's hooks", async () => {
    const a = quiet("a").registerHandoffs(
      onContextCondition({ target: agentTarget("b"), condition: "${go}" }),
    );
    a.registerHook("process_message_before_send", (message) => ({ ...message, content: "over" }));
    const { said } = await course(byDefault([a, counting("b")]), {
      contextVariables: { go: true },
    });
    expect(said).toEqual(["user: Begin", "a: over", "b: b 3"]);
  });

  it("PTN1: an after-work with a false condition is skipped; without one the pattern ends it (D4.36, D4.37)", async () => {
    const a = counting("a", {
      handoffs: new Handoffs()
        .setAfterWork(agentTarget("c"))
        .addAfterWork(onContextCondition({ target: agentTarget("b"), condition: "${no}" })),
    });
    const { names, reason } = await course(byDefault([a, counting("b"), counting("c")]), {
      contextVariables: { no: false },
    });
    expect(names).toEqual(["user", "a", "c"]);
    expect(reason).toBe("a hand-over ended the conversation");
  });

  it("PTN1: after the user without an after-work, the previous speaker continues (D4.37)", async () => {
    const ana = person("ana", ["Me too", "exit"]);
    const a = scripted("a", ["one", "two"]).setAfterWork(revertToUserTarget());
    const { said, reason } = await course(byDefault([a], { userAgent: ana }));
    expect(said).toEqual(["ana: Begin", "a: one", "ana: Me too", "a: two"]);
    expect(reason).toBe("the person ended the chat");
  });

  it("GTK2: the model hands over by a call, which is hidden from models afterwards (D4.41)", async () => {
    const billing = scriptedModel(["paid"]);
    const a = scripted("a", [calling("transfer_to_billing_2"), "unused"]).registerHandoffs(
      onCondition({ target: agentTarget("a"), condition: "again" }),
      onCondition({ target: agentTarget("billing"), condition: "about ${topic} money" }),
    );
    const agents = [a, quiet("billing", { llm: billing, systemMessage: "" })];
    const { names } = await course(byDefault(agents));
    expect(names).toEqual(["user", "a", "_Group_Tool_Executor", "billing"]);
    expect(billing.calls[0]?.messages).toEqual([
      { role: "system", content: toldInGroup("billing") },
      { role: "user", content: "_User: Begin" },
    ]);
  });

  it("GEC1: an unavailable hand-over is not offered (D4.38)", async () => {
    const model = scriptedModel(["hello"]);
    const a = quiet("a", { llm: model }).registerHandoffs(
      onCondition({ target: agentTarget("b"), condition: "always", available: "unlocked" }),
    );
    await course(byDefault([a, counting("b")]));
    expect(model.calls[0]?.request.tools ?? []).toEqual([]);
  });

  it("PTN1: hand-overs to a missing target are refused (D4.39, D4.40)", async () => {
    const reverting = counting("a").setAfterWork(revertToUserTarget());
    await expect(course(byDefault([reverting]))).rejects.toThrow(/no user agent/);
    const alone = counting("a").setAfterWork(randomAgentTarget(["a"]));
    await expect(course(byDefault([alone]))).rejects.toThrow(/leads nowhere/);
    const astray = counting("a").setAfterWork(agentTarget("z"));
    await expect(course(byDefault([astray]))).rejects.toThrow(/"a" hands over to "z"/);
  });

  it("HSL1: a member without a reply hands over all the same", async () => {
    const mute = (): ConversableAgent => quiet("mute").setAfterWork(agentTarget("b"));
    const none = mute().registerReply(
      () => true,
      () => ({ final: true, reply: null }),
    );
    const { names } = await course(byDefault([none, counting("b")]));
    expect(names).toEqual(["user", "b"]);
    const said = await course(byDefault([mute(), counting("b")]));
    expect(said.names).toEqual(["user", "mute", "b"]);
  });
});

describe("targets with a conversation or function", () => {
  it("GRD1: nested chats answer in place of the delegating agent, who continues", async () => {
    const helper = scripted("helper", ["looked it up"]);
    const a = scripted("a", ["then this"]).registerHandoffs(
      onContextCondition({
        target: nestedChatTarget([{ recipient: helper, message: "Look", maxTurns: 1 }]),
        condition: "${fresh}",
        available: "fresh",
      }),
    );
    a.setAfterWork(terminateTarget());
    const pattern = byDefault([a], { contextVariables: { fresh: true } });
    const { said, usageByAgent } = await course(pattern, { maxRounds: 4 });
    expect(said.slice(2)).toEqual([
      "wrapped_nested_a_2: looked it up",
      expect.stringMatching(/^a: /),
    ]);
    expect(usageByAgent["helper"]).toMatchObject({ requests: 1 });
  });

  it("GRD1: a group in a group answers with its summary, also as an after-work", async () => {
    const x = counting("x");
    const inner = new RoundRobinPattern({ agents: [x, counting("y")], initialAgent: x });
    const a = scripted("a", ["first", "second"]).setAfterWork(
      onContextCondition({
        target: groupChatTarget(inner, { maxRounds: 3 }),
        condition: "${deep}",
      }),
      onContextCondition({ target: terminateTarget() }),
    );
    const { said, usageByAgent } = await course(byDefault([a]), {
      contextVariables: { deep: true },
      maxRounds: 4,
    });
    expect(said).toEqual(["user: Begin", "a: first", "wrapped_group_a_2: y 3", "a: second"]);
    expect(usageByAgent["x"]).toMatchObject({ requests: 1 });
  });

  it("GRD1: a failed inner group has its error as message, and the outer one continues", async () => {
    const x = scripted("x", []);
    const inner = new RoundRobinPattern({ agents: [x, counting("y")], initialAgent: x });
    const a = scripted("a", ["first", "second"]).setAfterWork(groupChatTarget(inner));
    const { said } = await course(byDefault([a]), { maxRounds: 4 });
    expect(said[2]).toMatch(/^wrapped_group_a_2: The inner conversation failed: the script has 0/);
    expect(said[3]).toBe("a: second");
  });

  it("CTF1: a function decides, sets variables and leaves a note, also for a hand-over of the model", async () => {
    const b = scriptedModel(["done"]);
    const a = scripted("a", [calling("transfer_to_function_1")]).registerHandoffs(
      onCondition({
        condition: "when it fits",
        target: functionTarget(
          function route(last, variables, { to }) {
            variables.set("seen", last.length > 0);
            return {
              target: agentTarget(to as string),
              messages: "Be quick",
              contextVariables: { n: 1 },
            };
          },
          { to: "b" },
        ),
      }),
    );
    const agents = [a, quiet("b", { llm: b, systemMessage: "" })];
    const { contextVariables, names } = await course(byDefault(agents));
    expect(names).toEqual(["user", "a", "_Group_Tool_Executor", "b"]);
    expect(contextVariables).toEqual({ seen: true, n: 1 });
    expect(b.calls[0]?.messages).toContainEqual({ role: "system", content: "Be quick" });
  });

  it("CTF2: endless chains of functions are stopped", async () => {
    const again = functionTarget(() => ({ target: again }));
    const a = counting("a").setAfterWork(again);
    await expect(course(byDefault([a]))).rejects.toThrow(/more than 16 target functions/);
  });
});

describe("patterns", () => {
  const names = ["a", "b", "c"];
  const group = (): { agents: readonly ConversableAgent[]; initialAgent: ConversableAgent } => {
    const agents = names.map((name) => counting(name));
    return { agents, initialAgent: agents[1] as ConversableAgent };
  };

  it("PTN1: round robin begins with the initial agent, then the others in their order", async () => {
    const { names: spoke, rounds, reason } = await course(new RoundRobinPattern(group()));
    expect(spoke).toEqual(["user", "b", "a", "c", "b", "a", "c", "b"]);
    expect({ rounds, reason }).toEqual({ rounds: 8, reason: "maximum rounds reached" });
  });

  it("PTN1: by chance, somebody else each time, and the same ones in a replay", async () => {
    const { names: spoke } = await course(new RandomPattern(group()));
    for (const [index, name] of spoke.entries()) expect(name).not.toBe(spoke[index + 1]);
  });

  it("PTN1: a model selects when no hand-over decides", async () => {
    const llm = scriptedModel(["c", "a", "c"]);
    const pattern = new AutoPattern({
      ...group(),
      groupManager: { llm },
      selectionMessage: "For {topic}: one of {agentlist}",
    });
    const { names: spoke } = await course(pattern, {
      maxRounds: 5,
      contextVariables: { topic: "cats" },
    });
    expect(spoke).toEqual(["user", "b", "c", "a", "c"]);
    expect(llm.calls[0]?.messages[0]?.content).toBe("For cats: one of ['a', 'b', 'c']");
  });

  it("PTN1: a pattern with a model's selection is refused without one", async () => {
    const agents = names.map((name) => quiet(name));
    const pattern = new AutoPattern({ agents, initialAgent: agents[0] as ConversableAgent });
    await expect(course(pattern)).rejects.toThrow(/none is set/);
  });

  it("PTN1: a person selects when no hand-over decides", async () => {
    const words = ["3", "a"];
    const userAgent = person("u", [], { getHumanInput: () => words.shift() ?? "exit" });
    const { names: spoke } = await course(new ManualPattern({ ...group(), userAgent }), {
      maxRounds: 4,
    });
    expect(spoke).toEqual(["u", "b", "c", "a"]);
  });

  it("PTN2: conversations of one pattern share no state", async () => {
    const a = counting("a").registerReply(
      () => true,
      ({ contextVariables: variables }) => {
        variables.set("n", Number(variables.get("n", 0)) + 1);
        return undefined;
      },
    );
    const pattern = byDefault([a]);
    const [one, two] = await Promise.all([course(pattern), course(pattern)]);
    expect([one.contextVariables, two.contextVariables]).toEqual([{ n: 1 }, { n: 1 }]);
  });

  it("RPN1: of several messages the last is answered by the initial agent", async () => {
    const { said } = await course(byDefault([counting("a"), counting("b")]), {
      messages: [
        { role: "user", content: "one" },
        { role: "assistant", content: "two", name: "b" },
        "three",
      ],
    });
    expect(said).toEqual(["user: one", "b: two", "user: three", "a: a 4"]);
    await expect(
      course(byDefault([counting("a")]), { messages: [{ content: "x", name: "z" }] }),
    ).rejects.toThrow(/"z".*no member/);
  });

  it("RPN2: a conversation continues from the result of another one", async () => {
    const make = (): DefaultPattern =>
      byDefault([
        counting("a").setAfterWork(agentTarget("b")),
        counting("b").setAfterWork(agentTarget("a")),
      ]);
    const first = await course(make(), { maxRounds: 2, contextVariables: { kept: 1 } });
    expect(first.names).toEqual(["user", "a"]);
    const second = await course(make(), { messages: first.messages, maxRounds: 2, resume: first });
    expect(second.names).toEqual(["user", "a", "b"]);
    expect(second.contextVariables).toEqual({ kept: 1 });
  });
});

describe("transition graphs", () => {
  const agents = (): readonly ConversableAgent[] => ["a", "b", "c"].map((name) => counting(name));

  it("GSL1: a sequence ends after its last step (D9.76)", async () => {
    const pattern = new GraphPattern({ agents: agents(), graph: sequenceGraph(["a", "b", "c"]) });
    const { names, reason } = await course(pattern);
    expect(names).toEqual(["user", "a", "b", "c"]);
    expect(reason).toBe("sequence_complete");
  });

  it("GSL1: all in turn, until the maximum of turns (D9.77)", async () => {
    const graph = roundRobinGraph(["a", "b", "c"], 4);
    const { names, reason } = await course(new GraphPattern({ agents: agents(), graph }));
    expect(names).toEqual(["user", "a", "b", "c", "a"]);
    expect(reason).toBe("max_turns");
  });

  it("GSL1: a call for a transition ends the turn; other calls are executed, and their member continues", async () => {
    const note = tool({ name: "note", description: "n", input: z.object({}), run: () => "noted" });
    const escalate = tool({
      name: "escalate",
      description: "e",
      input: z.object({}),
      run: () => "ok",
    });
    const a = scripted("a", [calling("note"), calling("escalate")], { tools: [note, escalate] });
    const escalated = {
      when: { name: "tool_called", args: { toolName: "escalate" } },
      // oxlint-disable-next-line unicorn/no-thenable -- how graphs are written
      then: { name: "agent", args: { agentId: "b" } },
      priority: 0,
    };
    const graph = { initialSpeaker: "a", transitions: [escalated], defaultTarget: null };
    const { names, reason } = await course(new GraphPattern({ agents: [a, counting("b")], graph }));
    const executor = "_Group_Tool_Executor";
    expect(names).toEqual(["user", "a", executor, "a", executor, "b"]);
    expect(reason).toBe("workflow_terminated");
  });
});

describe("a crashed process", () => {
  it("GRD1: repeats hand-overs of every kind, wherever it dies", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const u = quiet("u", { humanInputMode: "ALWAYS" });
      const a = scripted("a", ({ messages }) =>
        messages.some(({ role }) => role === "assistant")
          ? "again"
          : calling("transfer_to_function_1"),
      ).registerHandoffs(
        onCondition({
          condition: "at first",
          target: functionTarget((_, variables) => {
            variables.set("routed", true);
            return { target: agentTarget("b"), messages: "go" };
          }),
        }),
      );
      const b = counting("b").registerHandoffs(
        onContextCondition({
          target: nestedChatTarget([{ recipient: counting("inner"), message: "in", maxTurns: 1 }]),
          condition: "${routed}",
          available: "fresh",
        }),
      );
      b.setAfterWork(revertToUserTarget());
      const pattern = byDefault([a, b], { userAgent: u, contextVariables: { fresh: false } });
      return {
        program: groupChatProgram({ pattern, messages: "Begin", maxRounds: 6 }),
        answer: () => ({ feedback: "and?" }),
      };
    });
    expect(whole.course.status).toBe("completed");
    expect(whole.course.output).toMatchObject({ contextVariables: { routed: true, fresh: false } });
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });
});
