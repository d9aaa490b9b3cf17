import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { environmentVariables } from "../base/system.ts";
import { EngineError } from "../base/error.ts";
import { preview, type JsonValue } from "../base/json.ts";
import { RunScope } from "../events/run-scope.ts";
import type { Chunking } from "./chunk.ts";
import type { DocumentReader } from "./document-text.ts";
import type { KnowledgeService } from "./knowledge-service.ts";
import { documentsOf, type DocumentSource, type KnowledgeSource } from "./knowledge-source.ts";
import { LocalRun } from "../runtime/handle/local-run.ts";
import type { Embedder } from "../vectors/embedder.ts";
import { resolveEmbedder, type EmbedderSpec } from "../vectors/embedders/resolve-embedder.ts";
import type { KnowledgeAnswer, Snippet } from "./knowledge-query.ts";
import { knowledgeSession } from "./knowledge-session.ts";
import type { KnowledgeConfig, KnowledgeSession, KnowledgeView } from "./knowledge-view.ts";
import { knowledgeService } from "./make-knowledge-service.ts";
import { StoredCollection } from "./stored-collection.ts";

/** Documents of a `Knowledge`, with their readers and embedder. */
export type KnowledgeOptions = {
  /**
   * Name of its collection in a deployment with knowledge; equal names share one collection. @default a separate one
   * per owner
   */
  readonly name?: string;
  readonly sources: readonly KnowledgeSource[];
  /** @default the deployment's; without a deployment, the environment's */
  readonly embedder?: EmbedderSpec;
  /** Chunking of documents without their own. */
  readonly chunking?: Chunking;
  /** Readers beside those for text, Markdown, JSON and CSV: `DOCUMENT_READERS` of `edgecrew/knowledge/readers`. */
  readonly readers?: readonly DocumentReader[];
};

const OPTIONS = definitionOptions<KnowledgeOptions>(
  "new Knowledge()",
  {
    name: true,
    sources: true,
    embedder: true,
    chunking: true,
    readers: true,
  },
  {
    collectionName: "write name",
    storage: "leave it out: the deployment's knowledge store is used",
  },
);

/**
 * Documents that agents can search. A value: its documents are stored by the run's deployment, if that has knowledge.
 * Otherwise they stay in this process, for the lifetime of this object.
 */
export class Knowledge implements KnowledgeView {
  readonly name: string | undefined;
  readonly sources: readonly DocumentSource[];
  readonly #options: KnowledgeOptions;
  #own: KnowledgeService | undefined;

  /** Throws `invalid_definition`, naming the invalid source. */
  constructor(options: KnowledgeOptions) {
    refuseUnknownOptions(options, OPTIONS, new.target !== Knowledge);
    const { name, sources, chunking } = options;
    if (name !== undefined && (typeof name !== "string" || name.trim() === ""))
      throw new EngineError(
        "invalid_definition",
        `knowledge.name must be a text that is not empty, got ${preview(name)}`,
      );
    if (!Array.isArray(sources))
      throw new EngineError(
        "invalid_definition",
        `knowledge.sources must be a list of sources, got ${preview(sources)}`,
      );
    this.name = name;
    this.sources = documentsOf(sources, "knowledge.sources").map((source) =>
      chunking === undefined
        ? source
        : { ...source, chunking: { ...chunking, ...source.chunking } },
    );
    this.#options = options;
  }

  openSession(scope: RunScope): KnowledgeSession {
    return knowledgeSession(scope);
  }

  /**
   * Returns passages of the documents, best first. Documents are included after `addSources`, or after a run with this
   * knowledge. Throws `conflict` if there are sources and none has been added.
   */
  async query(
    queries: string | readonly string[],
    { resultsLimit = 5, scoreThreshold }: Omit<KnowledgeConfig, "rewrite"> = {},
  ): Promise<readonly Snippet[]> {
    const asked = { queries: [queries].flat(), limit: resultsLimit, scoreThreshold };
    return this.#inRun(async (scope) => {
      const { snippets } = await scope.atNext("knowledge-query").step<KnowledgeAnswer>({
        kind: "effect",
        run: async ({ signal }) => {
          const collection = this.collection(scope);
          const answer = await collection.query(asked, signal);
          const lacksAll = answer.snippets.length === 0 && this.sources.length > 0;
          if (lacksAll && (await collection.isEmpty())) throw notAdded(collection.name);
          return answer;
        },
      });
      return snippets;
    });
  }

  /** Indexes the changed documents. Throws `invalid_input`, naming the unreadable one. */
  async addSources(): Promise<void> {
    await this.#inRun((scope) =>
      scope.atNext("knowledge-sources").group("group", async (inside) => {
        await this.collection(scope).index(inside);
        return null;
      }),
    );
  }

  /** Removes all documents; `addSources` adds them again. */
  async reset(): Promise<void> {
    await this.#inRun((scope) =>
      scope.atNext("knowledge-reset").step<null>({
        kind: "effect",
        run: async () => {
          await this.collection(scope).reset();
          return null;
        },
      }),
    );
  }

  collection(scope: RunScope, collection = "knowledge"): StoredCollection {
    const installed = scope.services.knowledge;
    const base = installed ?? (this.#own ??= knowledgeService());
    const { embedder: spec, readers = [] } = this.#options;
    const { files = scope.services.files } = base;
    const service = {
      ...base,
      readers: [...readers, ...base.readers],
      ...(files === undefined ? undefined : { files }),
    };
    const embedder = spec === undefined ? undefined : resolved(base, spec);
    const documents = this.sources;
    const own = installed === undefined ? { key: this } : {};
    return new StoredCollection(service, {
      ...own,
      name: this.name ?? collection,
      documents,
      embedder,
    });
  }

  #inRun<T>(work: (scope: RunScope) => Promise<T>): Promise<T> {
    const scope = RunScope.current();
    if (scope !== undefined) return work(scope);
    const program = { run: (place: RunScope) => work(place) as Promise<JsonValue>, tasks: [] };
    const start = { kind: "agent", name: this.name ?? "knowledge", inputs: {} } as const;
    return new LocalRun(start, program).output() as Promise<T>;
  }
}

function notAdded(name: string): EngineError {
  return new EngineError(
    "conflict",
    `knowledge ${preview(name)} has no documents yet: await addSources() before query(), or ask in a run of an agent or crew that has it`,
  );
}

function resolved({ resolve }: KnowledgeService, spec: EmbedderSpec): Embedder {
  return resolve?.(spec) ?? resolveEmbedder(spec, { variables: environmentVariables() });
}
