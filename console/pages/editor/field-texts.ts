// Meanings of the fields of definitions, for the editor's tooltips and its help line. A description in the API's schema
// takes precedence; the Worker's own schemas have none, because every deployed crew would have to carry them too.
import type { TargetKind } from "../../api-types.ts";

type Texts = Readonly<Record<string, string>>;

/** Fields with the same meaning everywhere. */
const ANYWHERE: Texts = {
  name: "The name in runs, events and pictures.",
  description: "What it is for, in a sentence or two.",
  tools: "Tools by name, as GET /tools lists them; { tool: name, … } sets their options.",
  mcps: "MCP servers whose tools can be used.",
  llm: "The model as provider/model; a list names the ones to try when the first fails.",
  stream: "Sends text while the model writes it.",
  maxRpm: "Model calls per minute. Further calls wait on a durable timer.",
  prompts: "Replaces texts that are sent to the model.",
  memory: "Remembers what was found out, and recalls it in later runs.",
  embedder: "The model that turns texts into vectors.",
  knowledge: "Collections of documents that are looked up for each task.",
  knowledgeSources: "Texts, files and addresses that are put into a collection first.",
  knowledgeConfig: "How many passages are looked up, and how close they have to be.",
  skills: "Folders of instructions that are read when a task needs them.",
  guardrail: "Checks the answer: a registered function, or a sentence that a model judges by.",
  guardrailMaxRetries: "How often a refused answer is written again: 3 by itself.",
  toolFailurePolicy: "What happens when a tool fails.",
  stepCallback: "A registered function that is called for each tool result and final answer.",
  securityConfig: "The fingerprint in events.",
  functionCallingLlm: "The model that calls tools. Kept for CrewAI's files.",
  verbose: "Kept for CrewAI's files; without effect here.",
  inputFiles: "Files that come along, by name.",
};

const CREW: Texts = {
  process:
    "sequential: one task after the other. hierarchical: a manager hands tasks to the agents.",
  managerLlm: "The model of the manager of a hierarchical crew.",
  managerAgent: "The agent that manages a hierarchical crew, by its key.",
  planning: "A model writes a plan for all tasks before the first begins.",
  planningLlm: "The model that writes the plan.",
  chatLlm: "The model that one talks with in a chat about this crew.",
  trained: "Uses what training has learned: true, or the name of a training.",
  trainedAgentsFile: "CrewAI's name for trained.",
  outputLogFile: "Writes a log of the tasks into a file.",
  workspace: "Where the files of its runs are: run for each run, or a name that runs share.",
  agents: "Who works in it: a key for each, with role, goal and backstory.",
  tasks: "What is done, in this order. {topic} in a text is an input.",
  inputs: "Inputs that every run has unless it sends its own.",
  inputSchema: "What a run may be started with, as JSON Schema. Forms are made from it.",
  schemas: "Shapes for the outputs of tasks, as JSON Schema by name.",
  cache: "Keeps results of tools for the rest of the run.",
  maxCostUsd: "A run that has cost this much, in US dollars, ends.",
  maxTokens: "A run that has used this many tokens ends.",
  beforeKickoffCallbacks: "Registered functions that may change the inputs.",
  afterKickoffCallbacks: "Registered functions that may change the output.",
  taskCallback: "A registered function that is called after each task.",
  missingTools: "fail refuses tools that this deployment lacks; skip goes on without them.",
};

const AGENT: Texts = {
  role: "Who the agent is. Its name in runs and pictures, and in the prompt.",
  goal: "What the agent works towards, in one sentence.",
  backstory: "What the agent knows and how it works. It begins the system text.",
  deferTools: "With more tools than this number, the model searches among them.",
  maxIter: "Model calls per task: 25 by itself. Then it has to answer.",
  maxExecutionTime: "Seconds per task, retries included. Then the task fails.",
  maxRetryLimit: "How often a task is begun again after an error that may pass: 2 by itself.",
  maxTokens: "The most tokens of an answer.",
  respectContextWindow: "Sums up what no longer fits the model. With false, the task fails.",
  useBetterCompaction:
    "Of a long result the model sees the beginning and reads on. With false, it is cut.",
  useSystemPrompt: "With false, the whole prompt is one message of the user.",
  cache: "Uses the crew's cache of tool results.",
  strictReact: "Of tools called as text: an answer in no known form is sent back.",
  allowDelegation: "May hand work to the other agents of a sequential crew.",
  allowCodeExecution: "Kept for CrewAI's files; give it a tool that runs code.",
  multimodal: "May look at images.",
  systemTemplate: "The system text, with placeholders.",
  promptTemplate: "The task's text, with placeholders.",
  responseTemplate: "How an answer is written, with a placeholder.",
  injectDate: "Says today's date in the task.",
  dateFormat: "How that date is written, as %Y-%m-%d.",
  planning: "Plans each task before it begins it.",
  planningConfig: "How much is planned, and by which model.",
  reasoning: "Plans each task before it begins it. CrewAI's name for planning.",
  maxReasoningAttempts: "How often a plan is made better.",
  apps: "Connected services whose tools the agent has.",
  a2a: "Agents elsewhere that it may ask over A2A.",
  approveTools: "Tools that a person approves before each call; true means all.",
  refuseRepeats: "Refuses a call of a tool that is the same as the one before.",
  maxToolResultCharacters: "Longer results of tools are cut.",
  maxToolCallsPerTurn: "Further calls of one turn are refused.",
};

