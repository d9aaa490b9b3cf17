import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EngineError } from "../../../src/base/error.ts";
import { ConditionalTask } from "../../../src/crew/tasks/conditional-task.ts";
import { crewFromProject, definitionFromProject } from "../../../src/project/crew-from-project.ts";
import { tool } from "../../../src/tools/tool.ts";

const search = tool({
  name: "Serper Dev",
  description: "Searches.",
  input: z.object({ q: z.string() }),
  run: () => "found",
});
const Report = z.object({ title: z.string() });
const registry = {
  tools: [search],
  schemas: { Report },
  functions: { notify: () => undefined, isLong: () => true },
};

/** The files that CrewAI's own scaffold writes, with everything its reference lists that means something here. */
const CLASSIC = {
  "config/agents.yaml": `researcher:
  role: >
    {topic} Senior Data Researcher
  goal: >
    Uncover cutting-edge developments in {topic}
  backstory: >
    You're a seasoned researcher.
  llm: openai/gpt-4o
  max_iter: 12
  allow_delegation: false
  verbose: true
  tools: [SerperDevTool]
  memory: true
  code_execution_mode: safe

reporting_analyst:
  role: "{topic} Reporting Analyst"
  goal: Create detailed reports
  backstory: You're meticulous.
  function_calling_llm: null
`,
  "config/tasks.yaml": `research_task:
  description: >
    Conduct research about {topic}. The year is {current_year}.
  expected_output: A list with 10 bullet points
  agent: researcher

reporting_task:
  description: Expand each topic
  expected_output: A report
  agent: reporting_analyst
  context: [research_task]
  output_pydantic: Report
  output_file: report.md
  callback: notify
  guardrail: It names its sources.
  human_input: false
`,
};

const JSON_PROJECT = {
  "crew.jsonc": `{
  // who does what
  "name": "briefing",
  "agents": ["researcher", { "name": "editor", "role": "Editor", "goal": "Edit", "backstory": "Strict", }],
  "manager_agent": "boss",
  "process": "hierarchical",
  "inputs": { "topic": "tea" },
  "tasks": [
    { "name": "dig", "description": "Dig into {topic}", "expected_output": "Facts", "agent": "researcher" },
    {
      "name": "polish", "type": "ConditionalTask", "condition": { "python": "checks.isLong" },
      "description": "Polish", "expected_output": "Text", "agent": "editor", "tools": ["crewai_tools:SerperDevTool"],
    },
  ],
}`,
  "agents/researcher.jsonc": `{ "role": "Researcher", "goal": "Find", "backstory": "Curious", "settings": { "max_iter": 3, "allow_delegation": true } }`,
  "agents/boss.jsonc": `{ "role": "Boss", "goal": "Lead", "backstory": "Calm", "llm": { "model": "openai/gpt-4o", "temperature": 0.2 } }`,
};

