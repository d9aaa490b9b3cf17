// Inputs and outputs of runs of each kind, as components of the API document.
import type * as z from "zod";
import type { JsonObject } from "../base/json.ts";
import type { Part } from "../parts/part.ts";

/** Returns the schemas of runs by component: `CrewRunInput`, `CrewRunOutput`. Kinds without schemas are left out. */
export function kindSchemas(parts: readonly Part[]): Readonly<Record<string, z.ZodType>> {
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
 * Returns the document's schema of a run's `inputs` or `output`: one of the components if every kind of run has them.
 * Otherwise only the description names them, because a run of another kind may hold anything.
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
