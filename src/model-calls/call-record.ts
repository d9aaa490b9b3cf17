// Record of a model call in the row of its step, for readers of the run.
import { logError } from "../base/log.ts";
import { errorMessage } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { StepCall } from "../journal/journal-store.ts";
import type { StepSpec } from "../journal/step-spec.ts";
import { modelThatAnswered } from "../llm/call-settings.ts";
import type { LanguageModel, ModelResponse, StreamListeners } from "../llm/language-model.ts";
import type { Keeping } from "../llm/recorded-request.ts";

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Recording of model requests in runs. */
    readonly recording?: Recording;
  }
}

/** Recording of model requests in runs. */
export type Recording = {
  /** `full` stores all messages, so people can read the requests; `none` stores no message. @default "full" */
  readonly requests?: "full" | "none";
  /**
   * Changes each text of a request before it is stored, such as to mask card numbers. The request to the model stays
   * unchanged.
   */
  readonly redact?: (text: string) => string;
};

/** Purpose of a model call. */
export type CallPurpose =
  | "turn"
  | "plan"
  | "observe"
  | "guardrail"
  | "convert"
  | "judge"
  | "memory"
  | "route"
  | "chat"
  | "summary"
  | "other";

/** Builds the data of a model call for its row. */
export class CallRecord {
  readonly #scope: RunScope;
  readonly #asked: StepCall;
  readonly #model: LanguageModel;
  #answeredBy: LanguageModel;
  #beganMs = 0;
  #firstTokenMs: number | undefined;

  constructor(
    scope: RunScope,
    asked: {
      readonly model: LanguageModel;
      readonly role: string | undefined;
      readonly purpose: CallPurpose | undefined;
    },
  ) {
    const { agentRole = asked.role, taskName } = scope.about;
    this.#scope = scope;
    this.#model = this.#answeredBy = asked.model;
    this.#asked = {
      model: asked.model.id,
      ...(agentRole === undefined ? undefined : { agent: agentRole }),
      ...(taskName === undefined ? undefined : { task: taskName }),
      purpose: asked.purpose ?? "other",
    };
  }

  /**
   * Returns the step's fields for the record. `request` builds the stored request, with its texts changed by `redact`.
   */
  fields(
    request: (keeping: Keeping) => JsonValue,
  ): Required<Pick<StepSpec<ModelResponse>, "call" | "request">> {
    return {
      call: (response) => ({
        ...this.#asked,
        ...this.#priceOf(response),
        ...(response?.model === undefined ? undefined : { model: response.model }),
        ...(this.#firstTokenMs === undefined ? undefined : { firstTokenMs: this.#firstTokenMs }),
        ...(response === undefined ? undefined : { finishReason: response.finishReason }),
      }),
      request: (rowOf) => {
        const { requests = "full", redact } = this.#scope.services.recording ?? {};
        if (requests === "none") return undefined;
        try {
          return request({ redact, rowOf, settings: this.#answeredBy.settings });
        } catch (error) {
          // The answer has arrived and is paid for, so a failed redaction only drops the text and does not end the run.
          logError(new Error(`a model request is not stored: ${errorMessage(error)}`));
          return undefined;
        }
      },
    };
  }

  /** Price of the model, if it differs from the public price. */
  #priceOf(response: ModelResponse | undefined): Pick<StepCall, "price"> | undefined {
    if (response !== undefined) this.#answeredBy = modelThatAnswered(this.#model, response);
    const { price } = this.#answeredBy;
    return price === undefined ? undefined : { price: [price.input, price.output] };
  }

  /** An attempt begins. The listener notes when its answer begins. */
  attempt(): StreamListeners {
    this.#beganMs = this.#scope.clock.now();
    this.#firstTokenMs = undefined;
    const note = (): void => {
      this.#firstTokenMs ??= this.#scope.clock.now() - this.#beganMs;
    };
    return { onDelta: note, onThinking: note, onToolDelta: note };
  }
}
