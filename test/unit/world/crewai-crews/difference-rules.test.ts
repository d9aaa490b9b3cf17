import { describe, expect, it } from "vitest";
import { ACCEPTED_CREWS } from "../../../world/crewai-crews/accepted.ts";
import { compareOutcomes } from "../../../world/crewai-crews/compare-outcomes.ts";
import type { CrewCase } from "../../../world/crewai-crews/crew-case.ts";
import {
  differsOnlyIn,
  tasksBehind,
  wentFurther,
} from "../../../world/crewai-crews/difference-rules.ts";
import { casesNamed } from "../../../world/crewai-crews/generate.ts";
import type { Outcome } from "../../../world/crewai-crews/outcome.ts";

const made: CrewCase = {
  id: "base-1-0",
  profile: "base",
  agents: [{ key: "a0", role: "R", goal: "g", backstory: "b", tools: [] }],
  tasks: [
    { name: "t0", description: "d", expectedOutput: "e", agent: "a0", json: "json" },
    { name: "t1", description: "d", expectedOutput: "e", agent: "a0" },
  ],
  inputs: null,
  crew: {},
  script: { t0: [{ text: "prose", final: true }], t1: [{ text: "x", final: true }] },
};

const outcome = (more: Partial<Outcome>): Outcome => ({
  id: "base-1-0",
  status: "completed",
  toolCalls: [],
  done: [],
  steps: [],
  marks: [],
  calls: {},
  seen: {},
  ...more,
});

/** Ids of the rows that explain how two outcomes differ; `undefined` for what none explains. */
function rowsOf(ours: Partial<Outcome>, theirs: Partial<Outcome>, program = made) {
  return compareOutcomes(program, outcome(ours), outcome(theirs)).map(
    (difference) => ACCEPTED_CREWS.find(({ matches }) => matches(difference))?.id,
  );
}

describe("rows of crews look at the field and its cause", () => {
  it("more calls are explained for tasks with odd objects alone", () => {
    expect(rowsOf({ calls: { t0: 1 } }, { calls: { t0: 3 } })).toEqual(["K6"]);
    expect(rowsOf({ calls: { t1: 1 } }, { calls: { t1: 3 } })).toEqual([undefined]);
    expect(rowsOf({ calls: { t0: 3 } }, { calls: { t0: 1 } })).toEqual([undefined]);
  });

  it("an earlier failure explains missing tasks only", () => {
    const failed = { status: "failed", message: "1 validation error for Titled" } as const;
    expect(rowsOf({}, failed)).toEqual(["K6"]);
    const ours = { status: "failed", done: ["t0", "t1"] } as const;
    expect(rowsOf(ours, { ...failed, done: ["t0"] })).toEqual(["K6"]);
    expect(rowsOf({ ...ours, done: [] }, { ...failed, done: ["t0"] })).toEqual([undefined]);
  });

  it("a busy agent explains no difference between completed crews", () => {
    const done = { done: ["t0"] };
    expect(rowsOf({ done: [] }, done)).toEqual([undefined]);
    const busy = { status: "failed", message: "Executor is already running" } as const;
    expect(rowsOf({}, busy)).toEqual(["K2"]);
  });

  it("an error of a model needs one in the script", () => {
    const failed = { status: "failed", error: "model_unauthorized" } as const;
    expect(rowsOf(failed, {})).toEqual([undefined]);
    const error = { status: 401, type: "authentication_error", message: "wrong key" };
    const script = { ...made.script, t1: [{ error }] };
    expect(rowsOf(failed, {}, { ...made, script })).toEqual(["K8"]);
  });

  it("an unchanged answer needs an agent in the text form with answering tools", () => {
    const output = (raw: string) => ({
      name: "t",
      raw,
      agent: "R",
      json: null,
      description: "d",
      expected: "e",
      summary: "d",
      failures: [],
    });
    const ours = { tasks: [output("72"), output("x")] };
    const theirs = { tasks: [output("72"), output("72")] };
    const of = (agent: Partial<CrewCase["agents"][number]>): CrewCase => ({
      ...made,
      agents: made.agents.map((each) => ({ ...each, ...agent })),
    });
    expect(rowsOf(ours, theirs, of({ text: true, resultAsAnswer: true }))).toEqual(["K20"]);
    expect(rowsOf(ours, theirs, of({ resultAsAnswer: true }))).toEqual([undefined]);
    const other = { tasks: [output("72"), output("y")] };
    expect(rowsOf(ours, other, of({ text: true, resultAsAnswer: true }))).toEqual([undefined]);
  });

  it("an empty answer explains one more call of one request", () => {
    const ours = { status: "failed", error: "answer_empty", calls: { t0: 1, t1: 3 } } as const;
    const theirs = { status: "failed", message: "Invalid response from LLM call - None or empty." };
    const calls = (t0: number, t1: number) => ({ ...theirs, calls: { t0, t1 } }) as const;
    expect(rowsOf(ours, calls(1, 4) as never)).toEqual(["K32"]);
    expect(rowsOf(ours, calls(1, 5) as never)).toEqual([undefined]);
    expect(rowsOf({ ...ours, error: "model_failed" }, calls(1, 4) as never)).not.toContain("K32");
  });

  it("a replay differs by its callback after the kickoff alone", () => {
    const replayed: CrewCase = { ...made, replayFrom: "t1", crew: { callbacks: { after: true } } };
    const ours = { raw: "x (after)", marks: ["after", "after"] };
    expect(rowsOf(ours, { raw: "x", marks: ["after"] }, replayed)).toEqual(["K31", "K31"]);
    expect(rowsOf(ours, { raw: "y", marks: [] }, replayed)).toEqual([undefined, undefined]);
    expect(rowsOf(ours, { raw: "x", marks: ["after"] })).toEqual([undefined, undefined]);
  });
});

