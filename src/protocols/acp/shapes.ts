// Schemas of bodies and answers, for the API document. Handlers check bodies themselves, in the protocol's order.
import * as z from "zod";
import type { RunSchemas } from "../../parts/part.ts";
import { HTTP_ADDRESS } from "../../parts/schemas.ts";
import { MESSAGE_LIMITS, TASK_ID_PATTERN } from "./messages.ts";
import { shape } from "../../parts/shape.ts";

/** Limit for the reason of a yield, in UTF-16 units. */
export const MAX_REASON_LENGTH = 1_024;
export const MAX_SESSION_NAME_LENGTH = 128;
export const MAX_SCOPE_LENGTH = 1_024;
/** Pattern of remote agents' names. */
export const AGENT_NAME_PATTERN = /^[\w.:@/ -]{1,128}$/;

/** Returns the bodies by name. Lax ones accept more than they use, like Code Buddy. */
export function acpBodies(strict: boolean) {
  const text = z.string().min(1);
  const anything = z.unknown().optional();
  const metadata = strict ? z.record(z.string(), z.string()).nullish() : anything;
  const id = strict ? z.string().nullish() : anything;
  const parts = z
    .array(strict ? z.looseObject({ type: z.literal("text"), text: z.string() }) : z.unknown())
    .min(1)
    .max(MESSAGE_LIMITS.parts)
    .describe('Texts: `{ type: "text", text }`.');
  const role = strict ? z.enum(["user", "agent"]) : text;
  const message = z.looseObject({ role, parts, metadata });
  return {
    AcpContext: z.looseObject({
      type: text,
      content: text,
      metadata,
      priority: strict ? z.enum(["low", "medium", "high"]).optional() : anything,
      sessionId: id,
    }),
    AcpDelegation: z.looseObject({
      tool: text,
      args: strict ? z.looseObject({}) : z.union([z.looseObject({}), z.array(z.unknown())]),
      timeout: (strict ? z.number().gt(0).optional() : anything).describe("Milliseconds"),
    }),
    AcpSend: z.looseObject({
      agentId: text,
      message,
      sessionId: id,
      metadata,
      resumeSessionId: id,
      fireAndForget: strict ? z.boolean().nullish() : anything,
    }),
    AcpRequest: z.looseObject({
      agentId: text,
      taskId: z.string().regex(TASK_ID_PATTERN),
      message,
      metadata,
    }),
    AcpYield: z.looseObject({
      reason: text.max(MAX_REASON_LENGTH),
      state: anything,
      resumeHint: strict ? z.string().optional() : anything,
    }),
    AcpResume: z.looseObject({
      message: message.nullish(),
      state: anything,
      key: (strict ? z.string().optional() : anything).describe(
        "Key of the answered question, from `yieldPayload.state`. Needed once the task has asked before.",
      ),
    }),
    AcpNewSession: z.looseObject({
      name: text.max(MAX_SESSION_NAME_LENGTH),
      repoScope: strict ? z.string().max(MAX_SCOPE_LENGTH).nullish() : anything,
    }),
    AcpTaskFor: z.looseObject({
      agent: z.string().nullish(),
      skill: z.string().nullish(),
      message: strict ? z.union([text, z.looseObject({ parts: parts.optional() })]) : z.unknown(),
    }),
    AcpRegistration: z.looseObject({
      name: z.string().regex(AGENT_NAME_PATTERN),
      url: text.meta({ pattern: HTTP_ADDRESS }),
      card: z.looseObject({ skills: z.array(z.unknown()) }),
    }),
  };
}

/** Returns the input and output schemas of runs for tool calls. */
export function delegationSchemas(): RunSchemas {
  return {
    input: z.strictObject({ tool: z.string(), args: z.unknown() }),
    output: z.unknown().describe("Result of the tool"),
  };
}

/** Returns the input and output schemas of runs for remote agents. */
export function remoteSchemas(): RunSchemas {
  return {
    input: z.strictObject({ agent: z.string(), url: z.string(), message: z.string() }),
    output: z.strictObject({ artifacts: z.array(z.unknown()), text: z.string() }),
  };
}

const object = () => z.looseObject({});

const state = () =>
  z.strictObject({
    status: z.enum(["submitted", "working", "input-required", "completed", "failed", "canceled"]),
    message: z.string().optional(),
    timestamp: z.number(),
  });

const task = () => ({
  id: z.string(),
  status: state(),
  result: z.string(),
  artifacts: z.array(z.strictObject({ name: z.string(), parts: z.array(z.unknown()) })),
});

export const acpTaskShape = shape("AcpTask", () =>
  z.strictObject({
    ...task(),
    sessionId: z.string().optional(),
    history: z.array(state()).optional(),
  }),
);

export const acpTaskDetailsShape = shape("AcpTaskDetails", () =>
  z.strictObject({
    ...task(),
    sessionId: z.string(),
    runId: z
      .string()
      .optional()
      .describe("The run of the task, once it has begun: its events are at `/runs/{id}/events`."),
    history: z.array(state()),
    messages: z.array(object()),
    metadata: z.unknown().optional(),
    yieldPayload: object().optional().describe("Reason and kind of the wait."),
  }),
);

export const acpRoutedTaskShape = shape(
  "AcpRoutedTask",
  () =>
    z.strictObject({
      ...task(),
      routedTo: z.string().describe("The agent that was chosen."),
    }),
  [acpTaskShape],
);

export const acpQueuedShape = shape("AcpQueued", () =>
  z.strictObject({
    taskId: z.string(),
    queued: z.boolean(),
    queuePosition: z.number().optional(),
    fireAndForget: z.literal(true).optional(),
  }),
);

export const acpAnswerShape = shape("AcpAnswer", () => object());

export const acpCardShape = shape("AcpCard", () =>
  z.looseObject({ name: z.string(), url: z.string(), skills: z.array(z.unknown()) }),
);

export const acpErrorShape = shape("AcpError", () =>
  z
    .looseObject({
      error: z.string().optional(),
      code: z.string().optional(),
      message: z.string().optional(),
      status: z.number().optional(),
      requestId: z.string().optional(),
    })
    .describe("`error` where a route refuses; the other fields for everything else."),
);
