import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EngineError } from "../../../../src/base/error.ts";
import {
  crewFromDefinition,
  readCrewDefinition,
} from "../../../../src/crew/definition/crew-definition.ts";
import type { Crew } from "../../../../src/crew/crew.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";

const search = tool({
  name: "Web Search",
  description: "Searches.",
  input: z.object({ q: z.string() }),
  run: () => "hit",
});

const writer = { role: "Writer", goal: "Write about {topic}", backstory: "Wrote a lot." };

const definition = {
  name: "briefing",
  agents: {
    writer: {
      ...writer,
      tools: ["web_search"],
      llm: ["openai/gpt-5-mini", { model: "offline/demo", temperature: 0 }],
      maxIter: 5,
    },
  },
  tasks: [
    {
      name: "research",
      description: "Research {topic}",
      expectedOutput: "Bullets",
      agent: "writer",
    },
    {
      name: "report",
      description: "Report",
      expectedOutput: "A page",
      agent: "writer",
      context: ["research"],
      output: { type: "object", properties: { title: { type: "string" } } },
    },
  ],
  inputs: { topic: "bees" },
  maxTokens: 1000,
};

const made = (given: unknown): Crew =>
  crewFromDefinition(readCrewDefinition(given), { tools: [search] });

/** The issues that a definition is refused with. */
function issuesOf(given: unknown): ReadonlyArray<{ path: string; message: string }> {
  try {
    made(given);
  } catch (error) {
    if (EngineError.is(error) && error.code === "invalid_definition") return error.issues ?? [];
    throw error;
  }
  throw new Error("the definition was expected to be refused");
}

