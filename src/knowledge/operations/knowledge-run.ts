// Runs of kind `knowledge`: documents of one collection are made findable, one after another.
import * as z from "zod";
import { EngineError } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import { indexDocument, type IndexedDocument } from "../index-document.ts";
import type { DocumentSource } from "../knowledge-source.ts";
import type { RunSchemas } from "../../parts/part.ts";
import type { RunProgram } from "../../runtime/run-program.ts";
import type { RunStart } from "../../runtime/run.ts";

/** The output of such a run: what came of each document, in their order. One that failed takes nothing from the others. */
export type IndexedDocuments = { readonly documents: readonly IndexedDocument[] };

/** The start of such a run. The documents are its definition: inputs are shown with the run, and texts are too long for that. */
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

/** What such a run takes and gives, in the API document. */
export function knowledgeRunSchemas(): RunSchemas {
  return {
    input: z.strictObject({ documents: z.array(z.string()).describe("Their names") }),
    output: z.strictObject({
      documents: z.array(
        z.strictObject({
          id: z.string(),
          name: z.string(),
          state: z.enum(["ready", "failed"]),
          chunks: z.number(),
          embedded: z.number().describe("Chunks that had to be embedded"),
          error: z.string().optional(),
        }),
      ),
    }),
  };
}

export function knowledgeRun({
  name: collection,
  definition,
}: RunStart): RunProgram<IndexedDocuments> {
  const sources = definition as readonly DocumentSource[];
  return {
    tasks: [],
    run: async (scope) => {
      const service = scope.services.knowledge;
      if (service === undefined)
        throw new EngineError("not_found", "this deployment has no knowledge any more");
      const documents: IndexedDocument[] = [];
      for (const source of sources)
        // oxlint-disable-next-line no-await-in-loop -- one document's text in memory at a time
        documents.push(await indexDocument(scope, service, { collection, source }));
      return { documents };
    },
  };
}
