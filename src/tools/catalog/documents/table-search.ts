import * as z from "zod";
import { catalogTool } from "../base/catalog-tool.ts";
import type { CatalogTool } from "../base/entry.ts";
import { checkKnowledge, searchDocuments } from "./search-documents.ts";
import { searchInput, searchOptions } from "./search-options.ts";
import { SEARCH_TIMEOUT_MS } from "./source-search.ts";
import { tablePlace } from "./table-place.ts";

const tableOptions = () =>
  z.object({
    ...searchOptions(),
    /** `d1:BINDING`, `hyperdrive:BINDING`, `postgres://…`, `mysql://…`. */
    dbUri: z.string().min(1),
    tableName: z.string().min(1),
  });

/** Creates a tool for searching the rows of a table. */
export function tableSearch(className: string): CatalogTool<ReturnType<typeof tableOptions>> {
  return catalogTool({
    className,
    displayName: "Search a database's table content",
    group: "databases",
    service: "SQL",
    effectClass: "R",
    untrusted: true,
    callTimeoutMs: SEARCH_TIMEOUT_MS,
    description: ({ tableName = "a table" }: { readonly tableName?: string }) =>
      `Finds rows of ${tableName} that have to do with a question.`,
    input: () =>
      z.object({
        search_query: z.string().max(2048).describe("The question, in a few words"),
        ...searchInput(),
      }),
    options: tableOptions,
    hostOptions: ["dbUri"],
    codeOptions: ["knowledge"],
    check: checkKnowledge(className),
    run: async (input, { dbUri, tableName, ...options }, io) =>
      searchDocuments(io, {
        className,
        query: input.search_query,
        limit: input.limit,
        similarity: input.similarity_threshold,
        options,
        places: [await tablePlace(io, tableName, { address: dbUri, field: `${className}.db_uri` })],
      }),
  });
}
