// Response schemas of conversations. Tests compare real responses with them.
import * as z from "zod";
import { definitionShapes } from "../../parts/definition-shapes.ts";
import { errorRecord, issue, time } from "../../parts/shapes.ts";

export function conversationShapes() {
  const member = z.strictObject({
    name: z.string(),
    description: z.string().optional(),
    isHuman: z.boolean().describe("Whether a person speaks for it, by a wait"),
    tools: z.array(z.string()),
  });
  const conversation = {
    name: z.string(),
    source: z.enum(["code", "stored"]),
    description: z.string().optional(),
    pattern: z.enum(["default", "auto", "round_robin", "random", "manual", "graph"]),
    agents: z.array(member),
    initialAgent: z.string(),
    userAgent: z.string().optional(),
    maxRounds: z.number(),
    conversations: z.array(z.string()).describe("Others that it leads to"),
    warnings: z.array(issue()).optional().describe("What a stored one goes without here"),
    error: errorRecord().optional().describe("Why a stored one cannot run any more"),
  };
  return {
    Conversation: z.strictObject(conversation),
    ConversationDetails: z.strictObject({
      ...conversation,
      definition: z.record(z.string(), z.unknown()).optional().describe("What was stored"),
      version: z.number().optional().describe("Of a stored one"),
      inputSchema: z
        .record(z.string(), z.unknown())
        .optional()
        .describe("JSON Schema of what a kickoff takes beside the message"),
    }),
    ...definitionShapes(),
    ConversationMessage: z.strictObject({
      index: z.number().describe("Its place among the messages, from 0"),
      at: time().optional().describe("When it was said; absent for what the run was started with"),
      ...outputMessage().shape,
      omitted: z
        .number()
        .optional()
        .describe("The length of a message that is too long for an answer"),
    }),
    ConversationPicture: picture(),
  } as const;
}

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
        cause: z.enum(["context", "model", "after_work", "group_after_work", "graph"]),
        label: z.string().optional(),
      }),
    ),
  });
