// Unused fields of CrewAI's files, each with advice.

type Advice = Readonly<Record<string, string>>;

const STEPS = "every finished step is stored, so a run continues or forks from any of them";
const OBSERVED = "the events of a run have it";

/** Fields accepted without an effect, by their owner. The definition lists them in `ignored`. */
export const IGNORED = {
  agents: {
    adaptedAgent: "agents of other frameworks are adapted in code; see docs/agents.md",
    agentExecutor: "there is one executor; `planningConfig` makes it plan",
    agentKnowledgeContext: "it is filled during a run",
    cacheHandler: "each run has its own cache; `cache` of the crew turns it on",
    callbacks: "use `stepCallback`",
    checkpoint: STEPS,
    codeExecutionMode: "code is run in a sandbox in each mode",
    crewKnowledgeContext: "it is filled during a run",
    executorClass: "there is one executor; `planningConfig` makes it plan",
    fromRepository: "there is no repository of agents; write role, goal and backstory here",
    i18n: "use `prompts` for texts of your own",
    knowledgeSearchQuery: "it is filled during a run",
    knowledgeStorage: "the deployment's knowledge store is used",
    type: "all agents have one type; write additions of a class as fields or tools",
  },
  tasks: {
    createDirectory: "folders are always created",
    responseModel: "the task has an output shape already, which its answer must fit",
    type: "tasks are plain or conditional; write additions of a class as fields",
  },
  crew: {
    cacheHandler: "each run has its own cache; `cache` turns it on",
    checkpoint: STEPS,
    executionLogs: OBSERVED,
    shareCrew: "no data is sent to third parties",
    taskExecutionOutputJsonFiles: "use `outputFile` of the tasks",
    tokenUsage: "the output has `usage`",
    tracing: OBSERVED,
    usageMetrics: "the output has `usage`",
  },
} as const satisfies Record<string, Advice>;

const FIELDS = "unless it is a mapping of fields";

/** Refused fields, by their owner. */
const REFUSED: Readonly<Record<keyof typeof IGNORED, Advice>> = {
  agents: { settings: FIELDS, config: FIELDS },
  tasks: { config: FIELDS },
  crew: {
    config: "write its agents, tasks and process directly into the definition",
    promptFile: "put the file among the project's files, or write its texts as `prompts`",
  },
};

/** Returns the advice for an ignored or refused field, if there is any. `path` is its place in a definition. */
export function adviceFor(path: readonly string[]): string | undefined {
  const [owner = "", , field = ""] = path;
  const isEntry = owner === "agents" || owner === "tasks";
  const scope = isEntry ? owner : "crew";
  const name = isEntry ? field : owner;
  const known: Advice = { ...IGNORED[scope], ...REFUSED[scope] };
  return Object.hasOwn(known, name) ? known[name] : undefined;
}
