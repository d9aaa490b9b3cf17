import type { JsonObject } from "../base/json.ts";

export type RefusedPart = {
  /** Name of the lesson. */
  readonly name: string;
  /** True for a refusal of this part. The message is in lower case. */
  readonly refused: (message: string) => boolean;
  /** Returns the request without the part; undefined if it has no such part. */
  readonly without: (body: JsonObject) => JsonObject | undefined;
  /** Set if the refusal concerns this conversation, not the model: it is not remembered. */
  readonly once?: true;
};
