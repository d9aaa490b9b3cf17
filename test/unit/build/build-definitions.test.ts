import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { buildDefinitions, DEFINITIONS_MODULE } from "../../../src/build/build-definitions.ts";
import { calculator, type Crew, type Skill } from "../../../src/index.ts";
import { crewFromProject } from "../../../src/project/index.ts";
import type { FlowRegistry } from "../../../src/declarative/index.ts";
import { addFiles, projectFolder } from "../../support/project-folder.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

const AGENTS = `clerk:
  role: Clerk
  goal: Answer about {topic}
  backstory: You check twice.
`;
const TASKS = `answer:
  description: Answer about {topic}
  expected_output: One line
  agent: clerk
`;
const SKILL = `---
name: house-style
description: How we write.
---
Short sentences.
`;
const FLOW = `schema: crewai.flow/v1
name: Greeting
methods:
  greet:
    start: true
    do:
      call: expression
      expr: "'hello'"
`;
const DESK = { "crews/desk/agents.yaml": AGENTS, "crews/desk/tasks.yaml": TASKS };

type Definitions = {
  readonly crews: Readonly<Record<string, Crew>>;
  readonly flows: Readonly<Record<string, { kickoff(): Promise<unknown> }>>;
  readonly skills: Readonly<Record<string, Skill>>;
};

/** The module's answer, where the package is this repository's source. */
async function definitionsOf(folder: string, registry: FlowRegistry = {}): Promise<Definitions> {
  const source = readFileSync(join(folder, DEFINITIONS_MODULE), "utf8")
    .replace('"edgecrew"', JSON.stringify(`${root}/src/index.ts`))
    .replace('"edgecrew/project"', JSON.stringify(`${root}/src/project/index.ts`))
    .replace('"edgecrew/flow/declarative"', JSON.stringify(`${root}/src/declarative/index.ts`));
  const path = join(folder, "definitions.ts");
  writeFileSync(path, source);
  const { definitions } = (await import(path)) as {
    definitions: (registry: FlowRegistry) => Definitions;
  };
  return definitions(registry);
}

describe("the module", () => {
  it("has crews, flows and skills by the names of their folders and files", async () => {
    const folder = projectFolder({
      ...DESK,
      "crews/desk/tasks.yaml": `${TASKS}  tools: [calculator]\n`,
      "crews/desk/crew.yaml": "skills: [house-style]\n",
      "crews/sums/crew.jsonc": `{ "name": "Other", "agents": ["clerk"], "tasks": [{ "description": "Add", "expected_output": "A sum", "agent": "clerk" }] }`,
      "crews/sums/agents/clerk.jsonc": `{ "role": "Adder", "goal": "Add", "backstory": "Plain." }`,
      "flows/greeting.yaml": FLOW,
      "skills/house-style/SKILL.md": SKILL,
      "skills/house-style/references/words.md": "No `long` words: ${topic}",
      "skills/house-style/assets/crew.yaml": "process: no such process",
    });
    const built = buildDefinitions(folder);
    expect(built).toEqual({
      crews: ["desk", "sums"],
      flows: ["greeting"],
      skills: ["house-style"],
      warnings: [],
      faults: [],
      changed: true,
    });
    const { crews, flows, skills } = await definitionsOf(folder, { tools: [calculator] });
    expect(Object.values(crews).map(({ name }) => name)).toEqual(["desk", "sums"]);
    expect(crews["desk"]?.tasks[0]?.tools?.map(({ name }) => name)).toEqual(["calculator"]);
    expect(skills["house-style"]?.resources?.["references/words.md"]).toContain("${topic}");
    await expect(flows["greeting"]?.kickoff()).resolves.toMatchObject({ value: "hello" });
  });

  it("is there for a project without definitions, and contains those of code", async () => {
    const folder = projectFolder({ "crews/of-code/crew.ts": "export {};" });
    expect(buildDefinitions(folder)).toMatchObject({ crews: [], faults: [], changed: true });
    await expect(definitionsOf(folder)).resolves.toEqual({ crews: {}, flows: {}, skills: {} });
  });

  it("lets flows call crews of the folders and of code by their names", async () => {
    const ask = (crew: string): string =>
      FLOW.replace(/call: .*\n.*/, `call: crew\n      from_declaration: ${crew}`);
    const folder = projectFolder({
      ...DESK,
      "flows/desk.yaml": ask("desk"),
      "flows/code.yaml": ask("of-code"),
    });
    expect(buildDefinitions(folder).faults).toEqual([]);
    const own = crewFromProject(DESK);
    const { flows } = await definitionsOf(folder, { crews: { "of-code": own } });
    expect(Object.keys(flows)).toEqual(["code", "desk"]);
    await expect(definitionsOf(folder)).rejects.toThrow(/flows\/code\.yaml:\d+:\d+: .*of-code/);
  });

  it("keeps every text unchanged", async () => {
    const text = '${x} `y` \\n "__proto__": */ \u2028 </script>';
    const folder = projectFolder({
      "skills/odd/SKILL.md": SKILL.replace("house-style", "odd"),
      "skills/odd/odd.md": text,
      "skills/odd/__proto__": "a file",
    });
    buildDefinitions(folder);
    const { skills } = await definitionsOf(folder);
    expect(skills["odd"]?.resources?.["odd.md"]).toBe(text);
  });
});

