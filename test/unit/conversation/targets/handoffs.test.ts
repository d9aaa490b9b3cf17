import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/base/json.ts";
import {
  AgentTarget,
  OnCondition,
  TerminateTarget,
} from "../../../../src/conversation/targets/ag2-target-names.ts";
import { applyChange, ContextVariables } from "../../../../src/conversation/context-variables.ts";
import { withPattern, type GroupMembers } from "../../../../src/conversation/group-patterns.ts";
import {
  functionTargetNotes,
  handoffNotice,
  TransferFilter,
} from "../../../../src/conversation/targets/handoff-messages.ts";
import {
  afterWork,
  checkHandoffs,
  contextCondition,
  contextHandoff,
  Handoffs,
  offeredHandoffs,
  onCondition,
  onContextCondition,
} from "../../../../src/conversation/targets/handoffs.ts";
import type { ConversationMessage } from "../../../../src/conversation/messages.ts";
import { nextSpeaker, type GroupState } from "../../../../src/conversation/next-speaker.ts";
import {
  agentTarget,
  askUserTarget,
  functionTarget,
  groupChatTarget,
  groupManagerTarget,
  isTarget,
  nestedChatTarget,
  randomAgentTarget,
  resolveTarget,
  revertToUserTarget,
  stayTarget,
  targetLabel,
  terminateTarget,
  type TransitionTarget,
} from "../../../../src/conversation/targets/targets.ts";
import {
  callOutcome,
  foldToolResults,
  ReplyResult,
  structuredOutput,
} from "../../../../src/conversation/tool-results.ts";

const says = (name: string, content = "hm"): ConversationMessage => ({
  role: "user",
  name,
  content,
});
const calling = (name: string, ...ids: string[]): ConversationMessage => ({
  role: "assistant",
  name,
  content: null,
  toolCalls: ids.map((id) => ({ id, name: "f", arguments: "{}" })),
});
const results: ConversationMessage = {
  role: "tool",
  name: "executor",
  content: "42",
  toolResponses: [],
};
const to = (name: string, condition?: string) =>
  onContextCondition({
    target: agentTarget(name),
    ...(condition === undefined ? {} : { condition }),
  });

function group(
  overrides: Partial<GroupState> & { own?: Record<string, Handoffs> } = {},
): GroupState {
  const { own = {}, ...rest } = overrides;
  return {
    messages: [says("user"), says("A")],
    isFirst: false,
    initialAgent: "A",
    members: ["A", "B", "C", "user"],
    userAgent: "user",
    handoffsOf: (name) => own[name] ?? new Handoffs(),
    variables: {},
    groupAfterWork: terminateTarget(),
    ...rest,
  };
}
const agent = (name: string) => ({ decision: { kind: "agent", name } });

