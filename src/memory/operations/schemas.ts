// Request schemas of `/memory`. The memory itself checks lengths and paths and reports errors in them.
import * as z from "zod";
import type { JsonObject } from "../../base/json.ts";
import { dateTime, oneField, personField, someField } from "../../parts/schemas.ts";
import { time } from "../../parts/shapes.ts";
import { shape, type ViewOf } from "../../parts/shape.ts";

const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<
  JsonObject,
  JsonObject
>;
/** Text with a character other than white space. */
const content = z.string().min(1).meta({ pattern: "\\S" });
const scope = z.string().describe("A path such as /customers/acme, with its subpaths.");
const categories = z.array(z.string().min(1).max(100)).max(20);
const importance = z.number().min(0).max(1);
const source = z
  .string()
  .min(1)
  .max(256)
  .describe(
    "Owner of the memory, or the caller. Private memories are visible only to their own source.",
  );
const includePrivate = z
  .boolean()
  .describe("Private memories of every source. Needs a key with the scope `admin`.");
/** Boolean in a query string. */
const flag = z
  .enum(["true", "1", "false", "0"])
  .transform((value) => value === "true" || value === "1");
const id = z.string().min(1).max(64);

const person = personField
  .optional()
  .describe(
    "Id of a person: the memory of this person, with paths below it. Its memories are private to the person.",
  );

/** Fields of a memory to save, the same for every door: HTTP, client, console, command line and tools. */
export const saveItem = z.strictObject({
  content,
  scope: scope.optional().describe("Scope of the memory. Default: a model chooses."),
  categories: categories.optional().describe("Default: a model chooses."),
  importance: importance.optional().describe("Default: a model decides."),
  metadata: jsonObject.optional(),
  source: source.optional(),
  private: z
    .boolean()
    .optional()
    .describe("Visible to its source alone; without a source, to `includePrivate` alone."),
  person,
  speaker: z.string().min(1).max(256).optional().describe("Name of the person who said it."),
  at: dateTime.optional().describe("Time of the statement. Default: now."),
  context: z.string().max(2000).optional().describe("Text around it, found with a lower weight."),
  conversation: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe("Conversation in which it was said. Its neighbours there are part of its context."),
});

export const saveBody = z.union([saveItem, z.array(saveItem).min(1).max(1000)]);

export const recallBody = z.strictObject({
  query: z.string().min(1),
  scope: scope.optional(),
  categories: categories.optional().describe("Any of them."),
  limit: z.int().min(1).max(50).default(10),
  minScore: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      "Matches of a lower `similarity` are left out. Default: that of the embedder; 0 turns the filter off.",
    ),
  depth: z
    .enum(["shallow", "deep"])
    .optional()
    .describe("`shallow` is one search without any model."),
  source: source.optional(),
  includePrivate: includePrivate.optional(),
  person,
  hybrid: z.boolean().optional().describe("Full-text search is used, too."),
});

/** Viewer of private records. */
export const viewerQuery = z.strictObject({
  source: source.optional(),
  includePrivate: flag.optional().describe(includePrivate.description ?? ""),
  person,
});

