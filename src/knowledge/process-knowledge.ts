// Knowledge of tools in runs whose deployment keeps none: in this process, for as long as it lives.
import type { RunScope } from "../events/run-scope.ts";
import { InMemoryVectorStores } from "../vectors/exact-vectors.ts";
import { removeCollections, type CollectionKeeper } from "./demanded-collection.ts";
import { InMemoryKnowledgeStore } from "./in-memory-knowledge-store.ts";
import { knowledgeService } from "./make-knowledge-service.ts";

type Kept = { readonly store: InMemoryKnowledgeStore; readonly vectors: InMemoryVectorStores };

const kept = new Map<string, Kept>();

/** Of one tenant; those that were not used for longest give way. */
const MAX_COLLECTIONS = 100;

/** Where the run's tools keep what they have read: with its deployment's knowledge, else in this process. */
export async function knowledgeKeeper({ services }: RunScope): Promise<CollectionKeeper> {
  if (services.knowledge !== undefined) return { service: services.knowledge, isVolatile: false };
  const { tenant = "local", variables, files } = services;
  const own = kept.get(tenant) ?? {
    store: new InMemoryKnowledgeStore(),
    vectors: new InMemoryVectorStores(),
  };
  kept.set(tenant, own);
  const service = knowledgeService({
    ...own,
    tenant,
    ...(variables === undefined ? undefined : { environment: { variables } }),
    ...(files === undefined ? undefined : { files }),
  });
  const uses = await own.store.uses.unused(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  await removeCollections(service, uses.slice(0, Math.max(0, uses.length - MAX_COLLECTIONS)));
  return { service, isVolatile: true };
}
