import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  foldChannel,
  openChannel,
  type ChannelEvent,
  type ChannelState,
  type TurnChannelKind,
} from "../../../../src/conversation/network/channel.ts";
import {
  CHANNEL_EXPECTATIONS,
  dueExpectations,
  type Expectation,
} from "../../../../src/conversation/network/expectations.ts";
import { matchesGlob } from "../../../../src/conversation/network/name-glob.ts";
import {
  checkOpening,
  reaches,
  readNetworkRule,
  type NetworkRule,
} from "../../../../src/conversation/network/network-rules.ts";
import { takeToken, type RateState } from "../../../../src/conversation/network/rate-limit.ts";
import { computedMs } from "../../../support/computed-ms.ts";

const text = (sender: string, atMs = 0): ChannelEvent => ({ kind: "text", sender, atMs });
const ack = (sender: string, atMs = 0): ChannelEvent => ({ kind: "ack", sender, atMs });
function active(kind: TurnChannelKind, ...others: string[]): ChannelState {
  const opened = openChannel({ kind, initiator: "A", participants: ["A", ...others], atMs: 0 });
  return others.reduce((state, name) => foldChannel(state, ack(name)), opened);
}
const after = (state: ChannelState, ...events: ChannelEvent[]): ChannelState =>
  events.reduce(foldChannel, state);

describe("CHN1: a channel", () => {
  it("is active once all have acknowledged", () => {
    const opened = openChannel({
      kind: "discussion",
      initiator: "A",
      participants: ["C", "A", "B"],
      atMs: 5,
    });
    expect(opened).toMatchObject({
      status: "pending",
      participants: ["A", "C", "B"],
      acknowledged: ["A"],
    });
    const one = after(opened, ack("B", 6), ack("B", 7));
    expect(one.status).toBe("pending");
    expect(() => foldChannel(one, text("A"))).toThrow(/not active/);
    expect(foldChannel(one, ack("C", 9))).toMatchObject({
      status: "active",
      turnOf: "A",
      turnSinceMs: 9,
    });
  });

  it("closes when one participant refuses", () => {
    const opened = openChannel({
      kind: "consulting",
      initiator: "A",
      participants: ["B"],
      atMs: 0,
    });
    const rejected = foldChannel(opened, { kind: "reject", sender: "B", reason: "busy", atMs: 1 });
    expect(foldChannel(opened, { kind: "reject", sender: "B", atMs: 1 }).closedBecause).toBe(
      'rejected by "B"',
    );
    expect(rejected).toMatchObject({ status: "closed", closedBecause: 'rejected by "B": busy' });
    expect(() =>
      foldChannel(active("consulting", "B"), { kind: "reject", sender: "B", atMs: 1 }),
    ).toThrow(/is active/);
  });

  it.each<[TurnChannelKind, string[], RegExp]>([
    ["consulting", ["B", "C"], /exactly 2 participants, got 3/],
    ["conversation", [], /exactly 2 participants, got 1/],
    ["discussion", [], /at least 2 participants, got 1/],
    ["discussion", ["B", "B"], /must differ/],
  ])("of the kind %s does not have %j beside its initiator", (kind, participants, message) => {
    expect(() => openChannel({ kind, initiator: "A", participants, atMs: 0 })).toThrow(message);
  });
});

