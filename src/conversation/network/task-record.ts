import type { JsonObject, JsonValue } from "../../base/json.ts";

/** An ended task. Times are milliseconds since the epoch. */
export type TaskRecord<Result extends JsonValue = JsonValue> = {
  readonly id: string;
  readonly agent: string;
  readonly title: string;
  readonly description?: string;
  readonly payload?: JsonValue;
  readonly capability?: string;
  readonly state: "completed" | "failed" | "expired" | "cancelled";
  readonly progress: JsonObject;
  readonly result?: Result;
  /** Reason for its failure or cancellation. */
  readonly error?: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
};
