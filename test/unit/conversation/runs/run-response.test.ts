import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ConversableAgent } from "../../../../src/conversation/agents/conversable-agent.ts";
import type { Ag2Event } from "../../../../src/conversation/runs/ag2-contents.ts";
import { sequentialRun } from "../../../../src/conversation/runs/sequential-run.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { speaker } from "../../../support/conversations.ts";
import { calling } from "../../../support/crew-harness.ts";

const look = tool({
  name: "look",
  description: "Looks.",
  input: z.object({}),
  run: () => "the disk is full",
});

async function read(events: AsyncIterable<Ag2Event>): Promise<readonly Ag2Event[]> {
  const seen: Ag2Event[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

describe("run", () => {
  it("RRS1: has its values without an event reader, and its events for any reader (D6.60)", async () => {
    const bo = speaker("bo", ["All good"]);
    const response = speaker("ana", []).run({ recipient: bo, message: "Well?", maxTurns: 1 });
    expect(await response.summary).toBe("All good");
    expect(await response.lastSpeaker).toBe("bo");
    expect(await response.contextVariables).toEqual({});
    expect((await response.messages).map(({ content }) => content)).toEqual(["Well?", "All good"]);
    expect(await response.cost).toMatchObject({
      total: { requests: 1 },
      byAgent: { bo: { requests: 1 } },
    });
    const first = await read(response.events);
    expect(first.map(({ type }) => type)).toEqual([
      "text",
      "text",
      "termination",
      "usage_summary",
      "run_completion",
    ]);
    expect(await read(response.events)).toEqual(first);
    expect(response.uuid).toBe(response.handle.id);
  });

  it("RRS2: a failure is an event, then it is thrown", async () => {
    const bo = new ConversableAgent({
      name: "bo",
      humanInputMode: "ALWAYS",
      getHumanInput: () => {
        throw new Error("no line");
      },
    });
    const response = speaker("ana", []).run({ recipient: bo, message: "Well?" });
    const seen: Ag2Event[] = [];
    const reading = response.process((event) => seen.push(event));
    await expect(reading).rejects.toThrow("no line");
    expect(seen.at(-1)).toMatchObject({
      type: "error",
      content: { error: expect.stringContaining("no line") },
    });
    await expect(response.summary).rejects.toThrow("no line");
  });

  it("ARN1: without a recipient an executor runs the tools, and TERMINATE in a message ends it", async () => {
    const model = scriptedModel([calling("look"), "Full. TERMINATE"]);
    const bo = new ConversableAgent({ name: "bo", llm: model, tools: [look] });
    const response = bo.run({ message: "Look." });
    expect(await response.summary).toBe("Full. ");
    const said = (await response.messages).map(({ name, content }) => [name, content]);
    expect(said).toEqual([
      ["user", "Look."],
      [undefined, null],
      ["user", "the disk is full"],
      ["bo", "Full. TERMINATE"],
    ]);
  });

  it("ARN2: tools of a run are offered in this run alone", async () => {
    const model = scriptedModel([calling("look"), "TERMINATE", "TERMINATE"]);
    const bo = new ConversableAgent({ name: "bo", llm: model });
    await bo.run({ message: "Look.", tools: [look] }).summary;
    await bo.run({ message: "And now?" }).summary;
    const offered = model.calls.map(({ request }) => request.tools?.map(({ name }) => name) ?? []);
    expect(offered).toEqual([["look"], ["look"], []]);
    expect(bo.offeredTools).toEqual([]);
  });

  it("ARN1: a person answers as the user, through the event of the question", async () => {
    const bo = speaker("bo", ["What is broken?", "TERMINATE"]);
    const response = bo.run({ message: "Help.", userInput: true });
    const prompts: string[] = [];
    await response.process(async (event) => {
      if (event.type !== "input_request") return;
      prompts.push(event.content.prompt);
      await event.content.respond?.(prompts.length === 1 ? "The disk." : "exit");
    });
    expect(prompts[0]).toContain("bo said:\n\nWhat is broken?");
    const said = (await response.messages).map(({ content }) => content);
    expect(said).toEqual(["Help.", "What is broken?", "The disk.", "TERMINATE"]);
  });

  it("ARN1: a message to the user is the agent's own", async () => {
    const bo = speaker("bo", []);
    const response = bo.run({ message: "Done. TERMINATE", msgTo: "user" });
    expect(await response.lastSpeaker).toBe("bo");
    expect(await response.messages).toHaveLength(1);
  });

  it("ARN1: refuses tools for a recipient, and unknown chat options, before the run starts", () => {
    const [ana, bo] = [speaker("ana", []), speaker("bo", [])];
    const refused = () => ana.run({ recipient: bo, tools: [look] });
    expect(refused).toThrow("tools is for runs without a recipient, and this one has bo");
    expect(() => ana.run({ maxTurns: -1 })).toThrow("maxTurns must be an integer >= 0");
  });
});

describe("sequentialRun", () => {
  it("RRS1: each chat has a response of its own, which ends with the chat", async () => {
    const ana = speaker("ana", []);
    const [bo, cy] = [speaker("bo", ["b1"]), speaker("cy", ["c1"])];
    const [first, second] = sequentialRun(
      [
        { recipient: bo, message: "one", maxTurns: 1 },
        { recipient: cy, message: "two", maxTurns: 1 },
      ],
      ana,
    );
    const [one, two] = [
      await read(first?.events ?? noEvents()),
      await read(second?.events ?? noEvents()),
    ];
    expect(one.at(-1)).toMatchObject({ type: "run_completion", content: { summary: "b1" } });
    expect(two.at(-1)).toMatchObject({ type: "run_completion", content: { summary: "c1" } });
    const received = two.find(({ type }) => type === "post_carryover_processing");
    expect(received?.content).toMatchObject({ carryover: ["b1"], sender: "ana", recipient: "cy" });
    expect(one.filter(({ type }) => type === "text")).toHaveLength(2);
    expect([await first?.summary, await second?.summary]).toEqual(["b1", "c1"]);
    expect((await second?.messages)?.[0]?.content).toBe("two\nContext: \nb1");
  });

  it("RRS2: a failed chat leaves earlier ones complete", async () => {
    const cy = new ConversableAgent({
      name: "cy",
      humanInputMode: "ALWAYS",
      getHumanInput: () => {
        throw new Error("no line");
      },
    });
    const responses = sequentialRun(
      [
        { recipient: speaker("bo", ["b1"]), message: "one", maxTurns: 1 },
        { recipient: cy, message: "two" },
        { recipient: speaker("di", []), message: "three" },
      ],
      speaker("ana", []),
    );
    const [first, second, third] = responses;
    expect(await first?.summary).toBe("b1");
    expect((await first?.messages)?.map(({ role, content }) => [role, content])).toEqual([
      ["assistant", "one"],
      ["user", "b1"],
    ]);
    expect(await first?.lastSpeaker).toBe("bo");
    await expect(second?.summary).rejects.toThrow("no line");
    await expect(third?.process(() => undefined)).rejects.toThrow("no line");
  });
});

async function* noEvents(): AsyncGenerator<Ag2Event> {}
