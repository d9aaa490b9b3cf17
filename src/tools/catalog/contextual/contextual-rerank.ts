import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import { serviceFailure } from "../base/service-failure.ts";
import { CONTEXTUAL, CONTEXTUAL_TOOL } from "./contextual.ts";

/** Orders documents by their relevance to a question. */
export const contextualRerank = httpTool({
  ...CONTEXTUAL_TOOL,
  className: "ContextualAIRerankTool",
  displayName: "Contextual AI Document Reranker",
  effectClass: "R",
  description: "Orders texts by how well they answer a question, as an instruction says.",
  input: () =>
    z.object({
      query: z.string().describe("The question"),
      documents: z.array(z.string()).min(1).describe("The texts"),
      instruction: z.string().optional().describe("What counts beside the question"),
      metadata: z.array(z.string()).optional().describe("One for each text"),
      model: z.string().min(1).default("ctxl-rerank-en-v1-instruct"),
    }),
  options: () => z.object({}),
  request: (body) => {
    const { documents, metadata } = body;
    if (metadata !== undefined && metadata.length !== documents.length)
      throw serviceFailure({
        code: "bad_request",
        message: `metadata must have one entry for each of the ${documents.length} documents, got ${metadata.length}.`,
      });
    return { method: "POST", url: `${CONTEXTUAL}/rerank`, body };
  },
  answer: () =>
    z.looseObject({
      results: z.array(z.looseObject({ index: z.number(), relevance_score: z.number() })),
    }),
  result: (answer) => answer,
});