const TASK: Texts = {
  type: "task, or conditional: then it is skipped unless its condition holds.",
  description: "What is to be done. {topic} is replaced with the input of that name.",
  expectedOutput: "What a good answer looks like. The agent is told so.",
  agent: "Who does it, by the key under agents.",
  tools: "Tools for this task alone, by name.",
  context: "Tasks whose results it is fed; without it, all before it.",
  condition: "The registered function that says whether it is done.",
  asyncExecution: "The next task begins without waiting for this one.",
  output: "The shape of its answer: a name under schemas, or JSON Schema.",
  outputJson: "CrewAI's name for output.",
  outputPydantic: "CrewAI's name for output.",
  responseModel: "The shape that the model itself is asked for.",
  converter: "A registered function that reads the answer into its shape.",
  guardrails: "Several checks of the answer, one after the other.",
  maxRetries: "CrewAI's name for guardrailMaxRetries.",
  humanInput: "A person sees the answer, and says what is to be different.",
  markdown: "The answer is to be Markdown.",
  outputFile: "The file of the run that gets the answer.",
  allowCrewaiTriggerContext: "Shows it what started the run.",
  callback: "A registered function that is called with its output.",
  callbacks: "Registered functions that are called with its output.",
};

const FLOW: Texts = {
  schema: "The form of this file: crewai.flow/v1.",
  state: "What the methods share: its fields, with what they begin as.",
  methods: "What is done: a key for each method.",
  conversational: "Takes turns in a chat, and keeps a session.",
};

const METHOD: Texts = {
  start: "Begins with the run; a text names what it waits for.",
  listen: "Begins when this method ends or this label is said. and, or combine several.",
  router: "Its result is a label that other methods listen to.",
  emit: "The labels that a router can say.",
  do: "What it does: call names the action, the other fields are its arguments.",
  call: "expression, crew, agent, tool, or another action of the app.",
  expr: "What is worked out, from state and outputs.",
  humanFeedback: "A person sees the result, and says what becomes of it.",
};

const CONVERSATION: Texts = {
  agents: "Who speaks: a key for each, with a system message.",
  pattern: "Who speaks next: auto, round robin, random, manual, or by handoffs.",
  graph: "Who may speak after whom.",
  contextVariables: "Values that handoffs can ask about, with what they begin as.",
  missingVariables: "What a variable that is not there means in a condition.",
  maxRounds: "The conversation ends after this many messages.",
  terminationText: "The conversation ends when a message has this text.",
  summaryMethod: "How its result is made: the last message, or a summary by a model.",
  summaryPrompt: "What the model that sums up is asked.",
  sendIntroductions: "Tells everybody who takes part, first.",
  safeguardPolicy: "What must not be said between whom.",
  safeguardLlm: "The model that checks what is said.",
  maskLlm: "The model that masks what must not be said.",
  compat: "Behaves as AG2 does where the two differ.",
};

const SPEAKER: Texts = {
  agent: "An agent of the app that speaks here.",
  systemMessage: "Who the agent is and how it speaks.",
  handoffs: "To whom it hands over, and when.",
  to: "Who speaks next.",
  when: "The condition: about variables with ${…}, or in words that a model judges.",
  afterWork: "Who speaks next when no handoff holds.",
  human: "A person speaks here: the run waits for their words.",
};

/** Returns the text about the field at `path`, its keys from the top. Undefined for names of the author. */
export function fieldText(kind: TargetKind, path: readonly string[]): string | undefined {
  const name = inCamelCase(path.at(-1) ?? "");
  const [section, ...below] = path;
  const depth = below.length;
  if (depth > 0 && section === "inputs") return undefined;
  // Keys of agents and methods are directly below, and items of a list have no keys.
  const isOwnKey = depth === 1 && (section === "agents" || section === "methods");
  if (isOwnKey) return undefined;
  return lookUp(tableOf(kind, depth === 0 ? undefined : section), name) ?? lookUp(ANYWHERE, name);
}

/** CrewAI's files have `expected_output`. */
const inCamelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function tableOf(kind: TargetKind, section: string | undefined): Texts {
  if (kind === "flow") return section === "methods" ? METHOD : FLOW;
  if (kind === "conversation") return section === "agents" ? SPEAKER : CONVERSATION;
  if (section === "agents") return AGENT;
  return section === "tasks" ? TASK : CREW;
}

function lookUp(texts: Texts, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}
