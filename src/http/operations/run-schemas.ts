// Schemas of requests and answers about runs.
import * as z from "zod";
import {
  answerId,
  cursor,
  dateTime,
  eventPlace,
  flag,
  followFields,
  json,
  jsonObject,
  limit,
  namesIn,
  runId,
} from "../../parts/schemas.ts";
import type { Part } from "../../parts/part.ts";
import { forkBody as startedFork } from "../../starts/start-fields.ts";
import type { StepKind, StepState } from "../../journal/journal-store.ts";
import { errorRecord, runStatus, time, usage } from "../../parts/shapes.ts";
import { anyKind } from "../kind-shapes.ts";

export const eventsQuery = z.strictObject({
  ...followFields,
  before: eventPlace.min(1).optional().describe("As JSON: only events before this `seq`"),
  limit: eventPlace.min(1).max(500).optional().describe("As JSON: 50 if absent"),
  order: z.enum(["asc", "desc"]).optional().describe("As JSON: `desc` begins with the last one"),
});

export type EventsQuery = z.output<typeof eventsQuery>;

const STEP_KINDS = [
  "model",
  "tool",
  "effect",
  "task",
  "method",
  "agent",
  "group",
  "value",
  "wait",
] as const satisfies readonly StepKind[];
const STEP_STATES = ["started", "waiting", "done", "error"] as const satisfies readonly StepState[];

export const journalQuery = z
  .strictObject({
    order: z.enum(["asc", "desc"]).optional().describe("`desc` begins with the last step."),
    cursor: cursor.optional(),
    around: z.string().min(1).optional().describe("The page that has the step of this key."),
    limit,
    under: z.string().min(1).optional().describe("Only steps below this key."),
    depth: z.coerce
      .number()
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe("How many steps deep: 1 for direct children."),
    kinds: namesIn(STEP_KINDS).optional().describe("Kinds of steps, separated by commas."),
    states: namesIn(STEP_STATES).optional().describe("States, separated by commas."),
    q: z.string().min(1).max(200).optional().describe("A piece of the key."),
    values: z
      .enum(["0", "1", "false", "true", "cut"])
      .transform((text) => (text === "cut" ? text : text === "1" || text === "true"))
      .optional()
      .describe("1 adds each step's result, `cut` its first 65,536 characters."),
    hash: flag.optional().describe("1 adds a fingerprint of each result."),
  })
  .refine(({ around, cursor: place }) => around === undefined || place === undefined, {
    path: ["around"],
    message: "expected no cursor beside it",
  });

export const stepQuery = z.strictObject({
  key: z.string().min(1).describe("Key of a step."),
  from: z.coerce.number().int().min(0).optional().describe("Where a piece of the result begins."),
  length: z.coerce
    .number()
    .int()
    .min(1)
    .max(8 * 1024 * 1024)
    .optional()
    .describe("How long the piece is."),
});

export const modelCallsQuery = z.strictObject({
  order: z.enum(["asc", "desc"]).optional().describe("`desc` begins with the last call."),
  cursor: cursor.optional(),
  limit,
  under: z.string().min(1).optional().describe("Only calls below this key."),
});

export const exportQuery = z.strictObject({
  values: flag.optional().describe("0 leaves the results of steps out."),
});

export const resumeBody = z.strictObject({
  key: z
    .string()
    .min(1)
    .optional()
    .describe("The key of the wait. It may be left out for the only question of the run so far."),
  feedback: z.string().optional().describe("The text that a person wrote."),
  value: json.optional().describe("The answer as data, for waits with a schema or choices."),
  approve: z.boolean().optional(),
  by: z.string().min(1).max(200).optional().describe("The person who answers."),
  id: answerId.optional(),
});

export const sendEventBody = z.strictObject({
  payload: json.optional(),
  id: z.string().min(1).max(200).optional().describe("Events with the same id count as one."),
});

export const cancelBody = z.strictObject({ reason: z.string().max(1000).optional() });