export const recordsQuery = z.strictObject({
  ...viewerQuery.shape,
  scope: scope.optional(),
  categories: z.string().optional().describe("Any of them, separated by commas."),
  from: dateTime.optional().describe("Earliest creation time."),
  before: dateTime.optional().describe("Creation time, exclusive end."),
  cursor: z.string().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const changeBody = z.strictObject({
  content: content.optional(),
  scope: scope.optional(),
  categories: categories.optional(),
  importance: importance.optional(),
  metadata: jsonObject.optional(),
  source: source.optional(),
  private: z.boolean().optional(),
});

export const forgetBody = someField(
  z.strictObject({
    scope: scope.optional(),
    categories: categories.optional().describe("Any of them."),
    olderThan: dateTime.optional(),
    metadata: jsonObject.optional().describe("All of these fields, equal."),
    recordIds: z.array(id).max(1000).optional(),
  }),
  "expected scope, categories, olderThan, metadata or recordIds; to forget everything, call reset",
);

export const pathQuery = z.strictObject({
  ...viewerQuery.shape,
  path: z.string().default("/"),
});

/** Maximum depth of a tree as data. */
const MAX_NODE_DEPTH = 3;

export const treeQuery = z
  .strictObject({
    ...viewerQuery.shape,
    path: z.string().default("/"),
    depth: z.coerce.number().int().min(1).max(16).default(3).describe("Maximum 3 in JSON."),
    format: z.enum(["text", "json"]).default("text").describe("Indented lines, or nodes."),
  })
  .refine(({ depth, format }) => format === "text" || depth <= MAX_NODE_DEPTH, {
    path: ["depth"],
    error: "expected at most 3 for the format json",
  });

export const resetBody = oneField(
  z.strictObject({
    scope: scope.optional(),
    all: z.literal(true).optional().describe("Counts, times and the embedder of the vectors."),
  }),
  "expected either scope or all: true",
);

export const reindexBody = z.strictObject({
  all: z
    .boolean()
    .default(false)
    .describe(
      "Create every vector again, after a change of embedder. Default: only missing vectors.",
    ),
});

const memoryRecord = () =>
  z.strictObject({
    id: z.string(),
    content: z.string(),
    scope: z.string(),
    categories: z.array(z.string()),
    metadata: z.record(z.string(), z.unknown()),
    importance: z.number(),
    createdAt: time(),
    lastAccessed: time(),
    source: z.string().optional(),
    private: z.boolean(),
    speaker: z.string().optional(),
    conversation: z.string().optional(),
    context: z.string().optional(),
    neighbours: z
      .array(z.string())
      .optional()
      .describe("Ids of the records before and after it in its conversation or save"),
  });

export const memoryRecordShape = shape("MemoryRecord", () => memoryRecord());

/** Answer to a caller who may change a memory and not read it. */
export const memoryIdShape = shape("MemoryId", () => memoryRecord().pick({ id: true }));

export const recalledMemoriesShape = shape("RecalledMemories", () =>
  z.strictObject({
    items: z
      .array(
        z.strictObject({
          record: memoryRecord(),
          score: z.number().describe("Sum over similarity, age and importance"),
          similarity: z.number().describe("Similarity to the query, 0 to 1"),
          parts: z
            .strictObject({
              similarity: z.number(),
              recency: z.number(),
              importance: z.number(),
              rank: z
                .number()
                .optional()
                .describe("Bonus for its rank among matches of words and meaning"),
            })
            .describe("Terms of the score, weighted"),
          matchReasons: z.array(z.enum(["semantic", "recency", "importance"])),
          evidenceGaps: z
            .array(z.string())
            .optional()
            .describe("Missing information, according to a model; on the first match only"),
        }),
      )
      .describe("Best first"),
    analysis: z
      .strictObject({
        queries: z.array(z.string()),
        scopes: z.array(z.string()),
        since: time().optional(),
      })
      .optional()
      .describe("Analysis of the question by a model, if one was used"),
    tookMs: z.number(),
    degraded: z.string().optional().describe("Reason for a search by words only"),
  }),
);

export const memoryIndexShape = shape("MemoryIndex", () =>
  z.strictObject({
    embedder: z.string().optional().describe("Embedder of the deployment"),
    made: z.string().optional().describe("Vectors of the index after a change of embedder"),
    records: z.int(),
    missing: z.int().describe("Records without a vector: recalls find them by their words"),
    reindexing: z.boolean().describe("True from a change of embedder until its end"),
  }),
);

export const forgottenMemoriesShape = shape("ForgottenMemories", () =>
  z.strictObject({ forgotten: z.int() }),
);

export const memoryScopePathShape = shape("MemoryScopePath", () => z.string());

export const memoryTreeShape = shape("MemoryTree", () =>
  z.strictObject({
    tree: z.union([
      z.string().describe("Indented lines"),
      z
        .looseObject({
          path: z.string(),
          count: z.int().describe("Records at the path itself"),
          below: z.int().describe("Records at paths below it"),
          children: z.array(z.looseObject({ path: z.string() })).describe("Nodes of the same form"),
          more: z.int().optional().describe("Number of omitted direct subpaths"),
        })
        .describe("With `format=json`, at most 500 nodes"),
    ]),
  }),
);

export const memoryScopeInfoShape = shape("MemoryScopeInfo", () =>
  z.strictObject({
    path: z.string(),
    recordCount: z.int(),
    categories: z.array(z.string()),
    oldestRecord: time().optional(),
    newestRecord: time().optional(),
    childScopes: z.array(z.string()),
  }),
);

export const memoryCategoriesShape = shape("MemoryCategories", () =>
  z.strictObject({
    categories: z.record(z.string(), z.int()).describe("Number of memories of each"),
  }),
);

export type SaveBody = z.input<typeof saveItem>;
export type RecallBody = z.input<typeof recallBody>;
export type RecordsQuery = z.input<typeof recordsQuery>;
export type ViewerQuery = z.input<typeof viewerQuery>;
export type ChangeMemoryBody = z.input<typeof changeBody>;
export type ForgetBody = z.input<typeof forgetBody>;
/** State of the vector index in the HTTP API. */
export type MemoryIndexState = ViewOf<typeof memoryIndexShape>;
/** Recalled memories in the HTTP API. */
export type RecalledMemories = ViewOf<typeof recalledMemoriesShape>;
