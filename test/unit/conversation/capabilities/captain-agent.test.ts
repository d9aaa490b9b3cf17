import { describe, expect, it } from "vitest";
import * as z from "zod";
import { CaptainAgent } from "../../../../src/conversation/capabilities/captain/captain-agent.ts";
import type { CaptainAgentOptions } from "../../../../src/conversation/capabilities/captain/captain-options.ts";
import { chatProgram, startChat } from "../../../../src/conversation/chats/initiate-chat.ts";
import type { RunEvent } from "../../../../src/events/run-event.ts";
import type { Message } from "../../../../src/llm/language-model.ts";
import {
  scriptedModel,
  type Script,
  type ScriptedReply,
} from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { allEvents, quiet } from "../../../support/conversations.ts";
import { calling } from "../../../support/crew-harness.ts";
import { cutAfterEveryWrite } from "../../../support/cut-off.ts";

type Parts = {
  /** What the captain says, by its messages so far. */
  readonly captain: (messages: readonly Message[]) => string | ScriptedReply;
  readonly experts?: readonly object[] | string;
  readonly review?: object | string;
  readonly expert?: (name: string, messages: readonly Message[]) => string | ScriptedReply;
};

const REVIEW = { result: "It is 42.", agreement: "All agree.", openQuestions: ["Why?"] };
const TWO = [
  { name: "math", description: "Counts.", systemMessage: "You are math.", tools: ["add", "none"] },
  { name: "critic", description: "Doubts.", systemMessage: "You are critic.", tools: [] },
];

const asText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

/** One model for everybody: who is asked shows in the system text. */
function script({ captain, experts = TWO, review = REVIEW, expert }: Parts): Script {
  return ({ messages }) => {
    const system = asText(messages[0]?.content);
    if (system.startsWith("You put a group"))
      return typeof experts === "string" ? experts : JSON.stringify({ experts });
    if (system.startsWith("You review")) return asText(review);
    const [, name] = /^You are (\w+)\./.exec(system) ?? [];
    if (name === undefined) return captain(messages);
    return expert?.(name, messages) ?? (name === "critic" ? "Right. TERMINATE" : `${name} says 42`);
  };
}

const seek = (group: string, task = "Count.", more: object = {}): ScriptedReply =>
  calling("seek_experts_help", { group_name: group, execution_task: task, ...more });

/** Asks one group in each turn, and then answers with what it read last. */
const asking =
  (...groups: readonly string[]): Parts["captain"] =>
  (messages) => {
    const read = messages.filter(({ role }) => role === "tool").length;
    const group = groups[read];
    return group === undefined ? `I read: ${asText(messages.at(-1)?.content)}` : seek(group);
  };

function made(parts: Parts, options: Partial<CaptainAgentOptions> = {}) {
  const model = scriptedModel(script(parts));
  const { nestedConfig, ...rest } = options;
  const captain = new CaptainAgent({
    name: "captain",
    llm: model,
    nestedConfig: { groupChat: { speakerSelectionMethod: "round_robin" }, ...nestedConfig },
    ...rest,
  });
  return { captain, model };
}

async function course(
  { captain }: { readonly captain: CaptainAgent },
  message = "What is 40 + 2?",
  turns = 1,
) {
  const run = startChat([quiet("user", { defaultAutoReply: "And again?" }), captain], {
    message,
    maxTurns: turns,
  });
  const events = (await allEvents(run)).filter((event): event is RunEvent => "seq" in event);
  const chosen = events.flatMap((event) => (event.type === "chat_experts_chosen" ? [event] : []));
  const said = events.flatMap((event) =>
    event.type === "chat_message_sent" ? [`${event.sender}: ${asText(event.message.content)}`] : [],
  );
  return { ...(await run.output()), events, chosen, said };
}

const systemTexts = ({ model }: ReturnType<typeof made>): readonly string[] =>
  model.calls.map(({ request }) => asText(request.messages[0]?.content));

const add = (calls: string[] = []) =>
  tool({
    name: "add",
    description: "Adds numbers up.",
    input: z.object({ numbers: z.array(z.number()) }),
    run: ({ numbers }) => {
      calls.push(numbers.join("+"));
      return numbers.reduce((sum, each) => sum + each, 0);
    },
  });