export const forkBody = startedFork({
  fromStep: z.string().min(1).optional().describe("Key of the first step that is repeated."),
  fromTask: z
    .string()
    .min(1)
    .optional()
    .describe("Name or step key of the first task that is repeated."),
  fromMethod: z.string().min(1).optional().describe("Like fromTask, for a method."),
  fromCheckpoint: z.string().min(1).optional().describe("Id of the last checkpoint that is kept."),
  fromFailure: z
    .literal(true)
    .optional()
    .describe("Of a failed run: the call that it failed at is the first step that is repeated."),
  fromStart: z.literal(true).optional().describe("Nothing is taken over: the run is done again."),
  edit: z
    .strictObject({
      key: z.string().min(1).describe("Key of a finished step."),
      value: json.describe(
        "Its result instead: of a model call `{ text?, toolCalls? }`, of a tool a text or JSON, of a wait an answer that fits it.",
      ),
    })
    .optional()
    .describe(
      "Everything that was on record when this step ended is taken over, with another result of it.",
    ),
  definition: z
    .union([z.enum(["same", "present"]), z.int().min(1)])
    .optional()
    .describe("Which stored definition the fork runs: a number is a version of it."),
  branch: z.string().min(1).max(64).optional().describe("A name for the fork."),
  inputs: jsonObject.optional().describe("Replace the other run's inputs."),
  replace: jsonObject
    .optional()
    .describe(
      "Results of finished steps, by step key, in place of those that the new run takes over.",
    ),
});

export const retryBody = startedFork({ branch: forkBody.shape.branch });

export const checkpointsQuery = z.strictObject({
  values: flag.optional().describe("1 adds the output of each task."),
  cursor: cursor.optional(),
});

export const modelCallQuery = z.strictObject({
  key: z.string().min(1).describe("Key of a step of the kind `model`."),
  message: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe("The place of one message, from 0, which is then shown alone and whole."),
});

export const checkpointDiffQuery = z.strictObject({
  from: z.string().min(1).describe("Id of a checkpoint."),
  to: z.string().min(1).describe("Id of a checkpoint."),
  run: runId.optional().describe("The run that `to` belongs to, if it is another run."),
});

export const pruneBody = z.strictObject({
  olderThan: dateTime.describe("Only runs that have not changed since this time."),
  keep: z
    .number()
    .int()
    .min(0)
    .max(1000)
    .default(0)
    .describe("The number of newest runs that are always kept."),
  limit: z.number().int().min(1).max(200).default(50),
});

export type PruneBody = z.input<typeof pruneBody>;
export type ForkBody = z.input<typeof forkBody>;