describe("NXS1: the order of decisions", () => {
  it("D4-30: the initial agent is first, under any conditions", () => {
    const own = { B: new Handoffs().add(to("B")) };
    const forced = { forcedTarget: agentTarget("C"), pendingTarget: agentTarget("C") };
    expect(nextSpeaker(group({ isFirst: true, own, ...forced }))).toMatchObject({
      ...agent("A"),
      cause: "initial",
    });
  });

  it("D4-33: a tool's target wins over after-work, and its variables are shared", () => {
    const variables = new ContextVariables();
    const outcome = callOutcome(
      new ReplyResult({ message: "done", target: agentTarget("B"), contextVariables: { n: 1 } }),
    );
    const folded = foldToolResults([outcome]);
    for (const change of folded.changes) applyChange(variables, change);
    const own = { A: new Handoffs().setAfterWork(agentTarget("C")) };
    const state = { messages: [calling("A", "x"), results], own, pendingTarget: folded.target! };
    expect(nextSpeaker(group(state))).toMatchObject({ ...agent("B"), cause: "pending" });
    expect(variables.toObject()).toEqual({ n: 1 });
    expect(outcome.content).toBe("done");
  });

  it("D4-35: without a target the agent with the calls continues", () => {
    expect(nextSpeaker(group({ messages: [says("B"), calling("A", "x"), results] }))).toMatchObject(
      {
        ...agent("A"),
        cause: "toolResult",
      },
    );
  });

  it("D4-37: without after-work the pattern decides, and after the user the previous speaker", () => {
    expect(nextSpeaker(group())).toMatchObject({
      decision: { kind: "end" },
      cause: "groupAfterWork",
    });
    const messages = [says("B"), says("A"), says("user")];
    expect(nextSpeaker(group({ messages }))).toMatchObject({ ...agent("A"), cause: "beforeUser" });
    const own = { user: new Handoffs().setAfterWork(agentTarget("C")) };
    expect(nextSpeaker(group({ messages, own }))).toMatchObject({
      ...agent("C"),
      cause: "afterWork",
    });
  });

  it("has a forced target after the targets of tools", () => {
    const both = { forcedTarget: agentTarget("C"), pendingTarget: agentTarget("B") };
    expect(nextSpeaker(group(both))).toMatchObject(agent("B"));
    expect(nextSpeaker(group({ forcedTarget: stayTarget() }))).toMatchObject({
      ...agent("A"),
      cause: "forced",
    });
  });

  it("needs a message from a member", () => {
    expect(() => nextSpeaker(group({ messages: [says("stranger")] }))).toThrow(
      /no message is from a member \(A, B, C, user\)/,
    );
  });
});

it("NXS2: calls are executed before any target is used", () => {
  const state = group({ messages: [calling("A", "x")], pendingTarget: agentTarget("B") });
  expect(nextSpeaker(state)).toEqual({ cause: "tools", decision: { kind: "executeTools" } });
});

it("NXS3: when only the user has spoken, the initial agent continues", () => {
  expect(nextSpeaker(group({ messages: [says("user"), says("user")] }))).toMatchObject(agent("A"));
});

describe("HOF1: conditions", () => {
  const handoffs = new Handoffs().add(
    to("B", "${severity} == 'high'"),
    to("C", "urgent"),
    onCondition({ target: agentTarget("B"), condition: "B knows more." }),
    onCondition({
      target: agentTarget("billing"),
      condition: "It is about {topic}.",
      available: "open",
    }),
  );
  const high = { severity: "high", urgent: true, topic: "money", open: 1 };

  it("D4-31: of the context hand over without the model, with a notice", () => {
    const handoff = contextHandoff(handoffs, high);
    expect(handoffNotice(handoff!.target)).toBe("[Handing over to B]");
    expect(nextSpeaker(group({ pendingTarget: handoff!.target }))).toMatchObject(agent("B"));
  });

  it("D4-32: the first matching one wins", () => {
    expect(contextHandoff(handoffs, high)?.target).toEqual(agentTarget("B"));
    expect(contextHandoff(handoffs, { ...high, severity: "low" })?.target).toEqual(
      agentTarget("C"),
    );
    expect(contextHandoff(handoffs, { severity: "low" })).toBeUndefined();
  });

  it("D4-38: an unavailable one is not offered, and a missing variable is not available", () => {
    const offered = (variables: JsonObject) =>
      offeredHandoffs(handoffs, variables).map(({ toolName }) => toolName);
    expect(offered({ topic: "money" })).toEqual(["transfer_to_B_1"]);
    expect(offered(high)).toEqual(["transfer_to_B_1", "transfer_to_billing_2"]);
    const inherited = onContextCondition({ target: agentTarget("C"), condition: "constructor" });
    expect(contextHandoff(new Handoffs().add(inherited), {})).toBeUndefined();
    const hidden = onContextCondition({ target: agentTarget("C"), available: "missing" });
    expect(contextHandoff(new Handoffs().add(hidden), high)).toBeUndefined();
  });

  it("D4-41: are tools with a name and a number", () => {
    expect(offeredHandoffs(handoffs, high)[1]).toEqual({
      toolName: "transfer_to_billing_2",
      prompt: "It is about money.",
      target: agentTarget("billing"),
    });
    const named = (name: string, toolName?: string) =>
      offeredHandoffs(
        new Handoffs().add(
          onCondition({
            target: agentTarget(name),
            condition: "x",
            ...(toolName === undefined ? {} : { toolName }),
          }),
        ),
        {},
      )[0]?.toolName;
    expect(named("Ана б.")).toBe("transfer_to________1");
    expect(named("x".repeat(80))).toMatch(/^transfer_to_x{50}_1$/);
    expect(named("x", "own_name")).toBe("own_name");
  });

  it("with an expression need its variables, unless missing ones count as false", () => {
    expect(() => contextHandoff(handoffs, {})).toThrow(/"severity", which is not set/);
    expect(contextHandoff(handoffs, { urgent: true }, "false")?.target).toEqual(agentTarget("C"));
  });

  it("are refused with invalid options", () => {
    expect(() => onContextCondition({ target: stayTarget(), condition: "${a} =" })).toThrow(
      /^column 6/,
    );
    expect(() => onCondition({ target: stayTarget(), condition: " " })).toThrow(
      /a condition in words/,
    );
    expect(() => onCondition({ target: stayTarget(), condition: "a", toolName: "a b" })).toThrow(
      /tool's name/,
    );
    expect(() => new Handoffs().add({ kind: "other" } as never)).toThrow(/made by onCondition or/);
    expect(() =>
      new Handoffs().addAfterWork(onCondition({ target: stayTarget(), condition: "a" }) as never),
    ).toThrow(/not on a model/);
    expect(contextCondition("True")).toMatchObject({ kind: "expression" });
    expect(() => contextCondition("class")).toThrow(/"class" is not valid here/);
    expect(contextCondition("größe")).toEqual({ kind: "variable", name: "größe" });
  });
});

