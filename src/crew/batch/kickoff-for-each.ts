import { mapAtMost } from "../../base/concurrency.ts";
import { EngineError, toErrorRecord, type ErrorRecord } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import type { KickoffOptions } from "../local-start.ts";
import { codeInputs, type StartedCrew } from "../start-inputs.ts";
import { checkBatch } from "./batch.ts";

/** Options of a kickoff for each of many inputs. */
export type ForEachOptions = Omit<KickoffOptions, "inputs"> & {
  /** Maximum number of concurrent runs. An integer >= 1. @default 10 */
  readonly concurrency?: number | undefined;
};

/** The outcome of one of many inputs. */
export type ItemResult<Output> =
  | { readonly status: "completed"; readonly output: Output }
  | { readonly status: "failed"; readonly error: ErrorRecord };

/**
 * Runs a crew once for each input, in this process or in the current run. Returns the results in the order of the
 * inputs. All inputs are checked before the first run starts: `invalid_input`.
 */
export async function forEachInput<Output>(
  crew: StartedCrew & { readonly name: string },
  inputs: readonly JsonObject[],
  {
    concurrency = 10,
    kickoff,
  }: Pick<ForEachOptions, "concurrency"> & {
    readonly kickoff: (inputs: JsonObject) => Promise<Output>;
  },
): Promise<ReadonlyArray<ItemResult<Output>>> {
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new EngineError(
      "invalid_input",
      `concurrency must be an integer >= 1, got ${String(concurrency)}`,
    );
  checkBatch(inputs, { crew, maxInputs: Number.POSITIVE_INFINITY, inputsOf: codeInputs });
  const place = RunScope.current()?.atNext(`for-each:${keySegment(crew.name)}`);
  return mapAtMost(inputs, concurrency, async (each, index): Promise<ItemResult<Output>> => {
    const run = () => kickoff(each);
    try {
      const output =
        place === undefined
          ? await run()
          : await place.at(`item:${index}`).group("group", (inside) => inside.run(run));
      return { status: "completed", output };
    } catch (error) {
      return { status: "failed", error: toErrorRecord(error) };
    }
  });
}

/** The outputs of results; throws the first failure, with an issue for each. */
export function allOutputs<Output>(results: ReadonlyArray<ItemResult<Output>>): Output[] {
  const failures = results.flatMap((result, index) =>
    result.status === "failed" ? [{ index, error: result.error }] : [],
  );
  const [first] = failures;
  if (first !== undefined) {
    const { code, message, retryable } = first.error;
    const which = `${failures.length} of ${results.length} inputs failed; input ${first.index}: ${message}`;
    const issues = failures.map(({ index, error }) => ({
      path: `/inputs/${index}`,
      message: error.message,
    }));
    throw new EngineError(code, which, { retryable, issues });
  }
  return results.flatMap((result) => (result.status === "completed" ? [result.output] : []));
}
