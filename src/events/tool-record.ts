import type { JsonValue } from "../base/json.ts";

/** Journal record of a finished tool call; tool calls store more fields beside it. */
export type ToolRecord = {
  readonly text: string;
  /** Returned value of the tool, if it differs from its text. */
  readonly raw?: JsonValue;
  /** Set when the text is the JSON of the tool's returned value. */
  readonly isJson?: true;
  /** Result as JSON, for callers that store it beside its text. */
  readonly value?: JsonValue;
  readonly fromCache: boolean;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
};
