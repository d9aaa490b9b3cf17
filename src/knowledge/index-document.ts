// Indexing of a document, as steps of a run.
//
//   KI1. An unchanged document with the same recipe costs one check: nothing is read as text, embedded or written.
//   KI2. For a changed document, only new text is embedded, and removed text is deleted at the end. Until then both
//        versions are searchable.
//   KI3. A batch of chunks is one step. An interrupted batch runs again and writes the same ids; a finished batch is
//        not repeated.
//   KI5. A batch waits for an embedder that is away, within the run's limits.
//   KI4. A failed document reports its error, in the store and as an event, and does not affect the others.
//   KI6. Of two indexings of a document at the same time, the last one to end is whole, and the other one's chunks are
//        deleted.
//   - A chunk enters the vector index before the store, and leaves it before it leaves the store. So every chunk in the
//     store is in the index.
import { digestText } from "../base/bytes.ts";
import { inTurn } from "../base/concurrency.ts";
import { EngineError, errorMessage, toErrorRecord, type ErrorRecord } from "../base/error.ts";
import { WAITING_RETRY } from "../base/retry.ts";
import type { RunScope } from "../events/run-scope.ts";
import { keySegment } from "../journal/step-key.ts";
import type { VectorStore } from "../vectors/vector-store.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type { BroughtDocument } from "./brought-document.ts";
import { withSurroundings } from "./chunk-surroundings.ts";
import { chunksOf } from "./chunk.ts";
import type { DocumentLoss } from "./document-losses.ts";
import type { DocumentText } from "./document-text.ts";
import type { KnowledgeService } from "./knowledge-service.ts";
import type { DocumentSource } from "./knowledge-source.ts";
import {
  isOfModel,
  MAX_CHUNKS_PER_CALL,
  recipeOf,
  searchable,
  type KnowledgeChunk,
  type KnowledgeDocument,
} from "./knowledge-store.ts";
import { loadDocument, readDocument, type LoadedDocument } from "./load-document.ts";
import { Places } from "./place.ts";
import { ReadingWork } from "./readers/reading-work.ts";

/** Result of indexing a document. */
export type IndexedDocument = {
  readonly id: string;
  readonly name: string;
  readonly state: "ready" | "failed";
  readonly chunks: number;
  /** Number of embedded chunks: 0 for an unchanged document. */
  readonly embedded: number;
  readonly error?: string;
  /** Content that its text does not have. */
  readonly losses?: readonly DocumentLoss[];
  /** Code of the failure, and its retryability. Absent in runs of earlier versions. */
  readonly failure?: Pick<ErrorRecord, "code" | "retryable">;
};

export type IndexRequest = {
  readonly collection: string;
  readonly source: DocumentSource | BroughtDocument;
  /** @default the deployment's */
  readonly embedder?: Embedder;
  /** Throws a failure unchanged, after recording it. @default the result reports it (KI4) */
  readonly throws?: boolean;
};

/** Indexing of one document. */
type Work = Required<Omit<IndexRequest, "throws">> & { readonly id: string };

type DocumentState = Pick<
  KnowledgeDocument,
  "state" | "hash" | "reader" | "characters" | "chunks" | "indexed" | "error" | "losses"
>;

/** Result of an earlier indexing. */
type KnownDocument = Pick<KnowledgeDocument, "chunks" | "losses">;

/** Number of chunks in one step. */
const BATCH = 100;
/** Maximum number of chunks of one document. */
const MAX_CHUNKS = 20_000;

/** Work of cutting a chunk, in characters read. */
const WORK_PER_CHUNK = 10_000;

/** Indexes a document. Rejects for a fault of the document only if `throws` is set (KI4). */
export async function indexDocument(
  scope: RunScope,
  service: KnowledgeService,
  { collection, source, embedder = service.embedder, throws = false }: IndexRequest,
): Promise<IndexedDocument> {
  const place = scope.at(`document:${keySegment(source.name)}`);
  return place.group<IndexedDocument>("group", async (inside) => {
    const about = { collection, document: source.name };
    const inner = inside.open("knowledge_document_started", about);
    const id = await documentId(source.name);
    const work = new Indexing(inner, service, { collection, source, embedder, id });
    try {
      const done = await work.run();
      const { chunks, embedded, losses } = done;
      const lost = losses === undefined ? {} : { losses };
      inside.emit("knowledge_document_completed", { ...about, chunks, embedded, ...lost });
      return done;
    } catch (error) {
      const message = errorMessage(error);
      await work.fail(message);
      inside.emit("knowledge_document_failed", { ...about, error: message });
      if (throws) throw error;
      const { code, retryable } = toErrorRecord(error, "invalid_input");
      return {
        id,
        name: source.name,
        state: "failed",
        chunks: 0,
        embedded: 0,
        error: message,
        failure: { code, retryable },
      };
    }
  });
}

/** Returns the id of a document of this name. */
export async function documentId(name: string): Promise<string> {
  return (await digestText(name)).slice(0, 22);
}

