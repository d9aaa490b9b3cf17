import { describe, expect, it } from "vitest";
import { codeDocsSearch } from "../../../../../src/tools/catalog/documents/code-docs-search.ts";
import { websiteSearch } from "../../../../../src/tools/catalog/documents/website-search.ts";
import { SimulatedClock } from "../../../../../src/testing/simulated-clock.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import {
  documentSubject,
  documentWorld,
  workspaceWith,
} from "../../../../support/document-world.ts";
import type { SeenRequest } from "../../../../support/tool-world.ts";

const PAGES: Readonly<Record<string, string>> = {
  "/": '<html><head><title>Teashop</title></head><body><main><h1>Tea</h1><p>We sell green tea.</p><a href="/delivery">Delivery</a><a href="/secret/x">x</a><a href="https://other.example/">o</a></main></body></html>',
  "/delivery":
    "<html><head><title>Delivery</title></head><body><main><h2>Norway</h2><p>Parcels to Norway take nine days.</p></main></body></html>",
  "/robots.txt": "User-agent: *\nDisallow: /secret/",
};

const site = ({ path }: SeenRequest): Response => {
  const page = PAGES[path];
  const type = path.endsWith(".txt") ? "text/plain" : "text/html";
  return page === undefined
    ? new Response("gone", { status: 404 })
    : new Response(page, { headers: { "content-type": type } });
};

const question = { search_query: "How long do parcels to Norway take?" };

describe("search of a website", () => {
  it("reads the named page, and cites the passage by its heading", async () => {
    const { ask } = documentWorld({ answers: site });
    const input = { ...question, website: "teashop.example/delivery" };
    const { text, extras, requests } = await ask(websiteSearch(), input);
    expect(text).toContain("[https://teashop.example/delivery, Norway]");
    expect(text).toContain("Parcels to Norway take nine days.");
    expect(requests.map(({ path }) => path)).toEqual(["/delivery"]);
    expect(extras).toMatchObject({
      sources: [{ url: "https://teashop.example/delivery" }],
      untrusted: ["teashop.example"],
    });
  });

  it("follows links of the page on request, within robots.txt, and lists unread pages", async () => {
    const { ask } = documentWorld({ answers: site });
    const tool = websiteSearch({ crawl: { maxPages: 5 } });
    const input = { ...question, website: "https://teashop.example/" };
    const { text, requests } = await ask(tool, input);
    expect(text).toContain("[https://teashop.example/delivery, Norway]");
    expect(text).toContain(
      "[not read: https://teashop.example/secret/x: refused: robots.txt of teashop.example]",
    );
    expect(requests.map(({ path }) => path).toSorted()).toEqual(["/", "/delivery", "/robots.txt"]);
    expect((await ask(tool, input)).requests).toEqual([]);
  });

  it("reads a page again after its lifetime", async () => {
    const { ask, knowledge } = documentWorld({ answers: site });
    const input = { ...question, website: "https://teashop.example/delivery#norway" };
    await ask(websiteSearch(), input);
    const { uses } = knowledge.store;
    const [use] = (await uses?.unused(Number.POSITIVE_INFINITY, 1)) ?? [];
    const checkedAtMs = new SimulatedClock().now() - 10_000;
    if (use !== undefined) await uses?.put({ ...use, checkedAtMs });
    expect((await ask(websiteSearch(), input)).requests).toHaveLength(0);
    expect((await ask(websiteSearch({ maxAgeSeconds: 9 }), input)).requests).toHaveLength(1);
  });

  it("has a code documentation for a sister", async () => {
    const { ask } = documentWorld({ answers: site });
    const input = { ...question, docs_url: "https://teashop.example/delivery" };
    expect((await ask(codeDocsSearch(), input)).text).toContain("nine days");
  });

  it("reports an invalid address, and a missing page", async () => {
    const { ask } = documentWorld({ answers: site });
    const failed = async (website: string) =>
      (await ask(websiteSearch(), { ...question, website })).failure?.code;
    expect(await failed("no address")).toBe("bad_request");
    expect(await failed("https://teashop.example/nothing")).toBe("not_found");
    expect(await failed("http://localhost/x")).toBe("refused");
  });

  it("wherever a crawl is cut off, requests no recorded page again", async () => {
    const files = await workspaceWith({});
    const { whole, cut } = await cutAfterEveryWrite(() =>
      documentSubject(
        websiteSearch({ crawl: { maxPages: 5 } }),
        { ...question, website: "https://teashop.example/" },
        { files, answers: site },
      ),
    );
    expect(whole.run.output).toMatchObject({ text: expect.stringContaining("nine days") });
    expect(cut.length).toBeGreaterThan(10);
    for (const { course, calls } of cut) {
      expect(course.output).toEqual(whole.course.output);
      expect(calls.length).toBeLessThanOrEqual(whole.calls.length + 1);
    }
  });
});
