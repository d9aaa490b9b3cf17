import * as z from "zod";
import type { CatalogTool } from "../base/entry.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import type { ToolIo } from "../base/tool-io.ts";
import type { DocumentPlace } from "./document-place.ts";
import { filePlace } from "./file-place.ts";
import { searchDocuments } from "./search-documents.ts";
import { searchInput, searchOptions } from "./search-options.ts";

/** A tool that searches one document. */
export type FileSearch = {
  readonly className: string;
  readonly displayName: string;
  /** What it is called by models: "a PDF file". */
  readonly what: string;
  /** The argument that names the document. */
  readonly argument: string;
  /** @default "search_query" */
  readonly question?: string;
  /** The reader, where it is the same for every document. @default by what the document is */
  readonly type?: string;
};

/** Makes a tool that searches documents of one kind, each in a collection of its own. */
export function fileSearch({ what, type, ...named }: FileSearch): CatalogTool {
  return sourceSearch({
    ...named,
    description: `Finds passages of ${what} that answer a question, each with the place where it stands.`,
    source: `The file: a path in the workspace, or a URL`,
    place: (io, address) => filePlace(io, address, { type }),
  });
}

/** A tool that searches what one argument names. */
export type SourceSearch = Pick<
  FileSearch,
  "className" | "displayName" | "argument" | "question"
> & {
  readonly description: string;
  /** What the argument is, for models. */
  readonly source: string;
  readonly place: (io: ToolIo, source: string) => Promise<DocumentPlace>;
};

/** Makes a tool that searches what one argument, or an option of the same name, names. */
export function sourceSearch(search: SourceSearch): CatalogTool {
  const { className, displayName, argument, question = "search_query" } = search;
  return catalogTool({
    className,
    displayName,
    group: "documents",
    service: "documents",
    effectClass: "R",
    untrusted: true,
    callTimeoutMs: CALL_TIMEOUT_MS,
    description: search.description,
    input: () =>
      z.object({
        [question]: z.string().max(2048).describe("The question, in a few words"),
        [argument]: z.string().min(1).describe(search.source),
        ...searchInput(),
      }),
    options: () => z.object(searchOptions()),
    fixable: [argument],
    run: async (input, options, io) => {
      const asked = input as Record<string, unknown>;
      return searchDocuments(io, {
        className,
        query: String(asked[question]),
        limit: input.limit,
        similarity: input.similarity_threshold,
        options,
        places: [await search.place(io, String(asked[argument]))],
      });
    },
  }) as unknown as CatalogTool;
}

/** Of a call that indexes a large document first. */
const CALL_TIMEOUT_MS = 1_800_000;
