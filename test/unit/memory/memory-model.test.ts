import { Agent, Crew, Task } from "../../../src/index.ts";
import { expect, it } from "vitest";
import { Memory } from "../../../src/memory/memory.ts";
import { createDemoModel } from "../../../src/llm/offline/demo-model.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";

it("the embedded model is not asked to judge: a text is stored as it is", async () => {
  const memory = new Memory({ llm: createDemoModel() });
  expect(await memory.remember("The Lisbon office closes at six.")).toMatchObject({
    content: "The Lisbon office closes at six.",
    scope: "/",
    categories: [],
    importance: 0.5,
    metadata: {},
  });
  expect(await memory.extractMemories("A long talk.")).toEqual(["A long talk."]);
});

it("ignores a suggested scope too long for a path", async () => {
  const answer = {
    suggested_scope: `/${"long ".repeat(20)}`,
    categories: ["office"],
    importance: 0.7,
    extracted_metadata: { entities: [], dates: [], topics: [] },
  };
  const llm = scriptedModel([JSON.stringify(answer)]);
  const memory = new Memory({ llm });
  expect(await memory.remember("The Lisbon office closes at six.")).toMatchObject({
    scope: "/",
    categories: ["office"],
    importance: 0.7,
  });
});

it("MK5: a refusal of the embedded model is not remembered, and an event reports it", async () => {
  const memory = new Memory();
  const agent = new Agent({
    role: "Clerk",
    goal: "Answer",
    backstory: "Open at 9.",
    llm: "offline/demo",
  });
  const answer = new Task({
    description: "Answer this: {question}",
    expectedOutput: "A line",
    agent,
  });
  const crew = new Crew({ tasks: [answer], memory });
  const run = crew.start({ inputs: { question: "Who founded Rome?" } });
  await run.output();
  expect((await memory.listRecords()).items).toEqual([]);
  const warnings: string[] = [];
  for await (const event of run.events())
    if (event.type === "agent_warning") warnings.push(event.message);
  expect(warnings).toEqual(["offline/demo has no answer to this"]);
  await crew.kickoff({ inputs: { question: "When do you open?" } });
  expect((await memory.listRecords()).items).toHaveLength(1);
});
