// Messages to runs under way, for the operations of the API.
import * as z from "zod";
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { MAIL_MODES } from "../events/mail.ts";
import {
  MAIL_LIMITS,
  MESSAGE_STATES,
  type MessageReceipt,
  type RunMessage,
} from "../runtime/mailbox/run-message.ts";
import { idempotencyKey } from "./started-run.ts";
import type { DocumentedAnswer } from "./documented-answer.ts";
import type { Caller } from "./caller.ts";
import type { PartHost } from "./part.ts";
import { shapeOf } from "./shape.ts";

const name = z.string().min(1).max(MAIL_LIMITS.name);

export const messageBody = z.strictObject({
  id: name.optional().describe("Messages with the same id count as one."),
  mode: z
    .enum(MAIL_MODES)
    .optional()
    .describe(
      "`steer` (default): seen at the next model calls. `queue`: at the next turn or task. `interrupt`: aborts model calls and tools under way, then as `steer`.",
    ),
  content: z.string().min(1).max(MAIL_LIMITS.content).describe("The text for the models."),
  to: name
    .optional()
    .describe(
      "The name of a receiver in the run, such as a role or a task. Default: all active ones.",
    ),
  speaker: z
    .strictObject({ id: name.optional(), name: name.optional() })
    .optional()
    .describe("The author, as models see them. A credential of a person decides it."),
});

export const sentMessagesQuery = z.strictObject({
  sent: z
    .enum(["true", "false"])
    .optional()
    .describe("`true`: the messages sent to the run, with their states, where it has others too."),
});

export type MessageBody = z.output<typeof messageBody>;

export const runMessageShape = shapeOf<RunMessage>()("RunMessage", () =>
  z.strictObject({
    id: z.string(),
    mode: z.enum(MAIL_MODES),
    content: z.string(),
    to: z.string().optional(),
    speaker: z.strictObject({ id: z.string().optional(), name: z.string().optional() }).optional(),
    state: z.enum(MESSAGE_STATES),
    sentAt: z.string(),
  }),
);

export const messageReceiptShape = shapeOf<MessageReceipt>()("MessageReceipt", () =>
  z.strictObject({
    id: z.string(),
    mode: z.enum(MAIL_MODES),
    state: z.enum(MESSAGE_STATES),
    sentAt: z.string(),
  }),
);

export const MESSAGE_ACCEPTED: DocumentedAnswer & { readonly shape: typeof runMessageShape } = {
  description: "The message and its state",
  shape: runMessageShape,
};

/** Sends the message of a request. The person of its credential is its speaker. */
export async function sendRunMessage(
  { runs }: Pick<PartHost, "runs">,
  { tenant, by, raw }: Pick<Caller, "tenant" | "by"> & { readonly raw: Request },
  { runId, body }: { readonly runId: string; readonly body: MessageBody },
): Promise<RunMessage> {
  const { id: inBody, speaker, ...message } = body;
  const header = idempotencyKey(raw);
  if (inBody !== undefined && header !== undefined && inBody !== header)
    throw new EngineError(
      "invalid_input",
      `id and Idempotency-Key must be equal if a request has both, got ${preview(inBody)} and ${preview(header)}`,
    );
  const author = by === undefined ? speaker : { ...speaker, name: by };
  return runs.send(tenant, runId, { ...message, id: inBody ?? header, speaker: author });
}