describe("agents.yaml and tasks.yaml", () => {
  it("make a crew, unchanged", () => {
    const crew = crewFromProject(CLASSIC, registry);
    expect(crew.agents.map(({ role, maxIter, llm }) => [role.trim(), maxIter, llm])).toEqual([
      ["{topic} Senior Data Researcher", 12, "openai/gpt-4o"],
      ["{topic} Reporting Analyst", 25, undefined],
    ]);
    const [research, report] = crew.tasks;
    expect(research?.agent?.tools).toEqual([search]);
    expect(report).toMatchObject({
      name: "reporting_task",
      outputFile: "report.md",
      output: Report,
      context: [research],
      guardrails: [expect.objectContaining({ name: "It names its sources.", type: "llm" })],
    });
    expect(report?.callback).toBeTypeOf("function");
    expect(crew.requiredInputs).toEqual(["topic", "current_year"]);
  });

  it("PF3: report only meaningful fields without support here", () => {
    expect(definitionFromProject(CLASSIC).ignored).toEqual([
      "/agents/researcher/codeExecutionMode",
    ]);
  });

  it("PF3: report every fault at once, each with file, line and column", () => {
    const tasks = CLASSIC["config/tasks.yaml"]
      .replace("agent: researcher", "agent: nobody")
      .replace("callback: notify", "callback: gone");
    const agents = CLASSIC["config/agents.yaml"].replace("[SerperDevTool]", "[Lost]");
    expect(
      issuesOf(() =>
        crewFromProject({ "config/agents.yaml": agents, "config/tasks.yaml": tasks }, registry),
      ),
    ).toEqual([
      'config/agents.yaml:12:11: researcher.tools[0]: unknown tool "Lost"; registered: serper_dev; pass a tool of this name as `tools`, or set missingTools to "stub" to go without it',
      'config/tasks.yaml:5:3: research_task.agent: unknown agent "nobody"; defined: researcher, reporting_analyst',
      'config/tasks.yaml:14:3: reporting_task.callback: unknown function "gone"; registered: notify, isLong',
    ]);
  });

  it("PF3: report values of the wrong type in the file's own spelling", () => {
    const agents = CLASSIC["config/agents.yaml"]
      .replace("max_iter: 12", "max_iter: many")
      .replace("goal: Create detailed reports", "gaol: x");
    expect(
      issuesOf(() => crewFromProject({ ...CLASSIC, "config/agents.yaml": agents }, registry)),
    ).toEqual([
      'config/agents.yaml:9:3: researcher.max_iter: expected number, got string "many"',
      "config/agents.yaml:16:1: reporting_analyst.goal: expected string, got nothing",
      "config/agents.yaml:18:3: reporting_analyst.gaol: is a field that CrewAI ignores: ignored",
    ]);
  });

  it.each([
    [["agent: researcher"], / unknown agent "nobody"[^(]*$/],
    [["agent: researcher", "agent: reporting_analyst"], / unknown agent .* \(and 2 more\)$/],
  ])("PF3: name the first fault and count the rest: %j", (wrong, message) => {
    const tasks = wrong.reduce(
      (text, line) => text.replace(line, "agent: nobody"),
      CLASSIC["config/tasks.yaml"],
    );
    expect(() => crewFromProject({ ...CLASSIC, "config/tasks.yaml": tasks }, registry)).toThrow(
      message,
    );
  });

  it("take paths as Windows writes them", () => {
    const files = {
      "config\\agents.yaml": CLASSIC["config/agents.yaml"],
      "config\\tasks.yaml": CLASSIC["config/tasks.yaml"],
    };
    expect(crewFromProject(files, registry).tasks).toHaveLength(2);
  });

  it.each([
    [
      "settings: [1]",
      "researcher.settings: is not a known field: unless it is a mapping of fields",
    ],
    ["tools: SerperDevTool", 'researcher.tools: expected array, got string "SerperDevTool"'],
  ])("PF3: refuse a field of the wrong type by its name: %s", (field, message) => {
    const agents = CLASSIC["config/agents.yaml"].replace("tools: [SerperDevTool]", field);
    const make = () => crewFromProject({ ...CLASSIC, "config/agents.yaml": agents }, registry);
    expect(issuesOf(make)).toEqual([`config/agents.yaml:12:3: ${message}`]);
  });

  it.each([
    [{}, "a crew project needs crew.jsonc, or agents.yaml and tasks.yaml, got no file"],
    [
      { "agents.yaml": "a: {}" },
      "a crew project needs tasks.yaml beside agents.yaml, got agents.yaml",
    ],
    [{ "agents.yaml": "- a", "tasks.yaml": "b: {}" }, "agents.yaml:1:1: expected a mapping, got"],
    [{ "agents.yaml": "a: [1", "tasks.yaml": "b: {}" }, "agents.yaml:"],
  ])("refuse %j", (files, message) => {
    expect(() => crewFromProject(files)).toThrow(message);
  });
});

describe("crew.jsonc", () => {
  it("makes a crew with its agents' files, a manager and a conditional task", () => {
    const crew = crewFromProject(JSON_PROJECT, registry);
    expect(crew.name).toBe("briefing");
    expect(
      crew.agents.map(({ role, maxIter, allowDelegation }) => [role, maxIter, allowDelegation]),
    ).toEqual([
      ["Researcher", 3, true],
      ["Editor", 25, false],
    ]);
    expect(crew.manager).toMatchObject({
      role: "Boss",
      llm: { model: "openai/gpt-4o", temperature: 0.2 },
    });
    expect(crew.tasks[1]).toBeInstanceOf(ConditionalTask);
    expect(crew.tasks[1]?.tools).toEqual([search]);
    expect(crew.requiredInputs).toEqual([]);
  });

  it("names the file and place of an error", () => {
    const files = {
      ...JSON_PROJECT,
      "agents/researcher.jsonc": '{\n  "role": "R",\n  "goal": 3,\n  "backstory": "B"\n}',
    };
    expect(issuesOf(() => crewFromProject(files, registry))).toEqual([
      "agents/researcher.jsonc:3:3: goal: expected string, got number 3",
    ]);
    const lost = {
      ...JSON_PROJECT,
      "crew.jsonc": JSON_PROJECT["crew.jsonc"].replace('"researcher", {', '"stranger", {'),
    };
    expect(issuesOf(() => crewFromProject(lost, registry))[0]).toMatch(
      /^crew\.jsonc:4:14: agents\[0\]: there is no file agents\/stranger\.jsonc; files: crew\.jsonc/,
    );
  });

  it("PF3: reports faults of the files named in its fields", () => {
    const agent = { role: "R", goal: "G", backstory: "B", skills: ["./skills"] };
    const tasks = [{ name: "t", description: "d", expected_output: "e", agent: "a" }];
    const files = {
      "crew.jsonc": JSON.stringify({ agents: { a: agent }, tasks, prompt_file: "texts/p.json" }),
      "skills/x/SKILL.md": "no front matter",
      "texts/p.json": "[1",
    };
    expect(issuesOf(() => crewFromProject(files))).toEqual([
      expect.stringMatching(/^crew\.jsonc:1:\d+: agents\.a\.skills: a skill's text must begin/),
      expect.stringMatching(
        /^crew\.jsonc:1:\d+: prompt_file: texts\/p\.json must be a JSON object/,
      ),
    ]);
  });

  it("needs the condition of a conditional task", () => {
    const files = {
      ...JSON_PROJECT,
      "crew.jsonc": JSON_PROJECT["crew.jsonc"].replace(
        '"condition": { "python": "checks.isLong" },',
        "",
      ),
    };
    expect(issuesOf(() => crewFromProject(files, registry))[0]).toContain(
      "a conditional task needs a condition",
    );
  });
});

function issuesOf(code: () => unknown): readonly string[] {
  try {
    code();
  } catch (error) {
    if (EngineError.is(error))
      return error.issues?.map(({ message }) => message) ?? [error.message];
    throw error;
  }
  throw new Error("nothing was refused");
}
