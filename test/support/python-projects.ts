// Projects of CrewAI with their Python, in the forms that people write.
import { importProject, type Import } from "../../src/cli/import/import-project.ts";
import type { SourceFile } from "../../src/cli/import/source-file.ts";
import { CATALOGUE_NAMES } from "../../src/wire/catalogue-names.ts";
import { toolKey } from "../../src/wire/tool-key.ts";

export type PythonProject = {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** The crews that it has. */
  readonly crews: readonly string[];
  /** What is left by hand: file, a part of the line, and a part of the reason. */
  readonly byHand: readonly (readonly [string, string, RegExp])[];
};

function sourceFiles(files: Readonly<Record<string, string | Uint8Array>>): SourceFile[] {
  return Object.entries(files).map(([path, content]) => ({
    path,
    bytes: typeof content === "string" ? new TextEncoder().encode(content) : content,
  }));
}

export function imported(files: Readonly<Record<string, string | Uint8Array>>): Import {
  const isInCatalogue = (name: string): boolean => CATALOGUE_NAMES.has(toolKey(name));
  const made = importProject(sourceFiles(files), { isInCatalogue });
  if (made === undefined) throw new Error("nothing was found");
  return made;
}

export function textOf({ files }: Import, path: string): string {
  const content = files.find((file) => file.path === path)?.content;
  if (content === undefined)
    throw new Error(`no ${path}: ${files.map((file) => file.path).join(", ")}`);
  return typeof content === "string" ? content : new TextDecoder().decode(content);
}

export function agents(...names: readonly string[]): string {
  return names
    .map(
      (name) =>
        `${name}:\n  role: >\n    ${name} of {topic}\n  goal: >\n    Do it well\n  backstory: >\n    Years of it\n`,
    )
    .join("\n");
}

export function tasks(...names: readonly string[]): string {
  return names
    .map(
      (name) =>
        `${name}:\n  description: >\n    ${name} on {topic}\n  expected_output: >\n    A text\n`,
    )
    .join("\n");
}

export const HEAD = `from crewai import Agent, Crew, Process, Task, LLM
from crewai.project import CrewBase, agent, crew, task, tool, llm, before_kickoff, after_kickoff
`;

export function project(
  crewPy: string,
  yaml: { readonly agents: string; readonly tasks: string },
  more: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  return {
    "src/demo/crew.py": HEAD + crewPy,
    "src/demo/config/agents.yaml": yaml.agents,
    "src/demo/config/tasks.yaml": yaml.tasks,
    ...more,
  };
}

const TWO = { agents: agents("scout", "writer"), tasks: tasks("find", "write") };

/** A class with an agent and a task for each name, `more` standing in their calls. */
export function crewClass(
  name: string,
  { scout = "", writer = "", find = "", write = "", crew = "" }: Readonly<Record<string, string>>,
): string {
  return `
@CrewBase
class ${name}:
    """A crew"""

    @agent
    def scout(self) -> Agent:
        return Agent(config=self.agents_config["scout"]${scout})

    @agent
    def writer(self) -> Agent:
        return Agent(config=self.agents_config['writer']${writer}, verbose=2)

    @task
    def find(self) -> Task:
        return Task(config=self.tasks_config["find"], agent=self.scout()${find})

    @task
    def write(self) -> Task:
        return Task(config=self.tasks_config["write"], agent=self.writer()${write})

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks, process=Process.sequential, verbose=True${crew})
`;
}

