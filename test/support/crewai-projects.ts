// Projects in the forms that CrewAI's own examples have: what each file says, and what crew.py says beside it, as data.
import * as z from "zod";
import type { JsonObject } from "../../src/base/json.ts";
import type { ProjectAdditions } from "../../src/project/additions.ts";
import type { ProjectFiles } from "../../src/project/project-files.ts";

export type ExampleProject = {
  readonly name: string;
  readonly files: ProjectFiles;
  readonly additions?: ProjectAdditions;
  readonly inputs: JsonObject;
  /** Texts that the first request to the model has, with the inputs filled in. */
  readonly prompt: readonly string[];
};

/** The output classes that the projects name. */
export const SCHEMAS = {
  Draft: z.object({ title: z.string(), body: z.string() }),
  Plan: z.object({ steps: z.array(z.object({ name: z.string(), hours: z.number() })) }),
  Score: z.object({ score: z.number(), reason: z.string() }),
};

/** The code that the projects name. */
export const FUNCTIONS = {
  add_year: (inputs: JsonObject) => ({ year: 2026, ...inputs }),
  keep: (output: unknown) => output,
  note: () => undefined,
  is_long: () => true,
  has_title: () => [true, "it has"] as const,
};

type Texts = { readonly role?: string; readonly goal?: string; readonly more?: string };

function agentYaml(
  name: string,
  { role = "Worker", goal = "Do it well", more = "" }: Texts,
): string {
  return `${name}:\n  role: >\n    ${role}\n  goal: >\n    ${goal}\n  backstory: >\n    Years of practice,\n    and patience.\n${more}\n`;
}

function taskYaml(name: string, description: string, more = ""): string {
  return `${name}:\n  description: >\n    ${description}\n  expected_output: >\n    A short text.\n${more}\n`;
}

function classic(agents: string, tasks: string): ProjectFiles {
  return { "src/demo/config/agents.yaml": agents, "src/demo/config/tasks.yaml": tasks };
}

const two =
  agentYaml("chief", { role: "Chief of {team}" }) + agentYaml("helper", { role: "Helper" });
const ofTwo = taskYaml("first", "Look at {team}.") + taskYaml("second", "Sum it up.");
const team = { inputs: { team: "garden" }, prompt: ["Chief of garden", "Look at garden."] };

