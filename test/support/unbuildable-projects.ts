// Projects of CrewAI that an import cannot make whole: each part that does not build must be an open place.
import { agents, HEAD, tasks } from "./python-projects.ts";

export type UnbuildableProject = {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** Files and reasons, of which each is among the open places. */
  readonly open: readonly (readonly [file: string, why: RegExp])[];
  /** Folders and files that wait in `by-hand/`. */
  readonly left: readonly string[];
};

const CLASS = `${HEAD}
@CrewBase
class TeaCrew:
    @agent
    def taster(self) -> Agent:
        return Agent(config=self.agents_config["taster"])

    @task
    def tasting(self) -> Task:
        return Task(config=self.tasks_config["tasting"], agent=self.taster())

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks)
`;

const OTHER_FIELDS = `taster:
  role: >
    Taster of {topic}
  system_message: |
    Taste first.

    Then speak.
  goal: >
    Know good tea
  tool:
  - kettle
  - cup
  backstory: >
    Years of it
`;

const JSON_CREW = {
  name: "tea",
  agents: [{ name: "taster", role: "Taster", goal: "Know good tea", backstory: "Years of it" }],
  tasks: [{ name: "tasting", description: "Taste", expected_output: "Words", agent: "taster" }],
};

export const UNBUILDABLE_PROJECTS: readonly UnbuildableProject[] = [
  {
    name: "YAML with fields that CrewAI ignores",
    files: {
      "src/tea/crew.py": CLASS,
      "src/tea/config/agents.yaml": OTHER_FIELDS,
      "src/tea/config/tasks.yaml": `${tasks("tasting")}  inputs: [tea]\n`,
    },
    open: [
      ["src/tea/config/agents.yaml", /system_message: is a field that CrewAI ignores/],
      ["src/tea/config/agents.yaml", /tool: is a field that CrewAI ignores/],
      ["src/tea/config/tasks.yaml", /inputs: is a field that CrewAI ignores/],
    ],
    left: [],
  },
  {
    name: "tasks that a loop makes",
    files: {
      "tea/main.py": `from crewai import Agent, Crew, Task\n\ntaster = Agent(role="Taster", goal="Know good tea", backstory="Years")\ntastings = []\nfor tea in load_teas():\n    tastings.append(Task(description=f"Taste {tea}", expected_output="Words", agent=taster))\ncrew = Crew(agents=[taster], tasks=tastings)\n`,
      "tea/teas.py": `def load_teas():\n    if today():\n        return ["a"]\n    return []\n`,
    },
    open: [
      ["tea/teas.py", /`load_teas` is not read: write it in TypeScript/],
      ["tea/main.py", /no task of \S+ could be read/],
    ],
    left: ["crews/tea"],
  },
  {
    name: "a crew in JSON that is cut off, beside a whole one",
    files: {
      "crews/tea/crew.jsonc": JSON.stringify(JSON_CREW),
      "crews/broken/crew.jsonc": `{ "name": "broken", "agents": [\n`,
    },
    open: [["crews/broken/crew.jsonc", /crews\/broken\/crew\.jsonc does not build, /]],
    left: ["crews/broken"],
  },
  {
    name: "a crew in JSON that names Python",
    files: {
      "crew.jsonc": JSON.stringify({
        ...JSON_CREW,
        tasks: [{ ...JSON_CREW.tasks[0], output_pydantic: { python: "models.Tea" } }],
      }),
    },
    open: [["crew.jsonc", /unknown schema "models\.Tea"/]],
    left: ["crews/crew"],
  },
  {
    name: "a crew in JSON that names Python which is there",
    files: {
      "crew.jsonc": JSON.stringify({
        ...JSON_CREW,
        tasks: [
          {
            ...JSON_CREW.tasks[0],
            output_pydantic: { python: "tea.models.Tea" },
            callback: { python: "tea.hooks.note" },
          },
        ],
      }),
      "tea/models.py":
        "from pydantic import BaseModel\n\nclass Tea(BaseModel):\n    name: str\n    minutes: int\n",
      "tea/hooks.py": "def note(output):\n    print(output.raw)\n",
    },
    open: [["tea/hooks.py", /a function of yours: write `tea\.hooks\.note`/]],
    left: [],
  },
  {
    name: "texts of a script that Python puts together",
    files: {
      "tea/main.py": `from crewai import Agent, Crew, Task\n\nyears = 3\ntaster = Agent(role="Taster", goal="Know good tea", backstory=f"{years * 2} years")\ntasting = Task(description="Taste", expected_output="Words", agent=taster)\ncrew = Crew(agents=[taster], tasks=[tasting])\n`,
    },
    open: [["tea/main.py", /the input `years_2` is computed: pass it at the start/]],
    left: [],
  },
  {
    name: "a class whose YAML lacks its task",
    files: {
      "src/tea/crew.py": CLASS,
      "src/tea/config/agents.yaml": agents("taster"),
      "src/tea/config/tasks.yaml": tasks("brewing"),
    },
    open: [["src/tea/config/tasks.yaml", /has no `tasting`/]],
    left: ["crews/tea"],
  },
  {
    name: "inputs that Python computes",
    files: {
      "src/tea/crew.py": CLASS,
      "src/tea/config/agents.yaml": agents("taster"),
      "src/tea/config/tasks.yaml": tasks("tasting"),
      "src/tea/main.py": `from datetime import datetime\nfrom tea.crew import TeaCrew\n\ndef run():\n    inputs = {"topic": "tea", "year": str(datetime.now().year)}\n    TeaCrew().crew().kickoff(inputs=inputs)\n`,
    },
    open: [["src/tea/main.py", /the input `year` is computed/]],
    left: [],
  },
  {
    name: "a declared flow with a listener of nothing",
    files: {
      "flow.yaml": `schema: crewai.flow/v1\nname: pour\nmethods:\n  pour:\n    start: true\n    do: { call: expression, expr: "1" }\n  drink:\n    listen: brew\n    do: { call: nonsense }\n`,
    },
    open: [["flow.yaml", /flows\/flow\.yaml does not build, /]],
    left: ["flows/flow.yaml"],
  },
];
