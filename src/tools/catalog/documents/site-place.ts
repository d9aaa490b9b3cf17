// Pages: a single one, or the pages of its site linked from it.
import type { BroughtDocument } from "../../../knowledge/brought-document.ts";
import type { CrawlOptions } from "../web/crawl.ts";
import { crawlSite } from "../web/crawl.ts";
import { pageAddress } from "../web/page-address.ts";
import { readPage } from "../web/read-page.ts";
import { serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { chunkingOf, type DocumentPlace } from "./document-place.ts";

/** Options for reading a site beyond the named page. */
export type SiteCrawl = Omit<CrawlOptions, "page">;

const MAX_AGE_MS = 3_600_000;
const PAGE = { robots: false } as const;

/** Returns a page, and with `crawl` the linked pages of its site. */
export function sitePlace(io: ToolIo, named: string, crawl: SiteCrawl | undefined): DocumentPlace {
  const url = io.checkAddress(pageAddress(named));
  url.hash = "";
  return {
    key: JSON.stringify(["site", url.href, crawl ?? ""]),
    label: url.host,
    maxAgeMs: MAX_AGE_MS,
    documents: async () =>
      crawl === undefined ? [onePage(io, url.href)] : sitePages(io, url.href, crawl),
  };
}

function onePage(io: ToolIo, address: string): BroughtDocument {
  return document(address, async () => {
    const request = { options: PAGE, timeoutMs: 15_000, mainOnly: true };
    return (await readPage(io, address, request)).text;
  });
}

/** Returns the pages of a site. An unreadable page becomes an unreadable document. */
async function sitePages(
  io: ToolIo,
  address: string,
  crawl: SiteCrawl,
): Promise<readonly BroughtDocument[]> {
  const { pages, failed } = await crawlSite(io.within(`site:${address}`), address, {
    ...crawl,
    page: PAGE,
  });
  return [
    ...pages.map(({ url, title, text }) =>
      document(url, async () => (title === undefined ? text : `${title}\n\n${text}`)),
    ),
    ...failed.map(({ url, reason }) =>
      document(url, () => Promise.reject(serviceFailure({ code: "failed", message: reason }))),
    ),
  ];
}

function document(name: string, read: () => Promise<string>): BroughtDocument {
  return {
    name,
    chunking: chunkingOf("html"),
    load: async () => ({
      bytes: new Uint8Array(new TextEncoder().encode(await read())),
      type: "markdown",
    }),
  };
}
