// Resources for clients: those of the options, and documents of knowledge.
//
//   MRS1. Of knowledge, only the collections listed by the app are visible, each tenant's own, with keys that may read.
import { UriTemplate } from "@modelcontextprotocol/server";
import { digestText, toBase64 } from "../../../base/bytes.ts";
import { mapAtMost } from "../../../base/concurrency.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { KnowledgeChunk, KnowledgeStore } from "../../../knowledge/knowledge-store.ts";
import { MAX_CHUNKS_PER_CALL } from "../../../knowledge/knowledge-store.ts";
import type { PartHost } from "../../../parts/part.ts";
import type { McpOptions, McpRequester, McpResource, McpResourceTemplate } from "./mcp-options.ts";

/** A page of resources. */
export type ResourcePage = {
  readonly resources: readonly JsonObject[];
  readonly nextCursor?: string;
};

const SCHEME = "knowledge:";
/** Template of the addresses of documents. */
const DOCUMENTS = "knowledge://{collection}/{document}";
const PAGE = 100;
const MAX_COLLECTIONS = 100;
const MAX_COMPLETIONS = 100;

/** The resources of a deployment. */
export class Resources {
  readonly #fixed: readonly McpResource[];
  readonly #templates: ReadonlyArray<McpResourceTemplate & { readonly match: UriTemplate }>;
  readonly #collections: McpOptions["knowledge"];
  readonly #host: Pick<PartHost, "placeOf">;

  constructor({ resources = [], knowledge }: McpOptions, host: Pick<PartHost, "placeOf">) {
    this.#fixed = resources.filter((each) => "uri" in each);
    this.#templates = resources
      .filter((each) => "uriTemplate" in each)
      .map((each) => ({ ...each, match: new UriTemplate(each.uriTemplate) }));
    this.#collections = knowledge;
    this.#host = host;
  }

  /** False if no resource can exist. */
  get isOffered(): boolean {
    return this.#fixed.length + this.#templates.length > 0 || this.#collections !== undefined;
  }

  /** Returns a page of resources, those of the options first; undefined for an invalid cursor. */
  async list(
    requester: Pick<McpRequester, "tenant" | "mayRead">,
    cursor: string | undefined,
  ): Promise<ResourcePage | undefined> {
    const from = cursor === undefined ? { collection: 0 } : placeIn(cursor);
    if (from === undefined) return undefined;
    const fixed = cursor === undefined ? this.#fixed.map(listedResource) : [];
    const documents: JsonObject[] = [];
    const store = this.#store(requester);
    const collections = await this.#names(store);
    let after = from.after;
    for (let index = from.collection; index < collections.length; index++) {
      const collection = collections[index] ?? "";
      const limit = PAGE - documents.length;
      const rows = (await store?.documents(collection, { limit: limit + 1, after })) ?? [];
      const shown = rows.slice(0, limit);
      documents.push(
        ...shown.map(({ id, name, state, characters }) => ({
          uri: addressOf(collection, id),
          name,
          description: `A document of ${collection}: ${state}, ${characters} characters`,
          mimeType: "text/plain",
        })),
      );
      after = undefined;
      if (rows.length > limit)
        return {
          resources: [...fixed, ...documents],
          nextCursor: cursorOf(index, shown.at(-1)?.name ?? ""),
        };
    }
    return { resources: [...fixed, ...documents] };
  }

