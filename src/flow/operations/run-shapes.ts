// Inputs and outputs of a flow's run in the API document. Tests check real outputs against these shapes.
import * as z from "zod";
import type { RunSchemas } from "../../parts/part.ts";
import { conversationMessage } from "./shapes.ts";

export function flowRun(): RunSchemas {
  const jsonObject = z.record(z.string(), z.unknown());
  const result = {
    value: z.unknown().describe("The result of the method that ended last"),
    state: jsonObject,
  };
  return {
    input: jsonObject,
    output: z
      .union([
        z.strictObject(result),
        z.strictObject({
          ...result,
          reply: z.string().nullable(),
          messages: z.array(conversationMessage()),
          sessionId: z.string(),
          turn: z.number().describe("Its number in the session, from 1"),
          route: z.string().nullable(),
          ended: z.boolean(),
        }),
      ])
      .describe("Of a conversational flow, what the turn gave"),
  };
}
