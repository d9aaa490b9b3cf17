// Several models in the role of one: their order, and the handling of failures.
//
//   FBK1. A call asks the models in their order, beginning with the first, until one answers. With `round_robin` each
//         call of the run begins one model further; with `spread` too, from a start derived from the run's id. So every
//         attempt and every replay of a call begins with the same model. Outside of runs the calls of the process are
//         counted.
//   FBK2. Rate limits (408, 409, 429), failures of the server or the network, timeouts and answers over their bound
//         pass the call to the next model. A refusal of the request or of the key (400, 401, 403, 404) does so only
//         with `fallbackOnClientError`. A content filter, an abort and any other error end the call.
//   FBK3. A full context window passes the call to models with a larger window, an image to models with vision.
//   FBK4. If all models fail, one error lists each with its reason. It is retryable if one of them was, with the code
//         of this one, so the next attempt starts again. Before the next model is asked, `onRestart` voids the streamed
//         text of the one before.
//   FBK5. An answer refused by the filter passes the call to the next model. If no answer passes, the last one counts
//         unchanged. All of them count as consumed.
import { REQUEST_SETTINGS } from "./answer-settings.ts";
import { EngineError, type ErrorCode } from "../base/error.ts";
import { fraction } from "../base/hash.ts";
import { addUsage, NO_USAGE } from "../base/usage.ts";
import { askPrepared } from "./ask-prepared.ts";
import { needsMedia } from "./content.ts";
import type {
  CallOptions,
  LanguageModel,
  ModelRequest,
  ModelResponse,
  ModelSpend,
} from "./language-model.ts";

/** Choice of the first model in a list. */
export type Routing = "fixed_order" | "round_robin" | "spread";

export type FallbackRules = {
  /** @default "fixed_order" */
  readonly routing?: Routing | undefined;
  /** Asks the next model also after a refusal: of the request, of its key, or because it has none. @default false */
  readonly fallbackOnClientError?: boolean | undefined;
  /** Accepts or refuses an answer. @default all are accepted */
  readonly filter?: ((response: ModelResponse) => boolean | Promise<boolean>) | undefined;
};

/** Errors after which another model may succeed. */
const LEAVES_TO_OTHERS: ReadonlySet<ErrorCode> = new Set([
  "model_failed",
  "model_unavailable",
  "model_rate_limited",
  "timeout",
  "context_window_exceeded",
  "answer_too_large",
]);
const CLIENT_ERRORS: ReadonlySet<ErrorCode> = new Set(["model_unauthorized", "model_rejected"]);

/** Combines the models into one. Throws `invalid_definition` for an empty list. */
export function fallbackModel(
  models: readonly LanguageModel[],
  rules: FallbackRules = {},
): LanguageModel {
  const [first, ...others] = models;
  if (first === undefined) {
    throw new EngineError(
      "invalid_definition",
      "a fallback chain needs at least one model, got none",
    );
  }
  if (others.length === 0 && rules.filter === undefined) return first;
  const { routing = "fixed_order", fallbackOnClientError = false } = rules;
  const missingKeys = models.flatMap(({ missingKey }) => missingKey ?? []);
  const isBlocked = fallbackOnClientError
    ? missingKeys.length === models.length
    : first.missingKey !== undefined;
  let calls = 0;
  return {
    // Calls are counted by this name: two lists in turn must not share it with a model, or with each other.
    id:
      routing === "fixed_order" ? first.id : `${routing}(${models.map(({ id }) => id).join(",")})`,
    capabilities: {
      tools: models.every(({ capabilities }) => capabilities.tools),
      responseSchema: models.every(({ capabilities }) => capabilities.responseSchema),
      stop: models.every(({ capabilities }) => capabilities.stop),
      settings: REQUEST_SETTINGS.filter((name) =>
        models.every(({ capabilities }) => capabilities.settings?.includes(name)),
      ),
      judges: models.every(({ capabilities }) => capabilities.judges !== false),
      vision: models.some(({ capabilities }) => capabilities.vision),
      toolSearch: models.every(({ capabilities }) => capabilities.toolSearch),
      builtinTools: (first.capabilities.builtinTools ?? []).filter((kind) =>
        others.every(({ capabilities }) => capabilities.builtinTools?.includes(kind)),
      ),
      pdf: models.some(({ capabilities }) => capabilities.pdf),
      audio: models.some(({ capabilities }) => capabilities.audio),
      video: models.some(({ capabilities }) => capabilities.video),
    },
    entries: models,
    contextWindow: Math.min(...models.map(({ contextWindow }) => contextWindow)),
    missingKey: isBlocked ? missingKeys[0] : undefined,
    generate: (request, options) => {
      const start =
        routing === "fixed_order"
          ? 0
          : startOf(routing, options.turn?.() ?? { runId: "", before: calls++ }, models.length);
      return new ListCall(models, rules, start).generate(request, options);
    },
  };
}

