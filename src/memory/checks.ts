// Validation of input from users and models.
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview, type JsonObject } from "../base/json.ts";
import { toJson } from "../base/recorded.ts";
import type { ChangedFields } from "./change-records.ts";
import { checkScopePath, isInScope, joinScopePaths } from "./memory-path.ts";
import type {
  ForgetFilter,
  RecallOptions,
  RecordChanges,
  RememberOptions,
  StatementContext,
} from "./memory-view.ts";
import type { SaveRequest, StatementAbout } from "./save-request.ts";
import { MEMORY_LIMITS } from "./memory-work.ts";

/** Returns the texts of one save without white space around them. */
export function checkContents(contents: unknown, name: string): readonly string[] {
  const { maxContents, maxTotalLength } = MEMORY_LIMITS;
  if (!Array.isArray(contents)) throw invalid(name, "a list of texts", contents);
  if (contents.length > maxContents)
    throw new EngineError(
      "limit_exceeded",
      `${name} must have at most ${maxContents} texts, got ${contents.length}`,
    );
  const texts = contents.map((content, index) => checkContent(content, `${name}[${index}]`));
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  if (total > maxTotalLength)
    throw new EngineError(
      "limit_exceeded",
      `${name} must have at most ${maxTotalLength} characters together, got ${total}`,
    );
  return texts;
}

export function checkContent(content: unknown, name: string): string {
  const { maxContentLength } = MEMORY_LIMITS;
  // Databases end a text at a NUL character.
  const text =
    typeof content === "string" ? content.replaceAll("\0", "").trim().toWellFormed() : "";
  if (text === "") throw invalid(name, "a text that is not blank", content);
  if (text.length > maxContentLength)
    throw new EngineError(
      "limit_exceeded",
      `${name} must have at most ${maxContentLength} characters, got ${text.length}: save it in parts`,
    );
  return text;
}

type CheckedRemember = Pick<SaveRequest, "conversation" | "each" | "shared"> & {
  readonly scope: string | undefined;
  readonly categories: readonly string[] | undefined;
  readonly metadata: JsonObject;
  readonly importance: number | undefined;
  readonly source: string | undefined;
  readonly private: boolean;
};

export function checkRemember(options: RememberOptions): CheckedRemember {
  const { scope, categories, metadata, importance, source, private: isPrivate = false } = options;
  const { conversation, each = [], speaker, at, context } = options;
  const shared = checkStatement({ speaker, at, context }, "");
  if (typeof isPrivate !== "boolean") throw invalid("private", "true or false", isPrivate);
  return {
    scope: scope === undefined ? undefined : checkScopePath(scope, "scope"),
    categories: categories === undefined ? undefined : checkCategories(categories),
    metadata: metadata === undefined ? {} : checkMetadata(metadata),
    importance: importance === undefined ? undefined : checkImportance(importance),
    source: checkSource(source),
    private: isPrivate,
    conversation: checkName(conversation, "conversation"),
    each: each.map((one, index) => ({ ...shared, ...checkStatement(one, `each[${index}].`) })),
    shared,
  };
}

/** Returns the circumstances of a statement without absent ones. */
function checkStatement({ speaker, at, context }: StatementContext, place: string): StatementAbout {
  const { maxContextLength } = MEMORY_LIMITS;
  if (at !== undefined && !(at instanceof Date && !Number.isNaN(at.getTime())))
    throw invalid(`${place}at`, "a Date", at);
  if (context !== undefined && typeof context !== "string")
    throw invalid(`${place}context`, "a text", context);
  if (context !== undefined && context.length > maxContextLength)
    throw new EngineError(
      "limit_exceeded",
      `${place}context must have at most ${maxContextLength} characters, got ${context.length}`,
    );
  const name = checkName(speaker, `${place}speaker`);
  return {
    ...(name === undefined ? {} : { speaker: name }),
    ...(at === undefined ? {} : { createdAt: at.toISOString() }),
    ...(context === undefined || context.trim() === ""
      ? {}
      : { context: context.replaceAll("\0", "").trim().toWellFormed() }),
  };
}

export function checkRecall(query: unknown, options: RecallOptions): void {
  const { maxQueryLength, maxRecallLimit } = MEMORY_LIMITS;
  const { limit, depth, source, categories, minScore } = options;
  if (typeof query !== "string") throw invalid("query", "a text", query);
  if (query.length > maxQueryLength)
    throw new EngineError(
      "limit_exceeded",
      `query must have at most ${maxQueryLength} characters, got ${query.length}`,
    );
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= maxRecallLimit))
    throw invalid("limit", `an integer from 1 to ${maxRecallLimit}`, limit);
  if (depth !== undefined && depth !== "shallow" && depth !== "deep")
    throw invalid("depth", '"shallow" or "deep"', depth);
  if (minScore !== undefined && !(typeof minScore === "number" && minScore >= 0 && minScore <= 1))
    throw invalid("minScore", "a number from 0 to 1", minScore);
  checkSource(source);
  if (categories !== undefined) checkCategories(categories);
}

