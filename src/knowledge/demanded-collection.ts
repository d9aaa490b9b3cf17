// Collections made on demand, of documents that a tool names during a run.
//
//   KD1. An indexed document is not indexed again while it is young enough, for any run.
//   KD2. Documents are indexed in steps of the first run that asks. After an interruption it continues there.
//   KD3. Unreadable documents are reported if there are several documents; a single one fails the call.
//   KD4. Documents missing from the new list are removed, unless the collection is shared.
//   KD5. A collection without use for a week is removed.
//   KD6. A volatile store is checked in spite of the run's record: lost content is indexed again.
import { EngineError, errorMessage } from "../base/error.ts";
import type { CollectionUse } from "./collection-use.ts";
import { keySegment } from "../journal/step-key.ts";
import { RunScope } from "../events/run-scope.ts";
import { LocalRun } from "../runtime/handle/local-run.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type { BroughtDocument } from "./brought-document.ts";
import { documentId, indexDocument, removeDocument, vectorCollection } from "./index-document.ts";
import type { KnowledgeService } from "./knowledge-service.ts";
import type { DemandedCollection, UnreadDocument } from "./on-demand.ts";

const DAY_MS = 86_400_000;
const UNUSED_MS = 7 * DAY_MS;
/** Minimum interval between two records of a use. */
const NOTED_EVERY_MS = 3_600_000;
/** Maximum number of collections removed in one call. */
const SWEPT_AT_ONCE = 20;
/** Page size for the comparison of a collection's documents with the requested ones. */
const PAGE = 500;

/** Makes the documents searchable (KD1, KD2). Returns unreadable documents, the first time only. */
export async function demandCollection(
  scope: RunScope,
  service: KnowledgeService,
  demand: DemandedCollection,
): Promise<readonly UnreadDocument[]> {
  const { collection, id = collection, embedder = service.embedder } = demand;
  const { isVolatile = false } = service.store;
  const place = scope.at(`collection:${keySegment(id)}`);
  const wanted = { ...demand, id, embedder, isTemporary: demand.id === undefined };
  const wasThere = await place.at("use").step<boolean>({
    kind: "effect",
    run: () => noteUse(service, wanted, scope.clock.now()),
  });
  // The run's record is reliable only for stores that outlive the process (KD6).
  if (wasThere && (!isVolatile || (await noteUse(service, wanted, scope.clock.now())))) return [];
  const documents = await demand.documents();
  const work = (at: RunScope): Promise<readonly UnreadDocument[]> =>
    indexed(at, service, { ...wanted, documents });
  if (!isVolatile) return work(place.at("index"));
  const program = { tasks: [], run: work as (at: RunScope) => Promise<never> };
  const start = { kind: "agent", name: "documents", inputs: {} } as const;
  return RunScope.outside(() => new LocalRun(start, program, { clock: scope.clock }).output());
}

type Wanted = DemandedCollection & {
  readonly id: string;
  readonly embedder: Embedder;
  readonly isTemporary: boolean;
};

/** Records the use of a collection now. Returns true if it exists and is young enough. */
async function noteUse(
  { store }: KnowledgeService,
  { collection, id, embedder, version, isTemporary, ...rest }: Wanted,
  nowMs: number,
): Promise<boolean> {
  const { maxAgeMs = Number.POSITIVE_INFINITY } = rest;
  const { model } = embedder;
  const use = await store.uses?.get(id);
  const isNoted = use !== undefined && nowMs - use.usedAtMs < NOTED_EVERY_MS;
  const common = { id, collection, model, isTemporary };
  if (!isNoted) await store.uses?.put({ checkedAtMs: 0, ...use, ...common, usedAtMs: nowMs });
  const isYoung =
    use !== undefined &&
    use.checkedAtMs > 0 &&
    use.model === model &&
    use.version === version &&
    nowMs - use.checkedAtMs <= maxAgeMs;
  return isYoung && (await store.documents(collection, { limit: 1 })).length > 0;
}

/** Makes all documents searchable. Throws if all are unreadable (KD3). */
async function indexed(
  place: RunScope,
  service: KnowledgeService,
  demand: Omit<Wanted, "documents"> & { readonly documents: readonly BroughtDocument[] },
): Promise<readonly UnreadDocument[]> {
  const { collection, id, embedder, isTemporary, version, documents } = demand;
  const unread: UnreadDocument[] = [];
  let first: EngineError | undefined;
  for (const source of documents)
    try {
      await indexDocument(place, service, { collection, source, embedder, throws: true });
    } catch (error) {
      if (isEnd(error)) throw error;
      first ??= EngineError.is(error) ? error : new EngineError("internal", errorMessage(error));
      unread.push({ name: source.name, error: errorMessage(error) });
    }
  if (first !== undefined && unread.length === documents.length) throw first;
  const { model } = embedder;
  await place.at("noted").step<null>({
    kind: "effect",
    run: async () => {
      if (isTemporary) await removeOthers(service, { collection, model, documents });
      const nowMs = place.clock.now();
      const versioned = version === undefined ? undefined : { version };
      const common = { id, collection, model, isTemporary, ...versioned };
      await service.store.uses?.put({ ...common, checkedAtMs: nowMs, usedAtMs: nowMs });
      return null;
    },
  });
  return unread;
}

/** A failure independent of the document, which would repeat for the next one. */
function isEnd(error: unknown): boolean {
  return (
    EngineError.is(error) && (error.code === "run_cancelled" || error.code === "embedding_mismatch")
  );
}

/** Removes documents missing from the new list (KD4). */
async function removeOthers(
  service: KnowledgeService,
  {
    collection,
    model,
    documents,
  }: {
    readonly collection: string;
    readonly model: string;
    readonly documents: readonly BroughtDocument[];
  },
): Promise<void> {
  const wanted = new Set(await Promise.all(documents.map(({ name }) => documentId(name))));
  let after: string | undefined;
  do {
    const page = await service.store.documents(collection, { limit: PAGE, after });
    for (const { id } of page)
      if (!wanted.has(id)) await removeDocument(service, { collection, id, model });
    after = page.length < PAGE ? undefined : page.at(-1)?.name;
  } while (after !== undefined);
}

type CollectionPlace = Pick<KnowledgeService, "tenant" | "store" | "vectors">;

/** Removes collections without use for a week (KD5), the longest unused first; a few per call. */
export async function sweepCollections(place: CollectionPlace, nowMs: number): Promise<void> {
  const unused = (await place.store.uses?.unused(unusedSince(nowMs), SWEPT_AT_ONCE)) ?? [];
  await removeCollections(place, unused);
}

/** Returns the time before which `sweepCollections` removes unused collections. */
export function unusedSince(nowMs: number): number {
  return nowMs - UNUSED_MS;
}

/** Removes collections, their vectors first. */
async function removeCollections(
  { tenant, store, vectors }: CollectionPlace,
  uses: readonly CollectionUse[],
): Promise<void> {
  for (const { collection, model } of uses) {
    await vectors.open({ tenant, collection: vectorCollection(collection), model }).clear();
    await store.deleteCollection(collection);
  }
}
