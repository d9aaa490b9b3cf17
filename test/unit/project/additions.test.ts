import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { ProjectAdditions } from "../../../src/project/additions.ts";
import { crewFromProject, definitionFromProject } from "../../../src/project/crew-from-project.ts";

const files = {
  "config/agents.yaml": `chief:
  role: Chief
  goal: Lead
  backstory: Calm
  llm: a/b
`,
  "config/tasks.yaml": `plan:
  description: Plan
  expected_output: A plan
  output_pydantic: Plan
do:
  description: Do
  expected_output: A thing
  context: [plan]
check:
  description: Check
  expected_output: A list
`,
};
const everybody = { plan: { agent: "chief" }, do: { agent: "chief" }, check: { agent: "chief" } };
const shape = { type: "object", properties: { steps: { type: "array" } } } as const;

function faultsOf(additions: unknown, more: Record<string, string> = {}): readonly string[] {
  try {
    crewFromProject({ ...files, ...more }, { additions: additions as ProjectAdditions });
  } catch (error) {
    if (EngineError.is(error)) return error.issues?.map(({ message }) => message) ?? [];
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("additions", () => {
  it("AD1: replace fields of the files, in either spelling, and remove fields set to null", () => {
    const definition = definitionFromProject(files, {
      additions: {
        process: "sequential",
        agents: { chief: { llm: "c/d", max_iter: 7 } as object },
        tasks: {
          ...everybody,
          plan: { agent: "chief", output: shape },
          do: { agent: "chief", context: null } as object,
        },
      },
    });
    expect(definition.process).toBe("sequential");
    expect(definition.agents["chief"]).toMatchObject({ role: "Chief", llm: "c/d", maxIter: 7 });
    const [plan, doing] = definition.tasks;
    expect([plan?.output, plan?.outputPydantic]).toEqual([shape, undefined]);
    expect(doing?.context).toBeUndefined();
  });

  it("AD1: add shapes to those of the files by name, with their places", () => {
    const crewYaml = "schemas:\n  Plan: { type: object }\n  Old: { type: array }\n";
    const own = { schemas: { Old: null, Sum: { type: "number" } }, tasks: everybody };
    const definition = definitionFromProject(
      { ...files, "config/crew.yaml": crewYaml },
      { additions: own as never },
    );
    expect(definition.schemas).toEqual({ Plan: { type: "object" }, Sum: { type: "number" } });
    const wrong = crewYaml.replace("object", "objekt");
    const added = { schemas: { Sum: { minimum: "x" } }, tasks: everybody };
    expect(faultsOf(added, { "config/crew.yaml": wrong })).toEqual([
      expect.stringMatching(/^config\/crew\.yaml:2:11: schemas\.Plan\.type: expected one of/),
      expect.stringMatching(/^additions: schemas\.Sum\.minimum: expected a number/),
    ]);
  });

  it("AD2: as a list are the crew's tasks, in this order", () => {
    const additions = {
      tasks: [
        { name: "check", agent: "chief" },
        { name: "plan", agent: "chief", output: shape },
      ],
    };
    const { tasks } = crewFromProject(files, { additions });
    expect(tasks.map(({ name, description }) => [name, description])).toEqual([
      ["check", "Check"],
      ["plan", "Plan"],
    ]);
  });

  it("AD2: as a list are the crew's agents, in this order", () => {
    const more = `${files["config/agents.yaml"]}spare:\n  role: Spare\n  goal: g\n  backstory: b\n`;
    const own = { role: "Own", goal: "g", backstory: "b" };
    const additions = {
      agents: [{ name: "own", ...own }, "chief", { name: "chief", llm: "c/d" }],
      tasks: everybody,
    };
    const definition = definitionFromProject(
      { ...files, "config/agents.yaml": more },
      { additions },
    );
    expect(Object.keys(definition.agents)).toEqual(["own", "chief"]);
    expect(definition.agents["chief"]?.llm).toBe("c/d");
  });

  it("AD3: have agents and tasks of their own, if complete", () => {
    const additions = {
      agents: { critic: { role: "Critic", goal: "g", backstory: "b" } },
      tasks: {
        ...everybody,
        plan: { agent: "critic", output: shape },
        last: { description: "Last", expectedOutput: "e", agent: "critic" },
      },
    };
    expect(crewFromProject(files, { additions }).tasks.map(({ agent }) => agent?.role)).toEqual([
      "Critic",
      "Chief",
      "Chief",
      "Critic",
    ]);
  });

  it("AD3: name agents and tasks missing from the files", () => {
    expect(
      faultsOf({ agents: { cheif: { llm: "x/y" } }, tasks: { plans: { agent: "chief" } } }),
    ).toEqual([
      "additions: agents.cheif: the files have no such agent; they have: chief",
      "additions: tasks.plans: the files have no such task; they have: plan, do, check",
    ]);
  });

  it.each<[unknown, readonly string[]]>([
    [3, ["additions: expected a mapping, got 3"]],
    [{ agents: 3 }, ["additions: agents: expected a mapping of names, or a list of agents with"]],
    [{ agents: [{ llm: "a/b" }] }, ["additions: agents[0]: expected the fields of an agent, with"]],
    [
      { tasks: 3 },
      ["additions: tasks: expected a mapping of names, or a list of tasks with names"],
    ],
    [{ tasks: [{ agent: "chief" }] }, ["additions: tasks[0]: expected the fields of a task, with"]],
    [{ tasks: { plan: "chief" } }, ['additions: tasks.plan: expected fields, got "chief"']],
    [{ agents: { chief: null } }, ["additions: agents.chief: expected fields, got null"]],
  ])("PF3: are refused when they are invalid: %j", (additions, messages) => {
    const faults = faultsOf(additions);
    expect(faults).toHaveLength(messages.length);
    for (const [index, message] of messages.entries()) expect(faults[index]).toContain(message);
  });

  it("PF3: have their faults reported at their place, beside those of the files", () => {
    const additions = {
      process: "anarchy",
      tasks: { ...everybody, do: { agent: "nobody" }, plan: { agent: "chief", tools: ["lost"] } },
    };
    expect(faultsOf(additions)).toEqual([
      'additions: process: expected one of "sequential", "hierarchical", got string "anarchy"',
      expect.stringMatching(/^additions: tasks\.plan\.tools\[0\]: unknown tool "lost"/),
      'config/tasks.yaml:4:3: plan.output_pydantic: unknown schema "Plan"; registered: none',
      'additions: tasks.do.agent: unknown agent "nobody"; defined: chief',
    ]);
  });

  it("PF3: report all tasks without an agent, each with its place", () => {
    expect(faultsOf({})).toEqual([
      expect.stringMatching(/^config\/tasks\.yaml:1:1: plan\.agent: missing_agent_in_task/),
      expect.stringMatching(
        /^config\/tasks\.yaml:5:1: do\.agent: .* \(CrewAI says it in crew\.py\)/,
      ),
      expect.stringMatching(/^config\/tasks\.yaml:9:1: check\.agent: .*; agents: chief$/),
      'config/tasks.yaml:4:3: plan.output_pydantic: unknown schema "Plan"; registered: none',
    ]);
  });

  it("PF4: may be a file beside the others, over which those in code take precedence", () => {
    const crew = `agents:\n  chief: {llm: x/y, max_iter: 4}\ntasks:\n  plan: {output_pydantic: null}\n  do: {agent: nobody}\n`;
    const definition = definitionFromProject(
      { ...files, "config/crew.yaml": crew },
      { additions: { tasks: everybody, agents: { chief: { llm: "p/q" } } } },
    );
    expect(definition.agents["chief"]).toMatchObject({ llm: "p/q", maxIter: 4 });
    expect(definition.tasks[1]?.agent).toBe("chief");
    const tasks = { plan: { agent: "chief" }, check: { agent: "chief" } };
    expect(faultsOf({ tasks }, { "config/crew.yaml": crew })).toEqual([
      'config/crew.yaml:5:8: tasks.do.agent: unknown agent "nobody"; defined: chief',
    ]);
  });

  it("add to a crew.jsonc, too", () => {
    const project = {
      "crew.jsonc": JSON.stringify({
        agents: { chief: { role: "Chief", goal: "g", backstory: "b" } },
        tasks: [{ name: "plan", description: "d", expected_output: "e" }],
      }),
    };
    const additions = { tasks: { plan: { agent: "chief" } } };
    expect(crewFromProject(project, { additions }).tasks[0]?.agent?.role).toBe("Chief");
  });
});

describe("tasks with a name beside their key", () => {
  it("have the name, and are found in contexts by their key", () => {
    const tasks = `a:\n  name: Alpha\n  description: d\n  expected_output: e\n  agent: chief\nb:\n  description: d\n  expected_output: e\n  agent: chief\n  context: [a]\n`;
    const crew = crewFromProject({ ...files, "config/tasks.yaml": tasks });
    expect(crew.tasks.map(({ name }) => name)).toEqual(["Alpha", "b"]);
    expect(crew.tasks[1]?.context).toEqual([crew.tasks[0]]);
  });
});
