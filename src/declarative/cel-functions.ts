// Functions for expressions beside CEL's own.
import type { Environment } from "@marcbachmann/cel-js";
import { EngineError } from "../base/error.ts";
import { Room } from "./cel-meter.ts";
import { fromCel } from "./cel-values.ts";

/** Time of `now()` for the current evaluation. Evaluations are synchronous, so they do not interleave. */
let nowMs: number | undefined;

/** Evaluates with the time at which the flow began. */
export function atTime<Result>(timeMs: number | undefined, evaluate: () => Result): Result {
  nowMs = timeMs;
  try {
    return evaluate();
  } finally {
    nowMs = undefined;
  }
}

/** The environment with `now()`, and with `string()` of every value. */
export function withFunctions(environment: Environment): Environment {
  environment.registerFunction("now(): google.protobuf.Timestamp", () => {
    if (nowMs === undefined) throw new EngineError("internal", "the flow has read no time");
    return new Date(nowMs);
  });
  for (const type of ["list", "map", "google.protobuf.Timestamp", "google.protobuf.Duration"])
    environment.registerFunction(`string(${type}): string`, textOf);
  environment.registerFunction("string(null): string", () => "null");
  environment.registerFunction("double(bool): double", (flag: boolean) => (flag ? 1 : 0));
  environment.registerFunction("int(bool): int", (flag: boolean) => (flag ? 1n : 0n));
  environment.registerFunction("int(google.protobuf.Timestamp): int", (time: Date) =>
    BigInt(Math.floor(time.getTime() / 1000)),
  );
  return environment;
}

/** Times and durations as results show them, lists and maps as JSON. */
function textOf(value: unknown): string {
  const shown = fromCel(value, new Room());
  return typeof shown === "string" ? shown : JSON.stringify(shown);
}
