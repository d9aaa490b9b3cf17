// What a request that starts a run says in place of definitions: the model of everybody who works, and what they were taught.
import * as z from "zod";
import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import { resolveModel } from "../llm/resolve-model.ts";
import type { RunOverrides, RunStart } from "../runtime/run.ts";
import type { PartHost } from "./part.ts";
import { invalidInput } from "./problem.ts";

/** Fields of requests that start runs in which agents work. */
export const overrideFields = {
  llm: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("The model of all agents, such as `openai/gpt-5-mini`, in place of their own."),
  trained: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe("The name of a training that crews work with, in place of their own."),
} as const;

/** What a start has of these fields. Throws `invalid_input` for a model that cannot be found, or a training that there is not. */
export async function runOverrides(
  { llm, trained }: { readonly llm?: string | undefined; readonly trained?: string | undefined },
  { placeOf }: Pick<PartHost, "placeOf">,
  tenant: string,
): Promise<Pick<RunStart, "overrides">> {
  if (llm === undefined && trained === undefined) return {};
  const place = placeOf(tenant);
  if (llm !== undefined) checkModel(llm, place.environment);
  const training = trained === undefined ? undefined : await trainingNamed(trained, place.services);
  const overrides: RunOverrides = {
    ...(llm === undefined ? undefined : { llm }),
    ...(training === undefined ? undefined : { trained: training }),
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

async function trainingNamed(name: string, { trained }: Place["services"]): Promise<JsonObject> {
  if (trained === undefined)
    throw unfit("/trained", "expected nothing: no trainings are kept here");
  const training = await trained.get(name);
  if (training === undefined)
    throw unfit("/trained", `expected the name of a training, got "${name}"`);
  return training;
}

function unfit(path: string, message: string): EngineError {
  return invalidInput("the request body does not fit", [{ path, message }]);
}
