import { describe, expectTypeOf, test } from "vitest";
import * as z from "zod";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import { Agent, Crew, Task, type RunHandle } from "../../src/index.ts";
import { defineFlow } from "../../src/flow/index.ts";
import {
  operation,
  shape,
  shapeOf,
  type Operation,
  type Part,
  type RunProgram,
  type ViewOf,
} from "../../src/entry/parts.ts";
import { LocalRun } from "../../src/runtime/handle/local-run.ts";
import type { Board } from "../support/board-part.ts";

const shared = {
  id: "pin",
  method: "post",
  path: "/boards/{name}",
  group: "Boards",
  scope: "run",
  summary: "Pin a note",
  answers: { 204: { description: "Pinned" } },
  problems: [],
} as const;

describe("operation()", () => {
  test("handle gets the query and the body as their schemas let them through", () => {
    operation({
      ...shared,
      query: z.object({ limit: z.coerce.number().default(5), after: z.string().optional() }),
      body: {
        name: "Note",
        required: true,
        schema: z.object({ text: z.string(), at: z.string().transform((text) => new Date(text)) }),
      },
      handle: ({ query, body, params, tenant }) => {
        expectTypeOf(query).toEqualTypeOf<{ limit: number; after?: string | undefined }>();
        expectTypeOf(body).toEqualTypeOf<{ text: string; at: Date }>();
        expectTypeOf(params).toEqualTypeOf<Readonly<Record<string, string>>>();
        expectTypeOf(tenant).toBeString();
        // @ts-expect-error -- the schema has no such field
        void body.title;
        return { status: 204 };
      },
    });
  });

  test("a status that no operation answers with is refused", () => {
    // @ts-expect-error -- 418 is none of them
    const teapot = operation({ ...shared, handle: () => ({ status: 418 }) });
    expectTypeOf(teapot).toEqualTypeOf<Operation>();
  });

  test("one with a body, or without, is an operation of any part", () => {
    const bare = operation({ ...shared, handle: () => ({ status: 204 }) });
    const part: Part = { name: "boards", bind: () => ({ operations: [bare] }) };
    expectTypeOf(part).toEqualTypeOf<Part>();
  });
});

describe("the answers of an operation", () => {
  const noteShape = shape("Note", () =>
    z.strictObject({
      text: z.string(),
      color: z.enum(["red", "green"]).optional(),
      tags: z.array(z.string()),
    }),
  );
  const one = { ...shared, answers: { 200: { description: "The note", shape: noteShape } } };
  const page = { ...shared, answers: { 200: { description: "Notes", list: noteShape } } };
  const note = { text: "Hi", tags: ["a"] };

  test("are typed by their shapes", () => {
    expectTypeOf<ViewOf<typeof noteShape>>().toEqualTypeOf<{
      readonly text: string;
      readonly color?: "red" | "green" | undefined;
      readonly tags: readonly string[];
    }>();
    operation({ ...one, handle: () => ({ status: 200, json: note }) });
    operation({
      ...one,
      handle: async ({ tenant }) => ({
        status: 200,
        json: { text: tenant, color: "red", tags: [] },
      }),
    });
    operation({ ...page, handle: async () => ({ status: 200, json: { items: [note] } }) });
  });

  test("have no other status, and no wrong, missing or further fields", () => {
    // @ts-expect-error -- 201 is not documented
    operation({ ...one, handle: () => ({ status: 201, json: note }) });
    // @ts-expect-error -- the text is no number
    operation({ ...one, handle: () => ({ status: 200, json: { ...note, text: 1 } }) });
    // @ts-expect-error -- blue is no color
    operation({ ...one, handle: () => ({ status: 200, json: { ...note, color: "blue" } }) });
    // @ts-expect-error -- the tags are missing
    operation({ ...one, handle: async () => ({ status: 200, json: { text: "Hi" } }) });
    // @ts-expect-error -- the shape has no owner
    operation({ ...one, handle: () => ({ status: 200, json: { ...note, owner: "Ann" } }) });
    const owned = [{ ...note, owner: "Ann" }];
    // @ts-expect-error -- the items have no owner
    operation({ ...page, handle: async () => ({ status: 200, json: { items: owned } }) });
    // @ts-expect-error -- a note is no page
    operation({ ...page, handle: () => ({ status: 200, json: note }) });
    // @ts-expect-error -- the body is missing
    operation({ ...one, handle: () => ({ status: 200 }) });
    // @ts-expect-error -- 204 has no body
    operation({ ...shared, handle: () => ({ status: 204, json: note }) });
    // @ts-expect-error -- an answer of JSON alone is no response of its own
    operation({ ...one, handle: () => Response.json(note) });
    expectTypeOf(operation({ ...one, handle: () => ({ status: 200, json: note }) })).toBeObject();
  });

  test("may be those of a type that has the same fields as the schema", () => {
    type Pin = { readonly id: string; readonly at?: string };
    const schema = () => z.strictObject({ id: z.string(), at: z.string().optional() });
    expectTypeOf<ViewOf<ReturnType<typeof pinShape>>>().toEqualTypeOf<Pin>();
    const pinShape = () => shapeOf<Pin>()("Pin", schema);
    // @ts-expect-error -- the type has no note
    shapeOf<Pin>()("Pin", () => schema().extend({ note: z.string() }));
    // @ts-expect-error -- the schema has no time
    shapeOf<Pin>()("Pin", () => z.strictObject({ id: z.string() }));
    // @ts-expect-error -- the type has always an id
    shapeOf<Pin>()("Pin", () => schema().partial());
    // @ts-expect-error -- the id is no number
    shapeOf<Pin>()("Pin", () => schema().extend({ id: z.number() }));
  });
});

