import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../../../src/base/json.ts";
import {
  crawl4ai,
  scrapeWebsite,
  seleniumScraping,
  stagehand,
  webRead,
} from "../../../../../src/tools/catalog/web/index.ts";
import type { Browser } from "../../../../../src/tools/catalog/web/browser.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { html, site } from "../../../../support/web-pages.ts";

const A = "https://a.example/";

type Opened = { readonly action: string; readonly options: JsonObject };

/** A browser that gives what it is told, in the shapes of the binding. */
function browserOf(result: JsonValue, meta: JsonObject = { status: 200, title: "Tea" }) {
  const opened: Opened[] = [];
  const browser: Browser = {
    quickAction: async (action, options) => {
      opened.push({ action, options });
      return Response.json({ success: true, result, meta });
    },
  };
  return { browser, opened };
}

const scraped = (...texts: string[]): JsonValue => [
  {
    selector: "p",
    results: texts.map((text) => ({
      text,
      html: `<p>${text}</p>`,
      attributes: [],
      width: 1,
      height: 1,
      top: 0,
      left: 0,
    })),
  },
];
const input = { website_url: A, css_element: "p" };

describe("SeleniumScrapingTool", () => {
  it("WBR2: explains the setup when no browser is bound (W10)", async () => {
    const { failure, requests } = await callOf(seleniumScraping(), input);
    expect(failure?.message).toBe(
      '"SeleniumScrapingTool" is not available here: no browser is bound. Add [browser] with binding = "BROWSER" to wrangler.toml, or set CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN.',
    );
    expect(requests).toEqual([]);
  });

  it("has the browser find the elements (W10)", async () => {
    const { browser, opened } = browserOf(scraped("a\n  b", "c"));
    const { text, extras } = await callOf(
      seleniumScraping({ waitTime: 2, cookies: { name: "s", value: "SITE_COOKIE" } }),
      input,
      { services: { browser }, variables: { SITE_COOKIE: "s3cret-cookie" } },
    );
    expect(text).toBe("a b\nc");
    expect(extras).toMatchObject({ sources: [{ url: A, title: "Tea" }], untrusted: ["a.example"] });
    expect(opened).toMatchObject([
      {
        action: "scrape",
        options: {
          url: A,
          elements: [{ selector: "p" }],
          waitForTimeout: 2_000,
          rejectResourceTypes: ["image", "media", "font"],
          cookies: [{ name: "s", value: "s3cret-cookie", url: "https://a.example" }],
        },
      },
    ]);
  });

  it("takes a cookie as CrewAI has it", async () => {
    const { browser, opened } = browserOf(scraped("a"));
    const tool = seleniumScraping({ cookie: { name: "s", value: "v" } });
    await callOf(tool, input, { services: { browser } });
    expect(opened[0]?.options["cookies"]).toEqual([{ name: "s", value: "v", url: A }]);
  });

  it("returns HTML on request, and reports a selector without matches", async () => {
    const { browser } = browserOf(scraped("a"));
    expect(
      (await callOf(seleniumScraping({ returnHtml: true }), input, { services: { browser } })).text,
    ).toBe("<p>a</p>");
    const none = browserOf(scraped());
    expect(
      (await callOf(seleniumScraping(), input, { services: { browser: none.browser } })).text,
    ).toBe("No element matches p.");
  });

  it("asks by REST when an account is known", async () => {
    const tool = seleniumScraping({ headers: { authorization: "Bearer of-the-page" } });
    const { text, requests, everything } = await callOf(tool, input, {
      answers: [
        Response.json({ success: true, result: scraped("a"), meta: { status: 200, title: "T" } }),
      ],
      variables: { CLOUDFLARE_ACCOUNT_ID: "acc1", CLOUDFLARE_API_TOKEN: "token-0123456789" },
    });
    expect(text).toBe("a");
    expect(requests[0]).toMatchObject({
      method: "POST",
      url: "https://api.cloudflare.com/client/v4/accounts/acc1/browser-rendering/scrape",
      headers: { authorization: "Bearer token-0123456789" },
      body: { url: A, elements: [{ selector: "p" }] },
    });
    expect(everything).not.toContain("token-0123456789");
  });
});

describe("WBR1: addresses and browsers", () => {
  it.each(["http://127.0.0.1/", "file:///etc/passwd", "http://metadata.google.internal/"])(
    "WBR1: %s is not opened",
    async (website_url) => {
      const { browser, opened } = browserOf(scraped("a"));
      const { failure } = await callOf(
        seleniumScraping(),
        { ...input, website_url },
        { services: { browser } },
      );
      expect(failure).toMatchObject({ code: "refused" });
      expect(opened).toEqual([]);
    },
  );

  it.each<[string, JsonObject, object]>([
    ["a private address", { finalUrl: "http://10.0.0.1/admin" }, {}],
    ["a forbidden host", { finalUrl: "https://b.example/" }, { allowHosts: ["a.example"] }],
  ])("refuses a result from %s", async (_, meta, options) => {
    const { browser } = browserOf("the secret", meta);
    const { failure, everything } = await callOf(
      crawl4ai(options),
      { url: A },
      { services: { browser } },
    );
    expect(failure).toMatchObject({ code: "refused" });
    expect(everything).not.toContain("the secret");
  });
});

