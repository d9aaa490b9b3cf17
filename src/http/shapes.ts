// What answers look like, for the API description. Tests hold real answers against these.
import * as z from "zod";
import { crewaiShapes } from "../protocols/crewai/schema.ts";

const time = z.iso.datetime().describe("ISO 8601, UTC");
const json = z.unknown();
const jsonObject = z.record(z.string(), json);
const runStatus = z.enum(["queued", "running", "waiting", "completed", "failed", "cancelled"]);
export const runKind = z.enum(["crew", "flow", "agent", "batch", "task", "memory", "knowledge"]);
const parent = z
  .strictObject({ id: z.string(), key: z.string() })
  .optional()
  .describe("Of a child: the run that waits for it, and the step there that does");

const issue = z.strictObject({ path: z.string().describe("JSON pointer"), message: z.string() });
const errorRecord = z.strictObject({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean(),
  issues: z.array(issue).optional(),
});

const usage = z.strictObject({
  promptTokens: z.number(),
  cachedPromptTokens: z.number(),
  cacheCreationTokens: z.number(),
  completionTokens: z.number(),
  reasoningTokens: z.number(),
  totalTokens: z.number(),
  requests: z.number(),
  costUsd: z.number().describe("0 for models whose price is not known"),
});

const wait = z.strictObject({
  key: z.string(),
  kind: z.enum(["human", "input", "child", "timer", "event"]),
  prompt: z.string().optional(),
  subject: z.string().optional().describe("What the prompt asks about: an agent's answer"),
  schema: jsonObject.optional().describe("JSON Schema that the answer must fit"),
  choices: z.array(z.string()).optional(),
  expiresAt: time.optional(),
  event: z.string().optional(),
  runId: z.string().optional().describe("Of kind `child`: the run that is waited for"),
});

const taskState = z.strictObject({
  key: z.string().describe("The task's step key"),
  name: z.string(),
  agent: z.string(),
  status: z.enum(["pending", "running", "completed", "failed", "cancelled"]),
  startedAt: time.optional(),
  finishedAt: time.optional(),
});

const run = z.strictObject({
  id: z.string(),
  kind: runKind,
  name: z.string(),
  status: runStatus,
  paused: z.literal(true).optional(),
  inputs: jsonObject,
  output: json
    .optional()
    .describe("Once completed; of a crew `{ raw, object?, tasks }`, of a batch `{ items, usage }`"),
  error: errorRecord.optional().describe("Once failed or cancelled"),
  usage,
  waits: z.array(wait),
  tasks: z.array(taskState).optional(),
  meta: jsonObject.optional(),
  origin: z
    .strictObject({
      runId: z.string(),
      before: z.string().optional(),
      checkpoint: z.string().optional(),
      branch: z.string().optional(),
    })
    .optional()
    .describe("Of a replay or fork: whose record it took over, and up to where"),
  entry: z
    .looseObject({ action: z.enum(["train", "test", "chat", "turn", "restore"]) })
    .optional()
    .describe("How the run was begun, where that is not a plain kickoff"),
  parent,
  createdAt: time,
  startedAt: time.optional(),
  finishedAt: time.optional(),
});

const step = z.strictObject({
  key: z.string(),
  kind: z.enum(["model", "tool", "effect", "task", "method", "agent", "group", "value", "wait"]),
  label: z
    .string()
    .optional()
    .describe("What people call the step: a task's, method's or tool's name"),
  parent: z.string().optional().describe("Key of the step that runs this one"),
  state: z.enum(["started", "waiting", "done", "error"]),
  attempt: z.number(),
  startedAt: time,
  endedAt: time.optional(),
  bytes: z.number(),
  value: json.optional().describe("With ?values=1"),
  request: json
    .optional()
    .describe(
      "Of a model call, with ?values=1: the messages that are new, after those of the call `after`",
    ),
  error: errorRecord.optional(),
});

const checkpoint = z.strictObject({
  id: z.string().describe("The task's step key, `@`, and its place in the order of results"),
  task: z.string(),
  key: z.string().describe("The task's step key"),
  parentId: z.string().optional().describe("The checkpoint before it"),
  branch: z.string().describe("The run or named fork that it was made on"),
  at: time,
  usage: usage.describe("What this run had consumed by then"),
  output: json.optional().describe("With ?values=1"),
});

const event = z
  .looseObject({
    seq: z
      .number()
      .optional()
      .describe("Place in the run's order, from 1; live token chunks have none"),
    id: z.string(),
    type: z.string(),
    at: time,
    runId: z.string(),
    path: z.string(),
    parentId: z.string().optional(),
    startedId: z.string().optional(),
    triggeredByEventId: z.string().optional(),
  })
  .describe("The data of a server-sent event; further fields depend on `type`");

const crewFields = {
  name: z.string(),
  source: z.enum(["code", "stored"]),
  process: z.enum(["sequential", "hierarchical"]),
  agents: z.array(z.strictObject({ role: z.string(), goal: z.string() })),
  tasks: z.array(z.strictObject({ name: z.string(), description: z.string(), agent: z.string() })),
  inputs: z.array(z.string()).describe("What a run has to give"),
  error: errorRecord.optional().describe("Why a stored crew cannot run any more"),
};

const flowFields = {
  name: z.string(),
  source: z.enum(["code", "stored"]),
  description: z.string().optional(),
  conversational: z.literal(true).optional().describe("It takes turns of conversations"),
  methods: z.record(z.string(), jsonObject).describe("By name: what wakes each, and what it is"),
  error: errorRecord.optional().describe("Why a stored flow cannot run any more"),
};

