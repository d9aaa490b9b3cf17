import * as z from "zod";
import { sitePlace } from "./site-place.ts";
import { searchOptions } from "./search-options.ts";
import { sourceSearch, type SourceTool } from "./source-search.ts";

const patterns = () => z.array(z.string().startsWith("/")).min(1).optional();

const siteOptions = () =>
  z.object({
    ...searchOptions(),
    crawl: z
      .object({
        maxPages: z.int().min(1).max(50).default(10),
        maxDepth: z.int().min(1).max(5).default(2),
        include: patterns(),
        exclude: patterns(),
      })
      .optional()
      .describe("Reads the pages of the site that the page leads to, too"),
  });

/** Creates a tool for searching a page, and with the option `crawl` the linked pages of its site. */
export function siteSearch<const Argument extends string>(site: {
  readonly className: string;
  readonly displayName: string;
  readonly argument: Argument;
  /** Name in descriptions for models: "a website". */
  readonly what: string;
}): SourceTool<Argument, ReturnType<typeof siteOptions>> {
  const { what, ...named } = site;
  return sourceSearch({
    ...named,
    description: `Finds passages of ${what} that answer a question, each with its address.`,
    source: "The address",
    options: siteOptions,
    place: (io, address, { crawl }) => sitePlace(io, address, crawl),
  });
}
