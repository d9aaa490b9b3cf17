// What models are asked about memories, and what is made of their answers.
//
//   MA1. A model that fails, or answers something else, costs a default, never the content.
//   MA2. An answer is a proposal: paths are checked, ids must be those that were shown, numbers are cut to their range.
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
  /** Below the root. */
  readonly scope: string;
  readonly categories: readonly string[];
  readonly importance: number;
  readonly metadata: JsonObject;
};

export type ConsolidationPlan = {
  /** At most one for a record, and only on records that were shown whole; `update` has the new text. */
  readonly actions: ReadonlyArray<
    | { readonly action: "update"; readonly id: string; readonly content: string }
    | { readonly action: "delete"; readonly id: string }
  >;
  /** Records that were shown and are to stay as they are, in the order they were shown in. */
  readonly kept: readonly string[];
  readonly insertNew: boolean;
};

export type QueryAnalysis = {
  /** Below the search's scope. */
  readonly scopes: readonly string[];
  readonly isComplex: boolean;
  readonly queries: readonly string[];
  /** Milliseconds since the epoch. */
  readonly fromMs?: number;
};

/** A stored record as a model is shown it. */
export type ShownRecord = {
  readonly id: string;
  readonly scope: string;
  readonly importance: number;
  readonly createdAt: string;
  /** All of it, or its beginning. */
  readonly text: string;
  /** Only then may a model change or delete it: the rest, which it has not seen, would be lost. */
  readonly isWhole?: true;
};

export const INSERT_ONLY: ConsolidationPlan = { actions: [], kept: [], insertNew: true };

/** Statements worth remembering; undefined where no model can tell. */
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

/** Where a memory belongs and what it weighs. */
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

/** What becomes of similar records when a new one comes. */
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
        `${isWhole ? "content" : "beginning of its content (it can only be kept)"}: ${text}`,
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

/** How to search for a long question; undefined where no model can tell. */
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

/** What is missing among the records, if the model says that something is. */
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

/** The answer, if it has the shape that was asked for (MA1). */
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

/** Longer than any name of a scope: a model that gives more has answered something else. */
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
