import { describe, expect, it } from "vitest";
import { DOCUMENT_READERS } from "../../../../../src/knowledge/readers/document-readers.ts";
import {
  scrapeElementFromWebsite,
  scrapeWebsite,
  urlRead,
  webRead,
} from "../../../../../src/tools/catalog/web/index.ts";
import { docxOf, pdfOf } from "../../../../support/documents.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";
import { callOf, type ToolCallOptions } from "../../../../support/tool-world.ts";
import { endless, html, redirect, site, type SitePage } from "../../../../support/web-pages.ts";

const PAGE = "<title>Tea</title><p>Green &amp; black</p><p class=price>3 EUR</p>";
const A = "https://a.example/";
const reads = (
  options: Parameters<typeof scrapeWebsite>[0],
  page: SitePage,
  more: ToolCallOptions = {},
) => callOf(scrapeWebsite(options), { website_url: A }, { answers: site({ [A]: page }), ...more });

const fixture = {
  success: [html(PAGE)],
  requests: [{ method: "GET", url: A }],
  keyless: true,
  isText: true,
} as const;
toolContract(scrapeWebsite, {
  ...fixture,
  input: { website_url: A },
  text: "Tea\nGreen & black\n3 EUR",
});
toolContract(scrapeElementFromWebsite, {
  ...fixture,
  input: { website_url: A, css_element: "p.price" },
  text: /^3 EUR$/,
});
toolContract(urlRead, { ...fixture, input: { url: A }, text: "Tea\nGreen & black\n3 EUR" });
toolContract(webRead, { ...fixture, input: { url: A }, text: "Tea\nGreen & black\n3 EUR" });

