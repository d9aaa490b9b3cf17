// The description of what runs take and give, against real runs of every kind.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../src/agent/description/agent.ts";
import type { Issue } from "../../../src/base/error.ts";
import { validateJsonSchema } from "../../../src/base/json-schema.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import { openApiDocument } from "../../../src/http/openapi/openapi.ts";
import type { Part } from "../../../src/parts/part.ts";
import { boardPart } from "../../support/board-part.ts";
import { greeting, HttpWorld, review, textOf } from "../../support/http-app.ts";
import { RecallWorld } from "../../support/recall-world.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { talkOf } from "../../support/talks.ts";

const LESSON = { suggestions: ["Wave"], quality: 8, finalSummary: "better" };

const clerk = new Agent({ role: "Clerk", goal: "Count", backstory: "You are exact." });
const counting = new Crew({
  name: "counting",
  tasks: [
    new Task({
      name: "count",
      description: "Count",
      expectedOutput: "A number",
      agent: clerk,
      output: z.object({ count: z.number() }),
    }),
  ],
});
/** More asynchronous tasks than one run does itself. */
const wide = new Crew({
  name: "wide",
  tasks: [
    ...Array.from(
      { length: 12 },
      (_, index) =>
        new Task({
          name: `part-${index}`,
          description: `Write part ${index}`,
          expectedOutput: "A part",
          agent: clerk,
          asyncExecution: true,
        }),
    ),
    new Task({ name: "end", description: "Finish", expectedOutput: "The end", agent: clerk }),
  ],
});

const world = new RecallWorld({
  auth: { mode: "open" },
  script: ({ messages }) => {
    const asked = messages.map(({ content }) => JSON.stringify(content)).join("\n");
    if (asked.includes("You look at how somebody learned")) return JSON.stringify(LESSON);
    if (asked.includes("You score the results")) return '{"quality":7}';
    if (asked.includes("You describe what software does")) return '{"crew":"Greets","inputs":{}}';
    return asked.includes("Count") ? '{"count":3}' : "An answer";
  },
  crews: { greeting, counting, wide },
  agents: { clerk },
  flows: { review, talk: talkOf({ llm: scriptedModel(() => "hello") }) },
});
const document = openApiDocument(world.api);
const { schemas } = document.components;