describe("HOF2: after-work", () => {
  it("D4-36: those with conditions come before the one without", () => {
    const handoffs = new Handoffs().addAfterWork(to("B", "${no}"), to("C"));
    expect(afterWork(handoffs, { no: false })?.target).toEqual(agentTarget("C"));
    const added = new Handoffs().setAfterWork(agentTarget("C")).addAfterWork(to("B", "yes"));
    expect(added.afterWorks.map(({ target }) => targetLabel(target))).toEqual(["B", "C"]);
    expect(afterWork(added, { yes: true })?.target).toEqual(agentTarget("B"));
  });

  it("without a condition there is one, and adding conditions keeps it", () => {
    const handoffs = new Handoffs().addAfterWork(to("A"), to("B", "x")).addAfterWork(to("C"));
    expect(handoffs.afterWorks.map(({ target }) => targetLabel(target))).toEqual(["B", "C"]);
    expect(handoffs.setAfterWork(agentTarget("A")).afterWorks).toHaveLength(1);
    expect(afterWork(new Handoffs(), {})).toBeUndefined();
  });
});

describe("HOF4: hand-overs of an agent", () => {
  it("are changed in place", () => {
    const handoffs = new Handoffs();
    handoffs.add(to("A"));
    handoffs.setAfterWork(stayTarget());
    expect(handoffs.contextConditions).toHaveLength(1);
    expect(handoffs.afterWorks.map(({ target }) => target.kind)).toEqual(["stay"]);
  });

  it("are copied when another agent uses them", () => {
    const handoffs = new Handoffs().add(to("A")).setAfterWork(stayTarget());
    const copy = handoffs.copy();
    handoffs.add(to("B")).setAfterWork(terminateTarget());
    expect(copy.contextConditions).toHaveLength(1);
    expect(copy.afterWorks.map(({ target }) => target.kind)).toEqual(["stay"]);
  });
});

