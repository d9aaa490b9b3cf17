// Response schemas of conversations. Tests compare real responses with them.
import * as z from "zod";
import { errorRecord, issue, time, objectOf } from "../../parts/shapes.ts";
import { shape, type ViewOf } from "../../parts/shape.ts";
import type { OutputMessage } from "../runnable-conversation.ts";

const member = () =>
  z.strictObject({
    name: z.string(),
    description: z.string().optional(),
    isHuman: z.boolean().describe("Whether a person speaks for it, by a wait"),
    tools: z.array(z.string()),
  });

const conversation = () => ({
  name: z.string(),
  source: z.enum(["code", "stored"]),
  description: z.string().optional(),
  pattern: z
    .enum([
      "default",
      "auto",
      "round_robin",
      "random",
      "manual",
      "graph",
      "chat",
      "group_chat",
      "chats",
      "channel",
    ])
    .describe(
      "Its exchange: a pattern, a chat of two, a chat with a group's manager, chats in sequence, or a channel of a network",
    ),
  agents: z.array(member()),
  initialAgent: z.string(),
  userAgent: z.string().optional(),
  maxRounds: z.number().optional().describe("Messages at most; absent without a limit"),
  conversations: z.array(z.string()).describe("Others that it leads to"),
  warnings: z.array(issue()).optional().describe("What a stored one goes without here"),
  error: errorRecord().optional().describe("Why a stored one cannot run any more"),
});

export const conversationShape = shape("Conversation", () => z.strictObject(conversation()));

export const conversationDetailsShape = shape("ConversationDetails", () =>
  z.strictObject({
    ...conversation(),
    definition: objectOf().optional().describe("What was stored"),
    version: z.number().optional().describe("Of a stored one"),
    inputSchema: objectOf()
      .optional()
      .describe("JSON Schema of what a kickoff takes beside the message"),
  }),
);

/** A conversation in the HTTP API. */
export type ConversationView = ViewOf<typeof conversationShape>;
/** Same as `ConversationView`, with the stored definition. */
export type ConversationDetails = ViewOf<typeof conversationDetailsShape>;
/** A speaker of a conversation. */
export type MemberView = ConversationView["agents"][number];

export const conversationMessageShape = shape("ConversationMessage", () =>
  z.looseObject({
    index: z.number().describe("Its place among the messages, from 0"),
    at: time().optional().describe("When it was said; absent for what the run was started with"),
    ...outputMessage().shape,
    omitted: z
      .number()
      .optional()
      .describe("The length of a message that is too long for an answer"),
  }),
);

/** A message of a conversation in the HTTP API. */
export type MessageView = OutputMessage & {
  /** Index among the messages, from 0. */
  readonly index: number;
  /** Time of the message; absent for start messages. ISO 8601, UTC. */
  readonly at?: string;
  /** Length of a message too long for a response; its content is left out. */
  readonly omitted?: number;
};

export const conversationPictureShape = shape("ConversationPicture", () => picture());

/** A message with the name of its author. */
export const outputMessage = () =>
  z.looseObject({
    name: z.string().describe("Who said it: an agent, or `user`"),
    role: z.enum(["system", "user", "assistant", "tool", "function"]),
    content: z
      .union([z.string(), z.array(z.looseObject({ type: z.string() })), z.null()])
      .describe("Null for calls without words"),
    toolCalls: z.array(z.looseObject({ id: z.string(), name: z.string() })).optional(),
  });

const picture = () =>
  z.strictObject({
    nodes: z.array(
      z.strictObject({
        id: z.string(),
        kind: z.enum(["agent", "person", "conversation", "chats", "function", "choice", "end"]),
        label: z.string(),
        isInitial: z.boolean().optional(),
      }),
    ),
    links: z.array(
      z.strictObject({
        from: z.string(),
        to: z.string(),
        cause: z.enum(["context", "model", "after_work", "group_after_work", "graph", "turn"]),
        label: z.string().optional(),
      }),
    ),
  });
