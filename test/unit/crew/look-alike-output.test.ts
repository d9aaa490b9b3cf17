import { expect, it } from "vitest";
import * as z from "zod";
import { Agent, Crew, Task } from "../../../src/index.ts";
import { defineFlow } from "../../../src/flow/index.ts";
import { scriptedModel } from "../../../src/testing/index.ts";

/** A crew whose model answers with this object. */
function crewThatAnswers(answer: object): Crew {
  const agent = new Agent({
    role: "Writer",
    goal: "write",
    backstory: "writes",
    llm: scriptedModel(() => JSON.stringify({ answer })),
  });
  const output = z.object({ answer: z.record(z.string(), z.unknown()) });
  const task = new Task({ name: "t", description: "Do it", expectedOutput: "JSON", agent, output });
  return new Crew({ name: "writers", agents: [agent], tasks: [task] });
}

it.each([
  { "edgecrew:value": "map", of: "x" },
  { "edgecrew:value": "date", of: "2026-03-01T00:00:00.000Z" },
])(
  "RV4: a model's answer in the form of a recorded kind is the crew's output: %j",
  async (answer) => {
    const run = crewThatAnswers(answer).start();
    expect((await run.output()).object).toEqual({ answer });
    expect(await run.status()).toMatchObject({
      status: "completed",
      output: { object: { answer } },
    });
  },
);

it("RV4: such an answer goes through the methods of a flow", async () => {
  const answer = { "edgecrew:value": "bigint", of: "1" };
  const flow = defineFlow({
    name: "flow",
    methods: {
      ask: { start: true, run: async () => (await crewThatAnswers(answer).kickoff()).object },
      end: { listen: "ask", run: ({ value }) => value },
    },
  });
  expect((await flow.kickoff()).value).toEqual({ answer });
});
