import { describe, expect, it } from "vitest";
import { guessNames } from "../../../world/reflect/guess.ts";
import { matchNames } from "../../../world/reflect/match-names.ts";
import { newestOf } from "../../../world/reflect/newest.ts";
import { renamed, type Rows } from "../../../world/reflect/rows.ts";
import { idOf, type UpstreamName } from "../../../world/reflect/upstream-name.ts";

const NAMES: readonly UpstreamName[] = [
  { kind: "field", of: "Agent", name: "max_iter" },
  { kind: "field", of: "Crew", name: "share_crew" },
  { kind: "field", of: "Crew", name: "prompt_file" },
  { kind: "export", of: "crewai.flow", name: "or_" },
  { kind: "event", of: "", name: "flow_started" },
  { kind: "command", of: "", name: "train" },
  { kind: "option", of: "train", name: "--filename" },
  { kind: "method", of: "Crew", name: "kickoff" },
];

const OURS = new Set([
  "Agent.maxIter",
  "Crew.prompts",
  "edgecrew/flow#or",
  "event flow_started",
  "$ train",
  "$ train --filename",
  "Crew#kickoff",
]);

const ROWS: Rows = {
  renamed: renamed({ "Crew.prompt_file": "Crew.prompts" }),
  decided: [{ names: ["Crew.share_*"], reason: "Nothing is sent.", page: "crews.md" }],
};

const match = (rows: Rows) =>
  matchNames(NAMES, {
    rows,
    guess: guessNames,
    existing: async (all) => new Set(all.filter((name) => OURS.has(name))),
  });

describe("a reflection", () => {
  it("RFL1: matches names by their form here, by rows, or finds them decided", async () => {
    const { matched, decided, open, faults } = await match(ROWS);
    expect(open).toEqual([]);
    expect(faults).toEqual([]);
    expect(matched).toHaveLength(7);
    expect(decided).toMatchObject([{ upstream: "Crew.share_crew" }]);
  });

  it("RFL1: prints names without a row, and rows without a name", async () => {
    const { open, faults } = await match({
      renamed: renamed({ "Crew.prompt_file": "Crew.promptz", "Crew.old": "Crew.prompts" }),
      decided: [{ names: ["Task.*"], reason: "None.", page: "crews.md" }],
    });
    expect(open).toEqual(["Crew.share_crew"]);
    expect(faults).toEqual([
      "Crew.prompt_file: there is no Crew.promptz",
      "Crew.old is not upstream any more",
      "no name needs the row Task.*",
    ]);
  });
});

it("writes names as rows have them", () => {
  expect(NAMES.map(idOf)).toEqual([
    "Agent.max_iter",
    "Crew.share_crew",
    "Crew.prompt_file",
    "crewai.flow/or_",
    "event flow_started",
    "$ train",
    "$ train --filename",
    "Crew.kickoff()",
  ]);
});

it("takes the newest version of a list, or the newest below another", () => {
  const list = "ag2 (1.2.1)\nAvailable versions: 1.2.1, 1.0.0, 0.14.0, 0.13.4\n";
  expect(newestOf(list)).toBe("1.2.1");
  expect(newestOf(list, "1")).toBe("0.14.0");
  expect(newestOf("ERROR")).toBeUndefined();
});