describe("faults", () => {
  it("BD1: come from all files, with file, line and column, and leave the last module", () => {
    const folder = projectFolder(DESK);
    buildDefinitions(folder);
    const before = readFileSync(join(folder, DEFINITIONS_MODULE), "utf8");
    addFiles(folder, {
      "crews/desk/tasks.yaml": TASKS.replace("agent: clerk", "agent: nobody"),
      "crews/other/agents.yaml": "clerk:\n  role: [",
      "crews/other/tasks.yaml": TASKS,
      "flows/greeting.yaml": FLOW.replace("start: true", "listen: nothing"),
      "skills/odd/SKILL.md": "no front matter",
    });
    const { faults, changed } = buildDefinitions(folder);
    const messages = faults.map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringMatching(/^crews\/desk\/tasks\.yaml:4:3: .*nobody/),
      expect.stringMatching(/^crews\/other\/agents\.yaml:\d+:\d+: /),
      expect.stringMatching(/^flows\/greeting\.yaml:\d+:\d+: /),
      expect.stringMatching(/^skills\/odd\/SKILL\.md: .*front matter/),
    ]);
    expect(changed).toBe(false);
    expect(readFileSync(join(folder, DEFINITIONS_MODULE), "utf8")).toBe(before);
  });

  it("exclude names that the project's code may register", () => {
    const folder = projectFolder({
      ...DESK,
      "crews/desk/tasks.yaml": `${TASKS}  tools: [own_tool]\n  callback: notify\n  output_json: Answer\n`,
    });
    expect(buildDefinitions(folder).faults).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, string | Uint8Array>>, string]>([
    [
      "a file that is not UTF-8",
      { ...DESK, "crews/desk/agents.yaml": Uint8Array.of(0x72, 0xf6, 0x0a) },
      "crews/desk/agents.yaml: expected text in UTF-8",
    ],
    [
      "two flows of one name",
      { "flows/greeting.yaml": FLOW, "flows/greeting.json": "{}" },
      "flows/greeting.yaml: flows/greeting.json is of the same name",
    ],
    [
      "a skill without its file",
      { "skills/odd/readme.md": "x" },
      "skills/odd/SKILL.md: a skill needs this file",
    ],
    [
      "tasks without agents",
      { "crews/desk/tasks.yaml": TASKS },
      "a crew project needs crew.jsonc, or agents.yaml and tasks.yaml, got crews/desk/tasks.yaml",
    ],
  ])("name %s", (_, files, message) => {
    const { faults } = buildDefinitions(projectFolder(files));
    expect(faults.map((fault) => fault.message)).toContain(message);
  });
});

it("BD2: an unchanged module is not written", async () => {
  const folder = projectFolder(DESK);
  buildDefinitions(folder);
  const { mtimeMs } = statSync(join(folder, DEFINITIONS_MODULE));
  await expect.poll(() => Date.now() > mtimeMs + 5).toBe(true);
  expect(buildDefinitions(folder).changed).toBe(false);
  expect(statSync(join(folder, DEFINITIONS_MODULE)).mtimeMs).toBe(mtimeMs);
});

it("skips links and hidden files", () => {
  const outside = projectFolder({ "agents.yaml": AGENTS, "tasks.yaml": TASKS });
  const folder = projectFolder({ "skills/.hidden/SKILL.md": "x" });
  mkdirSync(join(folder, "crews"));
  symlinkSync(outside, join(folder, "crews", "linked"));
  expect(buildDefinitions(folder)).toMatchObject({ crews: [], skills: [], faults: [] });
});
