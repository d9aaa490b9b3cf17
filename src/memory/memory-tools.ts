import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import * as z from "zod";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { RunScope } from "../events/run-scope.ts";
import type { MemoryModel } from "./memory-model.ts";
import type { MemoryMatch } from "./memory-record.ts";
import type { MemoryView, RememberOptions } from "./memory-view.ts";
import { MEMORY_LIMITS } from "./memory-work.ts";
import { tool, type Tool } from "../tools/tool.ts";

/** Save options and model of an agent's memory tools. */
export type MemoryToolsOptions = Pick<RememberOptions, "source" | "private" | "rootScope"> & {
  /** Minimum similarity of matches, 0 to 1. @default the memory's */
  readonly minScore?: number | undefined;
  /** Asks models on behalf of the calling agent. @default the memory's own way */
  readonly model?: MemoryModel | undefined;
};

/** Maximum number of matches for one question. */
const RECALL_LIMIT = 20;
const MAX_QUERIES = 10;

const MANY = (what: string, max: number) =>
  z.array(z.string().min(1)).min(1).max(max).describe(what);

const OPTIONS = definitionOptions<MemoryToolsOptions>("memoryTools()", {
  source: true,
  private: true,
  rootScope: true,
  minScore: true,
  model: true,
});

/** Creates the tools `search_memory` and, unless the memory is read-only, `save_to_memory` for an agent. */
export function memoryTools(memory: MemoryView, options: MemoryToolsOptions = {}): readonly Tool[] {
  refuseUnknownOptions(options, OPTIONS);
  return memory.readOnly
    ? [searchMemoryTool(memory, options)]
    : [searchMemoryTool(memory, options), saveToMemoryTool(memory, options)];
}

function searchMemoryTool(memory: MemoryView, options: MemoryToolsOptions = {}): Tool {
  const search = tool({
    name: "Search memory",
    description:
      "Searches what was remembered from earlier work: facts, decisions, preferences, people. " +
      "Each search gives the closest memories, not all of them: to count or to list, search again in other words.",
    input: z.object({ queries: MANY("One or more short phrases to search for", MAX_QUERIES) }),
    cache: () => false,
    run: async ({ queries }) => {
      const { source, minScore } = options;
      const found = new Map<string, MemoryMatch>();
      const here = inThisRun(memory, options);
      for (const query of queries.map((text) => text.slice(0, MEMORY_LIMITS.maxQueryLength))) {
        const matches = await here.recall(query, { limit: RECALL_LIMIT, source, minScore });
        for (const match of matches)
          if (!found.has(match.record.id)) found.set(match.record.id, match);
      }
      if (found.size === 0) return "No relevant memories found.";
      return `Found memories:\n${Array.from(found.values(), (match) => match.format()).join("\n")}`;
    },
  });
  return taking(search, "queries", ["query", "q", "question", "search_query"]);
}

function saveToMemoryTool(memory: MemoryView, options: MemoryToolsOptions = {}): Tool {
  const save = tool({
    name: "Save to memory",
    description:
      "Saves facts, decisions, preferences or lessons so that they are remembered in later work. " +
      "Each is a statement that is understood on its own, with names, numbers and dates.",
    input: z.object({
      contents: MANY("One or more statements to remember", MEMORY_LIMITS.maxContents),
    }),
    cache: () => false,
    run: async ({ contents }, { agentRole }) => {
      const { source, private: isPrivate, rootScope } = options;
      const conversation = RunScope.current()?.runId;
      const about = { agentRole, source, private: isPrivate, rootScope, conversation };
      const here = inThisRun(memory, options);
      const [first = "", ...others] = contents;
      if (others.length > 0) {
        await here.rememberMany(contents, about);
        return `Saved ${contents.length} memories.`;
      }
      const record = await here.remember(first, about);
      return record === null
        ? "Nothing was saved."
        : `Saved to ${record.scope} (importance ${record.importance.toFixed(1)}).`;
    },
  });
  return taking(save, "contents", ["content", "memory", "memories", "text"]);
}

function inThisRun(memory: MemoryView, { model }: MemoryToolsOptions): MemoryView {
  const scope = RunScope.current();
  return scope === undefined ? memory : memory.inRun({ scope, model });
}

/** Accepts a single text in place of a list, and other names of the field. */
function taking(made: Tool, field: string, aliases: readonly string[]): Tool {
  return {
    ...made,
    readsAnyName: true,
    call: (input, context) => made.call(withList(input, field, aliases), context),
  };
}

function withList(input: JsonObject, field: string, aliases: readonly string[]): JsonObject {
  const name = [field, ...aliases].find((key) => Object.hasOwn(input, key));
  const value: JsonValue = (name === undefined ? undefined : input[name]) ?? [];
  const texts = (Array.isArray(value) ? value : [value])
    .filter((text): text is string => typeof text === "string")
    .map((text) => text.trim())
    .filter((text) => text !== "");
  return { [field]: texts };
}
