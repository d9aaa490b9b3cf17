import type { EngineError } from "../../base/error.ts";

/** Provider messages for models without tools: "does not support tools", "Function calling is not enabled", ... */
const NO_TOOLS = [
  /(?:\bnot|n't|\bno endpoints found that) support(?:ed|s)? (?:\w+ ){0,2}[`'"]?(?:tools?|functions?)\b/i,
  /\b(?:tools?|functions?)(?:[ _-](?:use|calls?|calling|choice))?[`'"]? (?:is|are) (?:currently )?(?:not (?:supported|enabled|available)|unsupported)\b/i,
];

/** True if a provider refused a request because its model takes no tools. */
export function refusesTools({ code, message }: EngineError): boolean {
  return code === "model_rejected" && NO_TOOLS.some((pattern) => pattern.test(message));
}