describe("CHN2: turns", () => {
  it("of consulting are one message and one reply", () => {
    const state = active("consulting", "B");
    expect(() => foldChannel(state, text("B"))).toThrow(/turn of "A", got a text from "B"/);
    const asked = foldChannel(state, text("A", 1));
    expect(() => foldChannel(asked, text("A", 2))).toThrow(/turn of "B"/);
    expect(foldChannel(asked, text("B", 2))).toMatchObject({
      status: "closed",
      closedBecause: "replied",
      messageCount: 2,
    });
  });

  it("of consulting end when there is no reply", () => {
    const asked = foldChannel(active("consulting", "B"), text("A"));
    const ended = (kind: "pass" | "hide") =>
      foldChannel(asked, { kind, participant: "B", atMs: 9 }).closedBecause;
    expect([ended("pass"), ended("hide")]).toEqual(["no reply", "nobody is left"]);
  });

  it("of a conversation are free", () => {
    const state = after(active("conversation", "B"), text("B"), text("B"), text("A"));
    expect(state).toMatchObject({ status: "active", messageCount: 3 });
    expect(state.turnOf).toBeUndefined();
  });

  it("of a discussion go around, without hidden participants", () => {
    const state = after(active("discussion", "B", "C"), text("A", 1));
    expect(state).toMatchObject({ turnOf: "B", turnSinceMs: 1 });
    const without = foldChannel(state, { kind: "hide", participant: "B", atMs: 7 });
    expect(without).toMatchObject({ turnOf: "C", hidden: ["B"], turnSinceMs: 7 });
    expect(after(without, text("C", 8), text("A", 9)).turnOf).toBe("C");
    const passed = foldChannel(without, { kind: "pass", participant: "C", atMs: 8 });
    expect(passed).toMatchObject({ turnOf: "A", turnSinceMs: 8, messageCount: 1 });
    expect(foldChannel(passed, { kind: "pass", participant: "C", atMs: 9 })).toBe(passed);
    const hide = (participant: string): ChannelEvent => ({ kind: "hide", participant, atMs: 9 });
    expect(foldChannel(without, hide("A"))).toMatchObject({
      status: "closed",
      closedBecause: "nobody is left",
    });
  });
});

describe("CHN3: a refused event", () => {
  it("leaves the state as it was", () => {
    const state = active("discussion", "B");
    const before = structuredClone(state);
    expect(() => foldChannel(state, text("B"))).toThrow(
      expect.objectContaining({ code: "conflict" }),
    );
    expect(() => foldChannel(state, text("Z"))).toThrow(
      expect.objectContaining({ code: "forbidden" }),
    );
    expect(state).toEqual(before);
  });

  it("is any event after the end", () => {
    const closed = foldChannel(active("discussion", "B"), {
      kind: "close",
      reason: "done",
      atMs: 3,
    });
    const expired = foldChannel(active("discussion", "B"), { kind: "expire", atMs: 3 });
    for (const state of [closed, expired])
      expect(() => foldChannel(state, text("A"))).toThrow(/has ended: (done|expired)/);
    expect([closed.status, expired.status, closed.turnOf]).toEqual([
      "closed",
      "expired",
      undefined,
    ]);
  });
});

describe("EXP1: expectations", () => {
  const due = (
    state: ChannelState,
    nowMs: number,
    expectations = CHANNEL_EXPECTATIONS[state.kind],
  ) =>
    dueExpectations(expectations, state, { nowMs, fired: new Set() }).violations.map(
      ({ expectation, late }) => [expectation.kind, expectation.action, ...late],
    );

  it("of acknowledgements and replies", () => {
    const pending = openChannel({
      kind: "consulting",
      initiator: "A",
      participants: ["B"],
      atMs: 0,
    });
    expect(due(pending, 29_999)).toEqual([]);
    expect(due(pending, 30_000)).toEqual([["acks_within", "auto_close", "B"]]);
    const asked = foldChannel(active("consulting", "B"), text("A", 1_000));
    expect(due(asked, 600_999)).toEqual([]);
    expect(due(asked, 601_000)).toEqual([["reply_within", "auto_close", "B"]]);
    expect(due(active("consulting", "B"), 9_999_999)).toEqual([]);
  });

  it("of silence and turns", () => {
    expect(due(after(active("conversation", "B"), text("A", 5)), 3_600_005)).toEqual([
      ["max_silence", "audit"],
    ]);
    expect(due(active("conversation", "B"), 3_600_000)).toEqual([["max_silence", "audit"]]);
    const discussion = after(active("discussion", "B"), text("A", 10));
    expect(due(discussion, 120_010)).toEqual([["turn_within", "warn", "B"]]);
    expect(due(discussion, 600_010)).toEqual([
      ["turn_within", "warn", "B"],
      ["turn_within", "hide", "B"],
    ]);
  });

  it("of silence begin when the channel is active", () => {
    const opened = openChannel({
      kind: "conversation",
      initiator: "A",
      participants: ["B"],
      atMs: 0,
    });
    const late = foldChannel(opened, ack("B", 1_000_000));
    expect(due(late, 4_599_999)).toEqual([]);
    expect(due(late, 4_600_000)).toHaveLength(1);
  });

  it("of a workflow, with a state of its own", () => {
    const facts = {
      ...active("discussion", "B"),
      status: "active",
      turnOf: "B",
      turnSinceMs: 0,
    } as const;
    expect(
      dueExpectations(CHANNEL_EXPECTATIONS.workflow, facts, {
        nowMs: 600_000,
        fired: new Set(),
      }).violations.map(({ expectation }) => expectation.action),
    ).toEqual(["warn", "auto_close"]);
  });

  it("are empty for a closed channel", () => {
    const closed = foldChannel(active("discussion", "B"), {
      kind: "close",
      reason: "done",
      atMs: 3,
    });
    expect(due(closed, Number.MAX_SAFE_INTEGER)).toEqual([]);
  });
});

