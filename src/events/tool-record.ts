import type { JsonValue } from "../base/json.ts";

/** What the journal keeps of every finished call of a tool; calls of tools keep more beside it. */
export type ToolRecord = {
  readonly text: string;
  /** What the tool returned, where its text is not that. */
  readonly raw?: JsonValue;
  /** The text is the JSON of what the tool returned. */
  readonly isJson?: true;
  /** The result as JSON, for callers that keep it beside its text. */
  readonly value?: JsonValue;
  readonly fromCache: boolean;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
};