export const EXAMPLE_PROJECTS: readonly ExampleProject[] = [
  {
    name: "tasks without agents, a chief who delegates",
    files: classic(two, ofTwo),
    additions: {
      agents: { chief: { allowDelegation: true } },
      tasks: { first: { agent: "chief" }, second: { agent: "helper" } },
    },
    ...team,
  },
  {
    name: "tools by class name, and an output class",
    files: classic(two, ofTwo),
    additions: {
      missingTools: "stub",
      agents: { chief: { tools: ["SerperDevTool", "crewai_tools:ScrapeWebsiteTool"] } },
      tasks: { first: { agent: "chief" }, second: { agent: "helper", outputJson: "Draft" } },
    },
    ...team,
  },
  {
    name: "expected_output with nothing in it",
    files: classic(
      agentYaml("designer", {}),
      "design:\n  description: Design a page on {idea}.\n  expected_output: >\n\ncode:\n  description: Write it.\n  expected_output: >\n",
    ),
    additions: { tasks: { design: { agent: "designer" }, code: { agent: "designer" } } },
    inputs: { idea: "tea" },
    prompt: ["Design a page on tea."],
  },
  {
    name: "a tool of its own on one task",
    files: classic(agentYaml("checker", {}), taskYaml("check", "Check {file}.")),
    additions: {
      missingTools: "stub",
      tasks: { check: { agent: "checker", tools: ["custom:markdown_check"] } },
    },
    inputs: { file: "readme.md" },
    prompt: ["Check readme.md."],
  },
  {
    name: "context lists and three shapes",
    files: classic(two, ofTwo + taskYaml("third", "Plan it.") + taskYaml("last", "Score it.")),
    additions: {
      tasks: {
        first: { agent: "chief" },
        second: { agent: "helper", outputPydantic: "Draft" },
        third: { agent: "chief", context: ["first", "second"], outputPydantic: "Plan" },
        last: { agent: "helper", context: ["third"], outputPydantic: "Score" },
      },
    },
    ...team,
  },
  {
    name: "a model by name for each agent",
    files: classic(two, ofTwo),
    additions: {
      agents: { chief: { llm: "nvidia/some-model" }, helper: { llm: { deploymentName: "mine" } } },
      tasks: { first: { agent: "chief" }, second: { agent: "helper" } },
    },
    ...team,
  },
  {
    name: "asynchronous tasks that one task gathers",
    files: classic(two, ofTwo + taskYaml("third", "Join both.")),
    additions: {
      tasks: {
        first: { agent: "chief", asyncExecution: true },
        second: { agent: "helper", asyncExecution: true },
        third: { agent: "chief", context: ["first", "second"] },
      },
    },
    ...team,
  },
  {
    name: "knowledge of its own, agents in the files",
    files: classic(
      agentYaml("guide", { goal: "Answer on {thing}" }),
      taskYaml("answer", "Answer {question}", "  agent: guide"),
    ),
    inputs: { thing: "headsets", question: "What does {it} weigh?" },
    prompt: ["What does {it} weigh?"],
  },
  {
    name: "tasks in the order of crew.py, one of them unused",
    files: classic(two, ofTwo + taskYaml("unused", "Nobody does this.")),
    additions: {
      tasks: [
        { name: "first", agent: "chief" },
        { name: "second", agent: "helper" },
      ],
    },
    ...team,
  },
  {
    name: "double braces in a text",
    files: classic(
      agentYaml("writer", {}),
      taskYaml("write", "Turn it into a scene: {{discussion}}"),
    ),
    additions: { tasks: { write: { agent: "writer" } } },
    inputs: { discussion: "hello" },
    prompt: ["Turn it into a scene: {"],
  },
  {
    name: "inputs that are JSON with braces",
    files: classic(agentYaml("scout", {}), taskYaml("match", "Match {skills} with {jobs}.")),
    additions: { tasks: { match: { agent: "scout" } } },
    inputs: { skills: '{"python": {"years": 3}}', jobs: "[{a}]" },
    prompt: ['Match {"python": {"years": 3}} with [{a}].'],
  },
  {
    name: "all in the files",
    files: classic(
      two,
      ofTwo.replace("\n\nsecond", "\n  agent: chief\nsecond") + "  agent: helper\n",
    ),
    ...team,
  },
  {
    name: "an output class in the files",
    files: classic(
      agentYaml("judge", {}),
      taskYaml("score", "Score {bio}.", "  agent: judge\n  output_pydantic: Score"),
    ),
    inputs: { bio: "a short life" },
    prompt: ["Score a short life."],
  },
  {
    name: "callbacks and guardrails in Python, in lists",
    files: {
      "crew.jsonc": JSON.stringify({
        name: "checked",
        agents: ["clerk"],
        tasks: [
          {
            name: "draft",
            description: "Draft a note on {topic}",
            expected_output: "A note",
            agent: "clerk",
            output_pydantic: { python: "demo.types.Draft" },
            guardrails: [{ python: "demo.checks.has_title" }],
            callbacks: [{ python: "demo.hooks.note" }],
          },
          {
            name: "polish",
            type: "ConditionalTask",
            condition: { python: "demo.checks.is_long" },
            description: "Polish it for {year}",
            expected_output: "A note",
            agent: "clerk",
          },
        ],
        before_kickoff_callbacks: [{ python: "demo.hooks.add_year" }],
        after_kickoff_callbacks: [{ python: "demo.hooks.keep" }],
        task_callback: { python: "demo.hooks.note" },
        inputs: { topic: "tea" },
      }),
      "agents/clerk.jsonc": `{
        // settings take precedence
        "role": "Clerk", "goal": "Write", "backstory": "Plain", "max_iter": 1,
        "type": { "python": "demo.agents.SpecialAgent" },
        "settings": { "max_iter": 9, "allow_delegation": false, },
      }`,
    },
    inputs: {},
    prompt: ["Draft a note on tea"],
  },
  {
    name: "agents as one-key lists, tools as objects",
    files: {
      "crew.jsonc": JSON.stringify({
        agents: [{ seeker: { role: "Seeker", goal: "Find", backstory: "Keen" } }, "writer"],
        tasks: [
          { find: { description: "Find {what}", expected_output: "Facts", agent: "seeker" } },
          {
            name: "write",
            description: "Write",
            expected_output: "Text",
            agent: "writer",
            tools: [{ name: "FileReadTool", file_path: "a.txt" }],
          },
        ],
        missing_tools: "stub",
      }),
      "agents/writer.json": '{"role":"Writer","goal":"Write","backstory":"Plain","verbose":true}',
    },
    inputs: { what: "gold" },
    prompt: ["Find gold"],
  },
  {
    name: "what crew.py says as a file beside the others",
    files: {
      ...classic(two, ofTwo),
      "src/demo/crew.yaml":
        "process: sequential\nagents:\n  helper: {max_iter: 4}\ntasks:\n  first: {agent: chief}\n  second: {agent: helper, output_file: report.md}\n",
    },
    ...team,
  },
  {
    name: "hierarchical, with a manager's model",
    files: classic(two, ofTwo),
    additions: { process: "hierarchical", managerLlm: "offline/demo" },
    inputs: team.inputs,
    prompt: ["Look at garden."],
  },
  {
    name: "a person's name where there are two agents with line breaks in their roles",
    files: classic(
      'poet:\n  role: |\n    Poet\n    of {place}\n  goal: "Rhyme"\n  backstory: ""\n',
      taskYaml("rhyme", "Rhyme on {place}", "  agent: poet\n  human_input: false"),
    ),
    inputs: { place: "Rome" },
    prompt: ["Poet\nof Rome", "Rhyme on Rome"],
  },
  {
    name: "a skill and a prompt file among the files",
    files: {
      "crew.jsonc": JSON.stringify({
        agents: {
          editor: { role: "Editor", goal: "Edit", backstory: "Strict", skills: ["./skills"] },
        },
        tasks: [
          { name: "edit", description: "Edit {text}", expected_output: "Text", agent: "editor" },
        ],
        prompt_file: "./prompts.json",
      }),
      "skills/style/SKILL.md":
        "---\nname: style\ndescription: How texts are to sound\n---\nUse short words.\n",
      "skills/style/references/words.md": "tea, cup",
      "prompts.json": '{"slices": {"expected_output": "\\nWanted: {expected_output}"}}',
    },
    inputs: { text: "a poem" },
    prompt: ["Wanted: Text", "How texts are to sound"],
  },
  {
    name: "an agent and a task that only crew.py has",
    files: classic(two, ofTwo),
    additions: {
      agents: { critic: { role: "Critic", goal: "Find flaws", backstory: "Sharp" } },
      tasks: {
        first: { agent: "chief" },
        second: { agent: "helper" },
        review: { description: "Review it", expectedOutput: "Flaws", agent: "critic" },
      },
    },
    ...team,
  },
];

