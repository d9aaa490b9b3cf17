import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ConversableAgent } from "../../../../src/conversation/agents/conversable-agent.ts";
import { UserProxyAgent } from "../../../../src/conversation/agents/presets.ts";
import { DefaultPattern } from "../../../../src/conversation/groups/patterns.ts";
import { initiateGroupChat } from "../../../../src/conversation/groups/initiate-group-chat.ts";
import { Network, type NetworkMember } from "../../../../src/conversation/network/network.ts";
import type { ChannelOptions } from "../../../../src/conversation/network/network-channel.ts";
import { groupChatTarget } from "../../../../src/conversation/targets/targets.ts";
import {
  roundRobinGraph,
  sequenceGraph,
} from "../../../../src/conversation/targets/transition-graph.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { counting, lines, quiet, scripted } from "../../../support/conversations.ts";
import { calling } from "../../../support/crew-harness.ts";
import { cutAfterEveryWrite } from "../../../support/cut-off.ts";

type Rules = Readonly<Record<string, unknown>>;

const networkOf = (agents: readonly ConversableAgent[], rules: Rules = {}): Network =>
  new Network({
    members: agents.map((agent): NetworkMember => {
      const rule = rules[agent.name];
      return rule === undefined ? { agent } : { agent, rule };
    }),
  });

/** A channel of the first agent with the others. */
const channelOf = (
  agents: readonly ConversableAgent[],
  options: Partial<ChannelOptions> & Pick<ChannelOptions, "kind">,
  rules: Rules = {},
) =>
  networkOf(agents, rules).channel({
    initiator: agents[0]?.name ?? "",
    participants: agents.slice(1),
    ...options,
  });

const A = (): ConversableAgent => quiet("a", { defaultAutoReply: "more" });