describe("a part's services", () => {
  test("are typed by their keys", () => {
    const board = {} as Board;
    const part: Part = {
      name: "boards",
      services: {
        board: ({ tenant, services }) => {
          expectTypeOf(tenant).toBeString();
          expectTypeOf(services.board).toEqualTypeOf<Board | undefined>();
          return board;
        },
      },
    };
    expectTypeOf(part.services?.board).returns.toEqualTypeOf<Board | undefined>();
  });

  test("of another type, or under a key that nobody declared, are refused", () => {
    // @ts-expect-error -- a board is no text
    const wrong: Part = { name: "boards", services: { board: () => "notes" } };
    // @ts-expect-error -- RunServices has no such key
    const unknown: Part = { name: "boards", services: { pinboard: () => ({}) } };
    expectTypeOf([wrong, unknown]).toEqualTypeOf<Part[]>();
  });
});

describe("a program", () => {
  type Pinned = { readonly count: number; readonly by?: string };
  const program: RunProgram<Pinned> = {
    tasks: [],
    run: async (scope, inputs) => {
      expectTypeOf(inputs).toEqualTypeOf<JsonObject>();
      expectTypeOf(scope.services.board).toEqualTypeOf<Board | undefined>();
      return { count: 1 };
    },
  };
  const start = { kind: "board", name: "lobby", inputs: {} };

  test("types the output of its run", () => {
    const output = async () => new LocalRun(start, program).output();
    expectTypeOf(output).returns.resolves.toEqualTypeOf<Pinned>();
    const unattended = async () => new LocalRun(start, program).outputUnattended();
    expectTypeOf(unattended).returns.resolves.toEqualTypeOf<Pinned>();
    expectTypeOf<LocalRun<Pinned>>().toExtend<RunHandle<Pinned>>();
    expectTypeOf<RunHandle<Pinned>>().toExtend<RunHandle>();
  });

  test("of any output is that of a kind of runs", () => {
    const part: Part = { name: "boards", kinds: { board: { program: () => program } } };
    expectTypeOf(part).toEqualTypeOf<Part>();
    expectTypeOf<RunHandle["output"]>().returns.resolves.toEqualTypeOf<JsonValue>();
  });

  test("cannot give what JSON does not hold", () => {
    // @ts-expect-error -- JSON has no dates
    expectTypeOf<RunProgram<{ readonly at: Date }>>().not.toBeAny();
    // @ts-expect-error -- JSON has no undefined
    expectTypeOf<RunProgram<{ readonly by: string | undefined }>>().not.toBeAny();
    // @ts-expect-error -- the count is missing
    const wrong: RunProgram<Pinned> = { tasks: [], run: async () => ({ by: "Ann" }) };
    expectTypeOf(wrong).toEqualTypeOf<RunProgram<Pinned>>();
  });
});

describe("the output of a handle", () => {
  const agent = new Agent({ role: "r", goal: "g", backstory: "b" });
  const task = new Task({ description: "d", expectedOutput: "e", agent });
  const crew = new Crew({ tasks: [task] });
  const flow = defineFlow({
    name: "f",
    state: z.object({ topic: z.string() }),
    methods: { a: { start: true, run: () => "x" } },
  });

  test("is what the journal keeps of the crew's, the agent's or the flow's", () => {
    const ofCrew = () => crew.start().output();
    expectTypeOf(ofCrew).returns.resolves.toHaveProperty("raw").toBeString();
    expectTypeOf(ofCrew)
      .returns.resolves.toHaveProperty("object")
      .toEqualTypeOf<JsonValue | undefined>();
    const ofAgent = () => agent.start("Hi").output();
    expectTypeOf(ofAgent).returns.resolves.toHaveProperty("agentRole").toBeString();
    const ofFlow = () => flow.start().output();
    expectTypeOf(ofFlow).returns.resolves.toHaveProperty("value").toEqualTypeOf<JsonValue>();
    expectTypeOf(ofFlow).returns.resolves.toHaveProperty("state").toEqualTypeOf<JsonObject>();
  });

  test("is that of the entry for trainings, tests and chats", () => {
    const training = () => crew.startTraining({ iterations: 1 }).output();
    expectTypeOf(training).returns.resolves.toHaveProperty("agents").toBeObject();
    const report = () => crew.startTest({ iterations: 1 }).output();
    expectTypeOf(report).returns.resolves.toHaveProperty("evalModel").toBeString();
    const reply = () => crew.startChat([{ role: "user", content: "Hi" }]).output();
    expectTypeOf(reply).returns.resolves.toHaveProperty("message").toBeObject();
  });

  test("of a stream is what the kickoff gives", () => {
    expectTypeOf(() => crew.stream().result).returns.toEqualTypeOf<
      Awaited<ReturnType<typeof crew.kickoff>>
    >();
    expectTypeOf(() => flow.stream().result).returns.toEqualTypeOf<
      Awaited<ReturnType<typeof flow.kickoff>>
    >();
  });
});
