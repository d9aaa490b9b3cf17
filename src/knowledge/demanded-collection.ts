// Collections that are made when they are first asked: of documents that a tool names while a run goes on.
//
//   KD1. What was indexed is not indexed again as long as it is young enough, whichever run asks for it.
//   KD2. Documents are indexed in steps of the run that asks first: cut off, it goes on where it was.
//   KD3. Of several documents those that cannot be read are told; of one alone that is the failure.
//   KD4. What is no longer among the documents is removed, unless others put documents into the collection, too.
//   KD5. A collection that was not asked for a week is removed.
//   KD6. A store that goes with its process is looked at, whatever the run has on record: what it lost is made again.
import { EngineError, errorMessage } from "../base/error.ts";
import type { CollectionUse } from "./collection-use.ts";
import { keySegment } from "../journal/step-key.ts";
import { RunScope } from "../events/run-scope.ts";
import { LocalRun } from "../runtime/handle/local-run.ts";
import type { Embedder } from "../vectors/embedder.ts";
import { documentId, indexDocument, removeDocument, vectorCollection } from "./index-document.ts";
import type { KnowledgeService } from "./knowledge-service.ts";
import type { BroughtDocument } from "./load-document.ts";
import type { DemandedCollection, UnreadDocument } from "./on-demand.ts";

const DAY_MS = 86_400_000;
const UNUSED_MS = 7 * DAY_MS;
/** A use is written down no more often than that. */
const NOTED_EVERY_MS = 3_600_000;
/** Collections that are removed in one go. */
const SWEPT_AT_ONCE = 20;
/** Documents of a collection that are compared with what is asked for. */
const PAGE = 500;

/** Sees to it that the documents can be found (KD1, KD2). Answers those that could not be read, the first time. */
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
  // What the run has on record is true of stores that outlive it (KD6).
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

/** Notes that a collection is used now. Answers whether it is there, and young enough. */
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

/** Makes all documents findable. Throws when none of them can be read (KD3). */
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
      // oxlint-disable-next-line no-await-in-loop -- one document's text in memory at a time
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

/** What is no document's fault, and would be the same for the next one. */
function isEnd(error: unknown): boolean {
  return (
    EngineError.is(error) && (error.code === "run_cancelled" || error.code === "embedding_mismatch")
  );
}

/** Removes what is no longer among the documents (KD4). */
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
    // oxlint-disable-next-line no-await-in-loop -- a page begins where the one before ends
    const page = await service.store.documents(collection, { limit: PAGE, after });
    for (const { id } of page)
      // oxlint-disable-next-line no-await-in-loop -- few, if any
      if (!wanted.has(id)) await removeDocument(service, { collection, id, model });
    after = page.length < PAGE ? undefined : page.at(-1)?.name;
  } while (after !== undefined);
}

type CollectionPlace = Pick<KnowledgeService, "tenant" | "store" | "vectors">;

/** Removes collections that were not asked for a week (KD5), the longest unused first; a call removes a few. */
export async function sweepCollections(place: CollectionPlace, nowMs: number): Promise<void> {
  const unused = (await place.store.uses?.unused(unusedSince(nowMs), SWEPT_AT_ONCE)) ?? [];
  await removeCollections(place, unused);
}

/** Collections last used before this are removed by `sweepCollections`. */
export function unusedSince(nowMs: number): number {
  return nowMs - UNUSED_MS;
}

/** Removes collections, their vectors first. */
export async function removeCollections(
  { tenant, store, vectors }: CollectionPlace,
  uses: readonly CollectionUse[],
): Promise<void> {
  for (const { collection, model } of uses) {
    // oxlint-disable-next-line no-await-in-loop -- one remote index after the other
    await vectors.open({ tenant, collection: vectorCollection(collection), model }).clear();
    // oxlint-disable-next-line no-await-in-loop -- as above
    await store.deleteCollection(collection);
  }
}
