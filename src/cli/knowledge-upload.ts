import { readFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { EngineError, errorMessage } from "../base/error.ts";
import type { DocumentView, EdgecrewClient, IndexedDocument, RemoteRun } from "../client/index.ts";
import { everyPage } from "./every-page.ts";
import type { NamedDocument } from "./knowledge-documents.ts";

/** Result of a document. */
export type AddedDocument = {
  readonly name: string;
  readonly state: "added" | "replaced" | "unchanged" | "failed";
  readonly chunks: number;
  readonly error?: string;
  /** Content that the document's text does not have. */
  readonly losses?: DocumentView["losses"];
};

export type UploadPlan = {
  readonly client: EdgecrewClient;
  readonly collection: string;
  /** Reader to use if names and media types do not determine it. */
  readonly type: string | undefined;
  /** Encoding of texts whose bytes do not show it. */
  readonly encoding: string | undefined;
  /** True to send already stored documents, too. */
  readonly replace: boolean;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
};

/** Returns the collection's documents by name. Empty for a new collection. */
export async function storedDocuments(
  client: EdgecrewClient,
  collection: string,
): Promise<ReadonlyMap<string, DocumentView>> {
  const all = await everyPage((page) => client.knowledge.documents(collection, page));
  return new Map(all.map((document) => [document.name, document]));
}

/**
 * Sends a document, unless the same bytes are stored under its name, and waits until it is indexed. Rejects only for
 * errors that affect all documents.
 */
export async function uploadDocument(
  document: NamedDocument,
  stored: DocumentView | undefined,
  plan: UploadPlan,
): Promise<AddedDocument> {
  const { name } = document;
  try {
    const body = "path" in document ? new Uint8Array(readFileSync(document.path)) : undefined;
    if (body !== undefined && stored?.state === "ready" && !plan.replace)
      if (stored.hash === createHash("sha256").update(body).digest("base64url"))
        return { name, state: "unchanged", chunks: stored.chunks, ...lost(stored) };
    const run = await begun(document, body, plan);
    const indexed = await outcome(run, plan);
    if (indexed.state === "failed")
      return { name, state: "failed", chunks: 0, error: indexed.error ?? "it failed" };
    const state =
      stored === undefined ? "added" : indexed.embedded === 0 ? "unchanged" : "replaced";
    return { name, state, chunks: indexed.chunks, ...lost(indexed) };
  } catch (error) {
    const isDocuments = !EngineError.is(error) || !LEAVES.has(error.code);
    if (plan.signal.aborted || !isDocuments) throw error;
    return { name, state: "failed", chunks: 0, error: errorMessage(error) };
  }
}

const lost = ({ losses }: Pick<DocumentView, "losses">): Pick<AddedDocument, "losses"> =>
  losses === undefined ? {} : { losses };

/** Returns the report of a document as one line. */
export function lossText({ losses = [] }: { readonly losses?: DocumentView["losses"] }): string {
  return losses.map(({ detail }) => detail).join("; ");
}

/** Errors that would repeat for every other document. */
const LEAVES: ReadonlySet<string> = new Set(["unauthorized", "forbidden", "unavailable"]);

function begun(
  document: NamedDocument,
  body: Uint8Array<ArrayBuffer> | undefined,
  { client, collection, type, encoding }: UploadPlan,
): Promise<RemoteRun> {
  const { name } = document;
  const reader = {
    ...(type === undefined ? undefined : { type }),
    ...(encoding === undefined ? undefined : { encoding }),
  };
  if (body === undefined)
    return client.knowledge.add(collection, {
      name,
      url: "url" in document ? document.url : "",
      ...reader,
    });
  if (type === undefined && encoding === undefined)
    return client.knowledge.upload(collection, { name, body });
  const base64 = Buffer.from(body).toString("base64");
  return client.knowledge.add(collection, { name, base64, ...reader });
}

async function outcome(run: RemoteRun, { signal, progress }: UploadPlan): Promise<IndexedDocument> {
  for await (const event of run.events({ types: ["knowledge_document_progress"], signal }))
    if (event.type === "knowledge_document_progress" && event.indexed < event.chunks)
      progress(`${event.document}: ${event.indexed} of ${event.chunks} chunks`);
  signal.throwIfAborted();
  const output = (await run.output()) as { readonly documents?: readonly IndexedDocument[] } | null;
  const [indexed] = output?.documents ?? [];
  if (indexed === undefined) throw new Error(`run ${run.id} does not mention the document`);
  return indexed;
}
