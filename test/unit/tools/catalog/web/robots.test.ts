import { describe, expect, it } from "vitest";
import { scrapeWebsite } from "../../../../../src/tools/catalog/web/index.ts";
import { allowsUrl, fitsPath, parseRobots } from "../../../../../src/tools/catalog/web/robots.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { site, type SitePage } from "../../../../support/web-pages.ts";

const allowed = (robots: string, path: string): boolean =>
  allowsUrl(parseRobots(robots), new URL(path, "https://a.example"));

describe("WRB1: the rules of a robots.txt", () => {
  it.each([
    ["all, without rules", "", "/x", true],
    ["all, with rules for others only", "User-agent: Googlebot\nDisallow: /", "/x", true],
    ["no rule of the general group beside its own", "User-agent: *\nDisallow: /x", "/x/y", false],
    [
      "pages its own group allows",
      "User-agent: *\nDisallow: /\n\nUser-agent: edgecrew\nDisallow: /y",
      "/x",
      true,
    ],
    [
      "no page its own group forbids",
      "User-Agent: EdgeCrew/1.0\nDisallow: /y\nUser-agent: *\nAllow: /",
      "/y",
      false,
    ],
    [
      "no page a shared group forbids",
      "User-agent: a\nUser-agent: Edgecrew\nDisallow: /y",
      "/y",
      false,
    ],
    [
      "no page forbidden by one of two equal groups",
      "User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b",
      "/a",
      false,
    ],
    ["the longest rule", "User-agent: *\nDisallow: /x\nAllow: /x/y", "/x/y/z", true],
    ["the longest forbidding rule", "User-agent: *\nAllow: /x\nDisallow: /x/y", "/x/y/z", false],
    [
      "the allowing rule of two equally long",
      "User-agent: *\nDisallow: /x*\nAllow: /x/y",
      "/x/y",
      true,
    ],
    ["the allowing rule of two equal ones", "User-agent: *\nDisallow: /x\nAllow: /x", "/x", true],
    ["all, where Disallow is empty", "User-agent: *\nDisallow:", "/x", true],
    ["comments aside", "User-agent: * # all\nDisallow: /x # secret", "/x", false],
    [
      "a mark, carriage returns and capitals",
      "\uFEFFUSER-AGENT: *\r\nDISALLOW: /x\r\n",
      "/x",
      false,
    ],
    ["queries too", "User-agent: *\nDisallow: /*?sort=", "/list?sort=a", false],
    ["letters beyond ASCII", "User-agent: *\nDisallow: /ä", "/%c3%a4/b", false],
    ["the robots.txt itself", "User-agent: *\nDisallow: /", "/robots.txt", true],
    ["no rule before the first group", "Disallow: /x", "/x", true],
  ])("WRB1: %s", (...[, robots, path, isAllowed]) => {
    expect(allowed(robots, path)).toBe(isAllowed);
  });

  it.each([
    ["/x", "/xyz", true],
    ["/x$", "/x", true],
    ["/x$", "/xy", false],
    ["/*.pdf$", "/a/b.pdf", true],
    ["/*.pdf$", "/a/b.pdf?x", false],
    ["/a*b*c", "/a1b2c3", true],
    ["/a*b*c", "/acb", false],
    ["*", "/", true],
    ["/a*a$", "/a", false],
    [`/${"a*".repeat(50)}b`, `/${"a".repeat(10_000)}`, false],
  ])("the pattern %s fits %s: %s", (pattern, path, fits) => {
    expect(fitsPath(pattern, path)).toBe(fits);
  });

  it("has a delay of ten seconds at most", () => {
    const delayOf = (seconds: string): number =>
      parseRobots(`User-agent: *\nCrawl-delay: ${seconds}`).delayMs;
    expect(["2", "0.5", "3600", "-1", "x"].map(delayOf)).toEqual([2_000, 500, 10_000, 0, 0]);
  });
});

describe("WRB2: sites and their robots.txt", () => {
  const read = (robots: SitePage | undefined, options = { robots: true }) =>
    callOf(
      scrapeWebsite(options),
      { website_url: "https://a.example/x" },
      {
        answers: site({
          "https://a.example/x": "<p>x",
          ...(robots === undefined ? undefined : { "https://a.example/robots.txt": robots }),
        }),
      },
    );
  const forbids = "User-agent: *\nDisallow: /x";

  it("is not asked for a page named by a task, unless the option is set (W9)", async () => {
    const plain = await read(forbids, { robots: false });
    expect([plain.text, plain.requests.length]).toEqual(["x", 1]);
    const wanted = await read(forbids);
    expect(wanted.failure).toMatchObject({ code: "refused", message: "robots.txt of a.example" });
    expect(wanted.requests.map(({ url }) => url)).toEqual(["https://a.example/robots.txt"]);
  });

  it.each<[string, SitePage | undefined, string | undefined]>([
    ["without one", undefined, undefined],
    ["with a refusal", new Response("", { status: 403 }), undefined],
    ["with an error", new Response("", { status: 503 }), "refused"],
    ["without an answer", () => new Promise<never>(() => undefined), "refused"],
    ["with an endless robots.txt", new Response("#".repeat(600_000)), "refused"],
    [
      "with a redirect to a private address",
      new Response("", { status: 302, headers: { location: "http://10.0.0.1/" } }),
      "refused",
    ],
  ])("WRB2: a site %s", async (_, robots, code) => {
    const { failure } = await read(robots);
    expect(failure?.code).toBe(code);
  });
});
