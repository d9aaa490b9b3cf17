// Shapes of runs.
import * as z from "zod";
import type { JsonObject } from "../base/json.ts";
import type { StepKind } from "../journal/journal-store.ts";
import type { Run } from "../runtime/run.ts";
import { shape, shapeOf } from "./shape.ts";
import { errorRecord, runStatus, time, usage, wordOf, typed } from "./shapes.ts";
import type { StartedRun } from "./started-run.ts";
import type { ErrorCode } from "../base/error.ts";
import type { ExportedRun } from "../runtime/export-run.ts";

/** Marks the inputs and outputs of runs: their schema depends on the kinds of the app. */
export const OF_ANY_KIND = "x-of-any-kind";

const object = () => z.record(z.string(), z.unknown());

export const runKind = () => z.string().describe("What ran: one of the kinds that the app has");

export const parent = () =>
  z
    .strictObject({ id: z.string(), key: z.string() })
    .optional()
    .describe("Of a child run: its parent, and the step of the parent that waits for it");

export const wait = () =>
  z.strictObject({
    key: z.string(),
    kind: z.enum(["human", "input", "child", "timer", "event"]),
    prompt: z.string().optional(),
    subject: z.string().optional().describe("What the prompt asks about, such as an answer"),
    data: object()
      .optional()
      .describe(
        "What the prompt asks about: of a tool call `tool`, its whole `arguments`, and `sha256` of them",
      ),
    schema: object().optional().describe("A JSON Schema that the answer must match"),
    declinable: z.boolean().optional().describe("With a schema: `approve: false` is an answer too"),
    needsFeedback: z
      .boolean()
      .optional()
      .describe("An answer needs words in `feedback`; approval alone is refused"),
    choices: z.array(z.string()).optional(),
    freeText: z
      .boolean()
      .optional()
      .describe(
        "The answer is words in `feedback`, which may be empty; choices are proposals, and without them approval alone is refused",
      ),
    expiresAt: time().optional(),
    event: z.string().optional(),
    runId: z.string().optional().describe("Of kind `child`: the child run"),
  });

const taskState = () =>
  z.strictObject({
    key: z.string().describe("The task's step key"),
    name: z.string(),
    agent: z.string(),
    status: z.enum(["pending", "running", "completed", "failed", "cancelled"]),
    copied: z
      .literal(true)
      .optional()
      .describe("A fork took over its result: it has no times in this run"),
    startedAt: time().optional(),
    finishedAt: time().optional(),
  });

const entry = () => typed<JsonObject>(z.looseObject({ action: z.string() }));

const usageBy = () =>
  z
    .array(
      z.strictObject({
        model: z.string().describe("`child` for child runs"),
        agent: z.string().optional(),
        task: z.string().optional(),
        requests: z.number(),
        promptTokens: z.number(),
        completionTokens: z.number(),
        costUsd: z.number(),
      }),
    )
    .optional()
    .describe("What each model consumed, and for whom");

const held = () =>
  z
    .strictObject({
      code: wordOf<ErrorCode>(),
      message: z.string(),
      key: z.string().optional().describe("The step that does not fit"),
      since: time(),
      codeVersion: z.string(),
    })
    .optional()
    .describe("The run does not fit the deployed code, and waits for code that it fits");

const changes = () =>
  z
    .array(
      z.strictObject({
        key: z.string(),
        kind: wordOf<StepKind>(),
        label: z.string().optional(),
        at: time(),
      }),
    )
    .optional()
    .describe("Finished steps whose input, such as a prompt, is another one in the present code");

const origin = () =>
  z
    .strictObject({
      runId: z.string(),
      before: z.string().optional(),
      checkpoint: z.string().optional(),
      edited: z.string().optional().describe("The step whose result was edited"),
      definition: z
        .union([z.literal("present"), z.int()])
        .optional()
        .describe("The stored definition that it runs, if it is not the other run's"),
      branch: z.string().optional(),
    })
    .optional()
    .describe("Of a replay or fork: the run that it was forked from, and the point of the fork");

const children = () =>
  z
    .strictObject({ total: z.number(), open: z.number() })
    .optional()
    .describe("The child runs that it has started, and those of them that it waits for");

const budget = () =>
  z
    .strictObject({ maxCostUsd: z.number().optional(), maxTokens: z.number().optional() })
    .optional()
    .describe("What it and its children may consume at most, each");

const version = () =>
  z
    .strictObject({ code: z.string().optional(), definition: z.string().optional() })
    .optional()
    .describe("Of the deployment that last drove it, and of its definition");

export const runShape = shapeOf<Run>()("Run", () =>
  z.strictObject({
    id: z.string(),
    kind: runKind(),
    name: z.string(),
    status: runStatus(),
    paused: z.literal(true).optional(),
    inputs: object().meta({ [OF_ANY_KIND]: "Input" }),
    output: z
      .unknown()
      .meta({ [OF_ANY_KIND]: "Output" })
      .optional(),
    error: errorRecord().optional().describe("Once failed or cancelled"),
    usage: usage(),
    usageBy: usageBy(),
    waits: z.array(wait()),
    version: version(),
    budget: budget(),
    llm: z
      .string()
      .optional()
      .describe("The model of everybody who works in it, where its start named one"),
    person: z.string().optional().describe("Id of the person for whom the run works"),
    children: children(),
    held: held(),
    changes: changes(),
    tasks: z.array(taskState()).optional(),
    lastSeq: z.int().optional().describe("The `seq` of the last event included here"),
    definitionVersion: z
      .string()
      .optional()
      .describe("The version of its definition, where the code has several"),
    tags: z.array(z.string()).optional(),
    trigger: z.string().optional().describe("What started it, where no caller did: `hook:orders`"),
    meta: object().optional(),
    origin: origin(),
    entry: entry().optional().describe("How the run was started, if not by a plain kickoff"),
    parent: parent(),
    createdAt: time(),
    startedAt: time().optional(),
    finishedAt: time().optional(),
  }),
);

export const runProgressShape = shape("RunProgress", () =>
  runShape
    .schema()
    .extend({ output: z.unknown().optional() })
    .describe("A run as a token for a front end is shown it: with less of its output."),
);

export const startedRunShape = shapeOf<StartedRun>()("StartedRun", () =>
  z.strictObject({
    id: z.string(),
    status: runStatus(),
    sessionId: z.string().optional().describe("The session, if the run is a turn of one"),
    token: z.string().optional().describe("For a front end, where the request asked for one"),
    links: z.strictObject({
      self: z.string(),
      events: z.string(),
      journal: z.string(),
      cancel: z.string(),
      resume: z.string(),
    }),
  }),
);

export const exportedRunShape = shapeOf<Omit<ExportedRun, "redacted">>()("ExportedRun", () =>
  z.strictObject({
    format: z.literal("edgecrew.run/1"),
    exportedAt: time(),
    run: object(),
    start: object(),
    steps: z.array(object()).describe("Rows of the journal in the order in which they started"),
    events: z.array(object()),
    withoutValues: z.literal(true).optional().describe("With ?values=0"),
  }),
);
