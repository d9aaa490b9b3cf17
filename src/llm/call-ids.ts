// Ids of tool calls for each wire. A conversation keeps its ids, from any model, even if one occurs twice. On a wire
// every call has a unique id in an accepted form, and results have the id of their call (rules CI1 to CI3 of
// docs/design/models.md).
import { behaves } from "./providers/model-rows.ts";

/** Form of the ids of one wire. */
export type CallIdForm = {
  /** Matches the ids the wire accepts unchanged. */
  readonly accepts: RegExp;
  /** Id of the call at this place of the conversation, from 0. */
  readonly write: (place: number) => string;
};

/** Chat completions and the Responses API: OpenAI takes 40 characters in the one, 64 in the other. */
export const OPENAI_IDS: CallIdForm = {
  accepts: /^[\w.:/-]{1,40}$/,
  write: (place) => `call_${place}`,
};

/** Anthropic's Messages and Bedrock: letters, digits, `_` and `-`. */
export const ANTHROPIC_IDS: CallIdForm = {
  accepts: /^[\w-]{1,64}$/,
  write: (place) => `toolu_${place}`,
};

/** Mistral's models, wherever they are served: nine letters and digits. */
const MISTRAL_IDS: CallIdForm = {
  accepts: /^[A-Za-z0-9]{9}$/,
  write: (place) => `call${place.toString(36).padStart(5, "0")}`,
};

/** Form of the ids for a model behind chat completions, by its name: `mistral/mistral-large-latest`. */
export function callIdForm(modelId: string): CallIdForm {
  return behaves(modelId, "nine_letter_ids") ? MISTRAL_IDS : OPENAI_IDS;
}

/** Ids of the calls of one conversation on one wire, in the order of its messages. */
export class CallIds {
  readonly #form: CallIdForm;
  readonly #used = new Set<string>();
  /** Ids on the wire by those of the conversation: calls without a result yet, oldest first. */
  readonly #open = new Map<string, string[]>();
  readonly #last = new Map<string, string>();

  constructor(form: CallIdForm) {
    this.#form = form;
  }

  /** Returns the wire id of a call by the model. */
  ofCall(id: string): string {
    const wireId = this.#free(id);
    this.#used.add(wireId);
    this.#last.set(id, wireId);
    const open = this.#open.get(id);
    if (open === undefined) this.#open.set(id, [wireId]);
    else open.push(wireId);
    return wireId;
  }

  /** Returns the wire id for a result; a second result of one call has the same id. */
  ofResult(id: string): string {
    return this.#open.get(id)?.shift() ?? this.#last.get(id) ?? this.ofCall(id);
  }

  #free(id: string): string {
    if (this.#form.accepts.test(id) && !this.#used.has(id)) return id;
    let place = this.#used.size;
    while (this.#used.has(this.#form.write(place))) place += 1;
    return this.#form.write(place);
  }
}
