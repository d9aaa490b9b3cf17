// The schemas of requests about crews.
import * as z from "zod";
import { inputFilesField } from "../../files/start-with-files.ts";
import { overrideFields } from "../../parts/run-overrides.ts";
import { jsonObject, runFields, streamField, versionField } from "../../parts/schemas.ts";
import { CHAT } from "../actions/chat-messages.ts";
import { MAX_ITERATIONS } from "../actions/crew-action.ts";

const startFields = {
  inputs: jsonObject.optional().describe("Values for the crew's {placeholders}."),
  inputFiles: inputFilesField.optional(),
  version: versionField,
  stream: streamField,
  ...runFields,
};

export const kickoffBody = z.strictObject({ ...startFields, ...overrideFields });

export const kickoffForEachBody = z.strictObject({
  ...runFields,
  ...overrideFields,
  inputFiles: inputFilesField.optional(),
  version: versionField,
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

const iterations = z.int().min(1).max(MAX_ITERATIONS).describe("How often the crew is run.");

export const trainBody = z.strictObject({
  ...startFields,
  iterations,
  name: z.string().min(1).max(128).optional().describe("The name that the training is kept under."),
});

export const testBody = z.strictObject({
  ...startFields,
  iterations,
  evalModel: z
    .union([z.string().min(1), z.looseObject({ model: z.string().min(1) })])
    .optional()
    .describe("The model that judges: its name, or settings."),
});

export const chatBody = z.strictObject({
  messages: CHAT.describe("The conversation so far; the last message is the user's."),
  inputFiles: inputFilesField.optional(),
  id: runFields.id,
  tags: runFields.tags,
  meta: runFields.meta,
  stream: streamField,
});

export type KickoffBody = z.input<typeof kickoffBody>;
export type KickoffForEachBody = z.input<typeof kickoffForEachBody>;
export type TrainBody = z.input<typeof trainBody>;
export type TestBody = z.input<typeof testBody>;
export type ChatBody = z.input<typeof chatBody>;
