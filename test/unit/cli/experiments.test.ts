// Experiments from a terminal.
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Script } from "../../../src/llm/scripted/scripted-model.ts";
import { Terminal } from "../../support/cli-world.ts";

const CASES = `
- id: tea
  inputs: { topic: tea }
- id: coffee
  inputs: { topic: coffee }
  expected_score: 5
`;

/** Answers by its topic, and scores answers by it. */
function scoring(scores: Readonly<Record<string, number>>): Script {
  return ({ messages, responseSchema }) => {
    const text = JSON.stringify(messages);
    const topic = Object.keys(scores).find((each) => text.includes(each)) ?? "";
    if (responseSchema === undefined) return `An answer on ${topic}`;
    return JSON.stringify({ quality: scores[topic] ?? 1 });
  };
}

function world(scores: Readonly<Record<string, number>>, cwd?: string): Terminal {
  const made = new Terminal({ script: scoring(scores), ...(cwd === undefined ? {} : { cwd }) });
  writeFileSync(`${made.folder}/cases.yaml`, CASES);
  return made;
}

describe("experiments", () => {
  it("scores each case, and fails for a case below its expected score", async () => {
    const good = await world({ tea: 7, coffee: 6 }).run("experiments cases.yaml briefing --json");
    expect([good.code, JSON.parse(good.out)]).toEqual([
      0,
      expect.objectContaining({
        crew: "briefing",
        cases: [
          expect.objectContaining({ id: "tea", score: 7, passed: true }),
          expect.objectContaining({ id: "coffee", score: 6, passed: true, expectedScore: 5 }),
        ],
      }),
    ]);
    const bad = await world({ tea: 7, coffee: 4 }).run("experiments cases.yaml briefing");
    expect([bad.code, bad.out]).toEqual([1, expect.stringMatching(/coffee\t4\.0\t\tnot passed/)]);
    expect(bad.err).toContain("1 case of 2 did not pass");
  });

  it("compares with an earlier time: 1 for a case that is worse by more than the tolerance", async () => {
    const first = world({ tea: 7, coffee: 6 });
    const { folder } = first;
    expect((await first.run("experiments cases.yaml briefing --out last.json")).code).toBe(0);
    const later = world({ tea: 6.5, coffee: 9 }, folder);
    const worse = await later.run("experiments cases.yaml --baseline last.json");
    expect([worse.code, worse.err]).toEqual([
      1,
      expect.stringContaining("1 improved, 1 regressed"),
    ]);
    expect(worse.out).toMatch(/tea\t6\.5\t7\.0\tregressed/);
    expect(worse.out).toMatch(/coffee\t9\.0\t6\.0\timproved/);
    const line = "experiments cases.yaml --baseline last.json --tolerance 0.5";
    expect((await later.run(line)).code).toBe(0);
  });

  it("identifies a case by its inputs, in YAML and in JSONL, in any order of their fields", async () => {
    const first = world({ tea: 7 });
    const { folder } = first;
    writeFileSync(`${folder}/a.yaml`, "cases:\n  - inputs: { topic: tea, of: china }\n");
    writeFileSync(`${folder}/b.jsonl`, '\n{"inputs":{"of":"china","topic":"tea"}}\n');
    await first.run("experiments a.yaml briefing --out a.json");
    await first.run("experiments b.jsonl briefing --out b.json");
    const [a, b] = ["a", "b"].map(
      (name) =>
        JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8")) as { cases: { id: string }[] },
    );
    expect(a?.cases.map(({ id }) => id)).toEqual(b?.cases.map(({ id }) => id));
  });

  it.each([
    ["- inputs: { topic: tea }\n- inputs: { topic: tea }", /same as cases\/0/],
    ["- topic: tea", /cases\/0: topic is unknown; a case has id, inputs, expectedScore/],
    ["- inputs: tea", /cases\/0\/inputs: expected an object, got "tea"/],
    ["- inputs: {}\n  expectedScore: 11", /expectedScore: expected a number from 0 to 10, got 11/],
    ["topic: tea", /expected a list of cases/],
    ["[]", /has no cases/],
    ["- [", /bad\.yaml:\d+:\d+:/],
  ])("refuses %j", async (text, message) => {
    const made = world({ tea: 7 });
    writeFileSync(`${made.folder}/bad.yaml`, text);
    const { code, err } = await made.run("experiments bad.yaml briefing");
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  it.each([
    ["experiments none.yaml", /there is no file none.yaml/],
    ["experiments cases.yaml briefing --tolerance much", /--tolerance: expected a number/],
    ["experiments cases.yaml briefing --baseline cases.yaml", /broken or cut off/],
  ])("%j is wrong use", async (line, message) => {
    const { code, err } = await world({ tea: 7 }).run(line);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });
});
