import { describe, expectTypeOf, test } from "vitest";
import * as z from "zod";
import {
  Agent,
  ConditionalTask,
  Crew,
  Task,
  type CrewOutput,
  type Guardrail,
  type TaskOutput,
} from "../../src/index.ts";

const agent = new Agent({ role: "r", goal: "g", backstory: "b" });
const plain = new Task({ description: "d", expectedOutput: "e", agent });
const typed = new Task({
  description: "d",
  expectedOutput: "e",
  agent,
  output: z.object({ title: z.string(), at: z.iso.date().transform((text) => new Date(text)) }),
});

type Page = { title: string; at: Date };

/** What `kickoff` of a crew resolves to. For types only: nothing here is run. */
declare function outputOf<Output>(crew: { kickoff(): Promise<Output> }): Output;

describe("a task", () => {
  test("responseModel types the object as output does", () => {
    const task = new Task({
      description: "d",
      expectedOutput: "e",
      agent,
      responseModel: z.object({ title: z.string() }),
    });
    const crew = new Crew({ tasks: [task] });
    expectTypeOf(outputOf(crew)).toEqualTypeOf<CrewOutput<{ title: string }>>();
  });

  test("guardrails return pairs or objects, and nothing else", () => {
    const base = { description: "d", expectedOutput: "e", agent } as const;
    const guardrails: readonly Guardrail<TaskOutput>[] = [
      ({ raw }) => [raw !== "", raw],
      async ({ raw }) => (raw ? { ok: true } : { ok: false, error: "empty" }),
      "be kind",
    ];
    expectTypeOf(new Task({ ...base, guardrails })).toEqualTypeOf<Task>();
    // @ts-expect-error a verdict is not a plain boolean
    expectTypeOf(new Task({ ...base, guardrail: ({ raw }) => raw !== "" })).toEqualTypeOf<Task>();
  });
});

describe("kickoff()", () => {
  test("the object is that of the last task's schema", () => {
    const crew = new Crew({ tasks: [plain, typed] });
    expectTypeOf(outputOf(crew)).toEqualTypeOf<CrewOutput<Page>>();
    expectTypeOf(outputOf(crew).object).toEqualTypeOf<Page | undefined>();
  });

  test("a conditional task at the end has its schema's type too", () => {
    const last = new ConditionalTask({
      description: "d",
      expectedOutput: "e",
      agent,
      output: z.object({ count: z.number() }),
      condition: ({ raw, object }) => {
        expectTypeOf(raw).toBeString();
        expectTypeOf(object).toBeUnknown();
        return raw !== "";
      },
    });
    expectTypeOf(outputOf(new Crew({ tasks: [plain, last] }))).toEqualTypeOf<
      CrewOutput<{ count: number }>
    >();
  });

  test("only the last task counts", () => {
    expectTypeOf(outputOf(new Crew({ tasks: [typed, plain] }))).toEqualTypeOf<CrewOutput>();
  });

  test("a JSON Schema says nothing to the compiler", () => {
    const task = new Task({
      description: "d",
      expectedOutput: "e",
      agent,
      output: { type: "object" },
    });
    expectTypeOf(outputOf(new Crew({ tasks: [task] }))).toEqualTypeOf<CrewOutput>();
  });

  test("readonly and ordinary lists are taken alike", () => {
    const readonlyTasks = [plain, typed] as const;
    const ordinary: Task[] = [plain];
    expectTypeOf(outputOf(new Crew({ tasks: readonlyTasks }))).toEqualTypeOf<CrewOutput<Page>>();
    expectTypeOf(outputOf(new Crew({ tasks: ordinary }))).toEqualTypeOf<CrewOutput>();
    expectTypeOf(new Crew({ tasks: readonlyTasks, agents: [agent] as const }).tasks).toEqualTypeOf<
      typeof readonlyTasks
    >();
  });

  test("any crew fits where a crew is asked for", () => {
    const crews: Record<string, Crew> = {
      typed: new Crew({ tasks: [typed] }),
      plain: new Crew({ tasks: [plain] }),
    };
    expectTypeOf(crews).toEqualTypeOf<Record<string, Crew>>();
  });

  test("tasks of any output fit into a context, and into a list of tasks", () => {
    const after = new Task({
      description: "d",
      expectedOutput: "e",
      agent,
      context: [typed, plain],
    });
    expectTypeOf(after.context).toEqualTypeOf<readonly Task[] | undefined>();
  });

  test("inputs are JSON", () => {
    const crew = new Crew({ tasks: [plain] });
    // @ts-expect-error -- a Date is not JSON
    expectTypeOf(crew.kickoff({ inputs: { when: new Date() } })).toBeObject();
    // @ts-expect-error -- a placeholder's value has a name
    expectTypeOf(crew.kickoff({ inputs: ["a"] })).toBeObject();
  });
});

describe("agent.kickoff()", () => {
  test("object is what the schema's parser gives", () => {
    const asked = agent.kickoff("q", { responseFormat: z.object({ at: z.coerce.date() }) });
    expectTypeOf(asked).resolves.toHaveProperty("object").toEqualTypeOf<{ at: Date } | undefined>();
    const plainly = agent.kickoff([{ role: "user", content: "q" }]);
    expectTypeOf(plainly).resolves.toHaveProperty("object").toEqualTypeOf<unknown>();
    // @ts-expect-error tools say nothing by themselves
    void agent.kickoff([{ role: "tool", content: "q" }]);
  });
});
