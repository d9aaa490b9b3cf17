// Meanings of the fields of definitions, for the editor's tooltips and its help line. A description in the API's schema
// takes precedence; the Worker's own schemas have none, because every deployed crew would have to carry them too.
import type { TargetKind } from "../../api-types.ts";

type Texts = Readonly<Record<string, string>>;

/** Fields with the same meaning everywhere. */
const ANYWHERE: Texts = {
  name: "Name in runs, events and pictures.",
  description: "Purpose, in a sentence or two.",
  tools: "Names of tools, from GET /tools; { tool: name, … } sets options.",
  mcps: "MCP servers that provide further tools.",
  llm: "Model as provider/model; a list adds fallbacks, tried in order.",
  stream: "Sends text while the model writes it.",
  maxRpm: "Limit of model calls per minute. Further calls wait on a durable timer.",
  prompts: "Replaces texts of the prompt.",
  memory: "Saves findings, and recalls them in later runs.",
  embedder: "Model that turns texts into vectors.",
  knowledge: "Collections of documents, searched for each task.",
  knowledgeSources: "Texts, files and addresses, indexed before the run.",
  knowledgeConfig: "Number of passages per search, and their minimum similarity.",
  skills: "Folders of instructions, read when a task needs them.",
  guardrail: "Check of the answer: a registered function, or a rule that a model applies.",
  guardrailMaxRetries: "Attempts after a refused answer. Default 3.",
  toolFailurePolicy: "Reaction to a failed tool.",
  stepCallback: "Registered function, called for each tool result and final answer.",
  securityConfig: "Fingerprint in events.",
  functionCallingLlm: "Model for tool calls. Accepted for CrewAI's files.",
  verbose: "Accepted for CrewAI's files; no effect here.",
  inputFiles: "Attached files, by name.",
};

const CREW: Texts = {
  process:
    "sequential: one task after the other. hierarchical: a manager hands tasks to the agents.",
  managerLlm: "Model of the manager in a hierarchical crew.",
  managerAgent: "Key of the agent that manages a hierarchical crew.",
  planning: "Plans all tasks with a model before the first begins.",
  planningLlm: "Model that writes the plan.",
  chatLlm: "Model for chats about this crew.",
  trained: "Applies results of a training: true, or the training's name.",
  trainedAgentsFile: "CrewAI's name for trained.",
  outputLogFile: "Writes a log of the tasks into a file.",
  workspace: "Folder for files: run is one per run; any other name is shared by runs.",
  agents: "Agents by key, each with role, goal and backstory.",
  tasks: "Tasks, in order. {topic} in a text is an input.",
  inputs: "Default inputs of a run.",
  inputSchema: "JSON Schema of the inputs. The start form follows it.",
  schemas: "JSON Schemas for outputs of tasks, by name.",
  cache: "Caches results of tools for the rest of the run.",
  maxCostUsd: "Maximum cost of a run in US dollars. The run ends there.",
  maxTokens: "Maximum tokens of a run. The run ends there.",
  beforeKickoffCallbacks: "Registered functions that can change the inputs.",
  afterKickoffCallbacks: "Registered functions that can change the output.",
  taskCallback: "Registered function, called after each task.",
  missingTools: "fail: refuses tools missing in this deployment. skip: continues without them.",
};

