// Request schemas of conversations.
import * as z from "zod";
import { messageBody, sentMessagesQuery } from "../../parts/run-messages.ts";
import { answerId, cursor, jsonObject, limit } from "../../parts/schemas.ts";
import { forkBody, startBody } from "../../starts/start-fields.ts";

const sentMessage = z.union([
  z.string().min(1),
  z.looseObject({
    name: z.string().min(1).optional().describe("Who said it. By default, the user."),
    role: z.string().optional(),
    content: z.unknown().optional(),
  }),
]);

export const conversationKickoffBody = startBody({
  message: z.string().min(1).optional().describe("What the user says."),
  messages: z
    .array(sentMessage)
    .min(1)
    .optional()
    .describe("In place of `message`: the last one is answered, those before it are history."),
  contextVariables: jsonObject.optional().describe("Set on top of the conversation's own."),
  maxRounds: z.int().min(1).max(10_000).optional().describe("Messages at most."),
});

export const pictureQuery = z.strictObject({
  format: z.enum(["svg", "mermaid", "json"]).optional().describe("By default, what `Accept` says."),
});

export const messagesQuery = z.strictObject({
  cursor: cursor.optional(),
  limit,
  ...sentMessagesQuery.shape,
});

export const sayBody = z.strictObject({
  name: z
    .string()
    .min(1)
    .describe("The participant who speaks: one whom the conversation waits for."),
  content: z.string().describe("What is said. Nothing lets the conversation go on by itself."),
  key: z
    .string()
    .min(1)
    .optional()
    .describe("The key of the answered question. Needed once the participant was asked before."),
  index: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("In place of the key: the index of the message that is answered."),
  id: answerId.optional(),
  by: z.string().min(1).max(256).optional().describe("Who answers, as you name them."),
});

/** A participant's words, or a message to the agents of another run. */
export const sentBody = z.union([sayBody, messageBody]);

export const changedMessageBody = forkBody({
  content: z.string().min(1).describe("What the message says in the new run."),
  branch: z.string().min(1).max(64).optional().describe("A name for the fork."),
});

export type ConversationKickoffBody = z.input<typeof conversationKickoffBody>;
export type SayBody = z.input<typeof sayBody>;
export type ChangedMessageBody = z.input<typeof changedMessageBody>;
