// Shapes of lists of runs, of steps and of events.
import * as z from "zod";
import { parent, runKind, wait } from "../../parts/run-shapes.ts";
import { shape, shapeOf, type ViewOf } from "../../parts/shape.ts";
import { errorRecord, runStatus, time, usage, wordOf } from "../../parts/shapes.ts";
import type { WebhookAttempts } from "../../runtime/deliveries/webhook-list.ts";
import type { EventPage } from "../../runtime/event-page.ts";
import type { EventReceipt } from "../../runtime/outside-events.ts";
import type { RunPage, RunSummary, WaitSummary } from "../../runtime/run-directory.ts";
import type { Step } from "../../runtime/run.ts";
import type { StepDetail } from "../../runtime/step-detail.ts";
import { STEP_KINDS, STEP_STATES } from "./run-schemas.ts";
import type { ErrorCode } from "../../base/error.ts";

const object = () => z.record(z.string(), z.unknown());

export const runSummaryShape = shapeOf<RunSummary>()("RunSummary", () =>
  z.strictObject({
    id: z.string(),
    kind: runKind(),
    name: z.string(),
    status: runStatus(),
    held: z.literal(true).optional(),
    definitionVersion: z.string().optional(),
    codeVersion: z.string().optional().describe("The deployment that last drove it"),
    parent: parent(),
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
      .strictObject({ code: wordOf<ErrorCode>(), message: z.string() })
      .optional()
      .describe("The message is cut to 200 characters"),
    tags: z.array(z.string()).optional(),
    trigger: z.string().optional().describe("What started it, where no caller did"),
  }),
);

export const runPageShape = shapeOf<RunPage>()(
  "RunPage",
  () =>
    z.strictObject({
      items: z.array(runSummaryShape.schema()),
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
  [runSummaryShape],
);

export const waitShape = shapeOf<WaitSummary>()("Wait", () =>
  wait().extend({
    openedAt: time(),
    run: z.strictObject({
      id: z.string(),
      kind: runKind(),
      name: z.string(),
      tags: z.array(z.string()).optional(),
    }),
  }),
);

export const stepShape = shapeOf<Step>()("Step", () =>
  z.strictObject({
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
    wait: wait().optional().describe("Of a wait: what is waited for, or was"),
    cause: z
      .looseObject({
        how: z.enum(["asked", "called", "fed", "woke", "answered", "expired", "child", "copied"]),
      })
      .optional()
      .describe("Why it began, or how the wait ended"),
    edited: z.literal(true).optional().describe("The fork put this result in place of another"),
    hash: z.string().optional().describe("With ?hash=1"),
    value: z.unknown().optional().describe("With ?values=1"),
    truncated: z
      .number()
      .optional()
      .describe(
        "With ?values=cut: length of a long result, `value` is the beginning of its JSON text",
      ),
    request: z
      .unknown()
      .optional()
      .describe(
        "Of a model call, with ?values=1: the messages that are new, after those of the call `after`",
      ),
    omitted: z
      .number()
      .optional()
      .describe("Length of the result and request, where they are too long for an answer"),
    error: errorRecord().optional(),
  }),
);

export const stepPageShape = shape(
  "StepPage",
  () =>
    z.strictObject({
      items: z.array(stepShape.schema()),
      nextCursor: z.string().optional(),
      prevCursor: z.string().optional().describe("Back from a page by cursor or key"),
    }),
  [stepShape],
);

export const retry = () =>
  z.strictObject({
    attempt: z.number(),
    at: time(),
    error: errorRecord().optional().describe("Absent where a crash cut it off"),
  });

export const stepDetailShape = shapeOf<StepDetail>()("StepDetail", () =>
  stepShape.schema().extend({
    piece: z
      .strictObject({ from: z.number(), text: z.string() })
      .optional()
      .describe("With ?from= or ?length=, in place of `value`: a piece of its JSON text"),
    retries: z.array(retry()).describe("Attempts that failed, or that a crash cut off"),
    events: z
      .strictObject({ first: z.number(), last: z.number() })
      .optional()
      .describe("The first and the last `seq` of its events and those below it"),
  }),
);

export const webhookAttemptsShape = shapeOf<WebhookAttempts>()("WebhookAttempts", () =>
  z.strictObject({
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
);

export const eventShape = shape("Event", () =>
  z
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
);

export const eventPageShape = shapeOf<EventPage>()(
  "EventPage",
  () =>
    z.strictObject({
      items: z.array(object()),
      next: z.number().describe("Where the next page begins: `after`, or with `desc` `before`"),
      more: z.boolean().describe("More events are kept there"),
      ended: z.literal(true).optional().describe("No event follows, now or later"),
    }),
  [eventShape],
);

export const eventReceiptShape = shapeOf<EventReceipt>()("EventReceipt", () =>
  z.strictObject({
    name: z.string(),
    outcome: z.enum(["delivered", "kept", "repeated"]),
  }),
);

export const prunedShape = shape("Pruned", () =>
  z.strictObject({
    pruned: z.array(z.string()).describe("Ids of the deleted runs"),
    more: z.boolean().describe("True if there may be more: repeat the request"),
  }),
);

/** Deleted runs in the HTTP API. */
export type Pruned = ViewOf<typeof prunedShape>;
