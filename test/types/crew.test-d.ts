import { describe, expectTypeOf, test } from "vitest";
import * as z from "zod";
import type { ModelCatalog } from "../../src/entry/models.ts";
import {
  Agent,
  ConditionalTask,
  Crew,
  Task,
  type Guardrail,
  type RunHandle,
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
    expectTypeOf(outputOf(crew).object).toEqualTypeOf<{ title: string } | undefined>();
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

describe("a task with a schema", () => {
  const output = z.object({ title: z.string() });
  const base = { description: "d", expectedOutput: "e", agent };

  test("types the object that its guardrails and its callback get", () => {
    const task = new Task({
      ...base,
      output,
      guardrail: ({ object }) => {
        expectTypeOf(object).toEqualTypeOf<{ title: string } | undefined>();
        return [object?.title !== "", object];
      },
      guardrails: [({ object }) => ({ ok: true, value: object?.title })],
      callback: ({ object }) => {
        expectTypeOf(object).toEqualTypeOf<{ title: string } | undefined>();
      },
    });
    expectTypeOf(task.output).toEqualTypeOf<typeof output | undefined>();
  });

  test("types its output among those of the tasks", () => {
    const crew = new Crew({ tasks: [new Task({ ...base, output }), plain] });
    const [first, second] = outputOf(crew).tasks;
    expectTypeOf(first.object).toEqualTypeOf<{ title: string } | undefined>();
    expectTypeOf(second.object).toBeUnknown();
  });
});

describe("start()", () => {
  test("has the JSON of the last task's schema as the object of its output", () => {
    type Output<Handle> = Handle extends { output(): Promise<infer Ended> } ? Ended : never;
    const crew = new Crew({ tasks: [plain, typed] });
    type Ended = Output<ReturnType<(typeof crew)["start"]>>;
    expectTypeOf<Ended["object"]>().toEqualTypeOf<{ title: string; at: string } | undefined>();
    const handle = (): RunHandle => crew.start();
    expectTypeOf(handle).returns.toEqualTypeOf<RunHandle>();
  });
});

describe("kickoff()", () => {
  test("takes a catalog of models, and no option of start()", () => {
    const crew = new Crew({ tasks: [plain] });
    const swapped = (models: ModelCatalog): unknown => crew.kickoff({ models });
    expectTypeOf(swapped).returns.toBeUnknown();
    // @ts-expect-error -- the id is an option of start()
    const misplaced = (): unknown => crew.kickoff({ id: "mine" });
    expectTypeOf(misplaced).returns.toBeUnknown();
  });

  test("the object is that of the last task's schema", () => {
    const crew = new Crew({ tasks: [plain, typed] });
    expectTypeOf(outputOf(crew).object).toEqualTypeOf<Page | undefined>();
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
    expectTypeOf(outputOf(new Crew({ tasks: [plain, last] })).object).toEqualTypeOf<
      { count: number } | undefined
    >();
  });

  test("only the last task counts", () => {
    expectTypeOf(outputOf(new Crew({ tasks: [typed, plain] })).object).toBeUnknown();
  });

  test("a JSON Schema says nothing to the compiler", () => {
    const task = new Task({
      description: "d",
      expectedOutput: "e",
      agent,
      output: { type: "object" },
    });
    expectTypeOf(outputOf(new Crew({ tasks: [task] })).object).toBeUnknown();
  });

  test("readonly and ordinary lists are taken alike", () => {
    const readonlyTasks = [plain, typed] as const;
    const ordinary: Task[] = [plain];
    expectTypeOf(outputOf(new Crew({ tasks: readonlyTasks })).object).toEqualTypeOf<
      Page | undefined
    >();
    expectTypeOf(outputOf(new Crew({ tasks: ordinary })).object).toBeUnknown();
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