it("D4-40: a hand-over to an agent outside the group is refused", () => {
  const outside = new Handoffs().add(onCondition({ target: agentTarget("Z"), condition: "x" }));
  expect(() => checkHandoffs("A", outside, ["A", "B"])).toThrow(
    expect.objectContaining({
      code: "invalid_definition",
      message: expect.stringContaining('"A" hands over to "Z"'),
    }),
  );
  const chance = new Handoffs().setAfterWork(randomAgentTarget(["A", "Z"]));
  expect(() => checkHandoffs("A", chance, ["A"])).toThrow(/"Z", who is no member/);
  expect(() => checkHandoffs("A", new Handoffs().add(to("B")), ["A", "B"])).not.toThrow();
});

describe("HOF3: targets", () => {
  it("outside the group are refused, when they are prepared and when they are resolved", () => {
    const handoffs = new Handoffs().add(to("Z"));
    expect(() => checkHandoffs("A", handoffs, ["A"])).toThrow(/"Z", who is no member/);
    expect(() => resolveTarget(agentTarget("Z"), { currentAgent: "A", members: ["A"] })).toThrow(
      /"Z" is no member/,
    );
  });
});

describe("TGT1: every target resolves in every position", () => {
  const there = { currentAgent: "A", members: ["A", "B", "user"], userAgent: "user" };
  const chats = [{ recipient: "x" }];
  it.each<[TransitionTarget, object]>([
    [agentTarget({ name: "B" }), { kind: "agent", name: "B" }],
    [stayTarget(), { kind: "agent", name: "A" }],
    [terminateTarget(), { kind: "end" }],
    [revertToUserTarget(), { kind: "agent", name: "user" }],
    [askUserTarget(), { kind: "select", method: "manual" }],
    [randomAgentTarget(["A", "B"]), { kind: "agent", name: "B" }],
    [groupManagerTarget(), { kind: "select", method: "auto" }],
    [
      groupManagerTarget("Who of {agentlist}?"),
      { kind: "select", method: "auto", selectionMessage: "Who of {agentlist}?" },
    ],
    [nestedChatTarget(chats), { kind: "run", owner: "A" }],
    [groupChatTarget({}), { kind: "run", owner: "A", target: { maxRounds: 20 } }],
    [functionTarget(() => ({ target: stayTarget() })), { kind: "run", owner: "A" }],
  ])("%j", (target, decision) => {
    expect(resolveTarget(target, there)).toMatchObject(decision);
    for (const state of [
      { pendingTarget: target },
      { forcedTarget: target },
      { groupAfterWork: target },
      { own: { A: new Handoffs().setAfterWork(target) } },
    ])
      expect(nextSpeaker(group(state))).toMatchObject({ decision, target });
  });

  it("D4-39: except to a missing user, and by chance without candidates", () => {
    expect(() =>
      resolveTarget(revertToUserTarget(), { currentAgent: "A", members: ["A"] }),
    ).toThrow(/no user agent/);
    expect(() => resolveTarget(randomAgentTarget(["A"]), there)).toThrow(/A has no member besides/);
  });
});

it("TGT2: a target with a run returns to the agent before the hand-over", () => {
  const target = nestedChatTarget([{ recipient: "x" }]);
  const own = { B: new Handoffs().setAfterWork(target) };
  expect(nextSpeaker(group({ messages: [says("A"), says("B")], own })).decision).toEqual({
    kind: "run",
    target,
    owner: "B",
  });
});

describe("TGT3: the result of a tool", () => {
  it("is data, also in the form of a target", () => {
    for (const data of [
      { kind: "terminate" },
      { kind: "agent", name: "B" },
      { ...agentTarget("B") },
    ])
      expect(callOutcome(data)).toEqual({ content: JSON.stringify(data) });
    expect(callOutcome({ message: "a", target: agentTarget("B") })).not.toHaveProperty("target");
  });

  it("hands over when it is a target", () => {
    expect(callOutcome(agentTarget("B"))).toEqual({
      content: "Handing over to B.",
      target: agentTarget("B"),
    });
    expect(isTarget(AgentTarget("B"))).toBe(true);
    expect(OnCondition({ target: TerminateTarget(), condition: "x" })).toMatchObject({
      kind: "model",
    });
  });

  it.each([null, undefined, 3, "agent"])("is not a target when it is %j", (value) => {
    expect(isTarget(value)).toBe(false);
    expect(callOutcome(value)).not.toHaveProperty("target");
  });
});

