// Schemas of requests about flows.
import * as z from "zod";
import { jsonObject, runId } from "../../parts/schemas.ts";
import { startBody } from "../../starts/start-fields.ts";

/** The reader of declared flows checks the rest; see `edgecrew/flow/declarative`. */
export const flowDefinitionBody = z.looseObject({
  schema: z.literal("crewai.flow/v1").optional(),
  name: z.string().optional(),
  methods: z.record(z.string(), z.looseObject({ do: z.looseObject({}) })),
});

export const plotQuery = z.strictObject({
  format: z.enum(["html", "svg", "mermaid", "json"]).optional(),
});

export const flowKickoffBody = startBody({
  inputs: jsonObject.optional().describe("Merged into the state; `id` selects a saved state."),
  restoreFromStateId: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe("Starts with this saved state, under another id."),
  fromCheckpoint: z
    .strictObject({
      run: runId,
      checkpoint: z.string().min(1).optional().describe("Without it, the newest one."),
    })
    .optional()
    .describe("Continues from this checkpoint, in a new run."),
});

export const flowStateQuery = z.strictObject({
  seq: z.coerce.number().int().min(1).optional(),
});

export const turnBody = startBody({
  message: z.string().min(1).describe("What the user says."),
  sessionId: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe("The conversation; without it, a new one."),
  id: runId
    .optional()
    .describe(
      "The turn's id in its session. A repeated id starts no new turn; the answer is the run of the first one.",
    ),
  intents: z
    .array(z.string().min(1).max(128))
    .min(1)
    .max(100)
    .optional()
    .describe("The intents that the message is sorted into."),
  inputs: jsonObject.optional().describe("Put into the flow's state before the turn."),
});

export type FlowKickoffBody = z.input<typeof flowKickoffBody>;
export type TurnBody = z.input<typeof turnBody>;
