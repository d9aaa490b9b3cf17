import type { RunScope } from "../../../events/run-scope.ts";
import { indexDocument } from "../../../knowledge/index-document.ts";
import type { KnowledgeService } from "../../../knowledge/knowledge-service.ts";
import type { Embedder } from "../../../vectors/embedder.ts";
import type { ContextVariables } from "../../context-variables.ts";
import {
  readDocumentState,
  writeDocumentState,
  type FailedDocument,
  type IngestedDocument,
} from "./document-state.ts";
import type { NamedDocument } from "./named-documents.ts";

/** Documents to load, and their collection. */
export type LoadRequest = {
  readonly service: KnowledgeService;
  readonly collection: string;
  readonly embedder: Embedder;
  readonly names: readonly string[];
  /** Maximum number of documents loaded now. */
  readonly most: number;
  /** Returns the document of a name. */
  readonly find: (name: string) => NamedDocument | undefined;
};

/**
 * Loads documents one after another, as steps at `place`. Returns a text about the result of each, and updates the
 * variables.
 */
export async function loadDocuments(
  place: RunScope,
  variables: ContextVariables,
  { service, collection, embedder, names, most, find }: LoadRequest,
): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const [now, later] = [names.slice(0, most), names.slice(most)];
  const loaded: IngestedDocument[] = [];
  const failed: FailedDocument[] = [];
  for (const name of now) {
    const document = find(name);
    if (document === undefined) {
      failed.push({ name, error: "it is no address, and no file of this conversation" });
      continue;
    }
    const { source, version } = document;
    const indexed = await indexDocument(place, service, { collection, source, embedder });
    const { state, chunks: passages, error = "it could not be read" } = indexed;
    if (state === "failed") failed.push({ name, error });
    else
      loaded.push({
        name,
        collection,
        passages,
        ...(version === undefined ? undefined : { version }),
      });
  }
  const { documentsIngested } = readDocumentState(variables);
  const others = documentsIngested.filter(({ name }) => !now.includes(name));
  writeDocumentState(variables, {
    documentsToIngest: later,
    documentsIngested: [...others, ...loaded],
    documentsFailed: failed,
  });
  return [
    ...loaded.map(({ name, passages }) => `Loaded ${name} (passages: ${passages}).`),
    ...failed.map(({ name, error }) => `Could not load ${name}: ${error}`),
    ...(later.length === 0 ? [] : [`Still to be loaded: ${later.join(", ")}`]),
  ];
}
