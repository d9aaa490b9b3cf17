import * as z from "zod";
import type { CatalogTool, FixedOptions } from "../base/entry.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import type { ToolIo } from "../base/tool-io.ts";
import type { DocumentPlace } from "./document-place.ts";
import { searchDocuments } from "./search-documents.ts";
import { searchInput, searchOptions, type SearchOptions } from "./search-options.ts";

/** A tool that searches what one argument names. */
export type SourceSearch<Argument extends string, More extends z.ZodRawShape = z.ZodRawShape> = {
  readonly className: string;
  readonly displayName: string;
  readonly description: string;
  /** The argument that names the source. */
  readonly argument: Argument;
  /** What it is, for models. */
  readonly source: string;
  /** @default "search_query" */
  readonly question?: string;
  /** Options of its own. */
  readonly more?: () => More;
  readonly place: (
    io: ToolIo,
    source: string,
    options: SearchOptions & z.output<z.ZodObject<More>>,
  ) => Promise<DocumentPlace> | DocumentPlace;
};

/** A tool whose source may be fixed by an option of the same name. */
export type SourceTool<
  Argument extends string,
  More extends z.ZodRawShape = Record<never, never>,
> = CatalogTool<
  z.ZodObject<ReturnType<typeof searchOptions> & More>,
  FixedOptions<z.ZodObject<Record<Argument, z.ZodString>>, Argument>
>;

/** Of a call that indexes a large document first. */
export const SEARCH_TIMEOUT_MS = 1_800_000;

/** Makes a tool that searches what one argument, or an option of the same name, names. */
export function sourceSearch<
  const Argument extends string,
  More extends z.ZodRawShape = Record<never, never>,
>(search: SourceSearch<Argument, More>): SourceTool<Argument, More> {
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
    options: () => z.object({ ...searchOptions(), ...search.more?.() }),
    fixable: [argument],
    codeOptions: ["knowledge"],
    run: async (input, options, io) => {
      const asked = input as Record<string, unknown>;
      const own = options as SearchOptions & z.output<z.ZodObject<More>>;
      return searchDocuments(io, {
        className,
        query: String(asked[question]),
        limit: input.limit,
        similarity: input.similarity_threshold,
        options: own,
        places: [await search.place(io, String(asked[argument]), own)],
      });
    },
  }) as unknown as SourceTool<Argument, More>;
}
