// plot, test and train from a terminal.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { Script } from "../../../src/llm/scripted/scripted-model.ts";
import { Terminal, type CliOptions } from "../../support/cli-world.ts";

const SCREEN = { columns: 100, rows: 30 };

describe("plot", () => {
  it("prints Mermaid text, or the structure as JSON", async () => {
    const world = new Terminal();
    const { code, out } = await world.run("plot review");
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^(?:---[^]*)?(?:flowchart|graph)[^]*publish/),
    ]);
    expect(JSON.parse((await world.run("plot review --json")).out)).toHaveProperty("nodes");
    expect((await world.run("flow plot")).out).toBe(out); // the only flow there is
  });

  it.each([
    ["svg", /^<svg/],
    ["html", /^<!doctype html>/i],
    ["md", /^```mermaid\n[^]*publish[^]*```\n$/],
    ["json", /^\{/],
  ])("writes a file with the ending .%s", async (ending, expected) => {
    const world = new Terminal();
    const { code, out } = await world.run(`plot review -o picture.${ending}`);
    expect([code, out]).toEqual([0, `${world.folder}/picture.${ending}\n`]);
    expect(readFileSync(`${world.folder}/picture.${ending}`, "utf8")).toMatch(expected);
  });

  it("shows a run with the state of its methods", async () => {
    const world = new Terminal();
    await world.run("run review --id run-of-review --input topic=tea");
    const { code, out } = await world.run("plot --run run-of --json");
    expect(code).toBe(0);
    expect(out).not.toBe((await world.run("plot review --json")).out);
  });

  it.each([
    ["plot review -o picture.png", /ends in .html, .svg, .md or .json, got picture.png/],
    ["plot reviw", /no flow or conversation "reviw"; there are: review\n {2}edgecrew plot review/],
  ])("%j is wrong use (CL1)", async (line, message) => {
    const world = new Terminal();
    const { code, err } = await world.run(line);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
    expect(existsSync(`${world.folder}/picture.png`)).toBe(false);
  });
});

/** Scores every answer with 8; else answers. */
const judging: Script = ({ responseSchema }) =>
  responseSchema === undefined ? "A fine answer" : '{"quality": 8}';

describe("test", () => {
  it("scores the tasks of each run, as a table", async () => {
    const world = new Terminal({ script: judging });
    const { code, out } = await world.run("test greeting -n 2");
    expect(code).toBe(0);
    const [titles, greet, crew, seconds] = out.split("\n");
    expect(titles?.split(/ {2,}/)).toEqual(["", "RUN 1", "RUN 2", "AVERAGE", "AGENTS"]);
    expect(greet?.split(/ {2,}/)).toEqual(["greet", "8.0", "8.0", "8.0", "Writer"]);
    expect(crew?.split(/ {2,}/)).toEqual(["crew", "8.0", "8.0", "8.0"]);
    expect(seconds).toMatch(/^seconds/);
    const whole = JSON.parse((await world.run("test greeting --n-iterations 1 --json")).out);
    expect(whole).toMatchObject({ status: "completed", output: { crew: { average: 8 } } });
  });

  it.each([
    ["test -n 0 greeting", 2, /--iterations: expected a whole number from 1 to 100, got "0"/],
    ["test -n 1.5 greeting", 2, /from 1 to 100, got "1.5"/],
    ["train -n 101 greeting", 2, /from 1 to 100, got "101"/],
    ["test greetin", 2, /no crew "greetin".*\n {2}edgecrew test greeting/],
    ["test briefing", 2, /briefing needs topic\n {2}edgecrew test briefing --input topic=…/],
    ["train greeting -f trained.txt", 2, /a name that ends in .pkl, got "trained.txt"/],
    ["train greeting -f .pkl", 2, /a name that ends in .pkl/],
    ["train greeting -f a.pkl --name b", 2, /--name or --filename, got both/],
  ])("%j is exit code %d (CL5)", async (line, expected, message) => {
    const { code, out, err } = await new Terminal({ script: judging }).run(line);
    expect([code, out]).toEqual([expected, ""]);
    expect(err).toMatch(message);
  });

  it("ends with the Worker's error about a model without scores (CL5)", async () => {
    const without = 'no key for "nope/x": set NOPE_API_KEY';
    const script: Script = ({ responseSchema }) => {
      if (responseSchema !== undefined) throw new EngineError("model_rejected", without);
      return "A fine answer";
    };
    const { code, out, err } = await new Terminal({ script }).run("test greeting -m nope/x -n 1");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(without);
  });
});

describe("train", () => {
  const learning: Script = ({ responseSchema }) =>
    responseSchema === undefined
      ? "A fine answer"
      : '{"suggestions": ["Be short"], "quality": 7, "final_summary": "Good"}';

  it("asks for feedback on each answer, and stores the lessons (CL14)", async () => {
    const world = new Terminal({ script: learning });
    const options: CliOptions = { terminal: SCREEN, answers: ["shorter", "warmer"] };
    const { code, out, asked } = await world.run("train greeting -n 2 -f lessons.pkl", options);
    expect(code).toBe(0);
    expect(asked).toHaveLength(2);
    expect(JSON.parse(out)).toMatchObject({ name: "lessons", agents: { Writer: { quality: 7 } } });
    expect((await world.http.ask("/trainings/lessons")).json).toMatchObject({ name: "lessons" });
  });

  it("needs a person (CL2, CL5)", async () => {
    const { code, err } = await new Terminal({ script: learning }).run("train greeting -n 1");
    expect([code, err]).toEqual([3, expect.stringContaining("waits for a person")]);
  });

  it("prints the id of the run with --detach", async () => {
    const { code, out } = await new Terminal({ script: learning }).run(
      "train greeting --id t1 --detach",
    );
    expect([code, out]).toEqual([0, "t1\n"]);
  });
});
