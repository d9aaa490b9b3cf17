// Base of models over HTTP: identity, and calls fitted to the parts of requests that the model refuses.
import type { Clock } from "../base/clock.ts";
import type { Connection } from "./connection.ts";
import { fittedCall, type FittedCall } from "./fitted-call.ts";
import type {
  CallOptions,
  LanguageModel,
  ModelCapabilities,
  ModelRequest,
  ModelResponse,
} from "./language-model.ts";
import type { Price } from "./model-data.ts";
import type { NormalSettings } from "./model-settings.ts";
import type { FittedRequests } from "./known-refusals.ts";

export type FittedModelOptions = {
  readonly id: string;
  readonly connection: Connection;
  readonly settings: NormalSettings;
  readonly capabilities: ModelCapabilities;
  readonly contextWindow: number;
  readonly price: Price | undefined;
  readonly clock: Clock;
  readonly fetch: typeof fetch | undefined;
};

export abstract class FittedModel implements LanguageModel {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  readonly contextWindow: number;
  protected readonly options: FittedModelOptions;
  readonly #failureOf: FittedCall["failureOf"];
  /** Names of request parts refused by the model. */
  readonly #refused = new Set<string>();

  constructor(options: FittedModelOptions, failureOf: FittedCall["failureOf"]) {
    this.id = options.id;
    this.capabilities = options.capabilities;
    this.contextWindow = options.contextWindow;
    this.options = options;
    this.#failureOf = failureOf;
  }

  get missingKey(): string | undefined {
    return this.options.connection.missingKey;
  }

  async generate(request: ModelRequest, options: CallOptions): Promise<ModelResponse> {
    const { signal, ...rest } = options;
    return fittedCall(
      {
        model: this.options,
        signal,
        asked: request.settings,
        refused: this.#refused,
        failureOf: this.#failureOf,
      },
      (bounded, fitted) => this.call(request, { ...rest, signal: bounded }, fitted),
    );
  }

  /** Sends one request and returns its answer. */
  protected abstract call(
    request: ModelRequest,
    options: CallOptions,
    fitted: FittedRequests,
  ): Promise<ModelResponse>;
}

/** Remembers the conversion of each list. */
export function convertedOnce<Item, Made>(
  convert: (list: readonly Item[]) => Made,
): (list: readonly Item[]) => Made {
  const known = new WeakMap<readonly Item[], Made>();
  return (list) => {
    let made = known.get(list);
    if (made === undefined) known.set(list, (made = convert(list)));
    return made;
  };
}