describe("a crew definition", () => {
  it("makes a crew: agents, tasks, context, tools by any spelling, models as they are", () => {
    const crew = made(definition);
    expect(crew).toMatchObject({
      name: "briefing",
      taskKeys: ["task:research", "task:report"],
      options: { inputs: { topic: "bees" }, maxTokens: 1000 },
    });
    expect(crew.agents).toHaveLength(1);
    expect(crew.agents[0]).toMatchObject({
      ...writer,
      maxIter: 5,
      llm: definition.agents.writer.llm,
    });
    expect(crew.agents[0]?.tools).toEqual([search]);
    expect(crew.tasks[1]?.context).toEqual([crew.tasks[0]]);
    expect(crew.tasks[1]?.output).toEqual(definition.tasks[1]?.output);
  });

  it("may be hierarchical, plan, delegate and write files, also in snake_case", () => {
    const crew = made({
      process: "hierarchical",
      manager_llm: { model: "offline/demo", context_window_size: 9 },
      manager_agent: "chief",
      planning: true,
      planning_llm: "offline/demo",
      output_log_file: "log.json",
      agents: { chief: { ...writer, role: "Chief" }, w: { ...writer, allow_delegation: true } },
      tasks: [{ description: "d", expected_output: "e", output_file: "/out/{topic}.md" }],
    });
    expect(crew.process).toBe("hierarchical");
    expect(crew.manager?.role).toBe("Chief");
    expect(crew.agents).toMatchObject([{ role: "Writer", allowDelegation: true }]);
    expect(crew.options).toMatchObject({
      managerLlm: { model: "offline/demo", context_window_size: 9 },
      planning: true,
      planningLlm: "offline/demo",
      outputLogFile: "log.json",
    });
    expect(crew.tasks[0]).toMatchObject({ agent: undefined, outputFile: "/out/{topic}.md" });
  });

  it("is refused for an undefined or missing manager", () => {
    const rest = { process: "hierarchical", agents: { w: writer }, tasks: definition.tasks };
    const tasks = [{ description: "d", expectedOutput: "e" }];
    expect(issuesOf({ ...rest, tasks, managerAgent: "boss" })).toEqual([
      { path: "/managerAgent", message: 'unknown agent "boss"; defined: w' },
    ]);
    expect(issuesOf({ ...rest, tasks })).toMatchObject([
      { path: "", message: expect.stringContaining("missing_manager_llm_or_manager_agent") },
    ]);
  });

  it("survives being stored as JSON", () => {
    const stored = JSON.parse(JSON.stringify(readCrewDefinition(definition)));
    expect(readCrewDefinition(stored)).toEqual(readCrewDefinition(definition));
  });

  it("may be spelled in snake_case, its tasks being a mapping in their order", () => {
    const crew = made({
      agents: {
        senior_writer: {
          ...writer,
          max_iter: 3,
          max_rpm: 10,
          respect_context_window: false,
          use_system_prompt: false,
          verbose: true,
        },
      },
      tasks: {
        research_task: {
          description: "Research",
          expected_output: "Bullets",
          agent: "senior_writer",
          async_execution: true,
        },
        report_task: {
          description: "Report",
          expected_output: "Page",
          agent: "senior_writer",
          context: ["research_task"],
        },
      },
      max_cost_usd: 2,
    });
    expect(crew.agents[0]).toMatchObject({
      maxIter: 3,
      maxRpm: 10,
      respectContextWindow: false,
      useSystemPrompt: false,
    });
    expect(crew.tasks.map(({ name, asyncExecution }) => [name, asyncExecution])).toEqual([
      ["research_task", true],
      ["report_task", false],
    ]);
    expect(crew.options.maxCostUsd).toBe(2);
  });

  it("accepts an agent's planning, skills, templates and the rest, in either spelling", () => {
    const inline = "---\nname: verse\ndescription: Writes verse.\n---\nIt must rhyme.";
    const report = {
      name: "report",
      description: "d",
      instructions: "i",
      metadata: { my_key: "v" },
      resources: { "a_b/c_d.md": "x" },
    };
    const crew = made({
      agents: {
        planner: {
          ...writer,
          planning_config: {
            reasoning_effort: "high",
            max_attempts: null,
            max_steps: 4,
            step_timeout: 9,
          },
          skills: [inline, report],
          system_template: "{{ .System }}",
          prompt_template: "{{ .Prompt }}",
          response_template: "{{ .Response }}end",
          inject_date: true,
          date_format: "%d",
          function_calling_llm: { model: "offline/demo", max_tokens: 5 },
          max_tokens: 7,
          apps: ["gmail"],
          mcps: ["notion", { url: "https://x", my_header: "y" }],
          multimodal: true,
          guardrail: "Is polite.",
          guardrail_max_retries: 1,
        },
        thinker: { ...writer, reasoning: true, max_reasoning_attempts: 2 },
        quick: { ...writer, planning: true },
      },
      tasks: ["planner", "thinker", "quick"].map((agent) => ({
        description: "d",
        expected_output: "e",
        agent,
      })),
      skills: [inline],
    });
    const [planner, thinker, quick] = crew.agents;
    expect(planner).toMatchObject({
      planningConfig: { reasoningEffort: "high", maxAttempts: 20, maxSteps: 4, stepTimeout: 9 },
      skills: [inline, report],
      systemTemplate: "{{ .System }}",
      promptTemplate: "{{ .Prompt }}",
      responseTemplate: "{{ .Response }}end",
      injectDate: true,
      dateFormat: "%d",
      functionCallingLlm: { model: "offline/demo", max_tokens: 5 },
      maxTokens: 7,
      apps: ["gmail"],
      mcps: ["notion", { url: "https://x", my_header: "y" }],
      multimodal: true,
      guardrails: [{ name: "Is polite." }],
      guardrailMaxRetries: 1,
    });
    expect(thinker?.planningConfig).toMatchObject({ reasoningEffort: "medium", maxAttempts: 2 });
    expect(quick?.planningConfig).toMatchObject({ reasoningEffort: "low", maxAttempts: 1 });
    expect(crew.options.skills).toEqual([inline]);
  });

  it("keeps the user's own keys as they are: inputs, schemas, names of agents", () => {
    const output = {
      type: "object",
      properties: { first_name: { type: "string" } },
      required: ["first_name"],
    };
    const read = readCrewDefinition({
      agents: { my_agent: writer },
      tasks: [{ description: "d", expected_output: "e", agent: "my_agent", output }],
      inputs: { user_name: { is_admin: true } },
    });
    expect(Object.keys(read.agents)).toEqual(["my_agent"]);
    expect(read.tasks[0]?.output).toEqual(output);
    expect(read.inputs).toEqual({ user_name: { is_admin: true } });
  });

  it("accepts a training and a chat model, in upstream's spelling too", () => {
    const chat_llm = { model: "openai/x", base_url: "http://y" };
    const crew = made({ ...definition, trained_agents_file: "evening.pkl", chat_llm });
    expect(crew.options).toMatchObject({ trained: "evening.pkl", chatLlm: chat_llm });
    expect(made({ ...definition, trained: true }).options.trained).toBe(true);
    expect(made(definition).options).not.toHaveProperty("trained");
  });

  it("accepts a prompt file with objects as texts", () => {
    const add_image = { name: "See", description: "Sees", default_action: "Describe" };
    const tools = { ask_question: "Ask {coworkers}", add_image };
    const crew = made({ ...definition, prompts: { tools } });
    expect(crew.prompts.tools.askQuestion).toBe("Ask {coworkers}");
  });

  it("sets the policy for failing tools, and the tools with approval", () => {
    const agent = { ...writer, approve_tools: ["web_search"], refuse_repeats: true };
    const crew = made({
      tool_failure_policy: "warn",
      agents: {
        a: { ...agent, toolFailurePolicy: "ignore" },
        b: { ...agent, approveTools: true },
      },
      tasks: [
        { description: "d", expectedOutput: "e", agent: "a", tool_failure_policy: "raise" },
        { description: "d", expectedOutput: "e", agent: "b" },
      ],
    });
    expect(crew.options.toolFailurePolicy).toBe("warn");
    expect(crew.agents).toMatchObject([
      { toolFailurePolicy: "ignore", approveTools: ["web_search"], refuseRepeats: true },
      { toolFailurePolicy: undefined, approveTools: true },
    ]);
    expect(crew.tasks[0]?.toolFailurePolicy).toBe("raise");
    expect(issuesOf({ ...definition, toolFailurePolicy: "explode" })).toMatchObject([
      { path: "/toolFailurePolicy" },
    ]);
  });

  it("takes prompts in either spelling", () => {
    const crew = made({ ...definition, prompts: { slices: { role_playing: "I am {role}" } } });
    expect(crew.prompts.slices.rolePlaying).toBe("I am {role}");
  });

  it("sets the checks of a task's answer, in either spelling", () => {
    const task = { description: "d", expected_output: "e", agent: "writer" };
    const schema = { type: "object", properties: { first_name: { type: "string" } } };
    const crew = made({
      agents: { writer },
      tasks: [
        { ...task, guardrail: "be kind", guardrail_max_retries: 1, human_input: true },
        { ...task, guardrails: ["be kind", "be brief"], max_retries: 0, output_json: schema },
        {
          ...task,
          guardrails: "be brief",
          output_pydantic: schema,
          human_input: { expires_in_seconds: 60, when_expired: "approve" },
        },
        { ...task, response_model: schema, human_input: false },
      ],
    });
    expect(
      crew.tasks.map(({ guardrails, guardrailMaxRetries, humanInput }) => [
        guardrails.map(({ name }) => name),
        guardrailMaxRetries,
        humanInput,
      ]),
    ).toEqual([
      [["be kind"], 1, {}],
      [["be kind", "be brief"], 0, undefined],
      [["be brief"], 3, { expiresInSeconds: 60, whenExpired: "approve" }],
      [[], 3, undefined],
    ]);
    expect(crew.tasks.map(({ output }) => output)).toEqual([undefined, schema, schema, schema]);
    expect(crew.tasks.map(({ responseModel }) => responseModel)).toEqual([
      undefined,
      undefined,
      undefined,
      schema,
    ]);
  });

  it("VD14: is refused with two shapes for one answer, in any spelling", () => {
    const task = { description: "d", expectedOutput: "e", agent: "writer" };
    const issues = issuesOf({
      agents: { writer },
      tasks: [{ ...task, output_json: {}, output_pydantic: {} }],
    });
    expect(issues).toEqual([
      {
        path: "/tasks/0",
        message: expect.stringMatching(/^output_type: .*got outputJson and outputPydantic$/),
      },
    ]);
  });

  it("runs", async () => {
    const crew = made({ ...definition, tasks: [{ ...definition.tasks[1], context: [] }] });
    const handle = crew.start({ models: () => scriptedModel(['{"title":"Bees"}']) });
    expect(await handle.output()).toMatchObject({ object: { title: "Bees" } });
  });

  it("is refused with all faults of its fields at once, each with its place", () => {
    const issues = issuesOf({
      agents: { writer: { ...writer, goal: undefined, maxIter: 0, shoeSize: 44 } },
      tasks: [{ description: "", expectedOutput: "x", agent: 3 }],
      process: "consensual",
    });
    expect(issues.map(({ path }) => path).toSorted()).toEqual([
      "/agents/writer/goal",
      "/agents/writer/maxIter",
      "/agents/writer/shoeSize",
      "/process",
      "/tasks/0/agent",
      "/tasks/0/description",
    ]);
    expect(issues.find(({ path }) => path === "/process")?.message).toContain(
      'expected one of "sequential", "hierarchical"',
    );
    expect(issues.find(({ path }) => path === "/agents/writer/shoeSize")?.message).toBe(
      "is not a known field",
    );
  });

  it("is refused with all unknown names, each with the existing ones", () => {
    const task = { description: "d", expectedOutput: "e" };
    const issues = issuesOf({
      agents: { writer: { ...writer, tools: ["web_search", "phone"] } },
      tasks: [
        { ...task, name: "a", agent: "nobody", context: ["b", "c"] },
        { ...task, name: "b", agent: "writer", tools: ["fax"] },
      ],
    });
    expect(issues).toEqual([
      {
        path: "/agents/writer/tools/1",
        message: expect.stringMatching(
          /^unknown tool "phone"; registered: web_search; pass a tool/,
        ),
      },
      { path: "/tasks/0/agent", message: 'unknown agent "nobody"; defined: writer' },
      { path: "/tasks/0/context/0", message: 'task "b" does not come before this one' },
      { path: "/tasks/0/context/1", message: 'unknown task "c"' },
      {
        path: "/tasks/1/tools/0",
        message: expect.stringMatching(/^unknown tool "fax"; registered: web_search; pass a tool/),
      },
    ]);
  });

  it("is refused with the faults of its agents, tasks and crew", () => {
    const task = { description: "d", expectedOutput: "e", agent: "a" };
    expect(
      issuesOf({
        agents: {
          a: { ...writer, role: " " },
          b: { ...writer, prompts: { slices: { nope: "x" } } },
        },
        tasks: [task],
      }),
    ).toMatchObject([
      { path: "/agents/a", message: "agent.role must not be empty" },
      { path: "/agents/b", message: expect.stringContaining('no key "nope"') },
    ]);
    expect(
      issuesOf({ agents: { a: writer }, tasks: [{ ...task, agent: undefined }] }),
    ).toMatchObject([{ message: expect.stringContaining("missing_agent_in_task") }]);
  });

  it("is refused for an agent named like something of Object's, and for keys with slashes by their pointer", () => {
    const task = { description: "d", expectedOutput: "e" };
    expect(
      issuesOf({ agents: { a: writer }, tasks: [{ ...task, agent: "constructor" }] }),
    ).toMatchObject([{ path: "/tasks/0/agent" }]);
    expect(
      issuesOf({
        agents: { "a/b": { ...writer, tools: ["x"] } },
        tasks: [{ ...task, agent: "a/b" }],
      }),
    ).toMatchObject([{ path: "/agents/a~1b/tools/0" }]);
  });

  it.each([null, "text", [], 3])("is refused when it is not an object: %j", (given) => {
    expect(issuesOf(given)).toMatchObject([{ path: "" }]);
  });

  it.each([[{}], [{ writer: "text" }]])(
    "is refused when its tasks or agents are of another kind: %j",
    (agents) => {
      expect(issuesOf({ agents, tasks: { a: "text" } }).length).toBeGreaterThan(0);
    },
  );
});

