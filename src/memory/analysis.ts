// Model questions about memories, and the evaluation of the answers.
//
//   MA1. A failed model call or an unusable answer results in a default. The content is never lost.
//   MA2. An answer is a proposal: paths are checked, ids must be among the ids shown, and numbers are clamped to their
//        range.
import type { JsonObject, JsonValue } from "../base/json.ts";
import { isJsonObject } from "../base/json.ts";
import { validateJsonSchema } from "../base/json-schema.ts";
import { evidenceGapIn } from "./evidence-gap.ts";
import { checkScopePath, proposedPath } from "./memory-path.ts";
import { fillMemoryPrompt } from "./memory-prompts.ts";
import type { MemoryQuestion } from "./memory-model.ts";
import { MEMORY_LIMITS, type MemoryWork } from "./memory-work.ts";

const TEXTS: JsonObject = { type: "array", items: { type: "string" } };

function objectOf(properties: Readonly<Record<string, JsonObject>>): JsonObject {
  return {
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

const EXTRACTION = objectOf({ memories: TEXTS });
const SAVE_ANALYSIS = objectOf({
  suggested_scope: { type: "string" },
  categories: TEXTS,
  importance: { type: "number" },
  extracted_metadata: objectOf({ entities: TEXTS, dates: TEXTS, topics: TEXTS }),
});
const CONSOLIDATION = objectOf({
  actions: {
    type: "array",
    items: objectOf({
      action: { type: "string", enum: ["keep", "update", "delete"] },
      record_id: { type: "string" },
      new_content: { type: ["string", "null"] },
      reason: { type: "string" },
    }),
  },
  insert_new: { type: "boolean" },
  insert_reason: { type: "string" },
});
const QUERY_ANALYSIS = objectOf({
  keywords: TEXTS,
  suggested_scopes: TEXTS,
  complexity: { type: "string", enum: ["simple", "complex"] },
  recall_queries: TEXTS,
  time_filter: { type: ["string", "null"] },
});

export type SaveAnalysis = {
  /** Path below the root. */
  readonly scope: string;
  readonly categories: readonly string[];
  readonly importance: number;
  readonly metadata: JsonObject;
};

export type ConsolidationPlan = {
  /** At most one action for each record, only on records the model saw whole. `update` has the new text. */
  readonly actions: ReadonlyArray<
    | { readonly action: "update"; readonly id: string; readonly content: string }
    | { readonly action: "delete"; readonly id: string }
  >;
  /** Ids of shown records the plan leaves unchanged, in the order in which they were shown. */
  readonly kept: readonly string[];
  readonly insertNew: boolean;
};

export type QueryAnalysis = {
  /** Paths below the search's scope. */
  readonly scopes: readonly string[];
  readonly isComplex: boolean;
  readonly queries: readonly string[];
  /** Milliseconds since the epoch. */
  readonly fromMs?: number;
};

/** Stored record in the form a model sees. */
export type ShownRecord = {
  readonly id: string;
  readonly scope: string;
  readonly importance: number;
  readonly createdAt: string;
  /** The whole text or its beginning. */
  readonly text: string;
  /**
   * Set when the text is whole. Only then may a model change or delete the record; it would destroy the unseen rest
   * otherwise.
   */
  readonly isWhole?: true;
};

export const INSERT_ONLY: ConsolidationPlan = { actions: [], kept: [], insertNew: true };

/** Returns the statements worth remembering, or undefined if the model gives no usable answer. */
export async function askExtraction(
  work: MemoryWork,
  content: string,
): Promise<readonly string[] | undefined> {
  const { extractionSystem: system, extractionUser } = work.settings.prompts;
  const user = fillMemoryPrompt(extractionUser, { content });
  const answer = await answerOf(work, { system, user, schema: EXTRACTION });
  if (answer === undefined) return undefined;
  return [...new Set(textsOf(answer["memories"]))].slice(0, MEMORY_LIMITS.maxContents);
}

/** Asks for the scope, categories, importance and metadata of a new memory. */
export async function askSaveAnalysis(
  work: MemoryWork,
  about: {
    content: string;
    root: string;
    scopes: readonly string[];
    categories: readonly string[];
  },
): Promise<SaveAnalysis> {
  const { saveAnalysisSystem: system, saveAnalysisUser } = work.settings.prompts;
  const user = fillMemoryPrompt(saveAnalysisUser, {
    content: about.content,
    scopes: about.scopes.length > 0 ? about.scopes.join(", ") : "/",
    categories: about.categories.length > 0 ? about.categories.join(", ") : "none yet",
  });
  const answer = await answerOf(work, { system, user, schema: SAVE_ANALYSIS });
  if (answer === undefined) return { scope: "/", categories: [], importance: 0.5, metadata: {} };
  const found = isJsonObject(answer["extracted_metadata"]) ? answer["extracted_metadata"] : {};
  const metadata = ["entities", "dates", "topics"]
    .map((name) => [name, textsOf(found[name]).slice(0, 20)] as const)
    .filter(([, texts]) => texts.length > 0);
  return {
    scope: proposedPath(about.root, pathOr(answer["suggested_scope"], "/"), about.scopes),
    categories: categoriesOf(answer["categories"]),
    importance: Math.min(1, Math.max(0, Number(answer["importance"]))),
    metadata: Object.fromEntries(metadata),
  };
}

/** Asks for a plan for the records similar to a new memory. */
export async function askConsolidation(
  work: MemoryWork,
  content: string,
  similar: readonly ShownRecord[],
): Promise<ConsolidationPlan> {
  if (similar.length === 0) return INSERT_ONLY;
  const { consolidationSystem: system, consolidationUser } = work.settings.prompts;
  const records = similar
    .map(
      ({ id, scope, importance, createdAt, text, isWhole }) =>
        `- id: ${id}\n  scope: ${scope}\n  importance: ${importance.toFixed(2)}\n  created: ${createdAt}\n  ` +
        `${isWhole ? "content" : "beginning of its content (it stays as it is)"}: ${text}`,
    )
    .join("\n");
  const user = fillMemoryPrompt(consolidationUser, { content, records });
  const answer = await answerOf(work, { system, user, schema: CONSOLIDATION });
  if (answer === undefined) return INSERT_ONLY;
  const shown = new Map(similar.map((record) => [record.id, record]));
  const actions = new Map<string, ConsolidationPlan["actions"][number]>();
  const kept = new Set<string>();
  const proposed = answer["actions"] as readonly { [key: string]: string | null }[];
  for (const { action, record_id: id, new_content: proposedText } of proposed) {
    const text = proposedText?.trim() ?? "";
    const record = typeof id === "string" ? shown.get(id) : undefined;
    if (typeof id !== "string" || record === undefined || actions.has(id)) continue;
    if (action === "keep") kept.add(id);
    else if (!record.isWhole) continue;
    if (action === "delete") actions.set(id, { action: "delete", id });
    if (action === "update" && text !== "")
      actions.set(id, {
        action: "update",
        id,
        content: text.slice(0, MEMORY_LIMITS.maxContentLength).toWellFormed(),
      });
  }
  return {
    actions: [...actions.values()],
    kept: similar.map(({ id }) => id).filter((id) => kept.has(id) && !actions.has(id)),
    insertNew: answer["insert_new"] !== false,
  };
}

/** Asks for the search plan of a long question. Returns undefined if the model gives no usable answer. */
export async function askQueryAnalysis(
  work: MemoryWork,
  about: { query: string; scopes: readonly string[]; scopeInfo: string },
): Promise<QueryAnalysis | undefined> {
  const { queryAnalysisSystem: system, queryAnalysisUser } = work.settings.prompts;
  const user = fillMemoryPrompt(queryAnalysisUser, {
    query: about.query,
    scopes: about.scopes.length > 0 ? about.scopes.join(", ") : "/",
    scope_info: about.scopeInfo,
  });
  const answer = await answerOf(work, { system, user, schema: QUERY_ANALYSIS });
  if (answer === undefined) return undefined;
  const queries = textsOf(answer["recall_queries"]).slice(0, 3);
  const from = answer["time_filter"];
  const fromMs = typeof from === "string" ? dateOf(from) : undefined;
  return {
    scopes: textsOf(answer["suggested_scopes"])
      .flatMap((scope) => pathOr(scope, undefined) ?? [])
      .slice(0, 20),
    isComplex: answer["complexity"] === "complex",
    queries: queries.length > 0 ? queries : [about.query],
    ...(fromMs === undefined ? undefined : { fromMs }),
  };
}

/** Asks for information missing from the records. Returns undefined if the model reports no gap. */
export async function askExploration(
  work: MemoryWork,
  about: { query: string; scope: string; contents: readonly string[] },
): Promise<string | undefined> {
  const { explorationSystem: system, explorationUser } = work.settings.prompts;
  const user = fillMemoryPrompt(explorationUser, {
    query: about.query,
    scope: about.scope,
    records: about.contents.map((content) => `- ${content}`).join("\n"),
  });
  try {
    const text = await work.ask(work.steps, { system, user });
    return typeof text === "string" ? evidenceGapIn(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the answer if it fits the schema, else undefined (MA1). */
async function answerOf(
  work: MemoryWork,
  question: MemoryQuestion & { readonly schema: JsonObject },
): Promise<JsonObject | undefined> {
  try {
    const answer = await work.ask(work.steps, question);
    const fits = isJsonObject(answer) && validateJsonSchema(question.schema, answer).length === 0;
    return fits ? answer : undefined;
  } catch {
    return undefined;
  }
}

function textsOf(value: JsonValue | undefined): string[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter((item): item is string => typeof item === "string")
    .map((text) => text.trim().toWellFormed())
    .filter((text) => text !== "");
}

function categoriesOf(value: JsonValue | undefined): readonly string[] {
  const { maxCategories, maxCategoryLength } = MEMORY_LIMITS;
  const names = textsOf(value).filter((name) => name.length <= maxCategoryLength);
  return [...new Set(names)].slice(0, maxCategories);
}

/** Longer than any name of a scope. A longer suggestion is not a path. */
const MAX_SUGGESTED_NAME = 64;

function pathOr<Other>(value: JsonValue | undefined, otherwise: Other): string | Other {
  try {
    const path = checkScopePath(value, "suggested_scope");
    return path.split("/").some((name) => name.length > MAX_SUGGESTED_NAME) ? otherwise : path;
  } catch {
    return otherwise;
  }
}

function dateOf(text: string): number | undefined {
  const ms = /^\d{4}-\d{2}(-\d{2})?/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
