// Request schemas of `/knowledge`.
import * as z from "zod";
import { CHUNK_RULES } from "../chunk.ts";
import { LOSS_KINDS } from "../document-losses.ts";
import { QUERY_LIMITS } from "../query-knowledge.ts";
import { time } from "../../parts/shapes.ts";
import { shape, type ViewOf } from "../../parts/shape.ts";

const chunking = z.strictObject({
  rule: z.enum(CHUNK_RULES).optional(),
  size: z
    .int()
    .min(1)
    .max(32_000)
    .optional()
    .describe("Size of a chunk in characters. Default 4000."),
  overlap: z.int().min(0).optional().describe("Overlap of chunks in characters. Default 200."),
});

const name = z
  .string()
  .trim()
  .min(1)
  .max(256)
  .describe("Unique in its collection: the same name again replaces the document.");

const documentBody = z
  .strictObject({
    name,
    text: z.string().optional(),
    url: z.string().min(1).optional().describe("A page of a public address."),
    path: z.string().min(1).optional().describe("A file of the Worker's file store."),
    base64: z.string().min(1).optional().describe("Bytes of the document."),
    mediaType: z.string().min(1).optional().describe("Media type of `base64`."),
    type: z
      .string()
      .min(1)
      .optional()
      .describe("Name of the reader, if neither extension nor media type determine it."),
    encoding: z
      .string()
      .min(1)
      .optional()
      .describe("Encoding of a text, such as `windows-1252`, if its bytes do not show it."),
    chunking: chunking.optional(),
  })
  .refine(
    ({ text, url, path, base64 }) =>
      [text, url, path, base64].filter((origin) => origin !== undefined).length === 1,
    { error: "expected one of text, url, path and base64" },
  );

export const sourcesBody = z.union([documentBody, z.array(documentBody).min(1).max(100)]);

export const sourcesQuery = z.strictObject({
  name: name
    .optional()
    .describe("The body is the document of this name, by its content-type or the name's ending."),
});

export const pageQuery = z.strictObject({
  cursor: z.string().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const MAX_COLLECTION_LENGTH = 128;

export const collectionName = z
  .string()
  .max(MAX_COLLECTION_LENGTH)
  .regex(/^[^\u0000-\u001f\u007f]*$/);

/** Parameters of paths below a collection. */
export const collectionPath = z.object({ collection: collectionName });

const { maxQueries, maxLimit, maxQueryLength } = QUERY_LIMITS;
const query = z.string().min(1).max(maxQueryLength);

export const queryBody = z
  .strictObject({
    query: query.optional(),
    queries: z
      .array(query)
      .min(1)
      .max(maxQueries)
      .optional()
      .describe("Several phrasings of the query."),
    limit: z.int().min(1).max(maxLimit).optional(),
    scoreThreshold: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe("Minimum similarity. Default: the embedder's, else 0.6."),
    hybrid: z.boolean().optional().describe("`false` turns off full-text search."),
  })
  .refine(({ query: one, queries }) => (one === undefined) !== (queries === undefined), {
    error: "expected either query or queries",
  });

const range = () => z.strictObject({ first: z.int(), last: z.int() });

/** Content that the text of a document does not have. */
export const losses = () =>
  z
    .array(
      z.strictObject({
        kind: z.string().describe(`Such as ${LOSS_KINDS.slice(0, 3).join(", ")}`),
        count: z.int(),
        place: z
          .strictObject({
            sheet: z.string().optional(),
            page: z.int().optional(),
            row: z.int().optional(),
            line: z.int().optional(),
          })
          .optional()
          .describe("Place of the first one"),
        detail: z.string().describe("One line for people"),
      }),
    )
    .describe("Content that the document's text does not have");

const collection = () =>
  z.strictObject({
    name: z.string(),
    documents: z.int(),
    chunks: z.int(),
  });

export const knowledgeCollectionShape = shape("KnowledgeCollection", () => collection());

export const knowledgeDocumentShape = shape("KnowledgeDocument", () =>
  z.strictObject({
    id: z.string(),
    name: z.string(),
    state: z.enum(["indexing", "ready", "failed"]),
    reader: z.string().describe("Reader that extracted the text"),
    hash: z.string().describe("SHA-256 of its bytes, in base64url; empty until they are read"),
    characters: z.int(),
    chunks: z.int(),
    indexed: z.int().describe("Number of searchable chunks so far"),
    error: z.string().optional(),
    losses: losses().optional(),
    runId: z.string().describe("Id of the run that last indexed the document"),
    createdAt: time(),
    updatedAt: time(),
  }),
);

export const knowledgeChunkShape = shape("KnowledgeChunk", () =>
  z.strictObject({
    ordinal: z.int().describe("Index of the chunk, from 0"),
    text: z.string(),
    place: z
      .strictObject({
        sheet: z.string().optional(),
        heading: z.string().optional(),
        page: z.int().optional(),
        row: z.int().optional(),
        line: z.int().optional(),
      })
      .describe("Start position"),
    start: z.int().describe("In the document's text, in UTF-16 units"),
    end: z.int(),
    indexed: z.boolean().describe("True if the chunk is searchable"),
  }),
);

export const knowledgeSnippetsShape = shape("KnowledgeSnippets", () =>
  z.strictObject({
    items: z
      .array(
        z.strictObject({
          id: z.string(),
          text: z.string(),
          document: z.strictObject({ id: z.string(), name: z.string() }),
          start: z.int().describe("In the document's text, in UTF-16 units"),
          end: z.int(),
          page: z.int().optional().describe("True for pages with the match"),
          pages: range().optional().describe("Instead of `page`: range of possible pages"),
          row: z.int().optional(),
          rows: range().optional(),
          line: z.int().optional(),
          lines: range().optional(),
          sheet: z.string().optional(),
          heading: z.string().optional(),
          score: z.number().nullable().describe("Cosine similarity; null if only words matched"),
          matched: z.array(z.enum(["meaning", "words"])),
        }),
      )
      .describe("Best first"),
    degraded: z.string().optional().describe("Reason for a search by words only"),
  }),
);

export type DocumentBody = z.input<typeof documentBody>;
export type QueryBody = z.input<typeof queryBody>;
/** A collection in the HTTP API. */
export type CollectionView = ViewOf<typeof knowledgeCollectionShape>;
/** A document in the HTTP API. */
export type DocumentView = ViewOf<typeof knowledgeDocumentShape>;
export type ChunkView = ViewOf<typeof knowledgeChunkShape>;
/** Found passages in the HTTP API. */
export type SnippetsView = ViewOf<typeof knowledgeSnippetsShape>;