describe("ScrapeWebsiteTool", () => {
  it("takes no argument when its page is an option, and reads it (T16)", async () => {
    const tool = scrapeWebsite({ website_url: A } as never);
    expect(tool.parameters["properties"]).toEqual({});
    const { text, requests, extras } = await callOf(tool, {}, { answers: site({ [A]: PAGE }) });
    expect(requests.map(({ url }) => url)).toEqual([A]);
    expect(text).toBe("Tea\nGreen & black\n3 EUR");
    expect(extras).toMatchObject({ sources: [{ url: A, title: "Tea" }], untrusted: ["a.example"] });
  });

  it.each([
    "http://127.0.0.1/",
    "http://127.0.0.1./",
    "http://[::ffff:10.0.0.1]",
    "http://[::ffff:a00:1]/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://017700000001",
    "http://metadata.google.internal",
    "http://metadata.google.internal./",
    "http://169.254.169.254/latest/meta-data",
    "http://localhost./",
    "http://a@b.example",
    "http://a:b@b.example/",
    "file:///etc/passwd",
    "ftp://a.example/x",
    "data:text/html,x",
    "javascript:alert(1)",
    "blob:https://a.example/1",
    "127.0.0.1/x",
    "10.0.0.1:8080",
  ])("does not ask %s (W1)", async (website_url) => {
    const { failure, requests } = await callOf(
      scrapeWebsite(),
      { website_url },
      { answers: [html("x")] },
    );
    expect(failure).toMatchObject({ code: "refused", retryable: false });
    expect(requests).toEqual([]);
  });

  it.each(["/etc/passwd", "a b", "localhost", "://", "../x"])(
    "reports %j as an invalid address",
    async (website_url) => {
      const { failure, requests } = await callOf(
        scrapeWebsite(),
        { website_url },
        { answers: [html("x")] },
      );
      expect(failure?.code).toMatch(/^(bad_request|refused)$/);
      expect(requests).toEqual([]);
    },
  );

  it("puts https:// before a host", async () => {
    const { requests } = await callOf(
      scrapeWebsite(),
      { website_url: " a.example:8080/x?y=1 " },
      { answers: [html("x")] },
    );
    expect(requests[0]?.url).toBe("https://a.example:8080/x?y=1");
  });

  it.each([
    "http://10.0.0.1/",
    "http://[::1]/",
    "http://localhost",
    "file:///etc/passwd",
    "http://0x0a000001/",
    "//169.254.169.254/",
  ])("does not follow a redirect to %s (W2)", async (location) => {
    const { failure, requests, everything } = await reads({}, redirect(location));
    expect(failure).toMatchObject({ code: "refused" });
    expect(requests).toHaveLength(1);
    expect(everything).not.toContain("10.0.0.10"); // no address that a name stands for
  });

  it("sends headers and cookies of its options to the site alone (W3)", async () => {
    const { requests, text, extras, everything } = await callOf(
      scrapeWebsite({
        headers: { Authorization: "Bearer abcdef", "x-own": "1" },
        cookies: { name: "session", value: "SITE_COOKIE" },
      }),
      { website_url: A },
      {
        answers: site({ [A]: redirect("https://b.example/b"), "https://b.example/b": "there" }),
        variables: { SITE_COOKIE: "s3cret-cookie" },
      },
    );
    expect(requests[0]?.headers).toMatchObject({
      authorization: "Bearer abcdef",
      "x-own": "1",
      cookie: "session=s3cret-cookie",
    });
    for (const name of ["authorization", "x-own", "cookie"])
      expect(requests[1]?.headers).not.toHaveProperty(name);
    expect(text).toBe("there");
    expect(extras.untrusted).toEqual(["b.example"]);
    expect(everything).not.toContain("s3cret-cookie");
  });

  it("needs the variable of its cookie before the run spends anything", async () => {
    const tool = scrapeWebsite({ cookies: { name: "session", value: "SITE_COOKIE" } });
    await expect(callOf(tool, { website_url: A }, { answers: [html("x")] })).rejects.toThrow(
      "SITE_COOKIE",
    );
  });

  it("sends no request to hosts outside its lists", async () => {
    const denied = await reads({ denyHosts: ["*.a.example", "a.example"] }, PAGE);
    expect(denied.failure).toMatchObject({ code: "refused" });
    const allowed = await reads({ allowHosts: ["a.example"] }, redirect("https://b.example/"));
    expect(allowed.failure).toMatchObject({ code: "refused" });
    expect([denied.requests.length, allowed.requests.length]).toEqual([0, 1]);
    expect(() => scrapeWebsite({ allowHosts: ["https://a.example/"] })).toThrow(
      /allowHosts.*a host/,
    );
  });

  it("removes invisible characters, and names the source (T44)", async () => {
    const { text, extras } = await reads({}, "<p>safe\u202e evil\u{e0041}\u2066\u0007 \ud800</p>");
    expect(text).toBe("safe evil \u{fffd}");
    expect(extras.untrusted).toEqual(["a.example"]);
  });

  it.each([
    [401, "unauthorized", "a.example refused access"],
    [403, "unauthorized", "a.example refused access"],
    [404, "not_found", "a.example has nothing there"],
    [410, "not_found", "a.example has nothing there"],
    [418, "bad_request", "a.example did not accept the request (418)"],
  ])("fails on status %i", async (status, code, message) => {
    const { failure } = await reads({}, new Response("<p>Log in</p>", { status }));
    expect(failure).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it("WPG1: reads other text types as they are", async () => {
    const json = await reads({}, Response.json({ a: "<b>" }));
    expect(json.text).toBe('{"a":"<b>"}');
    const plain = await reads({}, html("<p>x</p>", "text/plain"));
    expect(plain.text).toBe("<p>x</p>");
    const unsaid = await reads(
      {},
      new Response(new TextEncoder().encode(" <!DOCTYPE html><p>x</p>")),
    );
    expect(unsaid.text).toBe("x");
    const zip = await reads({}, html("PK", "application/zip"));
    expect(zip.failure).toMatchObject({
      code: "bad_request",
      message: 'Unsupported content type "application/zip".',
    });
    const pdf = await reads({}, html(new Uint8Array(pdfOf("x")), "application/pdf"));
    expect(pdf.failure?.message).toContain("DOCUMENT_READERS");
  });

  it("reads a page with a wrong or missing encoding", async () => {
    const latin1 = Uint8Array.from("<p>Gr\u00fc\u00dfe", (each) => each.charCodeAt(0));
    expect((await reads({}, html(latin1, "text/html; charset=iso-8859-1"))).text).toBe("Grüße");
    expect((await reads({}, html(latin1))).text).toBe("Gr\u{fffd}\u{fffd}e");
    expect((await reads({}, html(latin1, "text/html; charset=nonsense"))).text).toBe("Grüße");
  });

  it("shows images, tables, and links on request", async () => {
    const page = `<img alt="A cup"><a href="/b">more</a>`;
    expect((await reads({}, page)).text).toBe("[image: A cup]more");
    expect((await reads({ links: true }, page)).text).toBe(
      "[image: A cup]more (https://a.example/b)",
    );
  });

  it("reads the main part on request", async () => {
    const main = "word ".repeat(60).trim();
    const page = `<p>Menu</p><main>${main}</main>`;
    expect((await reads({ mainOnly: true }, page)).text).toBe(main);
    expect((await reads({}, page)).text).toBe(`Menu\n${main}`);
  });

  it("reports a page without text", async () => {
    expect((await reads({}, "<script>draw()</script>")).text).toBe("The page shows no text.");
  });
});

describe("hostile pages", () => {
  it.each([
    ["without end", endless()],
    ["without end, in one tag", endless("a=b ")],
    ["with a wrong length", endless("word ", { "content-length": "12" })],
  ])("%s are not read on", async (_, page) => {
    const { failure } = await reads({}, page);
    expect(failure).toMatchObject({
      code: "too_large",
      message: "The answer is larger than 5 MiB.",
    });
  });

  it.each([
    ["nested", `${"<div>".repeat(20_000)}x`, "x"],
    ["with a comment without end", "<p>a<!-- b", "a"],
    ["with a script without end", "<p>a<script>b", "a"],
    ["with a tag without end", "<p>a<b ", "a"],
    ["with NUL bytes", "<p>a\0b</p\0>\0", "ab"],
    ["with unknown entities", "<p>&#99999999;&#x0;&amp;amp;</p>", "\u{fffd}\u{fffd}&amp;"],
  ])("%s are read", async (_, page, text) => {
    expect((await reads({}, page)).text).toBe(text);
  });

  it("without an answer end in time", async () => {
    const { failure } = await reads(
      { timeoutMs: 2_000 },
      () => new Promise<never>(() => undefined),
    );
    expect(failure).toMatchObject({ code: "timeout", message: "a.example gave no answer in 2 s." });
  });
});

describe("URLReadTool", () => {
  const lines = Array.from({ length: 6 }, (_, index) => `line ${index + 1}`).join("\n");
  const window = (input: object) =>
    callOf(urlRead(), { url: A, ...input }, { answers: site({ [A]: html(lines, "text/plain") }) });

  it("returns a window of lines, and reports the omitted ones (W8)", async () => {
    expect((await window({ start_line: 5, line_count: 2 })).text).toBe(
      "line 5\nline 6\n[cut: 13 of 41 characters]",
    );
    expect((await window({ start_line: 2, line_count: 1 })).text).toBe(
      "line 2\n[cut: 6 of 41 characters; ask again with start_line 3]",
    );
    const beyond = await window({ start_line: 99 });
    expect(beyond).toMatchObject({
      failure: undefined,
      text: "There is no line 99: the text has 6 lines.",
    });
    expect((await window({})).text).toBe(lines);
    expect((await window({ line_count: 900 })).text).toBe(lines);
  });

  it("cuts a long text at the end of a line", async () => {
    const long = Array.from({ length: 2_000 }, (_, index) => `${index + 1} ${"x".repeat(40)}`).join(
      "\n",
    );
    const { text } = await callOf(
      urlRead(),
      { url: A },
      { answers: site({ [A]: html(long, "text/plain") }) },
    );
    expect(text.length).toBeLessThan(32_200);
    expect(text).toMatch(/x\n\[cut: \d+ of \d+ characters; ask again with start_line \d+\]$/);
  });

  it.each([
    ["a PDF", pdfOf("Page of a PDF"), "application/pdf", "Page of a PDF"],
    [
      "a DOCX without a type",
      docxOf("# Terms", "Pay."),
      "application/octet-stream",
      "# Terms\n\nPay.",
    ],
  ])("reads %s", async (...[, bytes, type, text]) => {
    const url = "https://a.example/file.docx";
    const { text: read, failure } = await callOf(
      urlRead({ readers: DOCUMENT_READERS }),
      { url },
      { answers: site({ [url]: html(new Uint8Array(bytes), type) }) },
    );
    expect(failure).toBeUndefined();
    expect(read).toContain(text);
  });

  it("reports a broken document", async () => {
    const { failure } = await callOf(
      urlRead({ readers: DOCUMENT_READERS }),
      { url: A },
      { answers: site({ [A]: html("%PDF-1.4 nonsense", "application/pdf") }) },
    );
    expect(failure).toMatchObject({ code: "bad_response" });
  });

  it("reads CSV, XML and JSON as their lines", async () => {
    for (const [type, text] of [
      ["text/csv", "a,b\n1,2"],
      ["application/rss+xml", "<rss>\n</rss>"],
      ["application/ld+json", '{\n "a": 1 }'],
    ] as const) {
      const { text: read } = await callOf(
        urlRead(),
        { url: A },
        { answers: site({ [A]: html(text, type) }) },
      );
      expect(read).toBe(text);
    }
  });

  it("fails on an oversized body, without truncation", async () => {
    const { failure } = await callOf(
      urlRead({ max_bytes: 10 } as never),
      { url: A },
      { answers: site({ [A]: PAGE }) },
    );
    expect(failure).toMatchObject({
      code: "too_large",
      message: "The answer is larger than 10 bytes.",
    });
  });

  it("reads in the encoding of the option", async () => {
    const bytes = new Uint8Array([0x83, 0x65]);
    const { text } = await callOf(
      urlRead({ encoding: "shift_jis" }),
      { url: A },
      { answers: site({ [A]: html(bytes, "text/plain; charset=latin1") }) },
    );
    expect(text).toBe("テ");
    expect(() => urlRead({ encoding: "klingon" })).toThrow(/URLReadTool.encoding/);
  });
});

describe("web_read", () => {
  const filler = (topic: string) => `<p>${`${topic} is a matter of its own. `.repeat(40)}</p>`;
  const page = `<h1>Leaves</h1>${filler("Harvest")}<h2>Price</h2><p>Green tea costs three euros.</p><h2>Origin</h2>${filler("Soil")}`;
  const asked = (input: object) =>
    callOf(webRead(), { url: A, ...input }, { answers: site({ [A]: page }) });

  it("returns only passages related to the question", async () => {
    const { text } = await asked({ question: "What does green tea cost?" });
    expect(text).toContain("## Price\nGreen tea costs three euros.");
    expect(text).not.toContain("Soil");
  });

  it("returns the page when no passage fits", async () => {
    const { text } = await asked({ question: "zebra" });
    expect(text).toMatch(/^No passage has words of the question\.\n\n# Leaves\n/);
  });

  it("goes on from a line", async () => {
    expect((await asked({ start: 3 })).text).toMatch(/^## Price\nGreen tea/);
    const long = `<p>${"word ".repeat(100)}</p>`.repeat(200);
    const { text } = await callOf(webRead(), { url: A }, { answers: site({ [A]: long }) });
    expect(text).toMatch(/; ask again with start \d+\]$/);
  });
});

describe("ScrapeElementFromWebsiteTool", () => {
  const select = (css_element: string, page = PAGE, options = {}) =>
    callOf(
      scrapeElementFromWebsite(options),
      { website_url: A, css_element },
      { answers: site({ [A]: page }) },
    );

  it("reports a selector without matches, without a failure", async () => {
    expect(await select("p.none")).toMatchObject({
      failure: undefined,
      text: "No element matches p.none.",
    });
  });

  it("returns attributes on request", async () => {
    const page = `<a href="/a?b=1&amp;c">x</a><a>y</a><a href=/z>z</a>`;
    expect((await select("a", page, { attribute: "href" })).text).toBe("/a?b=1&c\n/z");
  });

  it("fails on an invalid selector, and on a response other than a page", async () => {
    expect((await select("p:nonsense(b)")).failure).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining('The selector "p:nonsense(b)" is not understood'),
    });
    const { failure } = await callOf(
      scrapeElementFromWebsite({ css_element: "p" } as never),
      { website_url: A },
      { answers: site({ [A]: Response.json({}) }) },
    );
    expect(failure).toMatchObject({ code: "bad_request" });
  });
});
