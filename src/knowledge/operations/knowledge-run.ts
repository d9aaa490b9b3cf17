// Runs of kind `knowledge`: indexing documents of one collection in sequence.
import * as z from "zod";
import { EngineError } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import { losses } from "./schemas.ts";
import { indexDocument, type IndexedDocument } from "../index-document.ts";
import { reindexCollection } from "../reindex-collection.ts";
import type { DocumentSource } from "../knowledge-source.ts";
import type { RunSchemas } from "../../parts/part.ts";
import type { RunProgram } from "../../runtime/run-program.ts";
import type { RunStart } from "../../runtime/run.ts";

/** Output of such a run: the result of each document, in order. A failed document does not affect the others. */
export type IndexedDocuments = { readonly documents: readonly IndexedDocument[] };

/**
 * Makes the start of such a run. The documents are its definition, since inputs are shown with the run and texts are
 * too long for that.
 */
export function knowledgeStart(
  collection: string,
  documents: readonly DocumentSource[],
): Pick<RunStart, "kind" | "name" | "inputs" | "definition"> {
  const inputs: JsonObject = { documents: documents.map(({ name }) => name) };
  return {
    kind: "knowledge",
    name: collection,
    inputs,
    definition: documents,
  };
}

/** Inputs and outputs of such a run, in the API document. */
export function knowledgeRunSchemas(): RunSchemas {
  return {
    input: z.strictObject({ documents: z.array(z.string()).describe("Names of the documents") }),
    output: z.strictObject({
      documents: z.array(
        z.strictObject({
          id: z.string(),
          name: z.string(),
          state: z.enum(["ready", "failed"]),
          chunks: z.number(),
          embedded: z.number().describe("Number of newly embedded chunks"),
          error: z.string().optional(),
          losses: losses().optional(),
        }),
      ),
    }),
  };
}

/** Makes the start of a run that makes the vectors of a collection for another embedder. */
export function reindexStart(
  collection: string,
): Pick<RunStart, "kind" | "name" | "inputs" | "definition"> {
  return { kind: "knowledge", name: collection, inputs: { documents: [] }, definition: REINDEX };
}

const REINDEX = { do: "reindex" } as const;

export function knowledgeRun({
  name: collection,
  definition,
}: RunStart): RunProgram<IndexedDocuments> {
  const sources = Array.isArray(definition) ? (definition as readonly DocumentSource[]) : [];
  return {
    tasks: [],
    run: async (scope) => {
      const service = scope.services.knowledge;
      if (service === undefined)
        throw new EngineError("not_found", "this deployment has no knowledge any more");
      const documents: IndexedDocument[] = [];
      for (const source of sources)
        documents.push(await indexDocument(scope, service, { collection, source }));
      // Documents that were indexed for another embedder.
      documents.push(...(await reindexCollection(scope, service, { collection })));
      return { documents };
    },
  };
}
