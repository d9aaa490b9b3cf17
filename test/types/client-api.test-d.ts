import { describe, expectTypeOf, test } from "vitest";
import * as z from "zod";
import { Agent, Crew, Task } from "../../src/index.ts";
import { defineFlow } from "../../src/flow/index.ts";
import type { createClient, RunEvent } from "../../src/client/index.ts";
import type { AppApi } from "../../src/flow/app-api.ts";
import type { JsonValue } from "../../src/base/json.ts";

const agent = new Agent({ role: "r", goal: "g", backstory: "b" });
const base = { description: "d", expectedOutput: "e", agent } as const;
const page = new Task({ ...base, output: z.object({ title: z.string(), words: z.number() }) });
const plain = new Crew({ tasks: [new Task(base)] });
const typed = new Crew({ tasks: [new Task(base), page] });
const checked = new Crew({
  tasks: [new Task(base)],
  inputSchema: z.object({
    topic: z.string(),
    words: z.number().default(100),
    tone: z.enum(["plain", "warm"]).optional(),
  }),
});
const described = new Crew({ tasks: [new Task(base)], inputSchema: { type: "object" } });
const triage = defineFlow({
  name: "triage",
  state: z.object({ ticket: z.string(), tries: z.number().default(0) }),
  methods: { begin: { start: true, run: () => "done" } },
});

/** What `ApiOf` reads from `defineApp`, without the types of Workers. */
type Code = AppApi<
  {
    plain: typeof plain;
    typed: typeof typed;
    checked: typeof checked;
    described: typeof described;
    versions: { current: typeof checked; previous: typeof plain };
  },
  { triage: typeof triage },
  { helper: typeof agent },
  {}
>;

/** As `edgecrew types` writes it. */
type Written = {
  crews: {
    briefing: {
      inputs: { topic: JsonValue; [name: string]: JsonValue };
      output: { title: string };
    };
  };
  flows: {};
  agents: {};
  conversations: {};
};

declare const code: ReturnType<typeof createClient<Code>>;
declare const written: ReturnType<typeof createClient<Written>>;

describe("a client of an app (CC1)", () => {
  test("knows what its crews give", async () => {
    const run = await code.crews.kickoff("typed", { inputs: { any: 1 } });
    const output = await run.output();
    expectTypeOf(output.object.title).toEqualTypeOf<string>();
    expectTypeOf(output.object.words).toEqualTypeOf<number>();
    expectTypeOf(output.raw).toEqualTypeOf<string>();
    const other = await (await code.crews.kickoff("plain")).output();
    expectTypeOf(other.raw).toEqualTypeOf<string>();
  });

  test("knows what its crews take", () => {
    void code.crews.kickoff("checked", { inputs: { topic: "tea", tone: "warm" } });
    // The texts of a crew may need more than its schema names.
    void code.crews.kickoff("checked", { inputs: { topic: "tea", reader: "Maya" } });
    // @ts-expect-error the topic is missing
    void code.crews.kickoff("checked", { inputs: { words: 10 } });
    // @ts-expect-error the inputs are missing
    void code.crews.kickoff("checked");
    // @ts-expect-error words are a number
    void code.crews.kickoff("checked", { inputs: { topic: "tea", words: "many" } });
    // @ts-expect-error no such tone
    void code.crews.kickoff("checked", { inputs: { topic: "tea", tone: "loud" } });
    void code.crews.kickoff("described");
    void code.crews.kickoff("described", { inputs: { anything: [1] } });
    expectTypeOf(checked).toExtend<Crew>();
    expectTypeOf(checked.copy()).toEqualTypeOf(checked);
  });

  test("knows the state of its flows", async () => {
    const run = await code.flows.kickoff("triage", { inputs: { ticket: "late" } });
    expectTypeOf((await run.output()).state.tries).toEqualTypeOf<number>();
    // @ts-expect-error a ticket is a text
    void code.flows.kickoff("triage", { inputs: { ticket: 3 } });
  });

  test("knows which inputs are needed, from the written file", async () => {
    expectTypeOf(
      written.crews.kickoff("briefing", { inputs: { topic: "edge" } }),
    ).resolves.toHaveProperty("id");
    // @ts-expect-error the topic is missing
    void written.crews.kickoff("briefing", { inputs: {} });
    // @ts-expect-error the inputs are missing
    void written.crews.kickoff("briefing");
  });

  test("starts stored definitions too, of which nothing is known", async () => {
    const run = await written.crews.kickoff("stored-one", { inputs: { any: [1] } });
    expectTypeOf(await run.output()).toEqualTypeOf<JsonValue>();
  });

  test("narrows events by the types that are asked for", async () => {
    const run = code.runs.handle("run-1");
    for await (const event of run.events({ types: ["task_*", "run_failed"] })) {
      expectTypeOf(event.type).toEqualTypeOf<
        "task_started" | "task_completed" | "task_failed" | "task_evaluation" | "run_failed"
      >();
      if (event.type === "task_started") expectTypeOf(event.taskName).toBeString();
    }
    for await (const event of run.events())
      if ("seq" in event) expectTypeOf(event).toExtend<RunEvent>();
  });
});
