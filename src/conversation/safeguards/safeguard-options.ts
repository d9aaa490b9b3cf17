import type { JsonObject } from "../../base/json.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";

/** The policy of a conversation. */
export type SafeguardOptions = {
  /** Policy in AG2's form, with names in camelCase or snake_case, as an object or as JSON text. @default no policy */
  readonly safeguardPolicy?: JsonObject | string;
  /** Judges for rules with a model. */
  readonly safeguardLlm?: ModelSpec;
  /** Masks for rules with a model. */
  readonly maskLlm?: ModelSpec;
};