const AGENT: Texts = {
  role: "Role of the agent: its name in runs, pictures and the prompt.",
  goal: "Goal of the agent, in one sentence.",
  backstory: "Knowledge and manner of the agent. Begins the system text.",
  deferTools: "Number of tools above which the model searches for tools.",
  maxIter: "Maximum model calls per task, then the agent must answer. Default 25.",
  maxExecutionTime: "Time limit per task in seconds, retries included. Then the task fails.",
  maxRetryLimit: "Retries of a task after a temporary error. Default 2.",
  maxTokens: "Maximum tokens of an answer.",
  respectContextWindow:
    "Summarizes messages beyond the model's context. With false, the task fails.",
  useBetterCompaction:
    "Shows the beginning of a long result, and a tool reads the rest. With false, the result is cut.",
  useSystemPrompt: "With false, the whole prompt is one user message.",
  cache: "Uses the crew's cache of tool results.",
  strictReact: "For tools called as text: sends answers of unknown form back to the model.",
  allowDelegation: "Lets the agent delegate to others in a sequential crew.",
  allowCodeExecution: "Accepted for CrewAI's files; add a tool that runs code.",
  multimodal: "Lets the agent read images.",
  systemTemplate: "System text, with placeholders.",
  promptTemplate: "Text of the task, with placeholders.",
  responseTemplate: "Form of an answer, with a placeholder.",
  injectDate: "Adds today's date to the task.",
  dateFormat: "Format of that date, such as %Y-%m-%d.",
  planning: "Plans each task before work begins.",
  planningConfig: "Depth of planning, and its model.",
  reasoning: "Plans each task before work begins. CrewAI's name for planning.",
  maxReasoningAttempts: "Maximum revisions of a plan.",
  apps: "Connected services that provide further tools.",
  a2a: "Remote agents, reachable over A2A.",
  approveTools: "Tools that need a person's approval before each call; true means all.",
  refuseRepeats: "Refuses a tool call equal to the one before.",
  maxToolResultCharacters: "Maximum characters of a tool result. Longer ones are cut.",
  maxToolCallsPerTurn: "Maximum tool calls per turn. Further ones are refused.",
};

const TASK: Texts = {
  type: "task, or conditional: runs only if its condition holds.",
  description: "Instructions. {topic} is replaced with the input of that name.",
  expectedOutput: "Form of a good answer; a part of the prompt.",
  agent: "Key of the agent that does the task.",
  tools: "Names of tools for this task alone.",
  context: "Tasks with results that this one reads. Default: all earlier ones.",
  condition: "Registered function that decides if the task runs.",
  asyncExecution: "Starts the next task without waiting for this one.",
  output: "Schema of the answer: a name under schemas, or JSON Schema.",
  outputJson: "CrewAI's name for output.",
  outputPydantic: "CrewAI's name for output.",
  responseModel: "Schema that is sent to the model.",
  converter: "Registered function that parses the answer into its schema.",
  guardrails: "Checks of the answer, applied in order.",
  maxRetries: "CrewAI's name for guardrailMaxRetries.",
  humanInput: "Asks a person to review the answer.",
  markdown: "Asks for Markdown.",
  outputFile: "File of the run for the answer.",
  allowCrewaiTriggerContext: "Adds the trigger's payload to the task.",
  callback: "Registered function, called with the output.",
  callbacks: "Registered functions, called with the output.",
};

const FLOW: Texts = {
  schema: "Format of this file: crewai.flow/v1.",
  state: "State that methods share: fields with initial values.",
  methods: "Methods by key.",
  conversational: "Takes turns in a chat, within a session.",
};

const METHOD: Texts = {
  start: "Runs at the start of the flow; a text names an event to await.",
  listen: "Runs after this method or label. and, or combine several.",
  router: "Makes the result a label that other methods listen to.",
  emit: "Labels that the router can return.",
  do: "Action: call names it, the other fields are arguments.",
  call: "Kind of action: expression, crew, agent, tool, or another action of the app.",
  expr: "Expression over state and outputs.",
  humanFeedback: "Asks a person to review the result.",
};

const CONVERSATION: Texts = {
  agents: "Speakers by key, each with a system message.",
  pattern: "Choice of the next speaker: auto, round robin, random, manual, or handoffs.",
  graph: "Allowed order of speakers.",
  contextVariables: "Variables for handoffs, with initial values.",
  missingVariables: "Meaning of a missing variable in a condition.",
  maxRounds: "Maximum messages. The conversation ends there.",
  terminationText: "Text that ends the conversation.",
  summaryMethod: "Source of the result: the last message, or a model's summary.",
  summaryPrompt: "Prompt for the summary.",
  sendIntroductions: "Introduces all speakers at the beginning.",
  safeguardPolicy: "Content rules between speakers.",
  safeguardLlm: "Model that checks messages.",
  maskLlm: "Model that masks forbidden content.",
  compat: "Follows AG2 in cases of difference.",
};

const SPEAKER: Texts = {
  agent: "Agent of the app that speaks here.",
  systemMessage: "Identity and manner of the speaker.",
  handoffs: "Next speakers, with conditions.",
  to: "Next speaker.",
  when: "Condition: variables with ${…}, or a sentence that a model judges.",
  afterWork: "Next speaker if no handoff applies.",
  human: "Makes this speaker a person; the run waits for their message.",
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