it("EXP2: each fires once for its subject", () => {
  const expectations: Expectation[] = [{ kind: "turn_within", withinMs: 100, action: "warn" }];
  const fired = new Set<string>();
  const check = (state: ChannelState, nowMs: number) => {
    const { violations } = dueExpectations(expectations, state, { nowMs, fired });
    for (const { key } of violations) fired.add(key);
    return violations.flatMap(({ late }) => late);
  };
  let state = active("discussion", "B");
  expect(check(state, 100)).toEqual(["A"]);
  expect(check(state, 500)).toEqual([]);
  state = foldChannel(state, text("A", 600));
  expect(check(state, 650)).toEqual([]);
  expect(check(state, 700)).toEqual(["B"]);
});

it("EXP3: the next time is known", () => {
  const state = active("discussion", "B");
  const next = (nowMs: number, fired: readonly string[] = []) =>
    dueExpectations(CHANNEL_EXPECTATIONS.discussion, state, { nowMs, fired: new Set(fired) })
      .nextAtMs;
  expect(next(0)).toBe(120_000);
  expect(next(120_000)).toBe(600_000);
  expect(next(600_000)).toBeUndefined();
});

describe("NWR1: rules", () => {
  const ruleOf = (rules: Record<string, NetworkRule>) => (name: string) => rules[name];
  it("have defaults, and are written in either case", () => {
    expect(readNetworkRule()).toEqual({
      access: {
        inboundFrom: ["*"],
        outboundTo: ["*"],
        channelTypes: { initiate: ["*"], accept: ["*"] },
      },
      limits: {
        maxConcurrentChannels: 0,
        maxConcurrentTasks: 0,
        channelTtlMs: 7_200_000,
        taskTtlMs: 900_000,
        rate: { perMinute: 0, burst: 0 },
        delegationDepth: 5,
      },
    });
    const rule = readNetworkRule({
      access: { inbound_from: ["a*"] },
      limits: { channel_ttl_default: "1d", rate: { per_minute: 3 }, inbox: { max_pending: 2 } },
    });
    expect(rule).toMatchObject({
      access: { inboundFrom: ["a*"] },
      limits: { channelTtlMs: 86_400_000, rate: { perMinute: 3 } },
    });
    expect(() => readNetworkRule({ limits: { task_ttl_default: "soon" } })).toThrow(
      /\/limits\/taskTtlDefault a duration is written as/,
    );
    expect(() => readNetworkRule({ acces: {} })).toThrow(/\/acces is not a known field/);
  });

  it("limit the kinds and participants of channels", () => {
    const rules = {
      A: readNetworkRule({
        access: { channel_types: { initiate: ["cons*"] }, outbound_to: ["B"] },
      }),
      C: readNetworkRule({ access: { channel_types: { accept: [] } } }),
    };
    const open =
      (kind: "consulting" | "discussion", initiator: string, ...participants: string[]) =>
      () =>
        checkOpening(kind, initiator, {
          participants: [initiator, ...participants],
          ruleOf: ruleOf(rules),
        });
    expect(open("consulting", "A", "B")).not.toThrow();
    expect(open("discussion", "A", "B")).toThrow(
      /"A" may not open channels of the kind "discussion"/,
    );
    expect(open("consulting", "A", "D")).toThrow(/"A" may not send to "D"; it may to: B/);
    expect(open("consulting", "B", "C")).toThrow(/"C" accepts no channels/);
  });
});

