import { describe, expect, it } from "vitest";
import * as z from "zod";
import { catalogTool } from "../../../../../src/tools/catalog/base/catalog-tool.ts";
import {
  crawlSite,
  type Crawl,
  type CrawlOptions,
} from "../../../../../src/tools/catalog/web/crawl.ts";
import { PAGE_OPTIONS } from "../../../../../src/tools/catalog/web/page-options.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { callOf, toolSubject } from "../../../../support/tool-world.ts";
import { html, redirect, site, type SitePage } from "../../../../support/web-pages.ts";

const page = z.object(PAGE_OPTIONS).parse({});

/** A tool that crawls, and gives what it found. */
const crawler = (options: Partial<CrawlOptions> = {}) =>
  catalogTool({
    className: "CrawlerTool",
    displayName: "crawler",
    group: "web",
    service: "web",
    effectClass: "R",
    description: "Crawls.",
    input: () => z.object({ url: z.string() }),
    options: () => z.object({}),
    run: ({ url }, _, io) => crawlSite(io, url, { page, ...options }),
  })();

const link = (...paths: string[]): string =>
  paths.map((path) => `<a href="${path}">${path}</a>`).join(" ");
const long = "word ".repeat(60).trim();
const SITE: Record<string, SitePage> = {
  "https://a.example/": `<title>Home</title>${link("/a", "/b#part", "b", "https://b.example/", "/pic.png", "mailto:x@y", "/a?utm_source=x")}`,
  "https://a.example/a": `<nav>Menu</nav><main>${long}</main>${link("/c", "/", "/x/secret")}`,
  "https://a.example/b": `<p>B</p>${link("/d", "/missing")}`,
  "https://a.example/c": `<p>C</p>${link("/e")}`,
  "https://a.example/d": `<p>D</p>`,
  "https://a.example/e": `<p>E</p>`,
  "https://a.example/robots.txt": "User-agent: *\nDisallow: /x",
};

const crawl = async (
  options: Partial<CrawlOptions> = {},
  pages = SITE,
  url = "https://a.example/",
) => {
  const { data, requests, failure, events } = await callOf(
    crawler(options),
    { url },
    { answers: site(pages) },
  );
  const found = data as unknown as Crawl;
  return {
    failure,
    asked: requests.map((request) => request.url.replace("https://a.example", "")),
    paths: (found?.pages ?? []).map((each) => each.url.replace("https://a.example", "")),
    found,
    requests,
    events,
  };
};

describe("WCW2: the pages of a crawl", () => {
  it("WCW2: are those of the host, nearest first, each once (W9)", async () => {
    const { asked, paths, found } = await crawl();
    expect(asked.filter((path) => path === "/robots.txt")).toHaveLength(1);
    expect(paths).toEqual(["/", "/a", "/b", "/c", "/d"]);
    expect(found.pages[0]).toMatchObject({ title: "Home" });
    expect(found.pages[1]?.text).toBe(long);
    expect(found.failed).toEqual([
      { url: "https://a.example/x/secret", reason: "refused: robots.txt of a.example" },
      { url: "https://a.example/missing", reason: expect.stringContaining("not_found") },
    ]);
    expect(new Set(asked).size).toBe(asked.length);
  });

  it("are as many and as deep as is asked for", async () => {
    expect((await crawl({ maxPages: 3 })).paths).toEqual(["/", "/a", "/b"]);
    expect((await crawl({ maxDepth: 0 })).paths).toEqual(["/"]);
    expect((await crawl({ maxDepth: 3 })).paths).toContain("/e");
  });

  it("match the patterns", async () => {
    expect((await crawl({ include: ["/b", "/d$"] })).paths).toEqual(["/", "/b", "/d"]);
    expect((await crawl({ exclude: ["/a"] })).paths).toEqual(["/", "/b", "/d"]);
  });

  it("are limited in an endless trap", async () => {
    const endless = (request: { url: string }) =>
      html(link(`${new URL(request.url).pathname}x`, "/y"));
    const pages = new Proxy<Record<string, SitePage>>(
      {},
      { get: (_, url) => (String(url).endsWith("robots.txt") ? undefined : endless) as SitePage },
    );
    const { asked } = await crawl({ maxPages: 900, maxDepth: 900 }, pages);
    expect(asked.length).toBeLessThanOrEqual(51);
  });

  it("leave out nofollow links and pages", async () => {
    const pages = {
      "https://a.example/": `${link("/a")}<a rel="external nofollow" href="/b">b</a>`,
      "https://a.example/a": `<meta name=robots content="noindex, nofollow">${link("/c")}`,
      "https://a.example/c": "c",
    };
    expect((await crawl({}, pages)).paths).toEqual(["/", "/a"]);
  });

  it("are found from a page's base address", async () => {
    const pages = {
      "https://a.example/": `<base href="/deep/">${link("p")}`,
      "https://a.example/deep/p": "p",
    };
    expect((await crawl({}, pages)).paths).toEqual(["/", "/deep/p"]);
  });

  it("leave out redirects to another site, except to its own www", async () => {
    const pages = {
      "https://a.example/": redirect("https://www.a.example/"),
      "https://www.a.example/": link("/a", "https://a.example/out"),
      "https://www.a.example/a": "<p>a",
      "https://a.example/out": redirect("https://b.example/"),
      "https://b.example/": "<p>b",
    };
    const { found } = await crawl({}, pages);
    expect(found.pages.map(({ url }) => url)).toEqual([
      "https://www.a.example/",
      "https://www.a.example/a",
    ]);
    expect(found.failed).toEqual([
      { url: "https://a.example/out", reason: "it leads to another site, b.example" },
    ]);
  });
});