describe("answers of a browser", () => {
  const failing = async (response: () => Response | Promise<Response>) =>
    (
      await callOf(
        crawl4ai(),
        { url: A },
        { services: { browser: { quickAction: async () => response() } } },
      )
    ).failure;

  it.each<[string, () => Response | Promise<Response>, object]>([
    [
      "an error",
      () =>
        Response.json(
          { success: false, errors: [{ message: "no such host", code: 6 }] },
          { status: 422 },
        ),
      { code: "failed", message: expect.stringContaining("no such host") },
    ],
    [
      "too many pages",
      () => Response.json({ success: false, errors: [{ message: "slow" }] }, { status: 429 }),
      { code: "rate_limited" },
    ],
    ["not JSON", () => html("x"), { code: "bad_response" }],
    ["another shape", () => Response.json({ result: 1 }), { code: "bad_response" }],
    [
      "a missing page",
      () => Response.json({ success: true, result: "x", meta: { status: 404, title: "" } }),
      { code: "not_found" },
    ],
    [
      "nothing",
      () => Promise.reject(new Error("gone")),
      { code: "unavailable", message: "Browser Run could not be reached: gone" },
    ],
    ["12 MB", () => new Response("x".repeat(12 << 20)), { code: "too_large" }],
  ])("is a failure when it is %s", async (_, response, failure) => {
    expect(await failing(response)).toMatchObject(failure);
  });
});

describe("script-made pages", () => {
  const shell = "<title>App</title><div id=root></div><script src=/app.js></script>";
  const made = {
    browser: browserOf("<title>App</title><p>Made <span hidden>h</span>by scripts</p>").browser,
  };
  const reads = (tool: ReturnType<typeof webRead>, services = {}, page = shell) =>
    callOf(
      tool,
      { [tool.name === "web_read" ? "url" : "website_url"]: A },
      { services, answers: site({ [A]: page }) },
    );

  it("WPG2: are read by a browser, when one is bound and asked for", async () => {
    expect((await reads(webRead(), made)).text).toBe("App\nMade by scripts");
    expect((await reads(scrapeWebsite({ browser: "auto" }), made)).text).toBe(
      "App\nMade by scripts",
    );
    expect((await reads(webRead())).text).toBe("App");
    expect((await reads(scrapeWebsite(), made)).text).toBe("App");
    expect((await reads(webRead({ browser: "never" }), made)).text).toBe("App");
  });

  it("are as they are, when the browser fails, or the page shows enough", async () => {
    const broken = { browser: { quickAction: async () => new Response("", { status: 500 }) } };
    expect((await reads(webRead(), broken)).text).toBe("App");
    const full = `${shell}<p>${"word ".repeat(60)}</p>`;
    expect((await reads(webRead(), made, full)).text).toContain("word word");
    const plain = "<p>short</p>";
    expect((await reads(webRead(), made, plain)).text).toBe("short");
  });
});

describe("StagehandTool", () => {
  const call = async (command: JsonObject, result: JsonValue) => {
    const { browser, opened } = browserOf(result);
    return {
      ...(await callOf(stagehand(), { url: A, ...command }, { services: { browser } })),
      opened,
    };
  };

  it("reads, extracts and observes", async () => {
    const read = await call({}, "# Tea");
    expect([read.text, read.opened[0]?.action]).toEqual(["# Tea", "markdown"]);
    const extracted = await call(
      { command_type: "extract", instruction: "the price" },
      { price: 3 },
    );
    expect(extracted.text).toBe('{\n "price": 3\n}');
    expect(extracted.opened).toMatchObject([{ action: "json", options: { prompt: "the price" } }]);
    const observed = await call(
      { command_type: "observe" },
      { accessibilityTree: { role: "RootWebArea" } },
    );
    expect([observed.text.includes("RootWebArea"), observed.opened[0]?.action]).toEqual([
      true,
      "accessibilityTree",
    ]);
  });

  it("does not act, and refuses to extract without an instruction", async () => {
    const act = await call({ command_type: "act", instruction: "click" }, "x");
    expect(act.failure).toMatchObject({
      code: "refused",
      message: expect.stringContaining("act needs a browser session"),
    });
    const bare = await call({ command_type: "extract" }, "x");
    expect(bare.failure).toMatchObject({ code: "bad_request" });
    expect([...act.opened, ...bare.opened]).toEqual([]);
  });
});

it("crawl4ai gives the page as Markdown", async () => {
  const { browser, opened } = browserOf("# Tea");
  expect((await callOf(crawl4ai(), { url: "a.example" }, { services: { browser } })).text).toBe(
    "# Tea",
  );
  expect(opened).toMatchObject([{ action: "markdown", options: { url: A } }]);
});