it("NWR2: delegation depth is limited by the initiator's rule", () => {
  const opening = (depth: number, delegationDepth?: number) => () =>
    checkOpening("consulting", "A", {
      participants: ["B"],
      depth,
      ruleOf: () =>
        delegationDepth === undefined
          ? undefined
          : readNetworkRule({ limits: { delegationDepth } }),
    });
  expect(opening(5)).not.toThrow();
  expect(opening(6)).toThrow(/"A" may hand work on 5 times, got 6/);
  expect(opening(0, 0)).not.toThrow();
  expect(opening(1, 0)).toThrow(expect.objectContaining({ code: "forbidden" }));
});

it("NWR3: a message needs permission from its sender's and its receiver's rules", () => {
  const rules: Record<string, NetworkRule> = {
    A: readNetworkRule({ access: { outbound_to: ["B", "C"] } }),
    C: readNetworkRule({ access: { inbound_from: ["b*"] } }),
  };
  const to = (sender: string, receiver: string) => reaches(sender, receiver, (name) => rules[name]);
  expect([to("A", "B"), to("A", "C"), to("A", "D"), to("b1", "C"), to("B", "A")]).toEqual([
    true,
    false,
    false,
    true,
    true,
  ]);
  expect(() =>
    checkOpening("discussion", "A", { participants: ["A", "C"], ruleOf: (name) => rules[name] }),
  ).toThrow(/"C" lets in no messages of "A"/);
});

it("NWR2: a limit of 0 means unlimited", () => {
  const opening = (maxConcurrentChannels: number, openChannels: number) => () =>
    checkOpening("consulting", "A", {
      participants: ["B"],
      openChannels,
      ruleOf: () => readNetworkRule({ limits: { maxConcurrentChannels } }),
    });
  expect(opening(0, 1_000)).not.toThrow();
  expect(opening(2, 1)).not.toThrow();
  expect(opening(2, 2)).toThrow(expect.objectContaining({ code: "conflict" }));
});

describe("patterns on names", () => {
  it.each<[string, string, boolean]>([
    ["*", "", true],
    ["a*", "abc", true],
    ["a*c", "abbc", true],
    ["a*c", "ab", false],
    ["A*", "abc", false],
    ["?", "😀", true],
    ["??", "a", false],
    ["[ab]x", "bx", true],
    ["[!ab]x", "bx", false],
    ["[!ab]", "!", true],
    ["[a-c]", "b", true],
    ["[a-c]", "d", false],
    ["[", "[", true],
    ["[]x]", "]", true],
    ["a.c", "abc", false],
    ["**b**", "abc", true],
    ["", "", true],
    ["", "a", false],
  ])("%j on %j: %j", (pattern, name, isMatch) => {
    expect(matchesGlob([pattern], name)).toBe(isMatch);
    expect(matchesGlob(["never", pattern], name)).toBe(isMatch);
  });

  it("are those of a regular expression, for stars and single characters", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 8 });
    fc.assert(
      fc.property(
        letters,
        fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 }),
        (pattern, name) => {
          const source = pattern.replaceAll(/\*+/g, ".*").replaceAll("?", ".");
          expect(matchesGlob([pattern], name)).toBe(new RegExp(`^${source}$`).test(name));
        },
      ),
    );
  });

  it("take no exponential time", () => {
    const began = computedMs();
    expect(matchesGlob(["*a".repeat(200) + "b"], "a".repeat(2_000))).toBe(false);
    expect(computedMs() - began).toBeLessThan(5_000);
  });
});

describe("a rate", () => {
  it("allows a burst, and then its rate", () => {
    let state: RateState | undefined;
    const send = (nowMs: number): boolean => {
      const decision = takeToken({ perMinute: 60, burst: 2 }, state, nowMs);
      state = decision.state;
      return decision.isAllowed;
    };
    expect([0, 0, 0, 999, 1_000, 1_000].map(send)).toEqual([true, true, false, false, true, false]);
    expect([500, 900].map(send)).toEqual([false, false]);
  });

  it("returns the time of the next try, and is unlimited at 0", () => {
    expect(takeToken({ perMinute: 6, burst: 1 }, { tokens: 0, atMs: 0 }, 5_000)).toEqual({
      isAllowed: false,
      state: { tokens: 0.5, atMs: 5_000 },
      retryAfterMs: 5_000,
    });
    expect(takeToken({ perMinute: 0, burst: 0 }, undefined, 0).isAllowed).toBe(true);
    expect(takeToken({ perMinute: 2, burst: 0 }, undefined, 0).state?.tokens).toBe(1);
  });
});