describe("a captain", () => {
  it("CPA2: builds a group, lets it talk, and reads a review of it", async () => {
    const setup = made({ captain: asking("counters") }, { toolLib: [add()] });
    const { summary, said, chosen, cost } = await course(setup);
    expect(summary).toBe(
      "I read: Group counters (math, critic)\n\nResult:\nIt is 42.\n\nAgreement: All agree.\n\nOpen questions:\n- Why?",
    );
    expect(said).toEqual([
      "user: What is 40 + 2?",
      "captain: Count.",
      "math: math says 42",
      "critic: Right. TERMINATE",
      expect.stringMatching(/^captain: I read: Group counters/),
    ]);
    expect(chosen).toMatchObject([
      { agent: "captain", group: "counters", origin: "built", experts: [{ tools: ["add"] }, {}] },
    ]);
    expect(cost.byAgent["captain"]?.requests).toBe(setup.model.calls.length);
    const review = setup.model.calls.find((_, at) =>
      systemTexts(setup)[at]?.startsWith("You review"),
    );
    expect(asText(review?.request.messages)).toContain("math: math says 42");
  });

  it("CPA1: answers simple questions alone, and after its last turn with the results so far", async () => {
    const alone = made({ captain: () => "Forty-two." });
    expect((await course(alone)).summary).toBe("Forty-two.");
    expect(alone.model.calls).toHaveLength(1);
    const tireless = made(
      {
        captain: (messages) =>
          messages.length > 2 && messages.at(-1)?.role === "user" ? "At last: 42." : seek("again"),
      },
      { nestedConfig: { maxTurns: 2 } },
    );
    const { summary, chosen } = await course(tireless);
    expect(summary).toBe("At last: 42.");
    expect(chosen).toHaveLength(2);
  });

  it("SEX1: a group is built once for its name, in a turn, in the conversation, and in calls at once", async () => {
    const both: Parts["captain"] = (messages) =>
      messages.at(-1)?.role === "tool"
        ? "done"
        : {
            toolCalls: ["a", "a", "b"].map((group_name) => ({
              name: "seek_experts_help",
              arguments: JSON.stringify({ group_name, execution_task: "Count." }),
            })),
          };
    const setup = made({ captain: both });
    const { chosen } = await course(setup, "Go", 2);
    expect(chosen.map(({ group, origin }) => `${group} ${origin}`).toSorted()).toEqual([
      "a built",
      "a kept",
      "a kept",
      "a kept",
      "b built",
      "b kept",
    ]);
    const built = systemTexts(setup).filter((text) => text.startsWith("You put a group"));
    expect(built).toHaveLength(2);
    const tools = setup.model.calls.findLast(({ request }) => request.tools !== undefined);
    expect(tools?.request.tools?.[0]?.description).toContain("Groups so far: a, b.");
  });

  it("SEX1: a saved group is there from the beginning; building_task lists the required experts", async () => {
    const saved = made(
      { captain: asking("bench") },
      {
        savedGroups: {
          bench: [{ name: "judge", description: "", systemMessage: "You are judge." }],
        },
      },
    );
    const { said, chosen } = await course(saved);
    expect(chosen[0]?.origin).toBe("saved");
    expect(said.slice(1, 3)).toEqual(["captain: Count.", "judge: judge says 42"]);
    const described = made({
      captain: (messages) =>
        messages.at(-1)?.role === "tool"
          ? "ok"
          : seek("x", "Count.", { building_task: "Two bakers" }),
    });
    await course(described);
    const builder = described.model.calls[1]?.request.messages ?? [];
    expect(asText(builder[1]?.content)).toContain("Two bakers");
    expect(asText(builder[1]?.content)).toContain("Count.");
  });

  it("uses experts of the library unchanged, up to its limit", async () => {
    const setup = made(
      {
        captain: asking("mixed"),
        experts: [
          { name: "baker", description: "", systemMessage: "", tools: [] },
          { name: "captain", description: "No", systemMessage: "You are captain.", tools: [] },
          ...TWO,
        ],
      },
      {
        agentLib: [{ name: "baker", description: "Bakes.", systemMessage: "You are baker." }],
        nestedConfig: { maxAgents: 2 },
      },
    );
    const { chosen } = await course(setup);
    expect(chosen[0]?.experts.map(({ name, description }) => `${name}: ${description}`)).toEqual([
      "baker: Bakes.",
      "math: Counts.",
    ]);
    expect(asText(setup.model.calls[1]?.request.messages[1]?.content)).toContain("- baker: Bakes.");
  });

  it("its experts execute their own tools", async () => {
    const calls: string[] = [];
    const setup = made(
      {
        captain: asking("counters"),
        expert: (name, messages) =>
          name === "math" && messages.at(-1)?.role !== "tool"
            ? calling("add", { numbers: [40, 2] })
            : `${name}: ${asText(messages.at(-1)?.content)} TERMINATE`,
      },
      { toolLib: [add(calls)] },
    );
    const { said } = await course(setup);
    expect(calls).toEqual(["40+2"]);
    expect(said[2]).toBe("math: math: 42 TERMINATE");
  });

  it("of a large library the builder sees the tools nearest to the task", async () => {
    const words = ["add numbers", "bake bread", "paint walls", "mow lawns"];
    const toolLib = words.map((description) =>
      tool({
        name: description.replace(" ", "_"),
        description,
        input: z.object({}),
        run: () => "done",
      }),
    );
    const setup = made(
      {
        captain: (messages) =>
          messages.at(-1)?.role === "tool" ? "ok" : seek("bakery", "bake bread for the party"),
      },
      { toolLib, nestedConfig: { maxTools: 1, embedder: "offline/hash-embed" } },
    );
    await course(setup);
    const shown = asText(setup.model.calls[1]?.request.messages[1]?.content);
    expect(shown).toContain("Tools:\n- bake_bread: bake bread");
    expect(shown).not.toContain("paint");
  });

  it("SEX3: an error is a text for its model, and a failed review loses only the review", async () => {
    const nobody = made({ captain: asking("none"), experts: [] });
    expect((await course(nobody)).summary).toContain("no expert could be made");
    const unreviewed = made({ captain: asking("counters"), review: "no JSON at all" });
    const { summary } = await course(unreviewed);
    expect(summary).toContain("Result:\nRight. ");
    expect(summary).toContain("Nobody reviewed it");
  });

  it("SEX3: an abort by a hook ends its turn", async () => {
    const { captain } = made({ captain: asking("counters") });
    captain.registerHook("safeguard_llm_outputs", (message) =>
      asText(message.content).includes("experts") ? null : message,
    );
    await expect(course({ captain })).rejects.toThrow(/refused/);
  });

  it("is refused with an invalid config", () => {
    const broken = (options: object) => () => made({ captain: () => "" }, options);
    expect(broken({ nestedConfig: { maxAgents: 0 } })).toThrow(
      /maxAgents must be an integer from 1 to 10/,
    );
    expect(broken({ agentLib: [{ name: "x" }] })).toThrow(/agentLib\[0\] must have a name/);
    const twice = { name: "x", description: "", systemMessage: "y" };
    expect(broken({ savedGroups: { a: [twice, twice] } })).toThrow(/two experts named "x"/);
  });
});

