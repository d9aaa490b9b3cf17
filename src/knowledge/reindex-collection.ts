// Vectors of a collection for another embedder, made from the stored chunks as steps of a run.
//
//   RI1. Documents stay searchable: by their words at first, and by their new vectors one after the other.
//   RI2. A document has the recipe of the new model only after all of its vectors are written, so an interrupted
//        reindex goes on with the others.
//   RI3. A reindex changes nothing else of a document: an upload that ends meanwhile keeps its result.
import { inTurn } from "../base/concurrency.ts";
import { WAITING_RETRY } from "../base/retry.ts";
import type { RunScope } from "../events/run-scope.ts";
import { keySegment } from "../journal/step-key.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type { IndexedDocument } from "./index-document.ts";
import { embedChunks } from "./index-document.ts";
import type { KnowledgeService } from "./knowledge-service.ts";
import { isOfModel, ofModel, type KnowledgeDocument } from "./knowledge-store.ts";

type Request = {
  readonly collection: string;
  /** @default the deployment's */
  readonly embedder?: Embedder;
};

type Named = Pick<KnowledgeDocument, "id" | "name">;

/** Number of chunks in one step. */
const BATCH = 100;
const PAGE = 500;

/** Returns the documents with vectors of another model, by name. */
export async function outdatedDocuments(
  service: KnowledgeService,
  { collection, embedder = service.embedder }: Request,
): Promise<readonly Named[]> {
  const { store } = service;
  const outdated: Named[] = [];
  let after: string | undefined;
  do {
    const page = await store.documents(collection, { limit: PAGE, after });
    for (const { id, name, recipe, chunks } of page)
      if (chunks > 0 && !isOfModel(recipe, embedder.model)) outdated.push({ id, name });
    after = page.length < PAGE ? undefined : page.at(-1)?.name;
  } while (after !== undefined);
  return outdated;
}

/** Makes the vectors of documents with vectors of another model. Returns these documents. */
export async function reindexCollection(
  scope: RunScope,
  service: KnowledgeService,
  { collection, embedder = service.embedder }: Request,
): Promise<readonly IndexedDocument[]> {
  const outdated = await scope.at("outdated").step<readonly Named[]>({
    kind: "effect",
    run: () => outdatedDocuments(service, { collection, embedder }),
  });
  const done: IndexedDocument[] = [];
  for (const { id, name } of outdated) {
    const place = scope.at(`reindex:${keySegment(name)}`);
    const chunks = await reindexDocument(place, service, { collection, embedder, id, name });
    done.push({ id, name, state: "ready", chunks, embedded: chunks });
  }
  return done;
}

/** Returns the number of the document's chunks. */
function reindexDocument(
  place: RunScope,
  service: KnowledgeService,
  { collection, embedder, id, name }: Required<Request> & Named,
): Promise<number> {
  const { store } = service;
  const about = { collection, document: name };
  return place.group<number>("group", async (inside) => {
    const inner = inside.open("knowledge_document_started", about);
    const ids = await inner.at("chunks").step<readonly string[]>({
      kind: "effect",
      run: () => store.chunkIds(collection, id),
    });
    for (let first = 0; first < ids.length; first += BATCH) {
      const batch = ids.slice(first, first + BATCH);
      await inner.at(`batch:${first / BATCH}`).step<null>({
        kind: "effect",
        retry: WAITING_RETRY,
        run: ({ signal }) =>
          inTurn(store, `${collection}\n${id}`, async () => {
            const chunks = await store.chunks(collection, batch);
            await embedChunks(service, { collection, embedder, chunks, signal });
            return null;
          }),
      });
      const indexed = first + batch.length;
      inner.emit(
        "knowledge_document_progress",
        { ...about, indexed, chunks: ids.length },
        first / BATCH,
      );
    }
    await inner.at("finish").step<null>({
      kind: "effect",
      run: async () => {
        const { recipe } = (await store.document(collection, id)) ?? {};
        // An upload may write the document meanwhile, also in another process: only the recipe changes, if it is still
        // the one read here.
        if (recipe !== undefined)
          await store.updateDocument(
            collection,
            { id, recipe },
            { recipe: ofModel(recipe, embedder.model) },
          );
        return null;
      },
    });
    const embedded = ids.length;
    inside.emit("knowledge_document_completed", { ...about, chunks: embedded, embedded });
    return embedded;
  });
}
