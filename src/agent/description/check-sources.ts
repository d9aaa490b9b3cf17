import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import type { SourceFields } from "./owned-sources.ts";

/** Throws `invalid_definition` for values other than memory and knowledge. */
export function checkSources<Fields extends SourceFields>(fields: Fields, owner: string): Fields {
  const { memory, knowledge, knowledgeSources, knowledgeConfig = {}, embedder } = fields;
  const { resultsLimit = 5, scoreThreshold = 0.6 } = knowledgeConfig;
  const names: unknown[] = [knowledge].flat();
  const rules: ReadonlyArray<readonly [string, unknown, boolean, string]> = [
    [
      "memory",
      memory,
      typeof memory === "boolean" || isObject(memory),
      "a boolean, a Memory, a part of one, or settings",
    ],
    [
      "knowledge",
      knowledge,
      (isObject(knowledge) && "openSession" in knowledge) ||
        (names.length > 0 && names.every((name) => typeof name === "string" && name !== "")),
      "a Knowledge, or names of collections",
    ],
    [
      "knowledgeSources",
      knowledgeSources,
      Array.isArray(knowledgeSources) && knowledgeSources.every(isObject),
      "a list of sources",
    ],
    [
      "knowledgeConfig.resultsLimit",
      resultsLimit,
      Number.isInteger(resultsLimit) && resultsLimit >= 1 && resultsLimit <= 50,
      "an integer from 1 to 50",
    ],
    [
      "knowledgeConfig.scoreThreshold",
      scoreThreshold,
      scoreThreshold >= 0 && scoreThreshold <= 1,
      "a number from 0 to 1",
    ],
    [
      "embedder",
      embedder,
      ["string", "function"].includes(typeof embedder) || isObject(embedder),
      "a name, an Embedder or settings",
    ],
  ];
  for (const [field, value, fits, expected] of rules)
    if (value !== undefined && !fits)
      throw new EngineError(
        "invalid_definition",
        `${owner}: ${field} must be ${expected}, got ${preview(value)}`,
      );
  return fields;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