const agent = z.strictObject({
  name: z.string(),
  role: z.string(),
  goal: z.string(),
  backstory: z.string(),
  tools: z.array(z.string()),
  plans: z.boolean().describe("Whether it plans before it works"),
  inputs: z.array(z.string()).describe("What a run has to give"),
});

const keyFields = {
  id: z.string(),
  tenant: z.string(),
  name: z.string().optional(),
  scopes: z.array(z.enum(["run", "read", "admin"])),
  createdAt: time,
};

const score = z.number().nullable();

const link = z.string();

const flowStateFields = {
  flowId: z.string(),
  method: z.string(),
  runId: z.string(),
  key: z.string(),
  createdAt: time,
};

export const shapes = {
  Run: run,
  Flow: z.strictObject(flowFields),
  FlowDetails: z.strictObject({
    ...flowFields,
    definition: jsonObject.optional().describe("What was stored"),
  }),
  Session: z.strictObject({
    id: z.string(),
    flow: z.string(),
    turns: z.number().describe("That it has had"),
    ended: z.boolean().describe("Whether the latest turn ended the conversation"),
    lastIntent: z.string().optional().describe("The route of the latest turn"),
    messages: z.array(
      z.looseObject({
        role: z.enum(["user", "assistant"]),
        content: z.string(),
        name: z.string().optional().describe("The agent that gave it"),
        metadata: jsonObject,
      }),
    ),
    firstMessage: z.number().describe("Number of the first message that is kept, from 0"),
    events: z.array(
      z.strictObject({
        type: z.string(),
        payload: jsonObject,
        agentName: z.string().optional(),
        visibility: z.literal("public"),
      }),
    ),
    state: jsonObject,
    runId: z.string().optional().describe("The run of the turn that is under way"),
  }),
  FlowState: z.strictObject({ ...flowStateFields, state: jsonObject }),
  FlowStateSummary: z.strictObject({
    ...flowStateFields,
    seq: z.number(),
    bytes: z.number(),
  }),
  EventReceipt: z.strictObject({
    name: z.string(),
    outcome: z.enum(["delivered", "kept", "repeated"]),
  }),
  FlowPlot: z.looseObject({
    name: z.string(),
    nodes: z.record(z.string(), jsonObject).describe("The methods, by name"),
    edges: z.array(
      z.looseObject({
        source: z.string(),
        target: z.string(),
        conditionType: z.enum(["AND", "OR"]).nullable().describe("Null where a label leads on"),
        isRouterEvent: z.boolean(),
        routerEvent: z.string().optional(),
      }),
    ),
    startMethods: z.array(z.string()),
    routerMethods: z.array(z.string()),
    executionPaths: z.number(),
    warnings: z.array(z.string()),
    run: z
      .looseObject({ id: z.string(), status: runStatus, methods: z.record(z.string(), jsonObject) })
      .optional()
      .describe("Of a run: how far each method is"),
  }),
  Wait: wait.extend({
    openedAt: time,
    run: z.strictObject({ id: z.string(), kind: runKind, name: z.string() }),
  }),
  RunSummary: z.strictObject({
    id: z.string(),
    kind: runKind,
    name: z.string(),
    status: runStatus,
    parent,
    createdAt: time,
    updatedAt: time,
  }),
  StartedRun: z.strictObject({
    id: z.string(),
    status: runStatus,
    sessionId: z.string().optional().describe("Of a turn of a conversation"),
    links: z.strictObject({ self: link, events: link, journal: link, cancel: link, resume: link }),
  }),
  Step: step,
  Checkpoint: checkpoint,
  CheckpointDiff: z.strictObject({
    from: z.string(),
    to: z.string(),
    tasks: z.array(
      z.strictObject({
        task: z.string(),
        key: z.string(),
        change: z.enum(["added", "removed", "changed"]),
        from: json.optional(),
        to: json.optional(),
      }),
    ),
    usage: usage.describe("`to` less `from`"),
  }),
  Pruned: z.strictObject({
    pruned: z.array(z.string()).describe("Ids of the runs that are gone"),
    more: z.boolean().describe("True when there may be more: ask again"),
  }),
  Event: event,
  Crew: z.strictObject(crewFields),
  CrewDetails: z.strictObject({
    ...crewFields,
    definition: jsonObject.optional().describe("What was stored"),
  }),
  Agent: agent,
  Training: z.strictObject({
    name: z.string(),
    agents: z
      .record(
        z.string(),
        z.strictObject({
          suggestions: z.array(z.string()),
          quality: z.number().describe("0 to 10"),
          finalSummary: z.string(),
        }),
      )
      .describe("By the agents' roles"),
  }),
  Evaluation: z.strictObject({
    runId: z.string(),
    evalModel: z.string(),
    report: z.strictObject({
      tasks: z.array(
        z.strictObject({
          name: z.string(),
          agents: z.array(z.string()),
          scores: z
            .array(score)
            .describe("1 to 10, one for each run; null where nothing was given"),
          average: score,
        }),
      ),
      crew: z.strictObject({ scores: z.array(score), average: score }),
      seconds: z.strictObject({ runs: z.array(z.number()), average: z.number() }),
      evalModel: z.string(),
    }),
    createdAt: time,
  }),
  Key: z.strictObject(keyFields),
  CreatedKey: z.strictObject({ ...keyFields, key: z.string().describe("Shown this once") }),
  Reindexed: z.strictObject({ reindexed: z.number() }),
  Health: z.strictObject({ status: z.literal("ok") }),
  Problem: z.strictObject({
    type: z.string(),
    title: z.string(),
    status: z.number(),
    detail: z.string(),
    code: z.string(),
    errors: z.array(issue).optional(),
  }),
  ...crewaiShapes,
} as const;

export type ShapeName = keyof typeof shapes;
