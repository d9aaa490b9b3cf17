import * as z from "zod";
import type { JsonObject } from "../../../base/json.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { executeZapierAction, INSTRUCTIONS, ZAPIER } from "./zapier-actions.ts";

/** Runs one action of Zapier, by its id. */
export const zapierAction = catalogTool({
  ...ZAPIER,
  className: "ZapierActionTool",
  displayName: "Zapier action",
  description: "Performs an action of an app that is connected to Zapier.",
  input: () => z.looseObject({}),
  parameters: {
    type: "object",
    properties: { instructions: INSTRUCTIONS },
    required: ["instructions"],
  },
  options: () => z.object({ actionId: z.string().min(1) }),
  run: (input, { actionId: id }, io) => executeZapierAction(io, { id, input: input as JsonObject }),
});