class Indexing {
  readonly #scope: RunScope;
  readonly #service: KnowledgeService;
  readonly #request: Work;
  readonly #vectors: VectorStore;
  readonly #recipe: string;
  /** Document loaded by the first check, so it is loaded again only after a restart of the process. */
  #loaded: LoadedDocument | undefined;

  constructor(scope: RunScope, service: KnowledgeService, request: Work) {
    this.#scope = scope;
    this.#service = service;
    this.#request = request;
    const { collection, embedder, source } = request;
    const { tenant, vectors } = service;
    this.#vectors = vectors.open({
      tenant,
      collection: vectorCollection(collection),
      model: embedder.model,
    });
    this.#recipe = recipeOf(source, embedder.model);
  }

  async run(): Promise<IndexedDocument> {
    const { collection, source, id } = this.#request;
    const { name } = source;
    const known = await this.#scope
      .at("look")
      .step<KnownDocument | { hash: string; reader: string }>({
        kind: "effect",
        run: async ({ signal }) => {
          this.#loaded = await loadDocument(this.#service, source, signal);
          const { hash, reader } = this.#loaded;
          const earlier = await this.#service.store.document(collection, id);
          const same =
            earlier?.state === "ready" &&
            earlier.hash === hash &&
            earlier.recipe === this.#recipe &&
            earlier.reader === reader.name;
          if (!same) return { hash, reader: reader.name };
          const { chunks, losses } = earlier;
          return losses === undefined ? { chunks } : { chunks, losses };
        },
      });
    if ("chunks" in known) return { id, name, state: "ready", embedded: 0, ...known };
    const text = await this.#scope.at("read").step<DocumentText>({
      kind: "effect",
      run: async ({ signal }) =>
        readDocument(this.#loaded ?? (await loadDocument(this.#service, source, signal))),
    });
    this.#loaded = undefined;
    const chunks = await this.#chunks(text);
    const lost = text.losses === undefined ? {} : { losses: text.losses };
    const state = { ...known, characters: text.text.length, chunks: chunks.length, ...lost };
    let embedded = 0;
    for (let first = 0; first < chunks.length; first += BATCH) {
      const batch = chunks.slice(first, first + BATCH);
      const indexed = first + batch.length;
      embedded += await this.#batch(first / BATCH, batch, { ...state, indexed });
      const {
        source: { name: document },
      } = this.#request;
      this.#scope.emit(
        "knowledge_document_progress",
        { collection, document, indexed, chunks: chunks.length },
        first / BATCH,
      );
    }
    await this.#finish(chunks, state);
    return { id, name, state: "ready", chunks: chunks.length, embedded, ...lost };
  }

  /** Records the document's failure; its earlier content stays searchable. */
  async fail(error: string): Promise<void> {
    const { collection, id } = this.#request;
    await this.#scope.at("fail").step({
      kind: "effect",
      run: async () => {
        const { runId, clock } = this.#scope;
        const change = { state: "failed", error, runId, updatedAtMs: clock.now() } as const;
        if (await this.#service.store.updateDocument(collection, { id }, change)) return null;
        const empty = { hash: "", reader: "", characters: 0, chunks: 0, indexed: 0 };
        await this.#put({ ...empty, state: "failed", error });
        return null;
      },
    });
  }

  async #chunks(read: DocumentText): Promise<KnowledgeChunk[]> {
    const { source, id } = this.#request;
    if (read.text.trim() !== "" && !/[\p{L}\p{N}]/u.test(read.text))
      throw new EngineError(
        "invalid_input",
        "the document has no letters or digits, so no search could find it",
      );
    const places = new Places(read);
    const work = new ReadingWork("document");
    const times = new Map<string, number>();
    const chunks: KnowledgeChunk[] = [];
    for (const { start, end, heading } of chunksOf(read, source.chunking)) {
      if (chunks.length === MAX_CHUNKS)
        throw new EngineError(
          "limit_exceeded",
          `the document has more than ${MAX_CHUNKS} chunks, the maximum: use longer chunks, or split the document`,
        );
      const text = read.text.slice(start, end);
      const about = heading === undefined ? {} : { heading };
      const content = searchable({ text, ...about });
      const seen = times.get(content) ?? 0;
      times.set(content, seen + 1);
      const place = { ...places.of({ start, end }), ...about };
      const key = await digestText(JSON.stringify([id, content, seen]));
      chunks.push({ document: id, ordinal: chunks.length, text, start, end, ...place, id: key });
      work.spend(WORK_PER_CHUNK);
      await work.pause();
    }
    return withSurroundings(chunks);
  }

  /** Returns the number of embedded chunks. */
  #batch(
    number: number,
    batch: readonly KnowledgeChunk[],
    state: Omit<DocumentState, "state">,
  ): Promise<number> {
    const work = async (signal: AbortSignal): Promise<number> => {
      const embedded = await this.#write(batch, signal);
      await this.#put({ ...state, state: "indexing" });
      return embedded;
    };
    return this.#scope.at(`batch:${number}`).step<number>({
      kind: "effect",
      retry: WAITING_RETRY,
      run: ({ signal }) => this.#inTurn(() => work(signal)),
    });
  }

  /** Runs work on the same document in turn: the second call reuses the chunks embedded by the first. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const { collection, id } = this.#request;
    return inTurn(this.#service.store, `${collection}\n${id}`, work);
  }

  /** Writes chunks. Embeds those without an equal one in the store, and returns their number. */
  async #write(chunks: readonly KnowledgeChunk[], signal: AbortSignal): Promise<number> {
    const { collection, embedder, id } = this.#request;
    const { store } = this.#service;
    const earlier = await store.document(collection, id);
    const isSameModel = earlier === undefined || isOfModel(earlier.recipe, embedder.model);
    const ids = chunks.map((chunk) => chunk.id);
    const stored = isSameModel ? await store.chunks(collection, ids) : [];
    const there = new Set(stored.map((chunk) => chunk.id));
    const fresh = chunks.filter((chunk) => !there.has(chunk.id));
    await embedChunks(this.#service, { collection, embedder, chunks: fresh, signal });
    await store.putChunks(collection, chunks);
    return fresh.length;
  }

  async #finish(
    chunks: readonly KnowledgeChunk[],
    state: Omit<DocumentState, "state" | "indexed">,
  ): Promise<void> {
    const { collection, id } = this.#request;
    const { store } = this.#service;
    const finish = async (signal: AbortSignal): Promise<null> => {
      const stored = new Set(await store.chunkIds(collection, id));
      // Another indexing of this document may have ended meanwhile, and deleted chunks of this one.
      const deleted = chunks.filter((chunk) => !stored.has(chunk.id));
      for (let at = 0; at < deleted.length; at += BATCH)
        await this.#write(deleted.slice(at, at + BATCH), signal);
      const kept = new Set(chunks.map((chunk) => chunk.id));
      const stale = [...stored].filter((each) => !kept.has(each));
      for (let at = 0; at < stale.length; at += MAX_CHUNKS_PER_CALL) {
        const part = stale.slice(at, at + MAX_CHUNKS_PER_CALL);
        await this.#vectors.delete(part);
        await store.deleteChunks(collection, part);
      }
      await this.#put({ ...state, state: "ready", indexed: chunks.length });
      return null;
    };
    await this.#scope.at("finish").step<null>({
      kind: "effect",
      retry: WAITING_RETRY,
      run: ({ signal }) => this.#inTurn(() => finish(signal)),
    });
  }

  async #put(document: DocumentState): Promise<void> {
    const { collection, id, source } = this.#request;
    const { store } = this.#service;
    const now = this.#scope.clock.now();
    const earlier = await store.document(collection, id);
    const { error, ...state } = document;
    await store.putDocument(collection, {
      ...state,
      ...(error === undefined ? undefined : { error }),
      id,
      name: source.name,
      // Vectors of another model count only once all are written.
      recipe: state.state === "ready" ? this.#recipe : (earlier?.recipe ?? this.#recipe),
      runId: this.#scope.runId,
      createdAtMs: earlier?.createdAtMs ?? now,
      updatedAtMs: now,
    });
  }
}

