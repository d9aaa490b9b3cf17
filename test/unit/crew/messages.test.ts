import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../src/agent/description/agent.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { textOfContent } from "../../../src/llm/content.ts";
import { scriptedModel, type ScriptedCall } from "../../../src/llm/scripted/scripted-model.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { tool } from "../../../src/tools/tool.ts";
import {
  calling,
  scriptedAgent,
  soloCrew,
  startCrew,
  taskFor,
} from "../../support/crew-harness.ts";
import { Latch } from "../../support/journal-harness.ts";

/** The last words that a model was asked with. */
const lastOf = ({ messages }: Pick<ScriptedCall, "messages">): string =>
  textOfContent(messages.at(-1)?.content ?? "");

/** A tool that ends by hand. */
function slowTool(name = "look_up") {
  const latch = new Latch<string>();
  const aborted: string[] = [];
  const slow = tool({
    name,
    description: "Looks something up",
    input: z.object({}),
    run: (_, { signal }) => {
      signal.addEventListener("abort", () => aborted.push(name));
      return latch.promise;
    },
  });
  return { slow, latch, aborted };
}

describe("messages to active agents", () => {
  it("AL10: are seen at the next model call, with the speaker, and stay in the conversation", async () => {
    const { slow, latch } = slowTool();
    const { agent, model } = scriptedAgent([calling("look_up"), "Done in French."], {
      tools: [slow],
    });
    const run = startCrew(soloCrew(agent));
    await run.clock.settle();
    await run.handle.send({ content: "Answer in French.", speaker: { id: "u1", name: "Ana" } });
    latch.resolve("found");
    expect(await run.output()).toMatchObject({ raw: "Done in French." });
    expect(model.calls).toHaveLength(2);
    const last = lastOf(model.calls[1]!);
    expect(last).toContain("Answer in French.");
    expect(last).toContain("Ana");
    expect(model.calls[1]?.messages.at(-2)).toMatchObject({ role: "tool" });
    expect(await run.handle.messages()).toMatchObject({ items: [{ state: "delivered" }] });
  });

  it("AL10: keep an agent from ending with an answer that has not seen them", async () => {
    const answer = new Latch<string>();
    const { agent, model } = scriptedAgent(async (_, call) =>
      call === 0 ? answer.promise : "With the price.",
    );
    const run = startCrew(soloCrew(agent));
    await run.clock.settle();
    await run.handle.send({ content: "Add the price." });
    answer.resolve("Without the price.");
    expect(await run.output()).toMatchObject({ raw: "With the price." });
    expect(model.calls[1]?.messages.slice(-2)).toMatchObject([
      { role: "assistant", content: "Without the price." },
      { role: "user", content: expect.stringContaining("Add the price.") },
    ]);
  });

  it("queued ones go to the next task of a crew", async () => {
    const { slow, latch } = slowTool();
    const first = scriptedAgent([calling("look_up"), "one"], { tools: [slow] });
    const second = scriptedAgent(["two"], { role: "Writer" });
    const crew = new Crew({
      name: "pair",
      tasks: [taskFor(first.agent, { name: "first" }), taskFor(second.agent, { name: "second" })],
    });
    const run = startCrew(crew);
    await run.clock.settle();
    await run.handle.send({ content: "Mind the tone.", mode: "queue" });
    latch.resolve("found");
    await run.output();
    const words = (calls: readonly ScriptedCall[]): string =>
      JSON.stringify(calls.map(({ messages }) => messages));
    expect(words(first.model.calls)).not.toContain("Mind the tone.");
    expect(lastOf(second.model.calls[0]!)).toContain("Mind the tone.");
  });

  it("addressed ones wait for their agent or task", async () => {
    const first = scriptedAgent(["one"]);
    const second = scriptedAgent(["two"], { role: "Writer" });
    const third = scriptedAgent(["three"], { role: "Painter" });
    const crew = new Crew({
      name: "trio",
      tasks: [
        taskFor(first.agent, { name: "first" }),
        taskFor(second.agent, { name: "second" }),
        taskFor(third.agent, { name: "third" }),
      ],
    });
    const run = startCrew(crew);
    await run.handle.send({ content: "for the writer", to: "writer" });
    await run.handle.send({ content: "for the third task", to: "third" });
    await run.output();
    const asked = [first, second, third].map(({ model }) => JSON.stringify(model.calls[0]));
    expect(asked.map((text) => text.includes("for the writer"))).toEqual([false, true, false]);
    expect(asked.map((text) => text.includes("for the third task"))).toEqual([false, false, true]);
  });

  it("MD3: change no way that is on record: an answer under review stays one", async () => {
    const { agent, model } = scriptedAgent(["The answer."]);
    const run = startCrew(soloCrew(agent, { humanInput: true }));
    await run.settle();
    await run.handle.send({ content: "Add the price." });
    const { waits } = await run.handle.status();
    await run.handle.resume({ key: waits[0]?.key ?? "", approve: true });
    expect(await run.output()).toMatchObject({ raw: "The answer." });
    expect(model.calls).toHaveLength(1);
    expect(await run.handle.messages()).toMatchObject({ items: [{ state: "undelivered" }] });
  });

  it("interrupt a tool under way; the model learns of both", async () => {
    const { slow, aborted } = slowTool();
    const { agent, model } = scriptedAgent([calling("look_up"), "Stopped."], { tools: [slow] });
    const run = startCrew(soloCrew(agent));
    await run.clock.settle();
    await run.handle.send({ content: "Stop looking.", mode: "interrupt" });
    expect(await run.output()).toMatchObject({ raw: "Stopped." });
    expect(aborted).toEqual(["look_up"]);
    const [reply, message] = model.calls[1]!.messages.slice(-2);
    expect(textOfContent(reply!.content)).toContain("interrupted by a message");
    expect(textOfContent(message!.content)).toContain("Stop looking.");
  });

  it("AL11: interrupt a model call under way, which is asked again with the message", async () => {
    const { agent, model } = scriptedAgent((_, call) =>
      call === 0 ? new Promise<string>(() => {}) : "Short.",
    );
    const run = startCrew(soloCrew(agent));
    await run.clock.settle();
    await run.handle.send({ content: "Be short.", mode: "interrupt" });
    expect(await run.output()).toMatchObject({ raw: "Short." });
    expect(lastOf(model.calls[1]!)).toContain("Be short.");
  });
});

describe("messages to an agent's own run", () => {
  it("queued ones begin the next turn after the answer", async () => {
    const answer = new Latch<string>();
    const model = scriptedModel(async (_, call) =>
      call === 0 ? answer.promise : "Second answer.",
    );
    const agent = new Agent({ role: "Helper", goal: "Help", backstory: "Kind.", llm: model });
    const clock = new SimulatedClock();
    const run = agent.start("First question?", { clock });
    await clock.settle();
    await run.send({ content: "Second question?", mode: "queue" });
    answer.resolve("First answer.");
    expect(await run.output()).toMatchObject({ raw: "Second answer." });
    expect(model.calls[1]?.messages.slice(-2)).toMatchObject([
      { role: "assistant", content: "First answer." },
      { role: "user", content: expect.stringContaining("Second question?") },
    ]);
  });
});
