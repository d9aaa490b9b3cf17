import * as z from "zod";
import { isServiceFailure, serviceFailure } from "../base/service-failure.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import type { CatalogEntry, OptionsInput } from "../base/entry.ts";
import type { Tool } from "../../tool.ts";
import type { DocumentPlace } from "./document-place.ts";
import { dataPlace, DATA_TYPES, type DataType } from "./data-type.ts";
import { GITHUB_HOSTS, GITHUB_TOKEN } from "./github-place.ts";
import { checkKnowledge, searchDocuments } from "./search-documents.ts";
import { searchInput, searchOptions } from "./search-options.ts";
import { SEARCH_TIMEOUT_MS } from "./source-search.ts";

const dataType = () => z.enum(DATA_TYPES).optional();

const options = () =>
  z.object({
    ...searchOptions(),
    sources: z
      .array(
        z.union([
          z.string().min(1),
          z.object({
            source: z.string().min(1),
            dataType: dataType(),
            data_type: dataType(),
          }),
        ]),
      )
      .default([])
      .describe("What is searched: paths, addresses, repositories, texts"),
    code: z.boolean().default(false).describe("Reads the text files of repositories, too"),
  });

const rag = catalogTool({
  className: "RagTool",
  displayName: "Knowledge base",
  group: "documents",
  service: "documents",
  effectClass: "R",
  untrusted: true,
  callTimeoutMs: SEARCH_TIMEOUT_MS,
  description:
    "Finds what the documents of this knowledge base say on a question, with the places where it stands.",
  input: () =>
    z.object({
      query: z.string().max(2048).describe("The question, in a few words"),
      ...searchInput(),
    }),
  options,
  codeOptions: ["knowledge"],
  check: checkKnowledge("RagTool"),
  env: [GITHUB_TOKEN],
  hosts: GITHUB_HOSTS,
  run: async (input, { sources, code, ...rest }, io) => {
    if (sources.length === 0 && rest.collectionName === undefined)
      throw serviceFailure({
        code: "bad_request",
        message: "This knowledge base has no documents yet.",
      });
    const places = new Map<string, DocumentPlace>();
    for (const each of sources) {
      const named = typeof each === "string" ? { source: each } : each;
      const type = named.dataType ?? named.data_type;
      const place = await dataPlace(io, named.source, { type, code }).catch((error: unknown) =>
        placeless(named.source, error),
      );
      places.set(place.key, place);
    }
    return searchDocuments(io, {
      className: "RagTool",
      query: input.query,
      limit: input.limit,
      similarity: input.similarity_threshold,
      options: rest,
      places: [...places.values()],
    });
  },
});

/** Represents a missing source. Its failure does not affect the others. */
function placeless(source: string, error: unknown): DocumentPlace {
  if (!isServiceFailure(error)) throw error;
  const documents = (): Promise<never> => Promise.reject(error);
  return { key: JSON.stringify(["none", source]), label: source.slice(0, 100), documents };
}

/** Tool to which documents can be added before the runs that use it. */
export type RagTool = Tool & {
  /**
   * Adds a path in the workspace, an address, a repository or a text. The type of each is detected unless it is named.
   */
  add(source: string, options?: { readonly dataType?: DataType }): void;
};

type RagOptions = OptionsInput<ReturnType<typeof options>> & {
  readonly ghToken?: string | { readonly env: string };
};

/** Searches several documents, repositories, pages and texts together. */
export const ragTool: ((options?: RagOptions) => RagTool) & { readonly entry: CatalogEntry } =
  Object.assign(
    (listed: RagOptions = {}): RagTool => {
      const { sources: first = [] } = listed;
      const sources = Array.isArray(first) ? [...first] : [];
      const make = (): Tool => rag(Array.isArray(first) ? { ...listed, sources } : listed);
      let made = make();
      return {
        ...made,
        call: (input, context) => made.call(input, context),
        add: (source, { dataType: type } = {}) => {
          sources.push(type === undefined ? source : { source, dataType: type });
          made = make();
        },
      };
    },
    { entry: rag.entry },
  );
