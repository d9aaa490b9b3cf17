import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../src/agent/description/agent.ts";
import { choicesOf, fieldOf, questionOf, typedText } from "../../../src/cli/input-fields.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import { Terminal } from "../../support/cli-world.ts";

const SCREEN = { columns: 80, rows: 24 };
const agent = new Agent({ role: "Clerk", goal: "Answer", backstory: "Plain." });
const study = new Crew({
  name: "study",
  tasks: [new Task({ description: "Study {topic}", expectedOutput: "A page", agent })],
  inputSchema: z.object({
    topic: z.string().min(2).describe("What to study"),
    n: z.int().min(1).max(9),
    tone: z.enum(["dry", "warm"]),
    isLong: z.boolean(),
    share: z.number().default(0.5),
    parts: z.array(z.string()).meta({ title: "Parts" }),
  }),
});
const flow = defineFlow({
  name: "sort",
  state: z.object({ mail: z.string(), count: z.int().default(1) }),
  methods: { begin: { start: true, run: () => "done" } },
});
const terminal = (more = {}) => new Terminal({ crews: { study }, flows: { sort: flow }, ...more });
const ALL = "--input topic=tea --input n=5 --input tone=dry --input isLong=false --input parts:=[]";

describe("inputs with a schema", () => {
  it("IFD1: k=v has the schema's type, and defaults are filled in (CL10)", async () => {
    const world = terminal();
    const { code, err } = await world.run(`run study --id r1 ${ALL} --input other=5`);
    expect([code, err]).toEqual([0, expect.stringContaining("no text uses the input other")]);
    expect((await world.http.ask("/runs/r1")).json["inputs"]).toEqual({
      topic: "tea",
      n: 5,
      tone: "dry",
      isLong: false,
      parts: [],
      share: 0.5,
      other: "5",
    });
  });

  it("STI1: without a terminal, all missing inputs are named at once (CL10)", async () => {
    const world = terminal();
    const { code, err } = await world.run("run study --input tone=dry");
    expect(code).toBe(2);
    expect(err).toContain("study needs topic, n, isLong, parts");
    expect(err).toContain(
      "edgecrew run study --input topic=… --input n=… --input isLong=… --input parts:=…",
    );
    expect((await world.http.ask("/runs")).json["items"]).toEqual([]);
  });

  it("STI1: a person is asked for each, until the answer fits (CL10)", async () => {
    const world = terminal({
      terminal: SCREEN,
      answers: ["t", "tea", "ten", "10", "5", "warm", "false", "a, b", '["a"]'],
    });
    const { code, asked } = await world.run("run study --id r1");
    expect([code, asked]).toEqual([
      0,
      [
        "What to study (topic, string)",
        expect.stringMatching(/^! expected at least 2 characters/),
        "What to study (topic, string)",
        "n (integer)",
        '! expected integer, got "ten"',
        "n (integer)",
        "! expected at most 9, got 10",
        "n (integer)",
        "tone",
        "isLong",
        "Parts (parts, array)",
        '! expected array, got "a, b"',
        "Parts (parts, array)",
      ],
    ]);
    expect((await world.http.ask("/runs/r1")).json["inputs"]).toEqual({
      topic: "tea",
      n: 5,
      tone: "warm",
      isLong: false,
      parts: ["a"],
      share: 0.5,
    });
  });

  it.each([
    ["n=10", "n: expected at most 9, got 10"],
    ["n=0", "n: expected at least 1, got 0"],
    ["n=5.5", "n: expected integer, got 5.5"],
    ["n=five", 'n: expected integer, got "five"'],
    ["tone=loud", 'tone: expected one of "dry", "warm", got "loud"'],
    ["isLong=yes", 'isLong: expected boolean, got "yes"'],
    ["topic=t", 'topic: expected at least 2 characters, got "t"'],
    ["topic:=5", "topic: expected string, got 5"],
  ])("STI2: %s is wrong use, and starts no run (CL10)", async (input, message) => {
    const world = terminal();
    const others = ALL.split(" ").filter((word, index, words) => {
      const pair = index % 2 === 0 ? words[index + 1] : word;
      return !pair?.startsWith(input.split(/:?=/)[0] ?? "");
    });
    const { code, err } = await world.run(`run study ${others.join(" ")} --input ${input}`);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect((await world.http.ask("/runs")).json["items"]).toEqual([]);
  });

  it.each(["test", "train"])("STI1: of `edgecrew %s` are the same (CL10)", async (verb) => {
    const { code, err } = await terminal().run(`${verb} study --input n=10`);
    expect([code, err]).toEqual([2, expect.stringContaining("expected at most 9")]);
    expect((await terminal().run(`${verb} study --input n=1`)).err).toContain(
      `edgecrew ${verb} study --input topic=…`,
    );
  });

  it("STI1: of a flow are those of its state (CL10)", async () => {
    const world = terminal();
    const without = await world.run("run sort --kind flow");
    expect([without.code, without.err]).toEqual([2, expect.stringContaining("sort needs mail")]);
    expect((await world.run("run sort --id f1 --input mail=x --input count=2")).code).toBe(0);
    expect((await world.http.ask("/runs/f1")).json["inputs"]).toMatchObject({
      mail: "x",
      count: 2,
    });
  });
});

describe("a field", () => {
  it.each([
    [{ type: "integer" }, "5", 5],
    [{ type: "integer" }, "05", "05"],
    [{ type: "integer" }, "12345678901234567890", "12345678901234567890"],
    [{ type: "number" }, "-1.5e3", -1500],
    [{ type: "number" }, "Infinity", "Infinity"],
    [{ type: "number" }, "", ""],
    [{ type: "boolean" }, "true", true],
    [{ type: "boolean" }, "1", "1"],
    [{ type: "string" }, "5", "5"],
    [{ type: ["string", "number"] }, "5", "5"],
    [{ anyOf: [{ type: "number" }, { type: "null" }] }, "5", 5],
    [{ anyOf: [{ type: "number" }, { type: "string" }] }, "5", "5"],
    [{ anyOf: [{ type: "number" }, {}] }, "5", "5"],
    [{}, "5", "5"],
  ])("IFD1: %j takes %j as %j (CL10)", (field, text, expected) => {
    expect(typedText(field, text)).toEqual(expected);
  });

  it("has its question and its choices", () => {
    expect(questionOf("n", { type: "integer", title: "Count", description: "How often" })).toBe(
      "Count: How often (n, integer)",
    );
    expect(questionOf("tone", { enum: ["a"], description: "How" })).toBe("How (tone)");
    expect([choicesOf({ const: 1 }), choicesOf({ type: "boolean" }), choicesOf({})]).toEqual([
      [1],
      [true, false],
      [],
    ]);
    expect(fieldOf({ properties: {} }, "constructor")).toEqual({});
  });
});