  /** Lists the address templates. */
  templates(): readonly JsonObject[] {
    const own = this.#templates.map(({ uriTemplate, mimeType, ...named }) => ({
      uriTemplate,
      ...namesOf(named),
      ...(mimeType === undefined ? undefined : { mimeType }),
    }));
    const documents = {
      uriTemplate: DOCUMENTS,
      name: "document",
      description: "A document of a knowledge collection, as text",
      mimeType: "text/plain",
    };
    return this.#collections === undefined ? own : [...own, documents];
  }

  /** Reads an address; undefined if it has no resource. */
  async read(uri: string, requester: McpRequester): Promise<readonly JsonObject[] | undefined> {
    const fixed = this.#fixed.find((each) => each.uri === uri);
    if (fixed !== undefined) return [contentsOf(uri, await fixed.read(requester), fixed.mimeType)];
    for (const { match, read, mimeType } of this.#templates) {
      const variables = match.match(uri);
      if (variables === null) continue;
      const data = await read(decoded(variables), requester);
      if (data !== undefined) return [contentsOf(uri, data, mimeType)];
    }
    const text = uri.startsWith(SCHEME) ? await this.#document(uri, requester) : undefined;
    return text === undefined ? undefined : [contentsOf(uri, text, "text/plain")];
  }

  /** Returns a text that changes with the content at an address. `nothing` stands for a missing resource. */
  async version(uri: string, requester: McpRequester): Promise<string> {
    const contents = await this.read(uri, requester);
    return contents === undefined ? "nothing" : digestText(JSON.stringify(contents));
  }

  /** Proposes values for a variable of an address template; undefined for an unknown template. */
  async complete(
    uriTemplate: string,
    {
      name,
      typed,
      others,
    }: { name: string; typed: string; others: Readonly<Record<string, string>> },
    requester: McpRequester,
  ): Promise<readonly string[] | undefined> {
    const template = this.#templates.find((each) => each.uriTemplate === uriTemplate);
    if (template !== undefined)
      return (await template.complete?.[name]?.(typed, { ...requester, others })) ?? [];
    const store = this.#store(requester);
    if (uriTemplate !== DOCUMENTS || store === undefined) return undefined;
    const collections = await this.#names(store);
    const { collection = "" } = others;
    const known =
      name === "collection"
        ? collections
        : name === "document" && collections.includes(collection)
          ? (await store.documents(collection, { limit: MAX_COMPLETIONS })).map(({ id }) => id)
          : [];
    return known.filter((each) => each.startsWith(typed));
  }

  async #document(uri: string, requester: McpRequester): Promise<string | undefined> {
    const address = addressIn(uri);
    const store = this.#store(requester);
    if (address === undefined || store === undefined) return undefined;
    const { collection, id } = address;
    if (this.#collections !== "all" && this.#collections?.includes(collection) !== true)
      return undefined;
    const document = await store.document(collection, id);
    return document === undefined ? undefined : textOf(store, collection, id);
  }

  #store({
    tenant,
    mayRead,
  }: Pick<McpRequester, "tenant" | "mayRead">): KnowledgeStore | undefined {
    if (this.#collections === undefined || !mayRead) return undefined;
    return this.#host.placeOf(tenant).services.knowledge?.store;
  }

  async #names(store: KnowledgeStore | undefined): Promise<readonly string[]> {
    if (this.#collections !== "all") return store === undefined ? [] : (this.#collections ?? []);
    const rows = await store?.collections({ limit: MAX_COLLECTIONS });
    return (rows ?? []).map(({ name }) => name);
  }
}

/** Joins the chunks of a document, which may overlap, to its text. */
async function textOf(store: KnowledgeStore, collection: string, id: string): Promise<string> {
  const ids = await store.chunkIds(collection, id);
  const pages = Array.from({ length: Math.ceil(ids.length / MAX_CHUNKS_PER_CALL) }, (_, index) =>
    ids.slice(index * MAX_CHUNKS_PER_CALL, (index + 1) * MAX_CHUNKS_PER_CALL),
  );
  const chunks: KnowledgeChunk[] = (
    await mapAtMost(pages, 1, (page) => store.chunks(collection, page))
  ).flat();
  let text = "";
  let end = 0;
  for (const chunk of chunks) {
    if (chunk.start > end && text !== "") text += "\n";
    text += chunk.text.slice(Math.max(0, end - chunk.start));
    end = Math.max(end, chunk.end);
  }
  return text;
}

function addressOf(collection: string, id: string): string {
  return `${SCHEME}//${encodeURIComponent(collection)}/${encodeURIComponent(id)}`;
}

function addressIn(uri: string): { collection: string; id: string } | undefined {
  const [, collection = "", id = ""] = /^knowledge:\/\/([^/?#]+)\/([^/?#]+)$/.exec(uri) ?? [];
  try {
    if (collection === "") return undefined;
    return { collection: decodeURIComponent(collection), id: decodeURIComponent(id) };
  } catch {
    return undefined;
  }
}

function listedResource({ uri, mimeType, ...named }: McpResource): JsonObject {
  return { uri, ...namesOf(named), ...(mimeType === undefined ? undefined : { mimeType }) };
}

function namesOf({
  name,
  title,
  description,
}: Pick<McpResource, "name" | "title" | "description">): JsonObject {
  return {
    name,
    ...(title === undefined ? undefined : { title }),
    ...(description === undefined ? undefined : { description }),
  };
}

function contentsOf(uri: string, data: string | Uint8Array, mimeType?: string): JsonObject {
  return typeof data === "string"
    ? { uri, mimeType: mimeType ?? "text/plain", text: data }
    : { uri, mimeType: mimeType ?? "application/octet-stream", blob: toBase64(data) };
}

function decoded(variables: Readonly<Record<string, string | string[]>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, unescaped(String(value))]),
  );
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function cursorOf(collection: number, after: string): string {
  return `${collection}.${encodeURIComponent(after)}`;
}

function placeIn(cursor: string): { collection: number; after?: string } | undefined {
  const [, index, after = ""] = /^(\d{1,6})\.(.*)$/s.exec(cursor) ?? [];
  return index === undefined ? undefined : { collection: Number(index), after: unescaped(after) };
}
