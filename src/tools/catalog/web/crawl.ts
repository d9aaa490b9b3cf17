// Pages of one site, found by following its links.
//
//   WCW1. Each page is a step, and so is the robots.txt: an interrupted crawl continues at its last page and requests
//         no page twice.
//   WCW2. Only pages of the same host are read, nearest first, if robots.txt and the patterns allow them, up to the
//         limits.
//   WCW3. An unreadable page is listed with the reason and does not affect others.
import { plainAddress } from "../../../base/plain-address.ts";
import { isServiceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { pageAddress } from "./page-address.ts";
import { pageLinks } from "./page-links.ts";
import type { PageOptions } from "./page-options.ts";
import { decoded, fetchPage, isHtml, pageText, type PageRequest } from "./read-page.ts";
import { allowsUrl, fitsPath, readRobots, type Robots } from "./robots.ts";

export type CrawlOptions = {
  /** @default 10, at most 50 */
  readonly maxPages?: number;
  /** Maximum number of links from the first page. @default 2 */
  readonly maxDepth?: number;
  /** Beginnings of the only paths to read, in which `*` is any text. @default all */
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly page: PageOptions;
};

export type CrawledPage = { readonly url: string; readonly title?: string; readonly text: string };

export type Crawl = {
  readonly pages: readonly CrawledPage[];
  readonly failed: readonly { readonly url: string; readonly reason: string }[];
};

type Visit =
  | (CrawledPage & { readonly links: readonly string[]; readonly bytes: number })
  | { readonly failed: string };

type Place = { readonly url: URL; readonly depth: number };

const MAX_PAGES = 50;
const MAX_BYTES = 20 << 20;
const AT_ONCE = 2;
/** Maximum number of waiting links. */
const MAX_WAITING = 2_000;
/** Endings of links that lead to no page. */
const NO_PAGE =
  /\.(?:jpe?g|png|gif|webp|avif|svg|ico|mp[34]|m4[av]|webm|ogg|wav|mov|avi|zip|gz|tgz|rar|7z|exe|dmg|iso|css|js|mjs|woff2?|ttf|eot)$/i;

/** Reads a site starting at one page. Throws the failure of a rejected address. */
export async function crawlSite(
  io: ToolIo,
  address: string,
  options: CrawlOptions,
): Promise<Crawl> {
  const { maxDepth = 2, page } = options;
  const maxPages = Math.min(options.maxPages ?? 10, MAX_PAGES);
  const start = new URL(plainAddress(io.checkAddress(pageAddress(address)).href));
  const robots = await io.context.step("robots", () => readRobots(io, start));
  const pages: CrawledPage[] = [];
  const failed: { url: string; reason: string }[] = [];
  const seen = new Set([start.href]);
  const waiting: Place[] = [{ url: start, depth: 0 }];
  let bytes = 0;
  for (let visited = 0; waiting.length > 0 && pages.length < maxPages && bytes < MAX_BYTES;) {
    const batch = waiting.splice(0, Math.min(AT_ONCE, maxPages - pages.length));
    if (visited > 0 && robots.delayMs > 0)
      await io.context.sleep(`delay:${visited}`, robots.delayMs);
    const visits = await Promise.all(
      batch.map(({ url }, index) => visit(io, url, { number: visited + index, robots, page })),
    );
    visited += batch.length;
    for (const [index, result] of visits.entries()) {
      const { url, depth } = batch[index] as Place;
      if ("failed" in result) {
        failed.push({ url: url.href, reason: result.failed });
        continue;
      }
      const { links, bytes: length, ...read } = result;
      bytes += length;
      const isNew = read.url === url.href || !seen.has(read.url);
      seen.add(read.url);
      if (isNew) pages.push(read);
      if (depth >= maxDepth) continue;
      for (const link of links) {
        const next = new URL(plainAddress(link));
        if (seen.has(next.href) || waiting.length >= MAX_WAITING) continue;
        seen.add(next.href);
        if (next.host !== start.host && next.host !== new URL(read.url).host) continue;
        if (isWanted(next, options)) waiting.push({ url: next, depth: depth + 1 });
      }
    }
  }
  return { pages, failed };
}

async function visit(
  io: ToolIo,
  url: URL,
  {
    number,
    robots,
    page,
  }: { readonly number: number; readonly robots: Robots; readonly page: PageOptions },
): Promise<Visit> {
  if (!allowsUrl(robots, url)) return { failed: `refused: robots.txt of ${url.host}` };
  return io.context.step(`page:${number}`, async (): Promise<Visit> => {
    try {
      return await readForCrawl(io, url, { options: page });
    } catch (error) {
      if (!isServiceFailure(error)) throw error;
      return { failed: `${error.failureCode}: ${error.message}` };
    }
  });
}

async function readForCrawl(io: ToolIo, url: URL, request: PageRequest): Promise<Visit> {
  const fetched = await fetchPage(io, url.href, request);
  if (fetched.url.host !== url.host && !isSameSite(fetched.url, url))
    return { failed: `it leads to another site, ${fetched.url.host}` };
  if (!isHtml(fetched))
    return { failed: `it is no page but ${fetched.mediaType || "something else"}` };
  const html = decoded(fetched, {});
  const { text, title } = await pageText(html, fetched.url, { mainOnly: true });
  return {
    url: plainAddress(fetched.url.href),
    ...(title === undefined ? undefined : { title }),
    text,
    links: await pageLinks(html, fetched.url),
    bytes: fetched.bytes.length,
  };
}

/** Ignores `www.` in front of a host. */
function isSameSite(one: URL, other: URL): boolean {
  return withoutWww(one) === withoutWww(other);
}

function withoutWww({ host }: URL): string {
  return host.replace(/^www\./, "");
}

function isWanted({ pathname, search }: URL, { include, exclude = [] }: CrawlOptions): boolean {
  const path = pathname + search;
  const fits = (pattern: string): boolean => fitsPath(pattern, path);
  if (NO_PAGE.test(pathname) || exclude.some(fits)) return false;
  return include === undefined || include.some(fits);
}