export function checkChanges(changes: RecordChanges): ChangedFields {
  const { content, scope, categories, metadata, importance, source } = changes;
  const { private: isPrivate } = changes;
  if (isPrivate !== undefined && typeof isPrivate !== "boolean")
    throw invalid("private", "true or false", isPrivate);
  const owner = checkSource(source);
  return {
    ...(content === undefined ? {} : { content: checkContent(content, "content") }),
    ...(scope === undefined ? {} : { scope: checkScopePath(scope, "scope") }),
    ...(categories === undefined ? {} : { categories: checkCategories(categories) }),
    ...(metadata === undefined ? {} : { metadata: checkMetadata(metadata) }),
    ...(importance === undefined ? {} : { importance: checkImportance(importance) }),
    ...(owner === undefined ? {} : { source: owner }),
    ...(isPrivate === undefined ? {} : { private: isPrivate }),
  };
}

/** Fails with `invalid_input` for an empty filter. */
export function checkForget(filter: ForgetFilter): void {
  const { scope, categories, olderThan, metadata, recordIds } = filter;
  if ([scope, categories, olderThan, metadata, recordIds].every((part) => part === undefined))
    throw new EngineError(
      "invalid_input",
      "forget needs a filter: give scope, categories, olderThan, metadata or recordIds; to forget everything, call reset",
    );
  if (olderThan !== undefined && !(olderThan instanceof Date && !Number.isNaN(olderThan.getTime())))
    throw invalid("olderThan", "a Date", olderThan);
  if (categories !== undefined) checkCategories(categories);
  if (metadata !== undefined) checkMetadata(metadata);
  if (
    recordIds !== undefined &&
    !(Array.isArray(recordIds) && recordIds.every((id) => typeof id === "string"))
  )
    throw invalid("recordIds", "a list of ids", recordIds);
  if (recordIds !== undefined && recordIds.length > MEMORY_LIMITS.maxContents)
    throw new EngineError(
      "limit_exceeded",
      `recordIds must be at most ${MEMORY_LIMITS.maxContents}, got ${recordIds.length}`,
    );
}

/** Returns the root of one call: the memory's own root or one within it. */
export function rootFor(root: string | undefined, wanted: string | undefined): string {
  if (wanted === undefined) return root ?? "/";
  const path = checkScopePath(wanted, "rootScope");
  if (root === undefined || isInScope(path, root)) return path;
  throw new EngineError(
    "invalid_input",
    `rootScope must be within the memory's own root ${root}, got ${preview(wanted)}`,
  );
}

/** Returns the caller's path within the root. */
export function pathWithin(root: string | undefined, path: string | undefined): string {
  return checkScopePath(
    joinScopePaths(root, path === undefined ? undefined : checkScopePath(path, "scope")),
    "scope",
  );
}

export function checkLimit(limit: number, max: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
  throw invalid("limit", `an integer from 1 to ${max}`, limit);
}

function checkCategories(categories: unknown): readonly string[] {
  const { maxCategories, maxCategoryLength } = MEMORY_LIMITS;
  const fits =
    Array.isArray(categories) &&
    categories.length <= maxCategories &&
    categories.every(
      (name) => typeof name === "string" && name.trim() !== "" && name.length <= maxCategoryLength,
    );
  if (fits) return [...new Set((categories as string[]).map((name) => name.trim()))];
  throw invalid(
    "categories",
    `a list of at most ${maxCategories} texts of 1 to ${maxCategoryLength} characters`,
    categories,
  );
}

function checkMetadata(metadata: unknown): JsonObject {
  const { maxMetadataLength } = MEMORY_LIMITS;
  if (!isJsonObject(metadata)) throw invalid("metadata", "an object", metadata);
  const json = toJson(metadata, "metadata") as JsonObject;
  const { length } = JSON.stringify(json);
  if (length <= maxMetadataLength) return json;
  throw new EngineError(
    "limit_exceeded",
    `metadata must have at most ${maxMetadataLength} characters as JSON, got ${length}`,
  );
}

function checkImportance(importance: unknown): number {
  if (typeof importance === "number" && importance >= 0 && importance <= 1) return importance;
  throw invalid("importance", "a number from 0 to 1", importance);
}

function checkSource(source: unknown): string | undefined {
  return checkName(source, "source");
}

function checkName(name: unknown, field: string): string | undefined {
  const { maxSourceLength } = MEMORY_LIMITS;
  if (name === undefined) return undefined;
  const fits =
    typeof name === "string" &&
    name !== "" &&
    name.length <= maxSourceLength &&
    name.isWellFormed() &&
    !name.includes("\0");
  if (fits) return name;
  throw invalid(field, `a text of 1 to ${maxSourceLength} characters`, name);
}

function invalid(name: string, expected: string, got: unknown): EngineError {
  return new EngineError("invalid_input", `${name} must be ${expected}, got ${preview(got)}`);
}