describe("memory and knowledge of a definition", () => {
  const withFields = (crew: object, agent: object = {}): object => ({
    ...definition,
    ...crew,
    agents: { writer: { ...writer, ...agent } },
    tasks: [{ description: "Write", expected_output: "A page", agent: "writer" }],
  });

  it("is used, in both spellings, with the keys of sources and embedders as they are", () => {
    const sources = [{ source_type: "string", content: "Bees", chunk_size: 100 }];
    const given = withFields(
      {
        memory: { read_only: true, llm: { model: "a/b", max_tokens: 1 } },
        embedder: "offline/hash-embed",
      },
      {
        memory: true,
        knowledge_sources: sources,
        knowledge_config: { results_limit: 7, score_threshold: 0.2, rewrite: false },
        knowledge: ["handbook"],
        embedder: { provider: "openai", config: { model_name: "x" } },
      },
    );
    const { ignored } = readCrewDefinition(given);
    expect(ignored).toBeUndefined();
    const crew = made(given);
    expect(crew.options).toMatchObject({
      memory: { readOnly: true, llm: { model: "a/b", max_tokens: 1 } },
      embedder: "offline/hash-embed",
    });
    expect(crew.agents[0]).toMatchObject({
      memory: true,
      knowledge: ["handbook"],
      knowledgeSources: sources,
      knowledgeConfig: { resultsLimit: 7, scoreThreshold: 0.2, rewrite: false },
      embedder: { provider: "openai", config: { model_name: "x" } },
    });
  });

  it.each<[object, object, string]>([
    [{ memory: "yes" }, {}, "/memory"],
    [{ memory: { semantic_weight: 2 } }, {}, "/memory/semanticWeight"],
    [{ knowledge_config: { results_limit: 0 } }, {}, "/knowledgeConfig/resultsLimit"],
    [{}, { knowledge_sources: [{ text: "no name" }] }, "/agents/writer/knowledgeSources/0"],
    [{}, { knowledge: [] }, "/agents/writer/knowledge"],
    [{}, { embedder: 3 }, "/agents/writer/embedder"],
  ])("is refused by its path: %j %j", (crew, agent, path) => {
    expect(issuesOf(withFields(crew, agent)).map((issue) => issue.path)).toContain(path);
  });
});