describe("kinds of channels", () => {
  it("NCH3: consulting is one message and one reply", async () => {
    const result = await channelOf([A(), counting("b")], { kind: "consulting" }).open("Why?");
    expect(lines(result.messages)).toEqual(["a: Why?", "b: b 2"]);
    expect(result).toMatchObject({ status: "closed", reason: "replied", violations: [] });
  });

  it("NCH3: consulting ends without a reply", async () => {
    const silent = quiet("b");
    const result = await channelOf([A(), silent], { kind: "consulting" }).open("Why?");
    expect(result).toMatchObject({ reason: "no reply", lastSpeaker: "a" });
  });

  it("NCH3: the calls of the consulted agent are executed before it replies", async () => {
    const look = tool({ name: "look", description: "Looks.", input: z.object({}), run: () => "x" });
    const b = scripted("b", [calling("look"), "It is x"], { tools: [look] });
    const result = await channelOf([A(), b], { kind: "consulting" }).open("Why?");
    expect(lines(result.messages).at(-1)).toBe("b: It is x");
    expect(result.messages).toHaveLength(4);
  });

  it("NCH3: a conversation continues until an agent has no reply", async () => {
    const once = (name: string, ...words: string[]): ConversableAgent =>
      quiet(name).registerReply(
        () => true,
        ({ messages }) => {
          const reply = words[messages.filter((message) => message.name === name).length];
          return { final: true, reply: reply ?? null };
        },
      );
    const agents = [once("a", "Why?", "How?"), once("b", "Because.", "So.", "Unasked.")];
    const result = await channelOf(agents, { kind: "conversation" }).open("Why?");
    expect(lines(result.messages)).toEqual(["a: Why?", "b: Because.", "a: How?", "b: So."]);
    expect(result.reason).toBe("nobody has more to say");
  });

  it("NCH3: a discussion goes around from its creator, past silent members", async () => {
    const agents = [counting("a"), counting("b"), quiet("c"), counting("d")];
    const result = await channelOf(agents, { kind: "discussion" }).open("Well?", { maxRounds: 7 });
    expect(result.messages.map(({ name }) => name)).toEqual(["a", "b", "d", "a", "b", "d", "a"]);
  });

  it("NCH3: a member without a text after its calls is skipped", async () => {
    const look = tool({ name: "look", description: "Looks.", input: z.object({}), run: () => "x" });
    const b = quiet("b", { llm: scriptedModel(() => calling("look")), tools: [look] });
    b.registerReply(
      () => true,
      ({ messages }) =>
        messages.at(-1)?.role === "tool" ? { final: true, reply: null } : undefined,
    );
    const agents = [counting("a"), b, counting("c")];
    const result = await channelOf(agents, { kind: "discussion" }).open("Well?", { maxRounds: 4 });
    expect(result.messages.map(({ name }) => name)).toEqual([
      "a",
      "b",
      "_Group_Tool_Executor",
      "c",
    ]);
    const pair = channelOf(agents.slice(0, 2), { kind: "conversation" });
    const { messages } = await pair.open("Well?", { maxRounds: 4 });
    expect(messages.map(({ name }) => name)).toEqual(["a", "b", "_Group_Tool_Executor", "a"]);
  });

  it("NCH3: a discussion ends when no member has a reply", async () => {
    const agents = [quiet("a"), scripted("b", ["Yes."]), quiet("c")];
    agents[1]?.registerReply(
      () => true,
      ({ messages }) => (messages.length > 1 ? { final: true, reply: null } : undefined),
    );
    const result = await channelOf(agents, { kind: "discussion" }).open("Well?");
    expect(lines(result.messages)).toEqual(["a: Well?", "b: Yes."]);
    expect(result.reason).toBe("nobody has more to say");
  });

  it("NCH3: a workflow closes by its graph (D9.76, D9.77)", async () => {
    const agents = [counting("a"), counting("b"), counting("c")];
    const names = ["a", "b", "c"];
    const sequence = channelOf(agents, { kind: "workflow", graph: sequenceGraph(names) });
    const done = await sequence.open("Go");
    expect(lines(done.messages)).toEqual(["a: Go", "b: b 2", "c: c 3"]);
    expect(done.reason).toBe("sequence_complete");
    const around = channelOf(agents, { kind: "workflow", graph: roundRobinGraph(names, 4) });
    const closed = await around.open("Go");
    expect(closed.messages.map(({ name }) => name)).toEqual(["a", "b", "c", "a"]);
    expect(closed.reason).toBe("max_turns");
  });

  it("NCH3: a workflow starts its whole graph after the message of an outside initiator", async () => {
    const agents = [A(), counting("b"), counting("c")];
    const graph = sequenceGraph(["b", "c"]);
    const { messages, reason } = await channelOf(agents, { kind: "workflow", graph }).open("Go");
    expect(messages.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(reason).toBe("sequence_complete");
  });

  it("NCH1: introductions name the members on request", async () => {
    const model = scriptedModel(["ok"]);
    const network = new Network({
      members: [
        { agent: A(), passport: { summary: "Asks." } },
        {
          agent: quiet("b", { llm: model }),
          passport: { summary: "Knows.", capabilities: ["law"] },
        },
      ],
    });
    const options = { kind: "consulting", initiator: "a", participants: ["b"] } as const;
    await network.channel({ ...options, introductions: true }).open("Why?");
    expect(JSON.stringify(model.calls[0]?.messages)).toContain(
      "In this consulting:\\na: Asks.\\nb: Knows. (law)",
    );
  });
});

describe("bad definitions", () => {
  const agents = [A(), counting("b"), counting("c")];
  it.each<[string, Partial<ChannelOptions> & Pick<ChannelOptions, "kind">, RegExp]>([
    [
      "an unknown kind",
      { kind: "party" as never },
      /a channel is one of consulting, .* got "?party/,
    ],
    ["three members in a consulting", { kind: "consulting" }, /exactly 2 participants, got 3/],
    ["a stranger", { kind: "discussion", participants: ["z"] }, /"z" is no member of the network/],
    ["a workflow without a graph", { kind: "workflow" }, /a workflow needs a graph/],
    [
      "a graph of strangers",
      { kind: "workflow", graph: sequenceGraph(["a", "z"]) },
      /the graph names "z"/,
    ],
    [
      "a graph of a discussion",
      { kind: "discussion", graph: sequenceGraph(["a"]) },
      /a discussion takes no graph/,
    ],
    [
      "a warning without a recipient",
      {
        kind: "discussion",
        expectations: [{ kind: "max_silence", within: "1m", action: "warn" }],
      },
      /max_silence belongs to no member/,
    ],
    [
      "a watch of a workflow",
      {
        kind: "workflow",
        graph: sequenceGraph(["a"]),
        watches: [{ member: "a", on: { kind: "delay", after: "1m" }, note: "x" }],
      },
      /takes no watches/,
    ],
    [
      "a watch of a stranger",
      {
        kind: "discussion",
        watches: [{ member: "z", on: { kind: "delay", after: "1m" }, note: "x" }],
      },
      /a watch wakes "z", who is no participant/,
    ],
    [
      "an empty cadence",
      { kind: "discussion", watches: [{ member: "a", on: { kind: "cadence" }, note: "x" }] },
      /a cadence needs messages, maxWait, or both/,
    ],
  ])("EXP1: refuses %s", (_, options, message) => {
    expect(() => channelOf(agents, options)).toThrow(message);
  });

  it("NET1: refuses two members of one name", () => {
    expect(() => networkOf([A(), A()])).toThrow(/two members of the network have the name "a"/);
  });
});

describe("rules", () => {
  it("NCH2: an agent without permission cannot define a channel", () => {
    const rules = { a: { access: { channel_types: { initiate: ["consulting"] } } } };
    expect(() => channelOf([A(), counting("b")], { kind: "conversation" }, rules)).toThrow(
      /"a" may not open channels of the kind "conversation"/,
    );
    const closed = { b: { access: { channel_types: { accept: [] } } } };
    expect(() => channelOf([A(), counting("b")], { kind: "consulting" }, closed)).toThrow(
      expect.objectContaining({ code: "forbidden" }),
    );
  });

  it("GTK3: messages outside a rule's view are hidden, with calls and their results", async () => {
    const look = tool({ name: "look", description: "Looks.", input: z.object({}), run: () => "x" });
    const seen = scriptedModel(["c speaks", "c again"]);
    const agents = [
      counting("a"),
      scripted("b", [calling("look"), "secret"], { tools: [look] }),
      quiet("c", { llm: seen }),
    ];
    const rules = { c: { access: { inbound_from: ["a"] } } };
    const result = await channelOf(agents, { kind: "discussion" }, rules).open("Hi", {
      maxRounds: 5,
    });
    expect(lines(result.messages)).toContain("b: secret");
    expect(seen.calls[0]?.messages.slice(1)).toEqual([{ role: "user", content: "a: Hi" }]);
  });

  it("NWR3: messages without permission from their sender are hidden", async () => {
    const seen = scriptedModel(["c speaks"]);
    const agents = [counting("a"), scripted("b", ["secret"]), quiet("c", { llm: seen })];
    const rules = { b: { access: { outbound_to: ["a"] } } };
    await channelOf(agents, { kind: "discussion" }, rules).open("Hi", { maxRounds: 3 });
    expect(seen.calls[0]?.messages.slice(1)).toEqual([{ role: "user", content: "a: Hi" }]);
  });

  /** A tool that opens a channel of consulting with `b`. */
  const consulting = (network: () => Network, initiator: string) =>
    tool({
      name: "consult",
      description: "Asks b.",
      input: z.object({}),
      run: async () => {
        const channel = network().channel({ kind: "consulting", initiator, participants: ["b"] });
        return (await channel.open("Deep?")).summary;
      },
    });

  it("NWR2: channels inside turns of channels are as deep as the rule allows", async () => {
    const run = async (depth: number): Promise<unknown> => {
      const results: unknown[] = [];
      const model = scriptedModel(({ messages }) => {
        const last = messages.at(-1);
        if (last?.role !== "tool") return calling("consult");
        results.push(last.content);
        return "done";
      });
      const c: ConversableAgent = quiet("c", {
        llm: model,
        tools: [consulting(() => network, "c")],
      });
      const network: Network = networkOf([A(), scripted("b", () => "b knows"), c], {
        c: { limits: { delegation_depth: depth } },
      });
      await network
        .channel({ kind: "consulting", initiator: "a", participants: ["c"] })
        .open("Ask b");
      return results[0];
    };
    expect(await run(1)).toBe("b knows");
    expect(await run(0)).toMatch(/"c" may hand work on 0 times, got 1/);
  });

  it("NET1: no more channels are open in a run than the rule allows", async () => {
    const c: ConversableAgent = quiet("c", {
      llm: scriptedModel(({ messages }) =>
        messages.at(-1)?.role === "tool" ? String(messages.at(-1)?.content) : calling("consult"),
      ),
    });
    const network: Network = networkOf([scripted("b", () => "b knows"), c], {
      c: { limits: { max_concurrent_channels: 1 } },
    });
    const inner = consulting(() => network, "c");
    c.registerTools([inner]);
    const outer = network.channel({
      kind: "discussion",
      initiator: "c",
      participants: ["b"],
      expectations: [],
    });
    const { messages } = await outer.open("Begin", { maxRounds: 5 });
    expect(lines(messages).at(-1)).toMatch(/"c" may have 1 channels open/);
    // The one that has ended is not counted.
    expect((await outer.open("Begin", { maxRounds: 2 })).rounds).toBe(2);
  });
});

describe("NCH1: a channel inside another conversation", () => {
  it("is the target of a hand-over", async () => {
    const inner = channelOf([A(), scripted("b", ["It is so."])], { kind: "consulting" });
    const asker = counting("asker").setAfterWork(groupChatTarget(inner, { messages: "Why?" }));
    const result = await initiateGroupChat({
      pattern: new DefaultPattern({ agents: [asker], initialAgent: asker }),
      messages: "Begin",
      maxRounds: 3,
    });
    expect(lines(result.messages).at(-1)).toMatch(/^wrapped_group_asker_\d+: It is so\.$/);
  });
});

describe("NCH1: a channel with a person through every crash", () => {
  const answering = (agent: ConversableAgent): NetworkMember => ({ agent });
  it.each<[ChannelOptions["kind"], number]>([
    ["consulting", 8],
    ["conversation", 4],
    ["discussion", 5],
    ["workflow", 3],
  ])("of the kind %s", async (kind, rounds) => {
    const make = () => {
      const calls: string[] = [];
      const model = scriptedModel(({ messages }) => {
        calls.push(`model ${messages.length}`);
        return `said ${messages.length}`;
      });
      const bot = quiet("bot", { llm: model });
      const ana = new UserProxyAgent({ name: "ana" });
      const network = new Network({ members: [bot, ana].map(answering) });
      const graph = kind === "workflow" ? { graph: sequenceGraph(["bot", "ana"]) } : undefined;
      const first = kind === "workflow" ? "ana" : "bot";
      const channel = network.channel({
        kind,
        initiator: first,
        participants: ["bot", "ana"],
        ...graph,
        expectations: [
          { kind: "turn_within", within: "1h", action: "warn" },
          { kind: "max_silence", within: "2h", action: "audit" },
          { kind: "turn_within", within: "1d", action: "auto_close" },
        ],
      });
      return {
        program: channel.program("Begin", { maxRounds: rounds }),
        calls,
        answer: () => ({ feedback: "ana says so" }),
      };
    };
    const { whole, cut } = await cutAfterEveryWrite(make);
    expect(whole.run).toMatchObject({ status: "completed", output: { status: "closed" } });
    expect(JSON.stringify(whole.run.output)).toContain("ana says so");
    expect(cut.length).toBeGreaterThan(20);
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });
});

it("NCH1: one channel value serves channels side by side", async () => {
  const channel = channelOf([A(), counting("b")], { kind: "consulting" });
  const results = await Promise.all([channel.open("One?"), channel.open("Two?")]);
  expect(results.map(({ messages }) => lines(messages)[0])).toEqual(["a: One?", "a: Two?"]);
});
