import * as z from "zod";
import { shape, type ViewOf } from "../parts/shape.ts";
import { wordOf, errorRecord } from "../parts/shapes.ts";
import type { Run, RunStatus } from "../runtime/run.ts";

const failed = () => z.strictObject({ ok: z.literal(false), error: errorRecord() });

const stage = <Fields extends z.ZodRawShape>(fields: Fields) =>
  z.union([z.strictObject({ ok: z.literal(true), ...fields }), failed()]);

export const hookTestShape = shape("HookTest", () =>
  z.strictObject({
    ok: z.boolean(),
    signature: stage({ headers: z.array(z.string()).describe("Signature headers") }),
    body: stage({
      bytes: z.number(),
      id: z.string().describe("The same for a repeated delivery"),
      event: z.string().optional(),
      handshake: z.boolean().describe("True for a handshake of the sender"),
    }).optional(),
    inputs: stage({ values: z.record(z.string(), z.unknown()) }).optional(),
    run: stage({
      id: z.string(),
      status: wordOf<RunStatus>(),
      links: z.strictObject({ self: z.string() }),
    }).optional(),
  }),
);

// The test of a webhook names the links that both have.
export const triggeredRunShape = shape(
  "TriggeredRun",
  () =>
    z.strictObject({
      id: z.string(),
      status: wordOf<RunStatus>(),
      links: z.strictObject({ self: z.string() }),
    }),
  [hookTestShape],
);

/** A trigger's answer: the started run. */
export type TriggeredRun = ViewOf<typeof triggeredRunShape>;

export function triggeredRun({ id, status }: Pick<Run, "id" | "status">): TriggeredRun {
  return { id, status, links: { self: `/runs/${id}` } };
}
