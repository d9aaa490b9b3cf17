// Inputs and outputs of a conversation's run, in the API document. Tests compare real outputs with them.
import * as z from "zod";
import type { RunSchemas } from "../../parts/part.ts";
import { usage } from "../../parts/shapes.ts";
import { outputMessage } from "./shapes.ts";

export function conversationRun(): RunSchemas {
  const jsonObject = z.record(z.string(), z.unknown());
  return {
    input: z.strictObject({
      message: z.string().optional(),
      messages: z.array(z.unknown()).optional(),
      contextVariables: jsonObject.optional(),
      maxRounds: z.number().optional(),
      inputFiles: jsonObject.optional().describe("Files by name, each as `{ $file }`"),
    }),
    output: z.strictObject({
      summary: z.string(),
      messages: z.array(outputMessage()),
      lastSpeaker: z.string(),
      contextVariables: jsonObject.describe("As they were at the end"),
      rounds: z.number().describe("Messages, without the history that it began with"),
      usage: usage(),
      usageByAgent: z.record(z.string(), usage()),
      reason: z.string().describe("Why it ended"),
      humanInput: z.array(z.string()).describe("What people said, agent by agent"),
      chats: z
        .array(z.strictObject({ sender: z.string(), recipient: z.string(), summary: z.string() }))
        .optional()
        .describe("Of chats in sequence: each with its summary"),
      channel: z
        .strictObject({
          status: z.string(),
          violations: z.array(jsonObject),
          hidden: z.array(z.string()),
        })
        .optional()
        .describe("Of a channel: how it ended"),
    }),
  };
}