/** What `crewai create crew` writes by default. */
export const JSON_SCAFFOLD = {
  "crew.jsonc": `{
  // the crew
  "name": "demo",
  "agents": ["researcher", "analyst"],
  "tasks": [
    { "name": "research", "description": "Research {topic}, as of {current_year}", "expected_output": "Ten points", "agent": "researcher" },
    { "name": "report", "description": "Write a report", "expected_output": "A report", "agent": "analyst", "context": ["research"], "output_file": "report.md" },
  ],
  "process": "sequential", "verbose": true, "memory": true, "tracing": true,
  "inputs": { "topic": "AI", "current_year": "2026" },
}`,
  "agents/researcher.jsonc":
    '{ "role": "{topic} Researcher", "goal": "Find", "backstory": "Keen", "tools": [], "settings": { "verbose": true, "allow_delegation": false, "max_iter": 25 } }',
  "agents/analyst.jsonc": '{ "role": "Analyst", "goal": "Report", "backstory": "Exact" }',
};

/** The content crew of `crewai create flow`. */
export const CONTENT_SCAFFOLD = {
  "config/agents.yaml":
    "writer:\n  role: >\n    Writer\n  goal: >\n    Write\n  backstory: >\n    Plain\n",
  "config/tasks.yaml":
    "write:\n  description: >\n    Write a post on {topic}\n  expected_output: >\n    A post\n  agent: writer\n  output_file: output/post.md\n",
};
