// The schemas of requests about crews.
import * as z from "zod";
import { jsonObject } from "../../parts/schemas.ts";
import { startBody } from "../../starts/start-fields.ts";
import { CHAT } from "../actions/chat-messages.ts";
import { MAX_ITERATIONS } from "../actions/crew-action.ts";

const inputs = jsonObject.optional().describe("Values for the crew's {placeholders}.");
const iterations = z.int().min(1).max(MAX_ITERATIONS).describe("How often the crew is run.");

export const kickoffBody = startBody({ inputs });

export const kickoffForEachBody = startBody({
  inputs: z
    .array(jsonObject)
    .describe("One object for each run, up to 1,000; none is a batch without items."),
  timeoutMs: z
    .int()
    .min(1)
    .max(31_536_000_000)
    .optional()
    .describe("How long each run may take, counted from the start of the batch."),
});

export const trainBody = startBody({
  inputs,
  iterations,
  name: z.string().min(1).max(128).optional().describe("The name that the training is kept under."),
});

export const testBody = startBody({
  inputs,
  iterations,
  evalModel: z
    .union([z.string().min(1), z.looseObject({ model: z.string().min(1) })])
    .optional()
    .describe("The model that judges: its name, or settings."),
});

export const chatBody = startBody({
  messages: CHAT.describe("The conversation so far; the last message is the user's."),
});

export type KickoffForEachBody = z.input<typeof kickoffForEachBody>;
export type ChatBody = z.input<typeof chatBody>;
