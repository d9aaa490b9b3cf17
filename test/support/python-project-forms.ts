// More projects of CrewAI, in the forms that its examples have: toolkits, several crews, flows, scripts, classes above.
import { agents, crewClass, HEAD, project, tasks, type PythonProject } from "./python-projects.ts";

const TWO = { agents: agents("scout", "writer"), tasks: tasks("find", "write") };
/** Tasks whose agents stand in the YAML. */
const ASSIGNED = {
  agents: TWO.agents,
  tasks: `${tasks("find")}  agent: scout\n\n${tasks("write")}  agent: writer\n`,
};
const PLAIN_TASKS = `
    @task
    def find(self) -> Task:
        return Task(config=self.tasks_config["find"])

    @task
    def write(self) -> Task:
        return Task(config=self.tasks_config["write"])
`;
const PLAIN_CREW = `
    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks, process=Process.sequential, verbose=True)
`;

export const PYTHON_PROJECT_FORMS: readonly PythonProject[] = [
  {
    name: "a tool whose module is not among the files, a task that has three contexts",
    files: project(
      `from demo.tools.network import NetworkTool
${crewClass("HiringCrew", {
  scout:
    ",\n\t\t\t\t\t\ttools=[SerperDevTool(), NetworkTool()],\n            allow_delegation=False",
  write: ", context=[self.find(), self.check()]",
}).replace(
  "    @task\n    def write",
  `    @task
    def check(self) -> Task:
        return Task(config=self.tasks_config["find"], agent=self.writer())

    @task
    def write`,
)}`,
      TWO,
    ),
    crews: ["hiring"],
    byHand: [["src/demo/crew.py", "", /NetworkTool.*not in the catalogue/]],
  },
  {
    name: "tools that a toolkit gives, agents in the YAML",
    files: project(
      `import os
from crewai_registry import RegistryToolkit

@CrewBase
class RegistryCrew:
    agents_config = "config/agents.yaml"

    def __init__(self):
        self.kit = RegistryToolkit(api_key=os.environ.get("REGISTRY_KEY", ""))
        self.kit_tools = self.kit.get_tools()

    @agent
    def scout(self) -> Agent:
        return Agent(config=self.agents_config["scout"], tools=self.kit_tools, verbose=True)

    @agent
    def writer(self) -> Agent:
        return Agent(config=self.agents_config["writer"])
${PLAIN_TASKS}${PLAIN_CREW}`,
      ASSIGNED,
      {
        "pyproject.toml":
          '[project]\nname = "registry"\ndependencies = ["crewai[tools]>=1.0", "crewai_registry>=0.1", "requests"]\n\n[tool.crewai]\ntype = "crew"\n',
      },
    ),
    crews: ["registry"],
    byHand: [
      ["pyproject.toml", "", /`crewai-registry` brings tools/],
      ["src/demo/crew.py", "tools=self.kit_tools", /tools/],
    ],
  },
  {
    name: "three crews of a file, with the tools of a toolkit added to a list",
    files: project(
      `from demo.tools.search import SearchTools
${["ExpandCrew", "ChooseCrew"].map((name) => crewClass(name, { scout: `, tools=[SearchTools.search, FileReadTool()] + self.kit.get_tools()` })).join("")}
${crewClass("FillCrew", { scout: ", tools=[]", writer: ", tools=[*EXTRA, SerperDevTool()]" })}
EXTRA = [FileReadTool()]

class Page:
    def run(self, idea):
        idea = ExpandCrew().crew().kickoff(inputs={"idea": idea})
        return FillCrew().crew().kickoff(inputs={"idea": idea})
`,
      TWO,
      {
        "src/demo/tools/search.py": `class SearchTools:
    @tool("Search the net")
    def search(query: str) -> str:
        """Finds pages."""
        return query
`,
      },
    ),
    crews: ["expand", "choose", "fill"],
    byHand: [
      ["src/demo/crew.py", "self.kit.get_tools()", /a tool that cannot be read/],
      ["src/demo/crew.py", "self.kit.get_tools()", /a tool that cannot be read/],
      ["src/demo/crew.py", "ExpandCrew().crew().kickoff", /the input `idea` is computed/],
      ["src/demo/tools/search.py", "def search(", /tool of yours/],
    ],
  },
  {
    name: "a model of the class, a tool with a part of another object",
    files: project(
      `from langchain_openai import ChatOpenAI

@CrewBase
class MailCrew:
    llm = ChatOpenAI(model="gpt-5-mini")

    @agent
    def scout(self) -> Agent:
        search_tool = SerperDevTool()
        return Agent(config=self.agents_config["scout"], tools=[search_tool], llm=self.llm)

    @agent
    def writer(self) -> Agent:
        mail = MailThread()
        return Agent(config=self.agents_config["writer"], llm=self.llm, tools=[MailThread(api_resource=mail.api_resource)])
${PLAIN_TASKS}${PLAIN_CREW}`,
      ASSIGNED,
    ),
    crews: ["mail"],
    byHand: [
      ["src/demo/crew.py", "", /MailThread.*not in the catalogue/],
      ["src/demo/crew.py", "mail.api_resource", /`api_resource` of `MailThread`/],
    ],
  },
  {
    name: "a flow around a crew, its classes in a file of their own",
    files: {
      "src/score/crews/score_crew/score_crew.py": `${HEAD}from score.types import Score
${crewClass("ScoreCrew", { write: ", output_pydantic=Score" })}`,
      "src/score/crews/score_crew/config/agents.yaml": TWO.agents,
      "src/score/crews/score_crew/config/tasks.yaml": TWO.tasks,
      "src/score/types.py": `from pydantic import BaseModel

class Person(BaseModel):
    id: str
    name: str

class Score(BaseModel):
    id: str
    score: int
    reason: str
`,
      "src/score/main.py": `from crewai.flow.flow import Flow, listen, start
from pydantic import BaseModel

class ScoreState(BaseModel):
    people: List[Person] = []
    seen: set[str] = set()
    goal: str = """
        To find
        the best.
    """

class ScoreFlow(Flow[ScoreState]):
    initial_state = ScoreState

    @start("next_round")
    def load(self):
        self.state.people = []

def kickoff():
    ScoreFlow().kickoff()
`,
    },
    crews: ["score"],
    byHand: [["src/score/main.py", "def load(", /method of a flow/]],
  },
  {
    name: "models in models, in three kinds of indentation, and a call before the crew is made",
    files: project(
      `import agentops
from typing import List, Optional

class Stop(BaseModel):
    name: str = Field(..., description="Where")
    reviews: Optional[List[str]] = Field(..., description="What others say")
    rating: Optional[float] = Field(None, ge=0, le=5)

class Day(BaseModel):
\tdate: str = Field(..., description="When")
\tstops: List[Stop] = Field(..., description="Where to")

class Journey(BaseModel):
  name: str = Field(..., description="Something funny")
  days: List[Day]
  next: Optional["Journey"] = None
${crewClass("JourneyCrew", { write: ", output_json=Journey" }).replace(
  "        return Crew(",
  '        agentops.init()\n        """Makes it"""\n        return Crew(',
)}`,
      TWO,
    ),
    crews: ["journey"],
    byHand: [["src/demo/crew.py", "agentops.init()", /not read/]],
  },
  {
    name: "names that differ from those of the YAML, a tool that is a function, no inputs",
    files: project(
      `from demo.tools.checks import style_check

@CrewBase
class StyleCrew():
    """Checks style"""

    @agent
    def HeadOfStyle(self) -> Agent:
        return Agent(config=self.agents_config['scout'], tools=[style_check], verbose=False)

    @task
    def review_task(self) -> Task:
        return Task(config=self.tasks_config['find'], agent=self.HeadOfStyle())

    @task
    def write_task(self) -> Task:
        return Task(config=self.tasks_config['write'], agent=self.HeadOfStyle())
${PLAIN_CREW}`,
      TWO,
      {
        "src/demo/tools/checks.py": `@tool("style_check")
def style_check(path: str) -> str:
    """
    Checks the style of a file.

    Parameters:
    - path: The file to check

    Returns:
    - what is wrong: a list
    """
    return path
`,
      },
    ),
    crews: ["style"],
    byHand: [["src/demo/tools/checks.py", "def style_check(", /tool of yours/]],
  },
  {
    name: "a script without a class, over YAML that it loads itself",
    files: {
      "writers_room.py": `import yaml
from pathlib import Path
from crewai import Agent, Task, Crew, Process

here = Path.cwd()
with open(here / "config" / "agents.yaml", "r") as file:
    agents_config = yaml.safe_load(file)
with open(here / "config" / "tasks.yaml", "r") as file:
    tasks_config = yaml.safe_load(file)

scout = Agent(config=agents_config["scout"], allow_delegation=False, verbose=True)
writer = Agent(config=agents_config["writer"], allow_delegation=False)
spare = Agent(config=agents_config["scout"])

task0 = Task(
    description=tasks_config["find"]["description"],
    expected_output=tasks_config["find"]["expected_output"],
    agent=scout,
)
result = task0.execute()
task1 = Task(
    description=tasks_config["write"]["description"],
    expected_output=tasks_config["write"]["expected_output"],
    agent=writer,
    context=[task0],
)
crew = Crew(agents=[scout, writer], tasks=[task0, task1], verbose=2, process=Process.sequential)
result = crew.kickoff()
`,
      "config/agents.yaml": TWO.agents,
      "config/tasks.yaml": TWO.tasks,
    },
    crews: ["writers-room"],
    byHand: [["writers_room.py", "spare = Agent(", /no crew that is read uses it/]],
  },
  {
    name: "a script in a function, without YAML",
    files: {
      "trip/main.py": `from crewai import Agent, Task, Crew, LLM
llm = LLM(model="openai/gpt-5-mini")

def run(topic):
    guide = Agent(role="Guide", goal="Show " + "places", backstory="Local", llm=llm, tools=[SerperDevTool()])
    poet = Agent(role="Poet", goal="Rhyme", backstory="Old")
    plan = Task(description="Plan a day on {topic}", expected_output="A plan", agent=guide)
    rhyme = Task(description=f"Rhyme on {topic}", expected_output="A poem", agent=poet)
    sing = Task(description="Sing it", expected_output="A song", agent=poet, context=[plan])
    crew = Crew(agents=[guide, poet], tasks=[plan, sing])
    return crew.kickoff()
`,
    },
    crews: ["trip"],
    byHand: [["trip/main.py", "rhyme = Task", /no crew that is read uses it/]],
  },
  {
    name: "no paths of YAML, annotated lists, spaces around signs",
    files: project(
      `from typing import List
from crewai.agents.agent_builder.base_agent import BaseAgent

@CrewBase
class Poster():
    """Posts"""

    agents: List[BaseAgent]
    tasks: List[Task]

    @agent
    def scout(self) -> Agent:
        return Agent(
            config=self.agents_config['scout'],  # type: ignore[index]
            verbose=True ,
            tools = [SerperDevTool()]
        )

    @agent
    def writer(self) -> Agent:
        return Agent(config=self.agents_config['writer'], verbose=True)
${PLAIN_TASKS}
    @task
    def post(self) -> Task:
        return Task(
            config=self.tasks_config['write'], # type: ignore[index]
            output_file = "news.md",
            input_file='report.md'
        )
${PLAIN_CREW}`,
      ASSIGNED,
    ),
    crews: ["poster"],
    byHand: [],
  },
  {
    name: "a model of one's own making, and a variable of the environment",
    files: project(
      `import os
from demo.llm import make_llm
model = os.getenv("MODEL", "meta/small")
own_llm = make_llm(model_str="nim/" + model)
os.environ["NIM_KEY"] = os.getenv("NIM_KEY")
${crewClass("OwnModelCrew", { scout: ", memory=False, llm=own_llm", writer: ", llm=own_llm" })}`,
      TWO,
    ),
    crews: ["own-model"],
    byHand: [
      ["src/demo/crew.py", 'model = os.getenv("MODEL"', /MODEL.*default is used/],
      ["src/demo/crew.py", "memory=False, llm=own_llm", /llm/],
      ["src/demo/crew.py", "['writer'], llm=own_llm", /llm/],
    ],
  },
  {
    name: "methods of its own beside those of the crew",
    files: project(
      `
@CrewBase
class PoemCrew():
	agents_config = 'config/agents.yaml'

	@agent
	def scout(self):
		return Agent(config=self.agents_config["scout"])

	@agent
	def writer(self):
		return Agent(config=self.agents_config["writer"])

	@task
	def find(self):
		return Task(config=self.tasks_config['find'])

	@task
	def write(self):
		return Task(config=self.tasks_config['write'])

	def again(self, inputs, times=3):
		poem = ""
		critic: Agent = self.scout()
		for i in range(times):
			poem = critic.execute_task(task=self.find(), context=f"poem: {poem}")
		return poem

	@crew
	def crew(self) -> Crew:
		return Crew(agents=self.agents, tasks=self.tasks)
`,
      ASSIGNED,
    ),
    crews: ["poem"],
    byHand: [["src/demo/crew.py", "def again(", /`again` is not read/]],
  },
  {
    name: "a class above in another file, whose agents and paths it has",
    files: project(
      `from demo.base import BaseCrew

@CrewBase
class LocalCrew(BaseCrew):
    model = "openai/gpt-5"

    @task
    def write(self) -> Task:
        return Task(config=self.tasks_config["write"], agent=self.writer(), output_file="local.md")
${PLAIN_CREW}`,
      { agents: "{}\n", tasks: "{}\n" },
      {
        "src/demo/base.py": `${HEAD}
class BaseCrew(ABC):
    agents_config = "shared/agents.yaml"
    tasks_config = "shared/tasks.yaml"
    model = "openai/gpt-5-mini"

    @agent
    def scout(self) -> Agent:
        return Agent(config=self.agents_config["scout"], llm=self.model)

    @agent
    def writer(self) -> Agent:
        return Agent(config=self.agents_config["writer"])

    @task
    def find(self) -> Task:
        return Task(config=self.tasks_config["find"], agent=self.scout())

    @task
    def write(self) -> Task:
        return Task(config=self.tasks_config["write"], agent=self.writer())
`,
        "src/demo/shared/agents.yaml": TWO.agents,
        "src/demo/shared/tasks.yaml": TWO.tasks,
      },
    ),
    crews: ["local"],
    byHand: [
      ["src/demo/base.py", "def write(", /`write` is not read/],
      ["src/demo/config/tasks.yaml", "", /crews\/demo.*does not build.*at least 1 items/],
    ],
  },
  {
    name: "agents in an order of their own, and one that the crew does not have",
    files: project(
      crewClass("OrderCrew", {}).replace(
        "agents=self.agents",
        "agents=[self.writer(), self.scout()]",
      ),
      { agents: `${agents("spare")}\n${TWO.agents}`, tasks: TWO.tasks },
    ),
    crews: ["order"],
    byHand: [],
  },
];
