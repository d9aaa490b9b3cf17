// What runs of each kind take and give, as components of the API document.
import type * as z from "zod";
import type { JsonObject } from "../base/json.ts";
import type { Part } from "../parts/part.ts";

/** The schemas of runs by component: `CrewRunInput`, `CrewRunOutput`. Kinds that say nothing of theirs have none. */
export function kindShapes(parts: readonly Part[]): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(
    kindsOf(parts).flatMap(([kind, { schemas }]) => {
      if (schemas === undefined) return [];
      const { input, output } = schemas();
      return [
        [componentOf(kind, "Input"), input],
        [componentOf(kind, "Output"), output],
      ];
    }),
  );
}

/**
 * What the document says of a run's `inputs` or `output`: one of the components, where every kind of run has them; else their
 * names in the description alone, as a run of another kind may hold anything.
 */
export function anyKind(parts: readonly Part[], end: "Input" | "Output"): JsonObject {
  const kinds = kindsOf(parts);
  const described = kinds.filter(([, { schemas }]) => schemas !== undefined);
  if (described.length === 0) return {};
  const names = described.map(([kind]) => componentOf(kind, end));
  const description = `By the run's kind: ${names.join(", ")}`;
  if (described.length < kinds.length) return { description };
  return { description, anyOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) };
}

const kindsOf = (parts: readonly Part[]) =>
  parts.flatMap(({ kinds = {} }) => Object.entries(kinds));

/** `crew` → `CrewRunOutput`, `price-check` → `PriceCheckRunOutput`. */
function componentOf(kind: string, end: "Input" | "Output"): string {
  const words = kind.split(/[^\p{L}\p{N}]+/u);
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}Run${end}`;
}