it("SEX2: wherever the process dies, the experts give the same messages, and tools run once", async () => {
  const { whole, cut } = await cutAfterEveryWrite(() => {
    const calls: string[] = [];
    const { captain } = made(
      {
        captain: (messages) => {
          const tools = messages.filter(({ role }) => role === "tool").length;
          const turns = messages.filter(({ role }) => role === "user").length;
          return tools === 0 || (turns === 2 && messages.at(-1)?.role === "user")
            ? seek("counters")
            : "42";
        },
        expert: (name, messages) =>
          name === "math" && messages.at(-1)?.role !== "tool"
            ? calling("add", { numbers: [40, 2] })
            : `${name} TERMINATE`,
      },
      { toolLib: [add(calls)] },
    );
    const user = quiet("user", { defaultAutoReply: "Again?" });
    return { calls, program: chatProgram([user, captain], { message: "Go", maxTurns: 2 }) };
  });
  expect(whole.run.error).toBeUndefined();
  expect(whole.run.output).toMatchObject({ summary: "42" });
  const chosen = whole.events.flatMap((event) =>
    event.type === "chat_experts_chosen" ? [event.origin] : [],
  );
  expect(chosen).toEqual(["built", "kept"]);
  expect(cut.length).toBeGreaterThan(20);
  for (const { course: each } of cut) expect(each).toEqual(whole.course);
}, 60_000);