describe("pieces of rules", () => {
  it("one side went further when it did all of the other's work, and more", () => {
    expect(wentFurther(["a", "b", "a"], ["a", "a"])).toBe(true);
    expect(wentFurther(["a", "b"], ["a", "a"])).toBe(false);
    expect(wentFurther({ t0: 2, t1: 1 }, { t0: 1 })).toBe(true);
    expect(wentFurther({ t0: [], t1: [] }, { t0: ["x"] })).toBe(false);
  });

  it("a field belongs to tasks by its index, its key or its place behind them", () => {
    const outcomes = { ourOutcome: outcome({}), theirOutcome: outcome({}) };
    const differs = (
      difference: { field: string; ours: unknown; theirs: unknown },
      ...names: readonly string[]
    ): boolean => differsOnlyIn({ ...difference, ...outcomes, program: made }, names);
    const raw = { field: "taskRaw", ours: ["a", "b"] };
    expect(differs({ ...raw, theirs: ["x", "b"] }, "t0")).toBe(true);
    expect(differs({ ...raw, theirs: ["x", "y"] }, "t0")).toBe(false);
    const context = { field: "context", theirs: { t0: [], t1: [] } };
    expect(differs({ ...context, ours: { t0: [], t1: ["a"] } }, "t0")).toBe(true);
    expect(differs({ ...context, ours: { t0: ["a"], t1: [] } }, "t1")).toBe(false);
    expect(differs({ field: "callbacks", ours: ["a"], theirs: [] }, "t0")).toBe(false);
  });

  it("a conditional task is reached by its predecessors", () => {
    const [first, second] = made.tasks;
    if (first === undefined || second === undefined) throw new Error("two tasks");
    const tasks = [first, { ...second, condition: { contains: "a" } }];
    expect(tasksBehind({ ...made, tasks }, ["t0"])).toEqual(["t0", "t1"]);
    expect(tasksBehind(made, ["t0"])).toEqual(["t0"]);
  });
});

it("a case is made again by its name", () => {
  const [one] = casesNamed("limits-31337-9");
  expect(one?.profile).toBe("limits");
  expect(casesNamed("answers-5")).toHaveLength(30);
  expect(() => casesNamed("no case")).toThrow("a case is named <profile>-<seed>-<index>");
});
