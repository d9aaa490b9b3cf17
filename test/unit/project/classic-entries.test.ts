// `agents.yaml` and `tasks.yaml` as CrewAI reads them.
import { expect, it } from "vitest";
import { crewFromProject, definitionFromProject } from "../../../src/project/crew-from-project.ts";

const TASKS = `brew:
  description: Brew {tea}
  expected_output: A cup
  agent: brewer
  human_input: NO
  inputs: [tea]
`;
const AGENTS = `x-defaults: &defaults
  allow_delegation: no
  verbose: on
brewer:
  <<: *defaults
  role: Brewer
  goal: "no"
  backstory: yes
  tool: Kettle
cups: [one, two]
`;
const FILES = { "agents.yaml": AGENTS, "tasks.yaml": TASKS };

it("CLE1: ignores fields and entries that CrewAI ignores, each with a warning at its place", () => {
  const warnings: string[] = [];
  const crew = crewFromProject(FILES, { onWarning: (message) => warnings.push(message) });
  expect(crew.agents.map(({ role }) => role)).toEqual(["Brewer"]);
  expect(warnings.join("; ").split("; ")).toEqual([
    "agents.yaml:9:3: brewer.tool: is a field that CrewAI ignores: ignored",
    "agents.yaml:10:1: cups: is no mapping of fields, so no agents has it: ignored",
    "tasks.yaml:6:3: brew.inputs: is a field that CrewAI ignores: ignored",
  ]);
});

it("CLE2, CLE3: takes entries with x- as anchors, and yes and no as booleans where a boolean belongs", () => {
  const { agents, tasks } = definitionFromProject(FILES, { onWarning: () => undefined });
  expect(agents).toEqual({
    brewer: {
      role: "Brewer",
      goal: "no",
      backstory: "yes",
      allowDelegation: false,
      verbose: true,
    },
  });
  expect(tasks[0]?.humanInput).toBe(false);
});

it("refuses unknown fields in the files of Edgecrew", () => {
  const files = { ...FILES, "crew.jsonc": '{ "verbos": true }' };
  expect(() => crewFromProject(files, { onWarning: () => undefined })).toThrow(
    /verbos: is not a known field/,
  );
});
