// Answer settings of a run's caller (rules WI3 and WI4 of caller-wishes.ts), as fields of model requests.
import type { AnswerSettings } from "../../llm/answer-settings.ts";
import type { ModelRequest } from "../../llm/language-model.ts";
import type { RequestSettings } from "../../llm/request-settings.ts";

/** Request to extend with the caller's settings. */
export type OwnRequest = {
  /** Tools offered natively to the model; undefined without tools. */
  readonly tools: ModelRequest["tools"];
  /** Names of tools called by the model so far. */
  readonly called: ReadonlySet<string>;
};

export class CallerRequest {
  readonly stop: readonly string[];
  /** True if the caller limits the length, so a cut text is the answer. */
  readonly keepsCut: boolean;
  readonly #settings: RequestSettings | undefined;
  readonly #toolChoice: AnswerSettings["toolChoice"];
  readonly #tools: ReadonlySet<string>;

  /** `tools` are the names of the caller's own. */
  constructor(
    { stop = [], toolChoice, ...settings }: AnswerSettings,
    { tools }: { readonly tools: readonly string[] },
  ) {
    this.stop = stop;
    this.keepsCut = settings.maxTokens !== undefined;
    this.#settings = Object.keys(settings).length === 0 ? undefined : settings;
    this.#toolChoice = toolChoice;
    this.#tools = new Set(tools);
  }

  /** Returns the caller's fields for a request for a part of the answer. */
  fieldsFor(request: OwnRequest): Pick<ModelRequest, "settings" | "toolChoice"> {
    const toolChoice = this.#choiceFor(request);
    return {
      ...(this.#settings === undefined ? undefined : { settings: this.#settings }),
      ...(toolChoice === undefined ? undefined : { toolChoice }),
    };
  }

  /** A wish for a call is met by one call of a tool of the caller's. */
  #choiceFor({ tools = [], called }: OwnRequest): AnswerSettings["toolChoice"] {
    const choice = this.#toolChoice;
    if (choice === undefined || [...called].some((name) => this.#tools.has(name))) return undefined;
    const offered = typeof choice === "object" ? choice.tool : undefined;
    const isOffered = tools.some(({ name }) =>
      offered === undefined ? this.#tools.has(name) : name === offered,
    );
    return isOffered ? choice : undefined;
  }
}
