import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EngineError, type Issue } from "../../../../src/base/error.ts";
import {
  crewFromDefinition,
  newCrewDefinition,
  readCrewDefinition,
} from "../../../../src/crew/definition/crew-definition.ts";
import type { DefinitionRegistry } from "../../../../src/crew/definition/definition-registry.ts";
import { adviceFor } from "../../../../src/crew/definition/ignored-fields.ts";
import { partsOfPointer } from "../../../../src/base/json-pointer.ts";
import type { Crew } from "../../../../src/crew/crew.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { computedMs } from "../../../support/computed-ms.ts";

const agent = { role: "Clerk", goal: "Help", backstory: "Calm" };
const task = { name: "note", description: "Note", expected_output: "A note", agent: "clerk" };

type Fields = {
  readonly crew?: object;
  readonly agent?: object;
  readonly task?: object;
  readonly registry?: DefinitionRegistry;
};

function made(fields: Fields): Crew {
  return newCrewDefinition(definitionWith(fields), fields.registry).crew;
}

function definitionWith(fields: Fields): object {
  return {
    ...fields.crew,
    agents: { clerk: { ...agent, ...fields.agent } },
    tasks: [{ ...task, ...fields.task }],
  };
}

function faultsOf(definition: unknown, registry?: DefinitionRegistry): readonly Issue[] {
  try {
    newCrewDefinition(definition, registry);
  } catch (error) {
    if (EngineError.is(error)) return error.issues ?? [];
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("the fields of CrewAI's files", () => {
  it("DF1: lets an agent's settings take precedence", () => {
    const settings = { max_iter: 50, allow_delegation: true };
    const [clerk] = made({ agent: { max_iter: 10, settings } }).agents;
    expect(clerk).toMatchObject({ maxIter: 50, allowDelegation: true });
  });

  it("DF1: fills an agent from its config, and sets a task by its config", () => {
    const crew = made({
      agent: { max_iter: 10, config: { max_iter: 3, max_rpm: 4 } },
      task: { markdown: false, config: { markdown: true, expected_output: "A list" } },
    });
    expect(crew.agents[0]).toMatchObject({ maxIter: 10, maxRpm: 4 });
    expect(crew.tasks[0]).toMatchObject({ markdown: true, expectedOutput: "A list" });
  });

  it("takes code by { python } on its own and in lists, of agents, tasks and the crew", async () => {
    const calls: string[] = [];
    const call = (name: string) => () => void calls.push(name);
    const registry = {
      functions: {
        before: (inputs: object) => ({ ...inputs, before: true }),
        after: (output: object) => (calls.push("after"), output),
        of_task: call("task"),
        of_crew: call("crew"),
        of_step: call("step"),
        long_enough: () => [true, "checked"],
      },
    };
    const crew = made({
      crew: {
        before_kickoff_callbacks: [{ python: "my.hooks.before" }],
        after_kickoff_callbacks: [{ python: "my.hooks.after" }],
        task_callback: { python: "my.hooks.of_crew" },
        step_callback: { python: "my.hooks.of_step" },
      },
      task: {
        callbacks: [{ python: "my.hooks.of_task" }],
        guardrails: [{ python: "my.checks.long_enough" }, "It is kind."],
      },
      registry,
    });
    const [inCode, inWords] = crew.tasks[0]?.guardrails ?? [];
    expect(inCode).not.toMatchObject({ type: "llm" });
    expect(inWords).toMatchObject({ type: "llm", name: "It is kind." });
    expect(crew.options.beforeKickoff).toEqual([registry.functions.before]);
    expect(crew.options.afterKickoff).toEqual([registry.functions.after]);
    expect(crew.options.stepCallback).toBe(registry.functions.of_step);
  });

  it("gives the crew's function_calling_llm to agents without one", () => {
    const crew = { function_calling_llm: "offline/demo" };
    expect(made({ crew }).agents[0]?.functionCallingLlm).toBe("offline/demo");
    const own = made({ crew, agent: { function_calling_llm: "a/b" } });
    expect(own.agents[0]?.functionCallingLlm).toBe("a/b");
  });

  it.each([{ deployment_name: "mine" }, { model_name: "openai/gpt-5-mini" }, { model: "a/b" }])(
    "takes a model as %j",
    (llm) => {
      expect(made({ agent: { llm } }).agents[0]?.llm).toEqual(llm);
    },
  );

  it("refuses settings of a model without a name", () => {
    const faults = faultsOf(definitionWith({ agent: { llm: { temperature: 1 } } }));
    expect(faults).toEqual([
      { path: "/agents/clerk/llm/model", message: "expected the name of a model, got nothing" },
    ]);
  });

  it("accepts an empty expected_output, but not a missing one", () => {
    expect(made({ task: { expected_output: "" } }).tasks[0]?.expectedOutput).toBe("");
    expect(faultsOf(definitionWith({ task: { expected_output: null } }))).toEqual([
      { path: "/tasks/0/expectedOutput", message: "expected string, got nothing" },
    ]);
  });

  it("takes tools as objects, files with a source, fingerprints and a converter by its name", () => {
    const find = tool({ name: "find", description: "d", input: z.object({}), run: () => "x" });
    const convert = () => ({});
    const crew = made({
      agent: { tools: [{ name: "my_tools:find" }], security_config: { fingerprint: "clerk" } },
      task: {
        input_files: { spec: { source: "files/spec.md" }, log: "files/log.txt" },
        converter_cls: { python: "my.convert" },
        security_config: "note",
      },
      registry: { tools: [find], functions: { convert } },
    });
    expect(crew.agents[0]?.tools).toEqual([find]);
    expect(crew.agents[0]?.securityConfig.fingerprint).toBeDefined();
    expect(crew.tasks[0]).toMatchObject({
      inputFiles: { spec: { text: "files/spec.md" }, log: { text: "files/log.txt" } },
      converter: convert,
    });
  });

  it("keeps one shape of an answer in place of CrewAI's two, and reports the other", () => {
    const shape = { type: "object" };
    const definition = definitionWith({ task: { output_json: shape, response_model: shape } });
    expect(readCrewDefinition(definition).ignored).toEqual(["/tasks/0/responseModel"]);
    expect(crewFromDefinition(readCrewDefinition(definition)).tasks[0]?.output).toEqual(shape);
  });
});

describe("fields without effect", () => {
  it.each<[Fields, readonly string[]]>([
    [{ agent: { type: { python: "my.SpecialAgent" } } }, ["/agents/clerk/type"]],
    [{ task: { type: "my.SpecialTask" } }, ["/tasks/0/type"]],
    [{ agent: { type: "Agent" }, task: { type: "crewai.Task" } }, []],
    [
      { agent: { executor_class: "X", checkpoint: true } },
      ["/agents/clerk/executorClass", "/agents/clerk/checkpoint"],
    ],
    [{ agent: { checkpoint: false, callbacks: [] } }, []],
    [{ crew: { share_crew: true, tracing: null } }, ["/shareCrew"]],
  ])("DF2: are listed: %j", (fields, ignored) => {
    expect(readCrewDefinition(definitionWith(fields)).ignored ?? []).toEqual(ignored);
    for (const path of ignored) expect(adviceFor(partsOfPointer(path))).toBeTypeOf("string");
  });

  it("keeps the options of tools, by any name of the tool's field", () => {
    const tools = [
      { name: "find", n_results: 3, description: "Finds." },
      { tool_type: "crewai_tools.SerperDevTool", name: "Look" },
      { tool: "other" },
      "custom:last",
    ];
    const { agents } = readCrewDefinition(definitionWith({ agent: { tools } }));
    expect(agents["clerk"]?.tools).toEqual([
      { tool: "find", n_results: 3, description: "Finds." },
      { tool: "SerperDevTool", name: "Look" },
      "other",
      "last",
    ]);
  });

  it("DF2: stay listed when the definition is read again", () => {
    const once = readCrewDefinition(definitionWith({ crew: { share_crew: true } }));
    expect(readCrewDefinition(JSON.parse(JSON.stringify(once)))).toEqual(once);
  });

  it("are refused with a replacement when they are indispensable", () => {
    expect(faultsOf(definitionWith({ crew: { prompt_file: "p.json", config: {} } }))).toEqual([
      {
        path: "/promptFile",
        message: expect.stringMatching(/^is not a known field: put the file/),
      },
      {
        path: "/config",
        message: expect.stringMatching(/^is not a known field: write its agents/),
      },
    ]);
  });
});

describe("faults of a new definition", () => {
  it("are reported at once: form, names, and all tasks without an agent", () => {
    const faults = faultsOf({
      agents: { clerk: { goal: "Help", backstory: "Calm", tools: ["lost"] } },
      tasks: {
        a: { description: "d", expected_output: "e", output_pydantic: "Gone" },
        b: { description: "d", expected_output: 3 },
        c: { description: "d", expected_output: "e", agent: "nobody", max_retries: -1 },
      },
    });
    expect(faults.map(({ path }) => path)).toEqual([
      "/agents/clerk/role",
      "/tasks/1/expectedOutput",
      "/tasks/2/maxRetries",
      "/tasks/0/agent",
      "/tasks/1/agent",
      "/agents/clerk/tools/0",
      "/tasks/0/outputPydantic",
      "/tasks/2/agent",
    ]);
    expect(faults[3]?.message).toBe(
      'missing_agent_in_task: task "a" has no agent (CrewAI says it in crew.py): write `agent: <name>` here, or add { "tasks": { "a": { "agent": "<name>" } } }; agents: clerk',
    );
  });

  it("are not reported twice for a field of the wrong type", () => {
    expect(faultsOf(definitionWith({ task: { agent: 5 } })).map(({ path }) => path)).toEqual([
      "/tasks/0/agent",
    ]);
  });

  it.each([null, 3, "x", [], {}, { agents: 3, tasks: {} }, { agents: { a: 3 }, tasks: [null, 7] }])(
    "are reported for a value of another kind: %j",
    (definition) => {
      expect(faultsOf(definition).length).toBeGreaterThan(0);
    },
  );

  it("are cut to the first fifty", () => {
    const agents = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, i) => [`a${i}`, { nope: 1 }]),
    );
    expect(faultsOf({ agents, tasks: [task] })).toHaveLength(50);
  });

  it("are found quickly in a large definition", () => {
    const tasks = Array.from({ length: 10_000 }, (_, index) => ({
      ...task,
      name: `t${index}`,
      context: index === 0 ? [] : ["t0"],
      agent: "nobody",
    }));
    const started = computedMs();
    expect(faultsOf({ agents: { clerk: agent }, tasks })).toHaveLength(50);
    expect(computedMs() - started).toBeLessThan(5_000);
  });

  it("include an ambiguous context, which stored definitions may have", () => {
    const definition = {
      agents: { clerk: agent },
      tasks: [task, task, { ...task, name: "end", context: ["note"] }],
    };
    expect(faultsOf(definition)).toEqual([
      {
        path: "/tasks/2/context/0",
        message: '2 tasks before this one are called "note": give them different names',
      },
    ]);
    const stored = crewFromDefinition(readCrewDefinition(definition));
    expect(stored.tasks[2]?.context).toEqual([stored.tasks[1]]);
  });
});

it("gives agents stubs of unregistered tools with missing_tools: stub", async () => {
  const crew = made({ crew: { missing_tools: "stub" }, agent: { tools: ["SerperDevTool"] } });
  const model = scriptedModel([
    { toolCalls: [{ name: "serper_dev_tool", arguments: {} }] },
    "done",
  ]);
  const { raw, tasks } = await crew.start({ models: () => model }).output();
  expect([raw, tasks[0]?.toolsErrors]).toEqual(["done", 1]);
  expect(JSON.stringify(model.calls[1]?.messages)).toContain("is not registered");
});