async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) {
    await world.clock.settle();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What is wrong with a value of a run, held against the one component that its kind has for it. */
function faults(component: string, value: unknown): readonly Issue[] {
  expect(schemas).toHaveProperty(component);
  const schema = { $ref: `#/components/schemas/${component}`, components: document.components };
  return validateJsonSchema(schema, value);
}

/** What is wrong with a completed run: with its inputs, its output, and as a whole. */
async function faultsOfRun(id: string, component: string): Promise<unknown> {
  const { json: run } = await world.ask(`/runs/${id}`);
  expect([run["status"], run["error"]]).toEqual(["completed", undefined]);
  return [
    ...faults(`${component}Input`, run["inputs"]),
    ...faults(`${component}Output`, run["output"]),
    ...faults("Run", run),
  ];
}

describe("the description fits outputs of", () => {
  const messages = [{ role: "user", content: "Hello" }];
  it.each([
    { what: "a crew", component: "CrewRun", path: "/crews/greeting/kickoff", json: {} },
    {
      what: "a crew with an object",
      component: "CrewRun",
      path: "/crews/counting/kickoff",
      json: {},
    },
    {
      what: "a test of a crew",
      component: "CrewRun",
      path: "/crews/greeting/test",
      json: { iterations: 2 },
    },
    {
      what: "a chat with a crew",
      component: "CrewRun",
      path: "/crews/greeting/chat",
      json: { messages },
    },
    {
      what: "a batch",
      component: "BatchRun",
      path: "/crews/counting/kickoff-for-each",
      json: { inputs: [{}, { a: 1 }] },
    },
    {
      what: "an agent",
      component: "AgentRun",
      path: "/agents/clerk/kickoff",
      json: { messages: "How many?" },
    },
    {
      what: "a turn of a conversation",
      component: "FlowRun",
      path: "/flows/talk/turns",
      json: { message: "hi" },
    },
    { what: "a reindex of memory", component: "MemoryRun", path: "/memory/reindex", json: {} },
    {
      what: "documents that are indexed",
      component: "KnowledgeRun",
      path: "/knowledge/manuals/sources",
      json: { name: "a.md", text: "# Tea\n\nHot." },
    },
  ])("$what", async ({ component, path, json }) => {
    const { json: started } = await world.ask(path, { json });
    await settled();
    expect(await faultsOfRun(textOf(started["id"]), component)).toEqual([]);
  });

  it("a save of many memories", async () => {
    const json = ["tea", "ink"].map((content) => ({ content, scope: "/a", importance: 0.5 }));
    const { json: started } = await world.ask("/memory", { json });
    await settled();
    expect(await faultsOfRun(textOf(started["id"]), "MemoryRun")).toEqual([]);
  });

  it("a training", async () => {
    await world.ask("/crews/greeting/train", { json: { iterations: 1, id: "training" } });
    await settled();
    await world.ask("/runs/training/resume", { json: { feedback: "Warmer" } });
    await settled();
    expect(await faultsOfRun("training", "CrewRun")).toEqual([]);
  });

  it("a flow", async () => {
    await world.ask("/flows/review/kickoff", { json: { id: "flow", inputs: { topic: "tea" } } });
    await settled();
    await world.ask("/runs/flow/resume", { json: { feedback: "approved" } });
    await settled();
    expect(await faultsOfRun("flow", "FlowRun")).toEqual([]);
  });

  it("tasks in child runs", async () => {
    await world.ask("/crews/wide/kickoff", { json: { id: "wide" } });
    await settled();
    expect(await faultsOfRun("wide", "CrewRun")).toEqual([]);
    const { json } = await world.ask("/runs?parent=wide&kind=task");
    expect(await faultsOfRun(textOf(json["items"]?.[0]?.["id"]), "TaskRun")).toEqual([]);
  });
});

describe("the description refuses", () => {
  it.each([
    ["a crew's output without its tasks", "CrewRunOutput", { raw: "a" }],
    ["a flow's output without its state", "FlowRunOutput", { value: 1 }],
    ["a batch without its usage", "BatchRunOutput", { items: [] }],
  ])("%s", (_, component, value) => {
    expect(faults(component, value)).not.toEqual([]);
  });
});

describe("a run's output", () => {
  const outputOf = (parts: readonly Part[]): unknown => {
    const { components } = openApiDocument(new HttpWorld({ parts }).api);
    const run = components.schemas["Run"] as { readonly properties: JsonObject } | undefined;
    return run?.properties["output"];
  };

  it("is one of the outputs of the app's kinds", () => {
    expect(outputOf([])).toEqual({
      description:
        "By the run's kind: CrewRunOutput, BatchRunOutput, TaskRunOutput, AgentRunOutput, FlowRunOutput",
      anyOf: ["Crew", "Batch", "Task", "Agent", "Flow"].map((kind) => ({
        $ref: `#/components/schemas/${kind}RunOutput`,
      })),
    });
  });

  it("may be anything when a part does not declare its output", () => {
    expect(outputOf([boardPart()])).toEqual({
      description: expect.stringContaining("CrewRunOutput") as string,
    });
  });

  it("has the name of its kind in words", () => {
    const silent = { tasks: [], run: async () => null };
    const kind = {
      schemas: () => ({ input: z.strictObject({}), output: z.null() }),
      program: () => silent,
    };
    expect(outputOf([{ name: "prices", kinds: { "price-check": kind } }])).toMatchObject({
      description: expect.stringContaining("PriceCheckRunOutput") as string,
    });
  });
});