export function runShapes(parts: readonly Part[]) {
  const anyJson = z.unknown();
  const object = z.record(z.string(), anyJson);
  const kind = z.string().describe("What ran: one of the kinds that the app has");
  const parent = z
    .strictObject({ id: z.string(), key: z.string() })
    .optional()
    .describe("Of a child run: its parent, and the step of the parent that waits for it");
  const runSummary = z.strictObject({
    id: z.string(),
    kind,
    name: z.string(),
    status: runStatus(),
    held: z.literal(true).optional(),
    definitionVersion: z.string().optional(),
    codeVersion: z.string().optional().describe("The deployment that last drove it"),
    parent,
    origin: z
      .strictObject({ runId: z.string() })
      .optional()
      .describe("The run that it was forked from"),
    createdAt: time(),
    updatedAt: time(),
    startedAt: time().optional(),
    finishedAt: time().optional(),
    durationMs: z.number().optional().describe("Of a run that has ended"),
    usage: z
      .strictObject({ tokens: z.number(), costUsd: z.number(), requests: z.number() })
      .optional()
      .describe("What it consumed until it last waited or ended, its children included"),
    waits: z.number().describe("Open waits that somebody outside can end"),
    error: z
      .strictObject({ code: z.string(), message: z.string() })
      .optional()
      .describe("The message is cut to 200 characters"),
    tags: z.array(z.string()).optional(),
    trigger: z.string().optional().describe("What started it, where no caller did"),
  });
  const wait = z.strictObject({
    key: z.string(),
    kind: z.enum(["human", "input", "child", "timer", "event"]),
    prompt: z.string().optional(),
    subject: z.string().optional().describe("What the prompt asks about, such as an answer"),
    data: object
      .optional()
      .describe(
        "What the prompt asks about: of a tool call `tool`, its whole `arguments`, and `sha256` of them",
      ),
    schema: object.optional().describe("A JSON Schema that the answer must match"),
    declinable: z.boolean().optional().describe("With a schema: `approve: false` is an answer too"),
    choices: z.array(z.string()).optional(),
    expiresAt: time().optional(),
    event: z.string().optional(),
    runId: z.string().optional().describe("Of kind `child`: the child run"),
  });
  const taskState = z.strictObject({
    key: z.string().describe("The task's step key"),
    name: z.string(),
    agent: z.string(),
    status: z.enum(["pending", "running", "completed", "failed", "cancelled"]),
    startedAt: time().optional(),
    finishedAt: time().optional(),
  });
  const step = z.strictObject({
    key: z.string(),
    kind: z.enum(STEP_KINDS),
    label: z
      .string()
      .optional()
      .describe("The step's name for people: that of a task, method or tool"),
    parent: z.string().optional().describe("Key of the step that runs this one"),
    state: z.enum(STEP_STATES),
    attempt: z.number(),
    interrupted: z.number().describe("Attempts that a crash or a deploy cut off"),
    seq: z
      .strictObject({ start: z.number(), end: z.number().optional() })
      .describe("Its places in the order of all starts and ends"),
    startedAt: time(),
    endedAt: time().optional(),
    bytes: z.number(),
    model: z.string().optional(),
    agent: z.string().optional(),
    usage: usage().optional(),
    wait: wait.optional().describe("Of a wait: what is waited for, or was"),
    cause: z
      .looseObject({
        how: z.enum(["asked", "called", "fed", "woke", "answered", "expired", "child", "copied"]),
      })
      .optional()
      .describe("Why it began, or how the wait ended"),
    edited: z.literal(true).optional().describe("The fork put this result in place of another"),
    hash: z.string().optional().describe("With ?hash=1"),
    value: anyJson.optional().describe("With ?values=1"),
    truncated: z
      .number()
      .optional()
      .describe(
        "With ?values=cut: length of a long result, `value` is the beginning of its JSON text",
      ),
    request: anyJson
      .optional()
      .describe(
        "Of a model call, with ?values=1: the messages that are new, after those of the call `after`",
      ),
    omitted: z
      .number()
      .optional()
      .describe("Length of the result and request, where they are too long for an answer"),
    error: errorRecord().optional(),
  });
  const retry = z.strictObject({
    attempt: z.number(),
    at: time(),
    error: errorRecord().optional().describe("Absent where a crash cut it off"),
  });
  const callSummary = z.strictObject({
    key: z.string(),
    model: z.string(),
    agent: z.string().optional(),
    task: z.string().optional(),
    purpose: z.string().describe("`turn`, `plan`, `guardrail`, `convert`, … or `other`"),
    state: z.enum(STEP_STATES),
    attempt: z.number(),
    startedAt: time(),
    endedAt: time().optional(),
    durationMs: z.number().optional(),
    firstTokenMs: z.number().optional().describe("Of a streamed answer, in its last attempt"),
    finishReason: z.string().optional(),
    usage: usage().optional(),
    error: errorRecord().optional(),
  });
  const link = z.string();
  const run = z.strictObject({
    id: z.string(),
    kind,
    name: z.string(),
    status: runStatus(),
    paused: z.literal(true).optional(),
    inputs: object.meta(anyKind(parts, "Input")),
    output: anyJson.meta(anyKind(parts, "Output")).optional(),
    error: errorRecord().optional().describe("Once failed or cancelled"),
    usage: usage(),
    usageBy: z
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
      .describe("What each model consumed, and for whom"),
    waits: z.array(wait),
    version: z
      .strictObject({ code: z.string().optional(), definition: z.string().optional() })
      .optional()
      .describe("Of the deployment that last drove it, and of its definition"),
    budget: z
      .strictObject({ maxCostUsd: z.number().optional(), maxTokens: z.number().optional() })
      .optional()
      .describe("What it and its children may consume at most, each"),
    llm: z
      .string()
      .optional()
      .describe("The model of everybody who works in it, where its start named one"),
    children: z
      .strictObject({ total: z.number(), open: z.number() })
      .optional()
      .describe("The child runs that it has started, and those of them that it waits for"),
    held: z
      .strictObject({
        code: z.string(),
        message: z.string(),
        key: z.string().optional().describe("The step that does not fit"),
        since: time(),
        codeVersion: z.string(),
      })
      .optional()
      .describe("The run does not fit the deployed code, and waits for code that it fits"),
    changes: z
      .array(
        z.strictObject({
          key: z.string(),
          kind: z.string(),
          label: z.string().optional(),
          at: time(),
        }),
      )
      .optional()
      .describe("Finished steps whose input, such as a prompt, is another one in the present code"),
    tasks: z.array(taskState).optional(),
    definitionVersion: z
      .string()
      .optional()
      .describe("The version of its definition, where the code has several"),
    tags: z.array(z.string()).optional(),
    trigger: z.string().optional().describe("What started it, where no caller did: `hook:orders`"),
    meta: object.optional(),
    origin: z
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
      .describe("Of a replay or fork: the run that it was forked from, and the point of the fork"),
    entry: z
      .looseObject({ action: z.string() })
      .optional()
      .describe("How the run was started, if not by a plain kickoff"),
    parent,
    createdAt: time(),
    startedAt: time().optional(),
    finishedAt: time().optional(),
  });
  return {
    Run: run,
    RunProgress: run
      .extend({ output: anyJson.optional() })
      .describe("A run as a token for a front end is shown it: with less of its output."),
    RunSummary: runSummary,
    RunPage: z.strictObject({
      items: z.array(runSummary),
      nextCursor: z.string().optional(),
      count: z.number().optional().describe("With ?count=1: how many of the newest 10,000 fit"),
      countCapped: z.boolean().optional().describe("With ?count=1: older runs may fit, too"),
      sums: z
        .strictObject({ tokens: z.number(), costUsd: z.number(), requests: z.number() })
        .optional()
        .describe(
          "With ?count=1: what the counted runs consumed, each with its children. Children themselves are summed up with ?parent= alone",
        ),
    }),
    StartedRun: z.strictObject({
      id: z.string(),
      status: runStatus(),
      sessionId: z.string().optional().describe("The session, if the run is a turn of one"),
      token: z.string().optional().describe("For a front end, where the request asked for one"),
      links: z.strictObject({
        self: link,
        events: link,
        journal: link,
        cancel: link,
        resume: link,
      }),
    }),
    Wait: wait.extend({
      openedAt: time(),
      run: z.strictObject({
        id: z.string(),
        kind,
        name: z.string(),
        tags: z.array(z.string()).optional(),
      }),
    }),
    Step: step,
    StepPage: z.strictObject({
      items: z.array(step),
      nextCursor: z.string().optional(),
      prevCursor: z.string().optional().describe("Back from a page by cursor or key"),
    }),
    StepDetail: step.extend({
      piece: z
        .strictObject({ from: z.number(), text: z.string() })
        .optional()
        .describe("With ?from= or ?length=, in place of `value`: a piece of its JSON text"),
      retries: z.array(retry).describe("Attempts that failed, or that a crash cut off"),
      events: z
        .strictObject({ first: z.number(), last: z.number() })
        .optional()
        .describe("The first and the last `seq` of its events and those below it"),
    }),
    WebhookAttempts: z.strictObject({
      target: z.string().describe("Host and path"),
      type: z.string().describe("The type of the event"),
      seq: z.number(),
      state: z.enum(["pending", "given_up"]),
      attempts: z.number(),
      nextAt: time().optional(),
      at: time().optional().describe("When it was given up"),
      error: z.string().optional().describe("Why the last attempt failed"),
      status: z
        .number()
        .optional()
        .describe("The HTTP status that the last attempt was answered with"),
    }),
    ModelCallSummary: callSummary,
    EventPage: z.strictObject({
      items: z.array(object),
      next: z.number().describe("Where the next page begins: `after`, or with `desc` `before`"),
      more: z.boolean().describe("More events are kept there"),
      ended: z.literal(true).optional().describe("No event follows, now or later"),
    }),
    ModelCall: callSummary.extend({
      costUsd: z.number().optional(),
      price: z
        .strictObject({
          model: z.string(),
          inPerMillion: z.number(),
          outPerMillion: z.number(),
          source: z.enum(["table", "settings"]).describe("`settings`: of the model, or of the app"),
        })
        .optional()
        .describe("In US dollars per million tokens"),
      attempts: z.array(retry).describe("Attempts that failed, or that a crash cut off"),
      request: z.looseObject({
        messages: z.array(object),
        tools: z.array(object).optional(),
        toolChoice: z
          .union([z.enum(["none", "required"]), z.strictObject({ tool: z.string() })])
          .optional(),
        responseSchema: object.optional().describe("The JSON Schema of the answer, with its name"),
        stop: z.array(z.string()).optional(),
        settings: object
          .optional()
          .describe(
            "Of the model that answered, such as `temperature`, where they are not left to the provider",
          ),
        recorded: z
          .enum(["full", "cut", "none"])
          .describe("`cut`: the calls before it kept no request. `none`: this one did not"),
      }),
      response: object.optional().describe("Absent for a call that failed or has not ended"),
    }),
    ExportedRun: z.strictObject({
      format: z.literal("edgecrew.run/1"),
      exportedAt: time(),
      run: object,
      start: object,
      steps: z.array(object).describe("Rows of the journal in the order in which they started"),
      events: z.array(object),
      withoutValues: z.literal(true).optional().describe("With ?values=0"),
    }),
    Checkpoint: z.strictObject({
      id: z.string().describe("The task's step key, `@`, and its place in the order of results"),
      task: z.string(),
      key: z.string().describe("The task's step key"),
      parentId: z.string().optional().describe("The previous checkpoint"),
      branch: z.string().describe("The run or named fork that it belongs to"),
      at: time(),
      usage: usage().describe("The run's usage up to here"),
      output: anyJson.optional().describe("With ?values=1"),
      omitted: z
        .number()
        .optional()
        .describe("Length of the output, where it is too long for an answer"),
    }),
    CheckpointDiff: z.strictObject({
      from: z.string(),
      to: z.string(),
      tasks: z.array(
        z.strictObject({
          task: z.string(),
          key: z.string(),
          change: z.enum(["added", "removed", "changed"]),
          from: anyJson.optional(),
          to: anyJson.optional(),
          omitted: z
            .literal(true)
            .optional()
            .describe("`from` or `to` is left out: the answer would be too long"),
        }),
      ),
      usage: usage().describe("`to` minus `from`"),
    }),
    EventReceipt: z.strictObject({
      name: z.string(),
      outcome: z.enum(["delivered", "kept", "repeated"]),
    }),
    Pruned: z.strictObject({
      pruned: z.array(z.string()).describe("Ids of the deleted runs"),
      more: z.boolean().describe("True if there may be more: repeat the request"),
    }),
    Event: z
      .looseObject({
        seq: z
          .number()
          .optional()
          .describe("The position in the run's order, from 1. Live token chunks have none"),
        id: z.string(),
        type: z.string(),
        at: time(),
        runId: z.string(),
        path: z.string(),
        parentId: z.string().optional(),
        startedId: z.string().optional(),
        triggeredByEventId: z.string().optional(),
      })
      .describe("The data of a server-sent event. Other fields depend on `type`"),
  };
}
