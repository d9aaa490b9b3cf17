// What happens in channels when time passes: with people who are late, models that are slow, and processes that die meanwhile.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { RunScope } from "../../../../src/events/run-scope.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { calling } from "../../../support/crew-harness.ts";
import type { ConversableAgent } from "../../../../src/conversation/agents/conversable-agent.ts";
import { UserProxyAgent } from "../../../../src/conversation/agents/presets.ts";
import type {
  ExpectationAction,
  ExpectationKind,
} from "../../../../src/conversation/network/expectations.ts";
import { Network, type NetworkMember } from "../../../../src/conversation/network/network.ts";
import type {
  ChannelOptions,
  ChannelResult,
} from "../../../../src/conversation/network/network-channel.ts";
import { sequenceGraph } from "../../../../src/conversation/targets/transition-graph.ts";
import { sleep } from "../../../../src/base/clock.ts";
import type { LanguageModel } from "../../../../src/llm/language-model.ts";
import type { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { modelCatalog } from "../../../../src/llm/model-catalog.ts";
import { counting, lines, quiet, scripted } from "../../../support/conversations.ts";
import { openSqlStore } from "../../../support/run-stores.ts";
import { RunWorld } from "../../../support/run-world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

type Opening = { readonly maxRounds?: number };

/** A channel in a run of its own, whose clock and process are in the test's hands. */
class ChannelWorld {
  readonly world: RunWorld;

  constructor(
    members: readonly NetworkMember[],
    options: Partial<ChannelOptions> & Pick<ChannelOptions, "kind">,
    opening: Opening = {},
  ) {
    const network = new Network({ members });
    const names = network.names;
    const channel = network.channel({
      initiator: names[0] ?? "",
      participants: names.slice(1),
      ...options,
    });
    const { run } = channel.program("Begin", { maxRounds: 12, ...opening });
    this.world = new RunWorld(run, {
      fixture: openSqlStore(),
      models: modelCatalog({ variables: {} }),
    });
  }

  async begin(): Promise<this> {
    await this.world.begin();
    return this;
  }

  /** Lets time pass, in another process if `restarts`. */
  async pass(ms: number, restarts = false): Promise<void> {
    if (restarts) this.world.restart();
    const endMs = this.world.clock.now() + ms;
    for (;;) {
      const { dueAtMs } = this.world.alarm;
      const next = Math.min(dueAtMs ?? Infinity, endMs);
      await this.world.clock.advance(Math.max(0, next - this.world.clock.now()));
      await this.world.rest();
      if (next >= endMs) return;
    }
  }

  async say(feedback: string): Promise<void> {
    const { waits } = await this.world.host.status();
    await this.world.host.resume({ key: waits[0]?.key ?? "", feedback });
    await this.world.rest();
  }

  /** The expectations that were not met, as `kind action at`; `at` in seconds since the run began. */
  get fired(): readonly string[] {
    const startMs = Date.UTC(2026, 0, 1);
    return this.events("chat_expectation_violated").flatMap((event) => {
      if (event.type !== "chat_expectation_violated") return [];
      const { expectation, action, late, at } = event;
      return [`${expectation} ${action} ${late.join("+")} ${(Date.parse(at) - startMs) / SECOND}`];
    });
  }

  events(type: string) {
    return this.world.store.events.read(0, 10_000).filter((event) => event.type === type);
  }

  async questions(): Promise<readonly string[]> {
    const { waits } = await this.world.host.status();
    return waits.filter(({ kind }) => kind === "human").map(({ key }) => key);
  }

  async result(): Promise<ChannelResult> {
    const run = await this.world.host.status();
    if (run.status !== "completed")
      throw new Error(`it is ${run.status}: ${run.error?.message} ${JSON.stringify(run.waits)}`);
    return run.output as unknown as ChannelResult;
  }
}

const ana = (): NetworkMember => ({ agent: new UserProxyAgent({ name: "ana" }) });
const bot = (name = "bot"): NetworkMember => ({ agent: counting(name) });
const of = (agent: ConversableAgent): NetworkMember => ({ agent });

const expecting = (kind: ExpectationKind, action: ExpectationAction, within = "10m") => ({
  expectations: [{ kind, within, action }],
});

/** A kind of channel in which somebody can be late with it. */
const KIND_OF: Readonly<Record<ExpectationKind, ChannelOptions["kind"]>> = {
  acks_within: "discussion",
  reply_within: "consulting",
  max_silence: "conversation",
  turn_within: "discussion",
};
const ACTIONS = ["audit", "notify_channel", "warn", "hide", "auto_close"] as const;
const CASES = (Object.keys(KIND_OF) as ExpectationKind[]).flatMap((kind) =>
  ACTIONS.filter(
    (action) => kind !== "max_silence" || (action !== "warn" && action !== "hide"),
  ).map((action) => [kind, action] as const),
);

describe.each([false, true])(
  "CHW1: expectations of a person, with another process: %s",
  (restarts) => {
    it.each(CASES)("%s fires for %s at its time, and once", async (kind, action) => {
      const asksFirst = kind === "acks_within";
      const channel = await new ChannelWorld(
        [bot(), { ...ana(), asksFirst }, bot("other")].slice(
          0,
          KIND_OF[kind] === "discussion" ? 3 : 2,
        ),
        { kind: KIND_OF[kind], ...expecting(kind, action) },
        { maxRounds: kind === "max_silence" ? 3 : 4 },
      ).begin();
      const before = await channel.questions();
      expect(before).toHaveLength(1);
      await channel.pass(9 * MINUTE + 59 * SECOND, restarts);
      expect(channel.fired).toEqual([]);
      await channel.pass(SECOND, restarts);
      const late = kind === "max_silence" ? "" : "ana";
      expect(channel.fired).toEqual([`${kind} ${action} ${late} 600`]);
      const isOver = action === "hide" || action === "auto_close";
      expect(await channel.questions()).toEqual(isOver ? [] : before);
      await channel.pass(90 * DAY, restarts);
      expect(channel.fired).toHaveLength(1);
      if (!isOver) {
        await channel.say("Here I am");
        if (asksFirst) await channel.say("And I speak");
      }
      const { violations, status, reason, hidden } = await channel.result();
      expect(violations).toEqual([
        { expectation: kind, action, late: late === "" ? [] : ["ana"], atMs: expect.any(Number) },
      ]);
      expect(status).toBe("closed");
      expect(hidden).toEqual(action === "hide" ? ["ana"] : []);
      const by = late === "" ? "" : ' by "ana"';
      expect(reason === `${kind} was not met${by}`).toBe(action === "auto_close");
    });
  },
);

describe("CHW1: the expectations of each kind", () => {
  it("consulting closes without a reply after ten minutes", async () => {
    const channel = await new ChannelWorld([bot(), ana()], { kind: "consulting" }).begin();
    await channel.pass(600 * SECOND);
    expect(channel.fired).toEqual(["reply_within auto_close ana 600"]);
    expect((await channel.result()).reason).toBe('reply_within was not met by "ana"');
  });

  it("consulting closes without an acknowledgement after half a minute", async () => {
    const members = [bot(), { ...ana(), asksFirst: true }];
    const channel = await new ChannelWorld(members, { kind: "consulting" }).begin();
    await channel.pass(30 * SECOND);
    expect(channel.fired).toEqual(["acks_within auto_close ana 30"]);
    expect(await channel.result()).toMatchObject({ messages: [], status: "closed" });
  });

  it("a conversation notes an hour of silence, each silence once", async () => {
    const channel = await new ChannelWorld([bot(), ana()], { kind: "conversation" }).begin();
    await channel.pass(3_600 * SECOND);
    expect(channel.fired).toEqual(["max_silence audit  3600"]);
    await channel.pass(1_000 * SECOND);
    await channel.say("Sorry");
    await channel.pass(3_600 * SECOND);
    expect(channel.fired).toEqual(["max_silence audit  3600", "max_silence audit  8200"]);
  });

  it("a discussion warns after two minutes and continues without the late member after ten", async () => {
    const channel = await new ChannelWorld(
      [bot("a"), ana(), bot("c")],
      { kind: "discussion" },
      { maxRounds: 5 },
    ).begin();
    await channel.pass(600 * SECOND);
    expect(channel.fired).toEqual(["turn_within warn ana 120", "turn_within hide ana 600"]);
    const { messages, hidden } = await channel.result();
    expect(messages.map(({ name }) => name)).toEqual(["a", "c", "a", "c", "a"]);
    expect(hidden).toEqual(["ana"]);
  });

  it("a workflow warns after two minutes and closes after ten", async () => {
    const channel = await new ChannelWorld([bot(), ana()], {
      kind: "workflow",
      graph: sequenceGraph(["bot", "ana"]),
    }).begin();
    await channel.pass(600 * SECOND);
    expect(channel.fired).toEqual(["turn_within warn ana 120", "turn_within auto_close ana 600"]);
    expect((await channel.result()).reason).toBe('turn_within was not met by "ana"');
  });

  it("a workflow continues along its graph after it leaves out a member", async () => {
    const channel = await new ChannelWorld([bot(), ana(), bot("c")], {
      kind: "workflow",
      graph: sequenceGraph(["bot", "ana", "c"]),
      ...expecting("turn_within", "hide"),
    }).begin();
    await channel.pass(600 * SECOND);
    const { messages, reason } = await channel.result();
    expect(messages.map(({ name }) => name)).toEqual(["bot", "c"]);
    expect(reason).toBe("sequence_complete");
  });
});

describe("CHW2: one question", () => {
  it("stays open while warnings come, and takes the answer", async () => {
    const channel = await new ChannelWorld(
      [bot(), ana()],
      {
        kind: "conversation",
        expectations: ["1m", "2m", "3m"].map((within) => ({
          kind: "max_silence",
          within,
          action: "notify_channel",
        })),
      },
      { maxRounds: 3 },
    ).begin();
    const question = await channel.questions();
    const { waits } = await channel.world.host.status();
    expect(waits[1]?.prompt).toMatch(/^You speak as ana in a group\. /);
    await channel.pass(150 * SECOND, true);
    expect(channel.fired).toHaveLength(2);
    expect(await channel.questions()).toEqual(question);
    await channel.say("Here");
    const { messages } = await channel.result();
    expect(lines(messages)).toEqual(["bot: Begin", "ana: Here", "bot: bot 5"]);
    expect(
      channel.events("wait_opened").filter((event) => event["kind" as never] === "human"),
    ).toHaveLength(1);
    expect(channel.world.host.reader.nextWaitDueMs()).toBeUndefined();
  });

  it("CHW1: warnings are visible to their members only", async () => {
    const model = scriptedModel(["one", "two"]);
    const members = [of(quiet("bot", { llm: model })), ana()];
    const channel = await new ChannelWorld(
      members,
      { kind: "conversation", ...expecting("max_silence", "notify_channel") },
      { maxRounds: 3 },
    ).begin();
    await channel.pass(600 * SECOND);
    await channel.say("Here");
    expect(model.calls[0]?.messages.slice(-2)).toEqual([
      { role: "user", content: "conversation: max_silence was not met by everybody." },
      { role: "user", content: "ana: Here" },
    ]);
  });
});

describe("CHW3: a slow model", () => {
  let clock: SimulatedClock | undefined;
  /** An agent whose model takes so long, on the clock of the run. */
  const slow = (ms: number): NetworkMember => {
    const model = scriptedModel(["At last"]);
    const llm: LanguageModel = {
      ...model,
      generate: async (request, options) => {
        if (clock === undefined) throw new Error("the run has no clock");
        await sleep(clock, ms, options.signal);
        return model.generate(request, options);
      },
    };
    return of(quiet("slow", { llm }));
  };

  it("is stopped when its turn passes on", async () => {
    const channel = new ChannelWorld(
      [bot("a"), slow(90 * SECOND), bot("c")],
      { kind: "discussion", ...expecting("turn_within", "hide", "1m") },
      { maxRounds: 4 },
    );
    ({ clock } = channel.world);
    const begun = channel.begin();
    await channel.world.clock.advance(61 * SECOND);
    await begun;
    await channel.pass(SECOND);
    expect(channel.fired).toEqual(["turn_within hide slow 60"]);
    const { messages, hidden } = await channel.result();
    expect(messages.map(({ name }) => name)).toEqual(["a", "c", "a", "c"]);
    expect(hidden).toEqual(["slow"]);
  });

  it("may finish before its deadline, after a warning", async () => {
    const channel = new ChannelWorld(
      [bot("a"), slow(90 * SECOND)],
      { kind: "discussion", ...expecting("turn_within", "warn", "1m") },
      { maxRounds: 2 },
    );
    ({ clock } = channel.world);
    const begun = channel.begin();
    await channel.world.clock.advance(91 * SECOND);
    await begun;
    expect(channel.fired).toEqual(["turn_within warn slow 60"]);
    expect(lines((await channel.result()).messages)).toEqual(["a: Begin", "slow: At last"]);
  });
});

it("CHW3: running calls may finish, with warnings meanwhile; the turn passes on after them", async () => {
  const approval = tool({
    name: "approval",
    description: "Asks a person.",
    input: z.object({}),
    run: async () => {
      const { feedback } = await (RunScope.current() as RunScope)
        .at("hold")
        .wait<{ feedback: string }>({ kind: "human" });
      return feedback;
    },
  });
  const busy = scripted("busy", [calling("approval")], { tools: [approval] });
  const channel = await new ChannelWorld(
    [bot("a"), of(busy), bot("c")],
    {
      kind: "discussion",
      expectations: [
        { kind: "turn_within", within: "1m", action: "warn" },
        { kind: "turn_within", within: "2m", action: "hide" },
      ],
    },
    { maxRounds: 5 },
  ).begin();
  await channel.pass(3 * MINUTE, true);
  expect(channel.fired).toEqual(["turn_within warn busy 60"]);
  expect(await channel.questions()).toHaveLength(1);
  await channel.say("approved");
  expect(channel.fired).toEqual(["turn_within warn busy 60", "turn_within hide busy 180"]);
  const { messages, hidden } = await channel.result();
  expect(lines(messages)).toEqual([
    "a: Begin",
    "busy: ",
    "_Group_Tool_Executor: approved",
    expect.stringMatching(/^c: /),
    expect.stringMatching(/^a: /),
  ]);
  expect(hidden).toEqual(["busy"]);
});

describe("a channel's life", () => {
  it("NCH3: ends when its time is over, and asks no further question", async () => {
    const channel = await new ChannelWorld([bot(), ana()], {
      kind: "conversation",
      expectations: [],
      ttl: "2h",
    }).begin();
    await channel.pass(2 * 60 * MINUTE - SECOND);
    expect(await channel.questions()).toHaveLength(1);
    await channel.pass(SECOND, true);
    expect(await channel.questions()).toEqual([]);
    expect(await channel.result()).toMatchObject({ status: "expired", reason: "expired" });
    expect(channel.events("chat_channel_closed")).toMatchObject([{ status: "expired" }]);
  });

  it("NCH3: has the length of its initiator's rule, unless its options set one", async () => {
    const ruled = { ...bot(), rule: { limits: { channel_ttl_default: "1h" } } };
    const lives = async (options: Partial<ChannelOptions>): Promise<boolean> => {
      const channel = await new ChannelWorld([ruled, ana()], {
        kind: "conversation",
        expectations: [],
        ...options,
      }).begin();
      await channel.pass(90 * DAY);
      return (await channel.questions()).length === 1;
    };
    expect(await lives({})).toBe(false);
    expect(await lives({ ttl: 0 })).toBe(true);
  });

  it("CHW5: records no clock readings when it needs none", async () => {
    const channel = await new ChannelWorld([bot(), ana()], {
      kind: "conversation",
      expectations: [],
    }).begin();
    const rows = channel.world.store.journal.list(0, 1_000);
    expect(rows.filter(({ kind }) => kind === "value")).toEqual([]);
  });
});

describe("CHW4: rates", () => {
  it("a member over its rate waits before its turn, and is not late for that", async () => {
    const eager = {
      ...bot("eager"),
      rule: { limits: { rate: { per_minute: 1 }, channel_ttl_default: 0 } },
    };
    const channel = await new ChannelWorld(
      [bot(), eager],
      { kind: "discussion", ...expecting("turn_within", "auto_close", "30s") },
      { maxRounds: 6 },
    ).begin();
    const turns = (): number => channel.events("chat_speaker_selected").length;
    expect(turns()).toBe(2);
    await channel.pass(59 * SECOND, true);
    expect(turns()).toBe(2);
    await channel.pass(SECOND);
    expect(turns()).toBe(4);
    await channel.pass(MINUTE, true);
    expect(await channel.result()).toMatchObject({ rounds: 6, violations: [] });
    expect(channel.events("chat_rate_limited")).toMatchObject([
      { member: "eager", waitMs: MINUTE },
      { member: "eager", waitMs: MINUTE },
    ]);
  });
});

describe("INV1: invitations", () => {
  const asked = (kind: ChannelOptions["kind"] = "discussion") =>
    new ChannelWorld(
      [bot(), { ...ana(), asksFirst: true }],
      { kind, expectations: [] },
      {
        maxRounds: 2,
      },
    ).begin();

  it("are answered by the person, who takes part afterwards", async () => {
    const channel = await asked();
    const { waits } = await channel.world.host.status();
    expect(waits).toMatchObject([{ kind: "human", key: "chat/invite/ana" }]);
    expect(waits[0]?.prompt).toBe("bot invites ana to a discussion. Do you take part?\n\nBegin");
    await channel.pass(90 * DAY, true);
    await channel.world.host.resume({ approve: true });
    await channel.world.rest();
    await channel.say("Hello");
    expect(lines((await channel.result()).messages)).toEqual(["bot: Begin", "ana: Hello"]);
    expect(channel.events("chat_channel_acknowledged")).toMatchObject([
      { member: "ana", isAccepted: true },
    ]);
  });

  it("INV2: close the channel when they are refused, with the reason", async () => {
    const channel = await asked();
    await channel.world.host.resume({ approve: false, feedback: "no time" });
    await channel.world.rest();
    expect(await channel.result()).toMatchObject({
      status: "closed",
      reason: 'rejected by "ana": no time',
      messages: [],
    });
  });
});

describe("watches", () => {
  const monitor = (): ConversableAgent => scripted("monitor", () => "All is well");
  const listener = (): ConversableAgent => quiet("listener");

  it("WCH1: wake a member of a quiet channel at each due time", async () => {
    const channel = await new ChannelWorld(
      [of(listener()), of(monitor())],
      {
        kind: "discussion",
        expectations: [],
        ttl: "1d",
        watches: [{ member: "monitor", on: { kind: "interval", every: "6h" }, note: "Check." }],
      },
      { maxRounds: 40 },
    ).begin();
    await channel.pass(DAY, true);
    const { messages, status } = await channel.result();
    expect(lines(messages)).toEqual([
      "listener: Begin",
      "monitor: All is well",
      ...Array.from({ length: 3 }, () => ["_Watch: Check.", "monitor: All is well"]).flat(),
    ]);
    expect(status).toBe("expired");
  });

  it("WCH1: fire by the calendar", async () => {
    const cron = { kind: "cron", cron: "0 9 * * 1", timeZone: "Europe/Berlin" } as const;
    const channel = await new ChannelWorld([of(listener()), of(monitor())], {
      kind: "discussion",
      expectations: [],
      ttl: "15d",
      watches: [{ member: "monitor", on: cron, note: "Weekly." }],
    }).begin();
    await channel.pass(15 * DAY, true);
    expect(channel.events("chat_watch_fired").map(({ at }) => at)).toEqual([
      "2026-01-05T08:00:00.000Z",
      "2026-01-12T08:00:00.000Z",
    ]);
  });

  it("WCH1: a delay fires once, and the channel ends after it", async () => {
    const channel = await new ChannelWorld([of(listener()), of(quiet("other")), of(monitor())], {
      kind: "discussion",
      expectations: [],
      watches: [{ member: "other", on: { kind: "delay", after: "30d" }, note: "Later." }],
    }).begin();
    await channel.pass(30 * DAY - SECOND, true);
    expect(channel.events("chat_watch_fired")).toEqual([]);
    await channel.pass(SECOND);
    expect(channel.events("chat_watch_fired")).toMatchObject([{ member: "other", watch: 0 }]);
    expect((await channel.result()).reason).toBe("nobody has more to say");
  });

  it("WCH2: one with a message count fires after that number", async () => {
    const channel = await new ChannelWorld(
      [bot("a"), bot("b")],
      {
        kind: "discussion",
        expectations: [],
        watches: [{ member: "a", on: { kind: "cadence", messages: 3 }, note: "Sum up." }],
      },
      { maxRounds: 9 },
    ).begin();
    const { messages } = await channel.result();
    expect(messages.map(({ name }) => name)).toEqual([
      "a",
      "b",
      "a",
      "b",
      "_Watch",
      "a",
      "b",
      "a",
      "_Watch",
    ]);
  });

  it("EXP1: refuses an endless one", () => {
    const on = { kind: "interval", every: 0 } as const;
    expect(
      () =>
        new ChannelWorld([bot(), bot("b")], {
          kind: "discussion",
          watches: [{ member: "b", on, note: "x" }],
        }),
    ).toThrow(/must wait longer than 0 s/);
    expect(
      () =>
        new ChannelWorld([bot(), bot("b")], {
          kind: "discussion",
          watches: [{ member: "b", on: { kind: "cron", cron: "* * *" }, note: "x" }],
        }),
    ).toThrow(/the watch of "b": expected five fields/);
  });
});
