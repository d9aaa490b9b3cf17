// Memories as tests run them: vectors whose similarity the text itself says, a model that answers by what it is asked, a clock by hand.
import { Memory } from "../../src/memory/memory.ts";
import { EngineError } from "../../src/base/error.ts";
import type { JsonObject } from "../../src/base/json.ts";
import {
  scriptedModel,
  type ScriptedModel,
  type ScriptedReply,
} from "../../src/llm/scripted/scripted-model.ts";
import { inMemoryStorage } from "../../src/memory/in-memory-records.ts";
import type { MemoryOptions } from "../../src/memory/memory-options.ts";
import type { MemoryRecord } from "../../src/memory/memory-record.ts";
import type { MemoryStorage } from "../../src/memory/memory-records.ts";
import { SimulatedClock } from "../../src/testing/simulated-clock.ts";
import type { Embedder } from "../../src/vectors/embedder.ts";

/** Room for a thousand directions of their own. */
const DIMENSION = 1200;

export type CountingEmbedder = Embedder & { readonly batches: readonly (readonly string[])[] };

/**
 * Texts that end in `cos=0.9` have that cosine with `base`, the first axis. `axis=3` is another direction altogether; all else is
 * a direction of its own. A text with `FAIL` cannot be embedded.
 */
export function saidEmbedder(options: Partial<Embedder> = {}): CountingEmbedder {
  const axes = new Map<string, number>();
  const batches: (readonly string[])[] = [];
  const axisOf = (name: string): number => {
    const axis = axes.get(name) ?? axes.size + 2;
    axes.set(name, axis);
    return axis % DIMENSION;
  };
  return {
    id: "test/said",
    model: "test/said-1",
    dimension: DIMENSION,
    maxBatch: 1000,
    ...options,
    batches,
    embed: async (texts) => {
      batches.push(texts);
      if (texts.some((text) => text.includes("FAIL")))
        throw new EngineError("model_rejected", "this text is not taken");
      return texts.map((text) => {
        const vector = new Float32Array(DIMENSION);
        const cosine = /cos=([\d.]+)$/.exec(text)?.[1];
        const axis = /axis=(\w+)$/.exec(text)?.[1];
        if (text === "base") vector[0] = 1;
        else if (cosine === undefined) vector[axisOf(axis ?? text)] = 1;
        else {
          vector[0] = Number(cosine);
          vector[1] = Math.sqrt(1 - Number(cosine) ** 2);
        }
        return vector;
      });
    },
  };
}

export type Asked = "extraction" | "analysis" | "consolidation" | "query" | "exploration";

export type Answers = {
  readonly [Kind in Asked]?:
    | ScriptedReply
    | JsonObject
    | Error
    | ((text: string) => ScriptedReply | JsonObject | Error);
};

/** A model that answers each kind of question; what it has no answer for is an error. */
export function memoryScript(answers: Answers): ScriptedModel & { readonly kinds: () => Asked[] } {
  const model = scriptedModel((request) => {
    const text = request.messages.at(-1)?.content ?? "";
    const given = answers[kindOf(request.responseSchema?.schema)];
    const answer = typeof given === "function" ? given(text) : given;
    if (answer === undefined) return { error: new Error("no answer to this") } as ScriptedReply;
    if (answer instanceof Error) return { error: answer } as ScriptedReply;
    return typeof answer === "string" ? answer : JSON.stringify(answer);
  });
  return Object.assign(model, {
    kinds: () => model.calls.map(({ request }) => kindOf(request.responseSchema?.schema)),
  });
}

function kindOf(schema: JsonObject | undefined): Asked {
  const names = Object.keys((schema?.["properties"] ?? {}) as object);
  if (names.includes("memories")) return "extraction";
  if (names.includes("suggested_scope")) return "analysis";
  if (names.includes("insert_new")) return "consolidation";
  return names.includes("recall_queries") ? "query" : "exploration";
}

export function analysisOf(
  scope: string,
  importance = 0.7,
  more: { categories?: string[]; entities?: string[] } = {},
): JsonObject {
  const { categories = ["fact"], entities = [] } = more;
  const extracted = { entities, dates: [], topics: [] };
  return { suggested_scope: scope, categories, importance, extracted_metadata: extracted };
}

export type PlannedAction = { action: "keep" | "update" | "delete"; id: string; content?: string };

export function planOf(insertNew: boolean, ...actions: readonly PlannedAction[]): JsonObject {
  return {
    actions: actions.map(({ action, id, content }) => ({
      action,
      record_id: id,
      new_content: content ?? null,
      reason: "because",
    })),
    insert_new: insertNew,
    insert_reason: "because",
  };
}

export type MemoryWorld = {
  readonly memory: Memory;
  readonly model: ReturnType<typeof memoryScript>;
  readonly embedder: CountingEmbedder;
  readonly storage: MemoryStorage;
  readonly clock: SimulatedClock;
  /** Everything that is stored, newest first. */
  readonly all: () => Promise<readonly MemoryRecord[]>;
  /** Stores a record as it is, whatever it resembles. */
  readonly put: (record: Partial<MemoryRecord> & { content: string }) => Promise<MemoryRecord>;
};

/** A memory outside of any run. */
export function memoryWorld(
  answers: Answers = {},
  options: MemoryOptions & { readonly embedder?: CountingEmbedder } = {},
): MemoryWorld {
  const clock = new SimulatedClock();
  const model = memoryScript(answers);
  const embedder = options.embedder ?? saidEmbedder();
  const storage = options.storage ?? inMemoryStorage();
  const memory = new Memory({ llm: model, clock, storage, ...options, embedder });
  const all = async (): Promise<readonly MemoryRecord[]> =>
    (await storage.records.list({}, { limit: 1000 })).items;
  return {
    memory,
    model,
    embedder,
    storage,
    clock,
    all,
    put: async ({ content, ...rest }) => {
      const { scope = "/", categories = [], importance = 0.5, metadata, source } = rest;
      const isolated = new Memory({
        llm: memoryScript({}),
        clock,
        storage,
        embedder,
        consolidationThreshold: 1,
      });
      const record = await isolated.remember(content, {
        scope,
        categories,
        importance,
        metadata,
        source,
        private: rest.private,
      });
      if (record === null) throw new Error("nothing was stored");
      return record;
    },
  };
}

/** What a save needs so that no model is asked where nothing is similar. */
export const COMPLETE = { scope: "/", categories: [] as string[], importance: 0.5 };