/** Makes and writes the vectors of chunks. A collection with vectors of another embedder is emptied first. */
export async function embedChunks(
  { tenant, vectors: stores }: Pick<KnowledgeService, "tenant" | "vectors">,
  {
    collection,
    embedder,
    chunks,
    signal,
  }: {
    readonly collection: string;
    readonly embedder: Embedder;
    readonly chunks: readonly KnowledgeChunk[];
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { model } = embedder;
  const index = stores.open({ tenant, collection: vectorCollection(collection), model });
  for (let at = 0; at < chunks.length; at += embedder.maxBatch) {
    const part = chunks.slice(at, at + embedder.maxBatch);
    const vectors = await embedder.embed(part.map(searchable), { signal, purpose: "document" });
    const rows = part.map(({ id, document }, place) => {
      const vector = vectors[place];
      if (vector !== undefined) return { id, vector, metadata: { document } };
      throw new EngineError(
        "internal",
        `${embedder.id} gave ${vectors.length} vectors for ${part.length} texts`,
      );
    });
    await index.upsert(rows).catch(async (error: unknown) => {
      if (!EngineError.is(error) || error.code !== "embedding_mismatch") throw error;
      const dimension = rows[0]?.vector.length ?? 0;
      await index.clear({ except: { model, dimension } });
      await index.upsert(rows);
    });
  }
}

/** Removes a document and all its searchable content. */
export async function removeDocument(
  { store, vectors, tenant }: KnowledgeService,
  {
    collection,
    id,
    model,
  }: { readonly collection: string; readonly id: string; readonly model: string },
): Promise<void> {
  const index = vectors.open({ tenant, collection: vectorCollection(collection), model });
  const ids = await store.chunkIds(collection, id);
  for (let at = 0; at < ids.length; at += MAX_CHUNKS_PER_CALL)
    await index.delete(ids.slice(at, at + MAX_CHUNKS_PER_CALL));
  await store.deleteDocument(collection, id);
}

/** Prefixes the name, so knowledge and memory of one name stay separate. */
export function vectorCollection(collection: string): string {
  return `knowledge/${collection}`;
}
