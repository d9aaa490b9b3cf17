// Code to answer `ask` in place of a person.
import { errorMessage } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";

/** Request to an input provider. */
export type InputRequest = {
  readonly message: string;
  readonly methodName: string;
  readonly choices?: readonly string[];
  readonly metadata: JsonObject;
};

/** Answers `ask` in code instead of a person: with a text, or null for no answer. */
export type InputProvider = (
  request: InputRequest,
) => InputAnswer | null | Promise<InputAnswer | null>;

type InputAnswer = string | { readonly text: string | null; readonly metadata?: JsonObject };

type ProviderQuestion = Omit<InputRequest, "choices"> & {
  readonly choices: readonly string[] | undefined;
  readonly timeoutSeconds: number | undefined;
};

/** Has a provider answer: null when it fails, and when it takes too long. Once, however often the run is replayed. */
export function askProvider(
  scope: RunScope,
  provider: InputProvider,
  { choices, timeoutSeconds, ...question }: ProviderQuestion,
): Promise<{ readonly provided: ProvidedInput }> {
  return scope.at("provider").step({
    kind: "effect",
    run: async (_, inside) => {
      const asked = inside.run(async () =>
        provider({ ...question, ...(choices === undefined ? undefined : { choices }) }),
      );
      const late = Promise.withResolvers<null>();
      const cancel =
        timeoutSeconds === undefined
          ? undefined
          : scope.clock.after(timeoutSeconds * 1000, () => late.resolve(null));
      try {
        return { provided: providedInput(await Promise.race([asked, late.promise])) };
      } catch (error) {
        return { provided: { response: null, error: errorMessage(error) } };
      } finally {
        cancel?.();
      }
    },
  });
}

type ProvidedInput = {
  readonly response: string | null;
  readonly responseMetadata?: JsonObject;
  /** Reason why the provider returned no answer. */
  readonly error?: string;
};

function providedInput(answer: InputAnswer | null): ProvidedInput {
  if (answer === null || typeof answer === "string") return { response: answer };
  const { text, metadata } = answer;
  return {
    response: text,
    ...(metadata === undefined ? undefined : { responseMetadata: metadata }),
  };
}