function startOf(
  routing: Exclude<Routing, "fixed_order">,
  { runId, before }: { readonly runId: string; readonly before: number },
  count: number,
): number {
  const offset = routing === "spread" ? Math.floor(fraction(runId) * count) : 0;
  return (offset + before) % count;
}

/** One call of a list. */
class ListCall {
  readonly #models: readonly LanguageModel[];
  readonly #rules: FallbackRules;
  readonly #order: readonly number[];
  /** Why models did not answer, by their places in the list, in the order in which they were asked. */
  readonly #failures: { readonly index: number; readonly error: EngineError }[] = [];
  readonly #spent: ModelSpend[] = [];
  #refused: ModelResponse | undefined;
  #windowNeeded = 0;

  constructor(models: readonly LanguageModel[], rules: FallbackRules, start: number) {
    this.#models = models;
    this.#rules = rules;
    this.#order = models.map((_, index) => (start + index) % models.length);
  }

  async generate(request: ModelRequest, options: CallOptions): Promise<ModelResponse> {
    let asked = 0;
    for (const index of this.#order) {
      const model = this.#models[index];
      if (model === undefined || !this.#mayHelp(index, model)) continue;
      if (asked++ > 0) options.onRestart?.();
      const answer = await this.#ask(index, model, { request, options });
      if (answer === undefined) continue;
      this.#spent.push(
        ...(answer.spent ?? [{ model: answer.model ?? model.id, usage: answer.usage }]),
      );
      const { filter } = this.#rules;
      const passedFilter = filter === undefined ? undefined : await filter(answer);
      const chosen = { model: model.id, ...answer, configIndex: index };
      if (passedFilter === undefined) return this.#counted(chosen);
      if (passedFilter) return this.#counted({ ...chosen, passedFilter });
      this.#refused = { ...chosen, passedFilter };
    }
    if (this.#refused !== undefined) return this.#counted(this.#refused);
    throw this.#noAnswer();
  }

  /** The answer; undefined when the call is left to the next model. */
  async #ask(
    index: number,
    model: LanguageModel,
    { request, options }: { readonly request: ModelRequest; readonly options: CallOptions },
  ): Promise<ModelResponse | undefined> {
    try {
      return await askPrepared(model, request, options);
    } catch (error) {
      options.signal.throwIfAborted();
      if (!EngineError.is(error)) throw error;
      if (!this.#leavesToOthers(error, model, request)) throw this.#withEarlier(error);
      if (error.code === "context_window_exceeded") this.#windowNeeded = model.contextWindow;
      this.#failures.push({ index, error });
      return undefined;
    }
  }

  #leavesToOthers(error: EngineError, model: LanguageModel, request: ModelRequest): boolean {
    if (LEAVES_TO_OTHERS.has(error.code)) return true;
    if (!CLIENT_ERRORS.has(error.code)) return false;
    const isBlind = needsMedia(request.messages, model);
    return this.#rules.fallbackOnClientError === true || isBlind;
  }

  #mayHelp(index: number, { id, contextWindow }: LanguageModel): boolean {
    if (contextWindow > this.#windowNeeded) return true;
    const message = `${id} was not asked: its context window is not larger`;
    this.#failures.push({ index, error: new EngineError("context_window_exceeded", message) });
    return false;
  }

  /** Returns the answer with the usage of all its calls. */
  #counted(answer: ModelResponse): ModelResponse {
    if (this.#spent.length < 2) return answer;
    const made = this.#spent.filter(({ cached }) => cached !== true);
    const usage = made.map((each) => each.usage).reduce(addUsage, NO_USAGE);
    return { ...answer, usage, spent: this.#spent };
  }

  /** Returns the final error with the earlier failures. */
  #withEarlier(error: EngineError): EngineError {
    if (this.#failures.length === 0) return error;
    return new EngineError(error.code, `${error.message} (before it: ${this.#reasons()})`, {
      retryable: error.retryable,
      retryAfterMs: error.retryAfterMs,
      issues: error.issues,
      cause: error,
    });
  }

  #noAnswer(): EngineError {
    const errors = this.#failures.map(({ error }) => error);
    const decisive =
      errors.find(({ retryable }) => retryable) ??
      errors.find(({ code }) => code === "context_window_exceeded") ??
      errors[0];
    if (decisive === undefined)
      return new EngineError("internal", "a fallback chain failed without an error");
    if (errors.length === 1) return decisive;
    const message = `no answer from any of the ${errors.length} models: ${this.#reasons()}`;
    return new EngineError(decisive.code, message, {
      retryable: decisive.retryable,
      retryAfterMs: decisive.retryAfterMs,
      issues: this.#failures.map(({ index, error }) => ({
        path: `/${index}`,
        message: error.message,
      })),
      cause: decisive,
    });
  }

  #reasons(): string {
    return this.#failures
      .map(({ index, error: { message } }) => {
        const id = this.#models[index]?.id ?? "";
        return `[${index}] ${message.startsWith(id) ? message : `${id}: ${message}`}`;
      })
      .join("; ");
  }
}
