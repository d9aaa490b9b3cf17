// Overrides of definitions in a request that starts a run: the model of every agent in the run, and its training.
import * as z from "zod";
import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import { resolveModel } from "../llm/resolve-model.ts";
import type { RunOverrides, RunStart } from "../runtime/run.ts";
import type { PartHost } from "./part.ts";
import { invalidInput } from "./problem.ts";

/** Fields of requests that start runs with model calls. */
export const overrideFields = {
  llm: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      "Model for the whole run, such as `openai/gpt-5-mini`. Overrides all models of the definition.",
    ),
  trained: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe("Value of `trained` for the whole run. Overrides the definition's own."),
} as const;

/**
 * Returns the start's part of these fields. Throws `invalid_input` for an unknown model, or a name without training.
 */
export async function runOverrides(
  { llm, trained }: { readonly llm?: string | undefined; readonly trained?: string | undefined },
  { placeOf }: Pick<PartHost, "placeOf">,
  tenant: string,
): Promise<Pick<RunStart, "overrides">> {
  if (llm === undefined && trained === undefined) return {};
  const place = placeOf(tenant);
  if (llm !== undefined) checkModel(llm, place.environment);
  const lessons = trained === undefined ? undefined : await lessonsNamed(trained, place.services);
  const overrides: RunOverrides = {
    ...(llm === undefined ? undefined : { llm }),
    ...(lessons === undefined ? undefined : { trained: lessons }),
  };
  return { overrides };
}

type Place = ReturnType<PartHost["placeOf"]>;

function checkModel(llm: string, environment: Place["environment"]): void {
  const isRegistered = Object.hasOwn(environment.models ?? {}, llm);
  if (!isRegistered && !llm.includes("/"))
    throw unfit("/llm", `expected "provider/model", such as openai/gpt-5-mini, got "${llm}"`);
  try {
    resolveModel(llm, environment);
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    throw unfit("/llm", error.message);
  }
}

async function lessonsNamed(name: string, { trained }: Place["services"]): Promise<JsonObject> {
  if (trained === undefined)
    throw unfit("/trained", "expected none: this deployment cannot store them");
  const lessons = await trained.get(name);
  if (lessons === undefined)
    throw unfit("/trained", `expected a name under which something was trained, got "${name}"`);
  return lessons;
}

function unfit(path: string, message: string): EngineError {
  return invalidInput("the request body does not fit", [{ path, message }]);
}