describe("WCW3: unreadable pages", () => {
  it("WCW3: are listed, and harm no other", async () => {
    const pages: Record<string, SitePage> = {
      "https://a.example/": link("/a", "/b", "/c", "/d"),
      "https://a.example/a": new Response("", { status: 500 }),
      "https://a.example/b": Response.json({}),
      "https://a.example/c": redirect("http://10.0.0.1/"),
      "https://a.example/d": "<p>d",
    };
    const { paths, found } = await crawl({}, pages);
    expect(paths).toEqual(["/", "/d"]);
    expect(found.failed.map(({ reason }) => reason.split(":")[0])).toEqual([
      "unavailable",
      "it is no page but application/json",
      "refused",
    ]);
  });

  it("of a site with a broken robots.txt are all left out", async () => {
    const { found, asked } = await crawl(
      {},
      { ...SITE, "https://a.example/robots.txt": new Response("", { status: 500 }) },
    );
    expect(found).toEqual({
      pages: [],
      failed: [{ url: "https://a.example/", reason: "refused: robots.txt of a.example" }],
    });
    expect(asked).toEqual(["/robots.txt"]);
  });

  it("refuses a private address", async () => {
    const { failure, requests } = await crawl({}, SITE, "http://127.0.0.1/");
    expect(failure?.code).toBe("refused");
    expect(requests).toEqual([]);
  });
});

describe("WCW1: an interrupted crawl", () => {
  it("WCW1: continues at its place, and requests no page twice", async () => {
    const make = () =>
      toolSubject(crawler(), { url: "https://a.example/" }, { answers: site(SITE) });
    const { whole, cut } = await cutAfterEveryWrite(make);
    expect(cut.length).toBeGreaterThan(5);
    for (const each of cut) {
      expect(each.run.output).toMatchObject({ data: (whole.run.output as { data: object }).data });
      // What was in flight when the process ended is asked for again: two pages at most.
      expect(each.calls.length - whole.calls.length).toBeLessThanOrEqual(2);
    }
  });

  it("waits the site's delay between pages, while the run rests", async () => {
    const slow = { ...SITE, "https://a.example/robots.txt": "User-agent: *\nCrawl-delay: 7" };
    const { events } = await crawl({ maxPages: 3 }, slow);
    expect(events.map(({ type }) => type)).toContain("run_waiting");
    expect(Date.parse(events.at(-1)?.at ?? "") - Date.parse(events[0]?.at ?? "")).toBe(7_000);
  });
});
