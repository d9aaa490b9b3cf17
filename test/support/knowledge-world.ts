// Knowledge in this process, with an embedder that counts what it is given.
import type { JsonValue } from "../../src/base/json.ts";
import type { RunScope } from "../../src/events/run-scope.ts";
import type { KnowledgeService } from "../../src/knowledge/knowledge-service.ts";
import { InMemoryKnowledgeStore } from "../../src/knowledge/in-memory-knowledge-store.ts";
import type { KnowledgeStore } from "../../src/knowledge/knowledge-store.ts";
import { onDemandKnowledge } from "../../src/knowledge/make-on-demand.ts";
import { csvReader } from "../../src/knowledge/readers/csv-reader.ts";
import { jsonReader } from "../../src/knowledge/readers/json-reader.ts";
import { markdownReader, plainTextReader } from "../../src/knowledge/readers/text-readers.ts";
import { LocalRun } from "../../src/runtime/handle/local-run.ts";
import type { Embedder } from "../../src/vectors/embedder.ts";
import { InMemoryVectorStores } from "../../src/vectors/exact-vectors.ts";
import { hashEmbedder } from "../../src/vectors/hash-embedder.ts";

export type CountingEmbedder = Embedder & { readonly embedded: string[]; readonly calls: number };

export function countingEmbedder(options: Partial<Embedder> = {}): CountingEmbedder {
  const inner = { ...hashEmbedder(), ...options };
  const embedded: string[] = [];
  let calls = 0;
  return {
    ...inner,
    embedded,
    get calls() {
      return calls;
    },
    embed: (texts, embedOptions) => {
      calls++;
      embedded.push(...texts);
      return inner.embed(texts, embedOptions);
    },
  };
}

export function knowledgeService(options: Partial<KnowledgeService> = {}): KnowledgeService & {
  readonly store: InMemoryKnowledgeStore;
  readonly embedder: CountingEmbedder;
} {
  return {
    tenant: "t",
    vectors: new InMemoryVectorStores(),
    readers: [plainTextReader, markdownReader, jsonReader, csvReader],
    onDemand: onDemandKnowledge,
    ...options,
    store: (options.store as InMemoryKnowledgeStore | undefined) ?? new InMemoryKnowledgeStore(),
    embedder: (options.embedder as CountingEmbedder | undefined) ?? countingEmbedder(),
  };
}

/** A store that stands for a database: it is there after the process of a run has died. */
export function lastingStore(): InMemoryKnowledgeStore {
  return Object.assign(new InMemoryKnowledgeStore(), { isVolatile: false });
}

/** Does something at the root of a run of this process. */
export async function inRun<T>(work: (scope: RunScope) => Promise<T>): Promise<T> {
  const program = { run: (scope: RunScope) => work(scope) as Promise<JsonValue>, tasks: [] };
  return (await new LocalRun({ kind: "agent", name: "test", inputs: {} }, program).output()) as T;
}

/** A store as another process has it, over the same content. Before the first call of a method, `work` is done. */
export function interrupted(
  store: KnowledgeStore,
  method: keyof KnowledgeStore,
  work: () => Promise<unknown>,
): KnowledgeStore {
  return intercepted(store, method, async (call) => {
    await work();
    return call();
  });
}

/** As `interrupted`, with the work behind the call: the caller goes on with what it read before. */
export function overtaken(
  store: KnowledgeStore,
  method: keyof KnowledgeStore,
  work: () => Promise<unknown>,
): KnowledgeStore {
  return intercepted(store, method, async (call) => {
    const result = await call();
    await work();
    return result;
  });
}

function intercepted(
  store: KnowledgeStore,
  method: keyof KnowledgeStore,
  around: (call: () => Promise<unknown>) => Promise<unknown>,
): KnowledgeStore {
  let isFirst = true;
  return new Proxy(store, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== "function") return value;
      const call = (...all: unknown[]): Promise<unknown> =>
        Reflect.apply(value, target, all) as Promise<unknown>;
      if (name !== method || !isFirst) return call;
      return (...all: unknown[]) => {
        isFirst = false;
        return around(() => call(...all));
      };
    },
  });
}
