import type {
  CollectionView,
  DocumentBody,
  ChunkView,
  DocumentView,
  QueryBody,
  SnippetsView,
} from "../knowledge/operations/schemas.ts";
import type { Page } from "../runtime/run-directory.ts";
import type { PageOptions } from "./page-options.ts";
import type { RemoteRun } from "./remote-run.ts";
import { startKeyed } from "./start-run.ts";
import type { Transport } from "./transport.ts";

/** Documents, for Workers with `knowledge`. */
export class KnowledgeApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Starts a run to index documents. Its output is `{ documents }`, with the outcome of each. */
  add(
    collection: string,
    documents: DocumentBody | readonly DocumentBody[],
    options: { readonly id?: string } = {},
  ): Promise<RemoteRun> {
    return startKeyed(this.#transport, `${pathOf(collection)}/sources`, {
      ...options,
      json: documents,
    });
  }

  /** Like `add`, with the document itself: a text, or bytes of a media type. */
  upload(
    collection: string,
    document: {
      readonly name: string;
      readonly body: string | Uint8Array<ArrayBuffer>;
      /** @default "text/plain" for texts, otherwise by the name's extension */
      readonly mediaType?: string;
    },
    options: { readonly id?: string } = {},
  ): Promise<RemoteRun> {
    const { name, body } = document;
    const usual = typeof body === "string" ? "text/plain" : "application/octet-stream";
    return startKeyed(this.#transport, `${pathOf(collection)}/sources`, {
      ...options,
      query: { name },
      text: { type: document.mediaType ?? usual, body },
    });
  }

  /** Lists the collections by name. */
  collections(page: PageOptions = {}): Promise<Page<CollectionView>> {
    return this.#transport.json("/knowledge", { query: { ...page } });
  }

  /** Lists the documents of a collection by name, each with its progress. */
  documents(collection: string, page: PageOptions = {}): Promise<Page<DocumentView>> {
    return this.#transport.json(pathOf(collection), { query: { ...page } });
  }

  document(collection: string, id: string): Promise<DocumentView> {
    return this.#transport.json(documentPath(collection, id));
  }

  /** Lists the chunks of a document in their order. */
  chunks(collection: string, id: string, page: PageOptions = {}): Promise<Page<ChunkView>> {
    return this.#transport.json(`${documentPath(collection, id)}/chunks`, { query: { ...page } });
  }

  /** Searches the documents. Each result has its source. */
  query(
    collection: string,
    query: string | readonly string[],
    options: Omit<QueryBody, "query" | "queries"> = {},
  ): Promise<SnippetsView> {
    const asked = typeof query === "string" ? { query } : { queries: query };
    return this.#transport.json(`${pathOf(collection)}/query`, {
      method: "POST",
      json: { ...asked, ...options },
    });
  }

  /** Starts a run to make the vectors again for another embedder. */
  reindex(collection: string, options: { readonly id?: string } = {}): Promise<RemoteRun> {
    return startKeyed(this.#transport, `${pathOf(collection)}/reindex`, { ...options, json: {} });
  }

  async deleteDocument(collection: string, id: string): Promise<void> {
    await this.#transport.send(documentPath(collection, id), { method: "DELETE" });
  }

  async delete(collection: string): Promise<void> {
    await this.#transport.send(pathOf(collection), { method: "DELETE" });
  }
}

function pathOf(collection: string): string {
  return `/knowledge/${encodeURIComponent(collection)}`;
}

function documentPath(collection: string, id: string): string {
  return `${pathOf(collection)}/documents/${encodeURIComponent(id)}`;
}
