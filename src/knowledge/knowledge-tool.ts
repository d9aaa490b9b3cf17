import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import * as z from "zod";
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { tool, type Tool } from "../tools/tool.ts";
import { citedText } from "./cited-text.ts";
import type { Knowledge } from "./knowledge.ts";

/** Name and target of a knowledge-searching tool. */
export type KnowledgeToolOptions = {
  /** Knowledge with a name. */
  readonly knowledge: Knowledge;
  /** @default "Knowledge base" */
  readonly name?: string;
  /** Description of the content, for the agent's decision to search. @default a general text */
  readonly description?: string;
  /** Maximum number of pieces in one answer, 1 to 50. @default 5 */
  readonly limit?: number;
  /** Minimum similarity, 0 to 1. @default fits the embedder: see `KnowledgeConfig.scoreThreshold` */
  readonly similarityThreshold?: number;
};

const OPTIONS = definitionOptions<KnowledgeToolOptions>(
  "knowledgeTool()",
  {
    knowledge: true,
    name: true,
    description: true,
    limit: true,
    similarityThreshold: true,
  },
  {
    resultsLimit: "write limit",
    scoreThreshold: "write similarityThreshold",
  },
);

/**
 * Makes a tool with which an agent searches documents on demand, instead of before each task (CrewAI's `RagTool`).
 * Throws `invalid_definition`.
 */
export function knowledgeTool(options: KnowledgeToolOptions): Tool {
  refuseUnknownOptions(options, OPTIONS);
  const {
    knowledge,
    name = "Knowledge base",
    description = "Finds what the documents of this knowledge base say on a question, with the places where it stands.",
    limit = 5,
    similarityThreshold,
  } = options;
  if (knowledge.name === undefined)
    throw new EngineError(
      "invalid_definition",
      `the knowledge of tool ${preview(name)} must have a name: a deployment stores it in the collection of that name`,
    );
  return tool({
    name,
    description,
    input: z.object({
      query: z.string().min(1).describe("The question, in a few words"),
      similarity_threshold: z.number().min(0).max(1).optional().describe("How near, 0 to 1"),
      limit: z.int().min(1).max(50).optional().describe("How many pieces at most"),
    }),
    run: async ({ query, similarity_threshold: threshold, limit: most }) => {
      await knowledge.addSources();
      const snippets = await knowledge.query(query, {
        resultsLimit: most ?? limit,
        scoreThreshold: threshold ?? similarityThreshold,
      });
      const found =
        snippets.length === 0 ? "No relevant content found." : snippets.map(citedText).join("\n\n");
      return `Relevant Content:\n${found}`;
    },
  });
}
