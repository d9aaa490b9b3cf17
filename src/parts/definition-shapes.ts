// The schemas of answers about versions and checks of definitions, which the parts with definitions share.
import * as z from "zod";
import { graphShape } from "../graph/graph-shape.ts";
import { issue, time } from "./shapes.ts";

export function definitionShapes() {
  const version = {
    version: z.number(),
    createdAt: time(),
    by: z.string().optional().describe("Who stored it"),
    note: z.string().optional(),
    bytes: z.number().describe("Of what was sent"),
  };
  const fault = z.strictObject({
    ...issue().shape,
    file: z.string().optional().describe("Of a project: the file"),
    line: z.number().optional().describe("From 1"),
    column: z.number().optional(),
  });
  return {
    DefinitionVersion: z.strictObject(version),
    DefinitionVersionDetails: z.strictObject({
      ...version,
      source: z
        .string()
        .describe("What was sent; the definition as JSON where it had keys written out"),
      mediaType: z.string(),
      definition: z.record(z.string(), z.unknown()),
    }),
    DefinitionCheck: z.strictObject({
      ok: z.boolean(),
      errors: z.array(fault),
      inputs: z.array(z.string()).describe("What a run needs"),
      ignored: z.array(fault).describe("What it goes without here, each with what to do"),
      graph: graphShape().optional().describe("Of what can be used: what it is made of"),
    }),
  } as const;
}
