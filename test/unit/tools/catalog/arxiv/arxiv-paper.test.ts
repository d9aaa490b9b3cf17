// The feed has the shape of arXiv's user manual (info.arxiv.org/help/api/user-manual), cut short.
import { describe, expect, it } from "vitest";
import { arxivPaper } from "../../../../../src/tools/catalog/arxiv/arxiv-paper.ts";
import { cutAfterEveryResult } from "../../../../support/cut-off.ts";
import { callOf, toolSubject, type SeenRequest } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const entry = (id: string, title: string, summary: string): string => `
  <entry>
    <id>http://arxiv.org/abs/${id}</id>
    <updated>2026-01-16T00:00:00Z</updated>
    <published>2026-01-15T00:00:00Z</published>
    <title>${title}</title>
    <summary>${summary}</summary>
    <author><name>A. Leaf</name><arxiv:affiliation>Tea &amp; Co</arxiv:affiliation></author>
    <author>
      <name>B. Cup</name>
    </author>
    <link href="http://arxiv.org/abs/${id}" rel="alternate" type="text/html"/>
    <link title="pdf" href="http://arxiv.org/pdf/${id}" rel="related" type="application/pdf"/>
    <category term="cs.LG" scheme="http://arxiv.org/schemas/atom"/>
  </entry>`;
const feed = (...entries: readonly string[]): Response =>
  new Response(
    `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <title type="html">ArXiv Query: search_query=all:tea</title>
  ${entries.join("")}
</feed>`,
    { headers: { "content-type": "application/atom+xml" } },
  );
const TWO = (): Response =>
  feed(
    entry("2601.00001v1", "Tea &lt;and&gt;\n   water", "s".repeat(301)),
    entry("2601.00002v1", "a/b: c?", "Short."),
  );

toolContract(arxivPaper, {
  input: { search_query: "all:tea" },
  success: [TWO()],
  requests: [
    {
      method: "GET",
      url: "https://export.arxiv.org/api/query?search_query=all%3Atea&start=0&max_results=5",
    },
  ],
  text: "Title: Tea <and> water\nAuthors: A. Leaf, B. Cup\nPublished: 2026-01-15T00:00:00Z\nPDF: https://arxiv.org/pdf/2601.00001v1\nSummary: sss",
  isText: true,
  keyless: true,
});

it("has 80 dashes between two papers, and no dashes before the first (T34)", async () => {
  const { text, extras } = await callOf(
    arxivPaper(),
    { search_query: "tea" },
    { answers: [TWO()] },
  );
  const [, own = ""] = text.split(/^Data from .*\n\n/);
  const shown = own === "" ? text : own;
  const blocks = shown.split(`\n\n${"-".repeat(80)}\n\n`);
  expect(blocks).toHaveLength(2);
  expect(blocks[0]).toMatch(/^Title: Tea/);
  expect(blocks[0]).toContain(`Summary: ${"s".repeat(300)}...`);
  expect(blocks[1]).toMatch(/Summary: Short\.$/);
  expect(extras.sources).toEqual([
    {
      url: "https://arxiv.org/abs/2601.00001v1",
      title: "Tea <and> water",
      date: "2026-01-15T00:00:00Z",
    },
    { url: "https://arxiv.org/abs/2601.00002v1", title: "a/b: c?", date: "2026-01-15T00:00:00Z" },
  ]);
});

it("reports arXiv's error for an invalid query", async () => {
  const error = feed(
    `<entry><id>http://arxiv.org/api/errors#incorrect_id</id><title>Error</title><summary>incorrect id format</summary></entry>`,
  );
  const { failure } = await callOf(arxivPaper(), { search_query: "id:x" }, { answers: [error] });
  expect(failure).toMatchObject({
    code: "bad_request",
    message: "arXiv did not accept the request: incorrect id format",
  });
});

it("reports a page other than a feed as a bad response", async () => {
  const page = new Response("<html>Rate exceeded</html>");
  const { failure } = await callOf(arxivPaper(), { search_query: "x" }, { answers: [page] });
  expect(failure?.code).toBe("bad_response");
});

describe("PDFs", () => {
  const pdf = (): Response => new Response("%PDF-1.7 tea");
  const service = ({ url }: SeenRequest): Response => {
    if (url.includes("/api/query")) return TWO();
    return url.endsWith("2601.00001v1") ? pdf() : new Response("<html>captcha</html>");
  };

  it("are saved three seconds apart, with failures in the text", async () => {
    const { files, text, extras, requests } = await callOf(
      arxivPaper({ download_pdfs: true } as never),
      { search_query: "tea" },
      { answers: service },
    );
    expect(files.paths.map((path) => path.replace(/^runs\/[^/]+\//, ""))).toEqual([
      "arxiv_pdfs/2601_00001v1.pdf",
    ]);
    expect(extras.files).toMatchObject([
      { path: "arxiv_pdfs/2601_00001v1.pdf", mediaType: "application/pdf", bytes: 12 },
    ]);
    expect(text).toContain("Saved: arxiv_pdfs/2601_00001v1.pdf");
    expect(text).toContain("Not saved: arXiv answered something unexpected: no PDF");
    expect(requests.map(({ atMs }) => atMs)).toEqual([0, 3000, 6000]);
    expect(requests[1]?.url).toBe("https://arxiv.org/pdf/2601.00001v1");
  });

  it("have valid file names", async () => {
    const { files } = await callOf(
      arxivPaper({ downloadPdfs: true, useTitleAsFilename: true, saveDir: "papers" }),
      { search_query: "tea" },
      {
        answers: ({ url }) =>
          url.includes("/api/query")
            ? feed(
                entry("1", "a/b: c?", "s"),
                entry("2", "ü".repeat(300), "s"),
                entry("3.1", "...", "s"),
              )
            : pdf(),
      },
    );
    expect(files.paths.map((path) => path.replace(/^runs\/[^/]+\//, ""))).toEqual([
      "papers/a_b_ c_.pdf",
      `papers/${"ü".repeat(120)}.pdf`,
      "papers/3_1.pdf",
    ]);
  });

  it("go into the workspace and nowhere else", () => {
    for (const saveDir of ["../elsewhere", "/etc", "a/../../b"])
      expect(() => arxivPaper({ downloadPdfs: true, saveDir })).toThrow(
        "ArxivPaperTool.saveDir: expected a path in the workspace",
      );
  });

  it("are not asked for again after a crash once they are saved", async () => {
    const { whole, cut } = await cutAfterEveryResult(() =>
      toolSubject(
        arxivPaper({ downloadPdfs: true }),
        { search_query: "tea" },
        { answers: service },
      ),
    );
    for (const { course, calls } of cut) {
      expect(course).toEqual(whole.course);
      expect(calls.toSorted()).toEqual(whole.calls.toSorted());
    }
  });
});
