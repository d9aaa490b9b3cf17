// The schemas of answers about versions and checks of definitions, which the parts with definitions share.
import * as z from "zod";
import { graphShape } from "./graph-shape.ts";
import { issue, time } from "./shapes.ts";
import { shape, type ViewOf } from "./shape.ts";

const version = () => ({
  version: z.number(),
  createdAt: time(),
  by: z.string().optional().describe("Author of the version"),
  note: z.string().optional(),
  bytes: z.number().describe("Hash of the request body"),
});

const fault = () =>
  z.strictObject({
    ...issue().shape,
    file: z.string().optional().describe("File of a project"),
    line: z.number().optional().describe("Line or column, from 1"),
    column: z.number().optional(),
  });

export const definitionVersionShape = shape("DefinitionVersion", () => z.strictObject(version()));

export const definitionVersionDetailsShape = shape("DefinitionVersionDetails", () =>
  z.strictObject({
    ...version(),
    source: z
      .string()
      .describe("Source text as sent; JSON without keys if the source contained keys"),
    mediaType: z.string(),
    definition: z.record(z.string(), z.unknown()),
  }),
);

export const definitionCheckShape = shape("DefinitionCheck", () =>
  z.strictObject({
    ok: z.boolean(),
    errors: z.array(fault()),
    inputs: z.array(z.string()).describe("Requirements of a run"),
    ignored: z.array(fault()).describe("Missing features of this deployment, each with a fix"),
    graph: graphShape.schema().optional().describe("Graph of a valid definition"),
  }),
);

/** A version in lists. */
export type DefinitionVersionView = ViewOf<typeof definitionVersionShape>;
/** A version with its contents. */
export type DefinitionVersionDetails = ViewOf<typeof definitionVersionDetailsShape>;
/** Result of checking a definition. */
export type DefinitionCheck = ViewOf<typeof definitionCheckShape>;
/** A fault of a definition. */
export type DefinitionFault = DefinitionCheck["errors"][number];
