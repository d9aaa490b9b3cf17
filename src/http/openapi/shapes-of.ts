import type * as z from "zod";
import type { DocumentedAnswer } from "../../parts/documented-answer.ts";
import { RUN_SHAPES } from "../../parts/documented-runs.ts";
import type { Operation } from "../../parts/operation.ts";
import type { Shape } from "../../parts/shape.ts";
import type { Api } from "../../parts/part.ts";
import { kindSchemas } from "../run-kind-schemas.ts";

/**
 * Returns the schemas of all answers and runs, by component: those of the core, of the kinds of runs, and of the parts,
 * each in the order of operations. An object inside several is named after the first.
 */
export function shapesOf({ operations, core, parts, problemForm }: Api): Record<string, z.ZodType> {
  const answered = (list: readonly Operation[]): readonly Shape[] =>
    list.flatMap(({ answers, path }) =>
      [...Object.values(answers), problemForm(path)].flatMap(shapesIn),
    );
  return {
    ...schemasOf([...RUN_SHAPES, ...answered(core)]),
    ...kindSchemas(parts),
    ...schemasOf(answered(operations)),
  };
}

function shapesIn({ shape, list }: Partial<DocumentedAnswer>): readonly Shape[] {
  return [shape, list].flat().flatMap((each) => (each === undefined ? [] : [...each.inside, each]));
}

const schemasOf = (shapes: readonly Shape[]): Record<string, z.ZodType> =>
  Object.fromEntries(shapes.map(({ name, schema }) => [name, schema()]));