export const PYTHON_PROJECTS: readonly PythonProject[] = [
  {
    name: "agents of tasks",
    files: project(crewClass("PlainCrew", {}), TWO),
    crews: ["plain"],
    byHand: [],
  },
  {
    name: "tools of the catalogue, of the file and of a method",
    files: project(
      `from crewai_tools import SerperDevTool, FileReadTool, ScrapeWebsiteTool
reader = FileReadTool(
    file_path='notes.md',
    description='Reads the notes.'
)
${crewClass("ToolCrew", {
  scout: ", tools=[SerperDevTool(n_results=3), reader]",
  writer: ", tools=[self.scraper()], allow_delegation=False, max_iter=4",
})}
    @tool
    def scraper(self):
        return ScrapeWebsiteTool()
`,
      TWO,
    ),
    crews: ["tool"],
    byHand: [],
  },
  {
    name: "output classes, files and contexts",
    files: project(
      `from typing import List, Optional, Literal
from pydantic import BaseModel, Field

class Point(BaseModel):
    text: str = Field(..., description="What it is")
    weight: int = Field(1, ge=1, le=5)

class Report(BaseModel):
    """All points"""
    points: List[Point]
    mood: Optional[Literal["good", "bad"]] = None
${crewClass("ShapeCrew", {
  find: ", output_pydantic=Report",
  write: ", context=[self.find()], output_file='report.md', async_execution=False",
})}`,
      TWO,
    ),
    crews: ["shape"],
    byHand: [],
  },
  {
    name: "models as names, as settings, in a method and in the YAML",
    files: project(
      `fast = LLM(model="openai/gpt-5-mini", temperature=0.2)
${crewClass("ModelCrew", { scout: ", llm=fast" })}
    @llm
    def big(self):
        return LLM(model="openai/gpt-5")
`,
      { agents: TWO.agents.replace("writer:\n", "writer:\n  llm: big\n"), tasks: TWO.tasks },
    ),
    crews: ["model"],
    byHand: [],
  },
  {
    name: "hierarchical, with a manager",
    files: project(
      `${crewClass("TeamCrew", { crew: ", manager_agent=self.chief(), memory=False" }).replace("Process.sequential", "Process.hierarchical")}
    def chief(self) -> Agent:
        return Agent(role="Chief", goal="Lead", backstory="Calm", allow_delegation=True)
`,
      TWO,
    ),
    crews: ["team"],
    byHand: [],
  },
  {
    name: "own tools, callbacks and hooks",
    files: project(
      `from demo.tools.words import WordCount, shout
def note(output):
    print(output)
${crewClass("OwnCrew", {
  scout: ", tools=[WordCount(), shout], step_callback=note",
  find: ", callback=note",
})}
    @before_kickoff
    def prepare(self, inputs):
        inputs["year"] = 2026
        return inputs
`,
      TWO,
      {
        "src/demo/tools/words.py": `from typing import Type
from crewai.tools import BaseTool, tool
from pydantic import BaseModel, Field

class WordCountInput(BaseModel):
    text: str = Field(..., description="Whose words are counted")
    least: int = Field(default=0, ge=0)

class WordCount(BaseTool):
    name: str = "Word count"
    description: str = (
        "Counts the words "
        "of a text."
    )
    args_schema: Type[BaseModel] = WordCountInput

    def _run(self, text: str, least: int = 0) -> str:
        return str(len(text.split()))

@tool("Shout")
def shout(text: str, times: int = 1, how: "str | None" = None) -> str:
    """Says it loudly.

    Args:
        text: What is said
        times (int): How often
    """
    return text.upper() * times
`,
      },
    ),
    crews: ["own"],
    byHand: [
      ["src/demo/crew.py", "def note(", /note/],
      ["src/demo/crew.py", "def prepare(", /prepare/],
      ["src/demo/tools/words.py", "class WordCount(", /tool of yours/],
      ["src/demo/tools/words.py", "def shout(", /tool of yours/],
    ],
  },
  {
    name: "f-strings, variables of the environment, comprehensions, spread",
    files: project(
      `import os
${crewClass("OddCrew", {
  scout: `, llm=os.getenv("MODEL"), max_iter=5`,
  writer: `, tools=[T() for T in ALL], **EXTRA`,
  find: `, output_file=f"{NAME}.md"`,
  write: `, output_file="a.md" if X else "b.md", async_execution=False`,
})}`,
      TWO,
    ),
    crews: ["odd"],
    byHand: [
      ["src/demo/crew.py", "os.getenv", /llm/],
      ["src/demo/crew.py", "for T in ALL", /tools/],
      ["src/demo/crew.py", "**EXTRA", /spread/],
      ["src/demo/crew.py", 'f"{NAME}.md"', /the input `NAME` is computed/],
      ["src/demo/crew.py", '"a.md" if X', /output_file/],
    ],
  },
  {
    name: "other names in the YAML, tasks in an order of their own, inputs of main.py",
    files: project(
      `
@CrewBase
class NamesCrew():
    agents_config = "settings/people.yaml"
    tasks_config = "settings/work.yaml"

    @agent
    def first_agent(self) -> Agent:
        config = self.agents_config["scout"]
        return Agent(config=config)

    @task
    def last(self) -> Task:
        return Task(config=self.tasks_config["write"], agent=self.first_agent())

    @task
    def begin(self) -> Task:
        task = Task(config=self.tasks_config["find"], agent=self.first_agent())
        return task

    @crew
    def crew(self) -> Crew:
        return Crew(agents=[self.first_agent()], tasks=[self.begin(), self.last()])
`,
      TWO,
      {
        "src/demo/settings/people.yaml": TWO.agents,
        "src/demo/settings/work.yaml": TWO.tasks,
        "src/demo/main.py": `from demo.crew import NamesCrew
def run():
    inputs = {"topic": "tea", "year": str(datetime.now().year)}
    NamesCrew().crew().kickoff(inputs=inputs)
`,
      },
    ),
    crews: ["names"],
    byHand: [
      ["src/demo/config/tasks.yaml", "", /no class with @CrewBase.*find, write/],
      ["src/demo/config/tasks.yaml", "find", /crews\/demo.*does not build.*"find" has no agent/],
      ["src/demo/config/tasks.yaml", "write", /crews\/demo.*does not build.*"write" has no agent/],
      ["src/demo/main.py", "year", /the input `year` is computed/],
    ],
  },
  {
    name: "a model that the class gives itself, a tool that is appended",
    files: project(
      `import os
${crewClass("SelfCrew", { scout: ", llm=self.model" }).replace(
  '    """A crew"""\n',
  `    """A crew"""
    agents: List[BaseAgent]

    def __init__(self):
        self.model = LLM(model="openai/gpt-5", api_key=os.getenv("KEY"))
`,
)}
    @task
    def check(self) -> Task:
        files = ["a.md"]
        files += ["b.md"]
        return Task(config=self.tasks_config["write"], agent=self.writer(), output_file="check.md")
`,
      TWO,
    ),
    crews: ["self"],
    byHand: [["src/demo/crew.py", "files += ", /not read/]],
  },
  {
    name: "two crews in a file, with tabs and CRLF",
    files: project(
      (crewClass("OneCrew", {}) + crewClass("OtherCrew", {}))
        .replaceAll("    ", "\t")
        .replaceAll("\n", "\r\n"),
      { agents: TWO.agents.replaceAll("\n", "\r\n"), tasks: TWO.tasks },
    ),
    crews: ["one", "other"],
    byHand: [],
  },
];
