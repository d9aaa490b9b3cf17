import * as z from "zod";
import type { CatalogTool, FixedOptions } from "../base/entry.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import type { ToolIo } from "../base/tool-io.ts";
import type { DocumentPlace } from "./document-place.ts";
import { checkKnowledge, searchDocuments } from "./search-documents.ts";
import { searchInput, searchOptions, type SearchOptions } from "./search-options.ts";

/** Tool for searching the source named in one argument. */
export type SourceSearch<Argument extends string, Options extends z.ZodObject> = {
  readonly className: string;
  readonly displayName: string;
  readonly description: string;
  /** Argument with the name of the source. */
  readonly argument: Argument;
  /** Description of the source for models. */
  readonly source: string;
  /** @default "search_query" */
  readonly question?: string;
  /** `plainOptions`, or an extension of them. */
  readonly options: () => Options;
  readonly place: (
    io: ToolIo,
    source: string,
    options: z.output<Options>,
  ) => Promise<DocumentPlace> | DocumentPlace;
};

/** Common options of all these tools. */
export const plainOptions = () => z.object(searchOptions());
export type PlainOptions = ReturnType<typeof plainOptions>;

/** Tool whose source may be fixed by an option of the same name. */
export type SourceTool<
  Argument extends string,
  Options extends z.ZodObject = PlainOptions,
> = CatalogTool<Options, FixedOptions<z.ZodObject<Record<Argument, z.ZodString>>, Argument>>;

/** Timeout of a call, long enough to index a large document first. */
export const SEARCH_TIMEOUT_MS = 1_800_000;

/** Creates a tool for searching the source named in one argument, or in an option of the same name. */
export function sourceSearch<const Argument extends string, Options extends z.ZodObject>(
  search: SourceSearch<Argument, Options>,
): SourceTool<Argument, Options> {
  const { className, displayName, argument, question = "search_query" } = search;
  return catalogTool({
    className,
    displayName,
    group: "documents",
    service: "documents",
    effectClass: "R",
    untrusted: true,
    callTimeoutMs: SEARCH_TIMEOUT_MS,
    description: search.description,
    input: () =>
      z.object({
        [question]: z.string().max(2048).describe("The question, in a few words"),
        [argument]: z.string().min(1).describe(search.source),
        ...searchInput(),
      }),
    options: search.options,
    fixable: [argument],
    codeOptions: ["knowledge"],
    check: checkKnowledge(className),
    run: async (input, options, io) => {
      const asked = input as Record<string, unknown>;
      return searchDocuments(io, {
        className,
        query: String(asked[question]),
        limit: input.limit,
        similarity: input.similarity_threshold,
        options: options as unknown as SearchOptions,
        places: [await search.place(io, String(asked[argument]), options)],
      });
    },
  }) as unknown as SourceTool<Argument, Options>;
}
