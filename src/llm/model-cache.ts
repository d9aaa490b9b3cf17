import type { JsonValue } from "../base/json.ts";

/** Answers of models for later calls with the same request. Keys are fingerprints of requests, values are JSON. */
export interface ModelCache {
  /** Undefined for an absent or expired answer. */
  get(key: string): Promise<JsonValue | undefined>;
  /** Stores an answer for this number of seconds, replacing an older one. */
  set(key: string, value: JsonValue, ttlSeconds: number): Promise<void>;
}