describe("TRS1: the results of one turn", () => {
  const leadingTo = (name: string, contextVariables: JsonObject) =>
    new ReplyResult({ message: name, target: agentTarget(name), contextVariables });

  it("D4-34: the last target wins, and a plain result keeps it", () => {
    const two = foldToolResults([
      callOutcome(leadingTo("B", { a: 1, b: 1 })),
      callOutcome(leadingTo("C", { b: 2 }), [{ kind: "removed", names: ["a"] }]),
    ]);
    expect(two.target).toEqual(agentTarget("C"));
    const variables = new ContextVariables();
    for (const change of two.changes) applyChange(variables, change);
    expect(variables.toObject()).toEqual({ b: 2 });
    expect(foldToolResults([callOutcome(leadingTo("B", {})), callOutcome("text")]).target).toEqual(
      agentTarget("B"),
    );
    expect(foldToolResults([callOutcome("a")])).toEqual({ changes: [] });
  });

  it("refuse variables outside JSON", () => {
    expect(() =>
      callOutcome(new ReplyResult({ message: "", contextVariables: { at: new Date(0) as never } })),
    ).toThrow(/\/at must be/);
  });
});

it("TRS2: results are texts", () => {
  const returned = ["text", null, undefined, { a: 1 }, [{ type: "text", text: "part" }], 3, 4n];
  expect(returned.map((result) => callOutcome(result).content)).toEqual([
    "text",
    "",
    "",
    '{"a":1}',
    "part",
    "3",
    "4",
  ]);
  const reply = new ReplyResult({ message: { done: true }, contextVariables: { n: 1 } });
  expect(callOutcome(reply).content).toBe('{"done":true}');
  expect(JSON.stringify({ reply })).toBe('{"reply":{"done":true}}');
  expect(structuredOutput([{ id: "1", name: "__structured_output", arguments: '{"a":1}' }])).toBe(
    '{"a":1}',
  );
  expect(structuredOutput([{ id: "1", name: "f", arguments: "" }])).toBeUndefined();
});

describe("patterns", () => {
  const members = (rest: Partial<GroupMembers> = {}): GroupMembers => ({
    initialAgent: "B",
    agents: ["A", "B", "C"],
    userAgent: "user",
    handoffsOf: () => new Handoffs().add(to("A", "x")).setAfterWork(stayTarget()),
    groupAfterWork: terminateTarget(),
    ...rest,
  });
  const follows = (kind: "round_robin" | "random", name: string) =>
    withPattern(kind, members())
      .handoffs.get(name)
      ?.afterWorks.map(({ target }) => target);

  it("in turn begin with the initial agent and end with the user", () => {
    expect(["B", "A", "C", "user"].map((name) => follows("round_robin", name))).toEqual(
      ["A", "C", "user", "B"].map((name) => [agentTarget(name)]),
    );
    expect(withPattern("round_robin", members()).handoffs.get("A")?.contextConditions).toHaveLength(
      1,
    );
  });

  it("without a user are among the agents", () => {
    const { userAgent: _, ...rest } = members();
    expect([...withPattern("round_robin", rest).handoffs.keys()]).toEqual(["B", "A", "C"]);
  });

  it("by chance lead to all others", () => {
    expect(follows("random", "A")).toEqual([randomAgentTarget(["B", "C", "user"])]);
  });

  it("by a model, a person or without selection differ in their last after-work", () => {
    const selectionMessage = "Who?";
    expect(withPattern("auto", members({ selectionMessage })).groupAfterWork).toEqual(
      groupManagerTarget("Who?"),
    );
    expect(withPattern("manual", members()).groupAfterWork).toEqual(askUserTarget());
    expect(withPattern("default", members()).groupAfterWork).toEqual(terminateTarget());
    expect(withPattern("default", members()).handoffs.get("A")?.afterWorks[0]?.target).toEqual(
      stayTarget(),
    );
  });

  it("need an initial agent of the group", () => {
    expect(() => withPattern("auto", members({ initialAgent: "Z" }))).toThrow(
      /initial agent "Z" is no member/,
    );
    expect([...withPattern("auto", members({ initialAgent: "user" })).handoffs.keys()]).toEqual([
      "user",
      "A",
      "B",
      "C",
    ]);
  });
});

