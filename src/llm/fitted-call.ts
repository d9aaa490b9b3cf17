// One attempt of a call over HTTP: with a key, within the time limit, and repeated at once without a part the model
// refuses.
import type { Clock } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import type { FailedCall } from "./api-error.ts";
import type { Connection } from "./connection.ts";
import type { ModelResponse } from "./language-model.ts";
import type { NormalSettings } from "./model-settings.ts";
import { FittedRequests } from "./known-refusals.ts";
import type { RequestSettings } from "./request-settings.ts";
import { withTimeLimit } from "./time-limit.ts";

export type FittedCall = {
  readonly model: {
    readonly id: string;
    readonly connection: Connection;
    readonly settings: NormalSettings;
    readonly clock: Clock;
  };
  readonly signal: AbortSignal;
  /** Settings of the request. */
  readonly asked?: RequestSettings | undefined;
  /** Names of request parts the model has refused. */
  readonly refused: Set<string>;
  /** Converts a thrown error, except for an abort, to an engine error. */
  readonly failureOf: (error: unknown, about: FailedCall) => EngineError;
};

export async function fittedCall(
  { model, signal, asked, refused, failureOf }: FittedCall,
  call: (signal: AbortSignal, fitted: FittedRequests) => Promise<ModelResponse>,
): Promise<ModelResponse> {
  const { id: modelId, connection, settings, clock } = model;
  signal.throwIfAborted();
  if (connection.missingKey !== undefined)
    throw new EngineError("model_unauthorized", `${modelId}: ${connection.missingKey}`);
  const limit = { modelId, signal, timeoutMs: settings.timeoutMs, clock };
  return withTimeLimit(limit, async (bounded) => {
    const fitted = new FittedRequests(refused);
    for (;;) {
      try {
        const answer = await call(bounded, fitted);
        return fitted.answered(answer, asked);
      } catch (error) {
        bounded.throwIfAborted();
        const failure = failureOf(error, { modelId, nowMs: clock.now() });
        if (!fitted.learns(failure)) throw failure;
      }
    }
  });
}