describe("messages of hand-overs", () => {
  const transfer = (id: string, content: string | null = null): ConversationMessage => ({
    role: "assistant",
    name: "A",
    content,
    toolCalls: [{ id, name: "transfer_to_B_1", arguments: "{}" }],
  });
  const answer = (...ids: string[]): ConversationMessage => ({
    role: "tool",
    content: ids.join("\n"),
    toolResponses: ids.map((toolCallId) => ({ toolCallId, content: toolCallId })),
  });
  const tools = new Set(["transfer_to_B_1"]);
  const withoutTransfers = (
    history: readonly ConversationMessage[],
  ): readonly ConversationMessage[] => {
    const filter = new TransferFilter(tools);
    return history.flatMap((message) => filter.next(message) ?? []);
  };

  it("are removed from a model's view", () => {
    const both = {
      ...transfer("x"),
      toolCalls: [...transfer("x").toolCalls!, ...calling("A", "y").toolCalls!],
    };
    expect(
      withoutTransfers([says("user"), transfer("x"), answer("x"), both, answer("x", "y")]),
    ).toEqual([says("user"), calling("A", "y"), answer("y")]);
    expect(withoutTransfers([transfer("x", "Over to B."), answer("x")])).toEqual(
      [says("A", "Over to B.")].map((each) => ({ ...each, role: "assistant" })),
    );
  });

  it("leave other calls with the same id", () => {
    const history = [transfer("x"), answer("x"), calling("A", "x"), answer("x")];
    expect(withoutTransfers(history)).toEqual([calling("A", "x"), answer("x")]);
    const others = [calling("A", "y"), { ...answer("y"), content: "as it was" }];
    const left = withoutTransfers([transfer("x"), answer("x"), ...others]);
    expect(left[0]).toBe(others[0]);
    expect(left[1]).toBe(others[1]);
    const single: ConversationMessage = { role: "tool", content: "a", toolCallId: "x" };
    expect(withoutTransfers([transfer("x"), single])).toEqual([]);
    const stopped = (...ids: string[]) => ({
      ...says("user"),
      ...(ids.length === 0 ? {} : { toolResponses: answer(...ids).toolResponses! }),
    });
    expect(withoutTransfers([transfer("x"), stopped("x")])).toEqual([stopped()]);
    expect(withoutTransfers([transfer("x"), stopped("x", "y")])).toEqual([stopped("y")]);
    expect(withoutTransfers([{ role: "tool", content: "a", toolCallId: "q" }])).toHaveLength(1);
  });

  it("of functions go to their target, or to the agent they name", () => {
    const note = (target: TransitionTarget, messages: string | { content: string; to: string }[]) =>
      functionTargetNotes(
        { target, messages },
        { functionName: "route", currentAgent: "A", userAgent: "user" },
      );
    expect(note(agentTarget("B"), "go")).toEqual([
      { to: "B", message: { role: "system", name: "route", content: "go" } },
    ]);
    expect(note(revertToUserTarget(), "go")[0]?.to).toBe("user");
    expect(note(terminateTarget(), "go")[0]?.to).toBe("A");
    expect(note(stayTarget(), [{ content: "x", to: "C" }])[0]?.to).toBe("C");
    expect(note(stayTarget(), "")).toEqual([]);
  });
});
