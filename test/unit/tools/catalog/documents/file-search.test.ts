import { describe, expect, it } from "vitest";
import { knowledgeService as ownKnowledge } from "../../../../../src/knowledge/make-knowledge-service.ts";
import { csvSearch } from "../../../../../src/tools/catalog/documents/csv-search.ts";
import { docxSearch } from "../../../../../src/tools/catalog/documents/docx-search.ts";
import { jsonSearch } from "../../../../../src/tools/catalog/documents/json-search.ts";
import { mdxSearch } from "../../../../../src/tools/catalog/documents/mdx-search.ts";
import { pdfSearch } from "../../../../../src/tools/catalog/documents/pdf-search.ts";
import { txtSearch } from "../../../../../src/tools/catalog/documents/txt-search.ts";
import { xmlSearch } from "../../../../../src/tools/catalog/documents/xml-search.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { docxOf, pdfOf } from "../../../../support/documents.ts";
import {
  documentSubject,
  documentWorld,
  workspaceWith,
} from "../../../../support/document-world.ts";
import { embedder as embedderOf } from "../../../../../src/vectors/embedders/custom-embedder.ts";
import { callOf } from "../../../../support/tool-world.ts";

const PRICES = pdfOf("The kettle costs 29 euros.", "The teapot with the blue lid costs 45 euros.");
const RULES = pdfOf("Dogs are not allowed in the kitchen.");
const PDFS = { "docs/prices.pdf": PRICES, "docs/rules.pdf": RULES };

describe("search of a file", () => {
  it("DOD3: answers with passages, each with its place, and cites the document", async () => {
    const { ask } = documentWorld();
    const input = { query: "What does the teapot cost?", pdf: "docs/prices.pdf" };
    const { text, data, extras } = await ask(pdfSearch(), input, PDFS);
    expect(text).toBe(
      "Relevant Content:\n[docs/prices.pdf, page 2]\nThe kettle costs 29 euros.\nThe teapot with the blue lid costs 45 euros.",
    );
    expect(data).toMatchObject([
      { document: "docs/prices.pdf", place: "page 2", score: expect.any(Number) },
    ]);
    expect(extras).toMatchObject({
      sources: [{ url: "docs/prices.pdf", title: "docs/prices.pdf, page 2" }],
      untrusted: ["docs/prices.pdf"],
    });
  });

  it("DOD1: answers no question to one document from another (D1)", async () => {
    const { ask } = documentWorld();
    const query = "What does the teapot cost?";
    await ask(pdfSearch(), { query, pdf: "docs/prices.pdf" }, PDFS);
    const { text, extras } = await ask(pdfSearch(), { query, pdf: "docs/rules.pdf" }, PDFS);
    expect(text).toBe("No relevant content found.");
    expect(extras.sources).toBeUndefined();
  });

  it("reports a missing file (D2)", async () => {
    const { ask } = documentWorld();
    const { failure } = await ask(txtSearch(), { search_query: "x", txt: "nofile.txt" });
    expect(failure).toMatchObject({ code: "not_found", retryable: false });
    expect(failure?.message).toContain("nofile.txt");
  });

  it("refuses paths outside of the workspace, and empty questions", async () => {
    const { ask, knowledge } = documentWorld();
    const outside = await ask(txtSearch(), { search_query: "x", txt: "../x.txt" });
    expect(outside.failure).toMatchObject({
      code: "refused",
      message: '"../x.txt" is outside the workspace',
    });
    const empty = await ask(txtSearch(), { search_query: " ", txt: "a.txt" }, { "a.txt": "Tea." });
    expect(empty.failure?.code).toBe("bad_request");
    expect(knowledge.embedder.calls).toBe(0);
  });

  it("indexes a file once, whichever run asks: by its content", async () => {
    const { ask, knowledge } = documentWorld();
    const question = { search_query: "How hot is tea?", txt: "tea.txt" };
    await ask(txtSearch(), question, { "tea.txt": "Tea is drunk hot." });
    const documents = () => knowledge.embedder.embedded.filter((text) => text.includes("drunk"));
    expect(documents()).toHaveLength(1);
    await ask(txtSearch(), question, { "tea.txt": "Tea is drunk hot." });
    expect(documents()).toHaveLength(1);
    const { text } = await ask(txtSearch(), question, { "tea.txt": "Tea is drunk hot, or cold." });
    expect(text).toContain("or cold");
    expect(documents()).toHaveLength(2);
  });

  it("DOD2: shares a named collection on purpose", async () => {
    const { ask } = documentWorld();
    const query = "What does the teapot cost?";
    const tool = pdfSearch({ collectionName: "kitchen" });
    await ask(tool, { query, pdf: "docs/prices.pdf" }, PDFS);
    const { text } = await ask(tool, { query, pdf: "docs/rules.pdf" }, PDFS);
    expect(text).toContain("45 euros");
  });

  it("DOD4: takes the embedder's threshold, unless a call or an option sets another", async () => {
    const { ask } = documentWorld();
    const files = { "a.txt": "The teapot with the blue lid costs 45 euros." };
    const input = { search_query: "price of a teapot with lid", txt: "a.txt" };
    const textOf = async (options: object, more: object = {}) =>
      (await ask(txtSearch(options), { ...input, ...more }, files)).text;
    expect(await textOf({})).toContain("45 euros");
    const far = "No relevant content found.";
    const vague = { search_query: "covers of pots in blue colours" };
    expect(await textOf({}, { ...vague, similarity_threshold: 0 })).toContain("45 euros");
    expect(await textOf({}, { ...vague, similarity_threshold: 0.9 })).toBe(far);
    expect(await textOf({ similarityThreshold: 0.9 }, vague)).toBe(far);
  });

  it("gives as many passages as are asked for", async () => {
    const { ask } = documentWorld();
    const rules = Array.from(
      { length: 20 },
      (_, index) => `Tea rule ${index}: ${"x ".repeat(300)}`,
    );
    const files = { "a.txt": rules.join("\n\n") };
    const input = { search_query: "tea rule", txt: "a.txt" };
    const count = async (options: object, more: object = {}) =>
      ((await ask(txtSearch(options), { ...input, ...more }, files)).data as unknown[]).length;
    expect(await count({})).toBe(5);
    expect(await count({ limit: 2 })).toBe(2);
    expect(await count({ limit: 2 }, { limit: 3 })).toBe(3);
  });

  it("takes CrewAI's way to name an embedder", async () => {
    const { ask, knowledge } = documentWorld();
    const own = embedderOf({ model: "flat", embed: (texts) => texts.map(() => [1, 0]) });
    const tool = txtSearch({ config: { embedding_model: own, vectordb: { provider: "qdrant" } } });
    const { text } = await ask(tool, { search_query: "zzz", txt: "a.txt" }, { "a.txt": "Tea." });
    expect(text).toContain("Tea.");
    expect(knowledge.embedder.calls).toBe(0);
  });

  it("searches the file fixed by an option", async () => {
    const tool = pdfSearch({ pdf: "docs/prices.pdf" });
    expect(tool.parameters["properties"]).not.toHaveProperty("pdf");
    const { ask } = documentWorld();
    expect((await ask(tool, { query: "teapot" }, PDFS)).text).toContain("45 euros");
  });

  it("reports a document of another kind", async () => {
    const { ask } = documentWorld();
    const input = { query: "x", pdf: "a.pdf" };
    const { failure } = await ask(pdfSearch(), input, { "a.pdf": "This is a text." });
    expect(failure?.message).toMatch(/no PDF|PDF/);
    expect(failure?.retryable).toBe(false);
  });
});

describe("documents of other kinds", () => {
  const hats = "within 14 days";
  const MDX = `import X from "x"\n\n# Hats\n\nBack ${hats}.\n\n\`\`\`js\nconst hats = "code";\n\`\`\`\n`;
  const XML = `<shop><hat colour='blue'><back>${hats}</back></hat></shop>`;
  it.each([
    {
      make: docxSearch,
      named: { docx: "a.docx" },
      content: docxOf("# Returns", `Hats can be sent back ${hats}.`),
      expected: "[a.docx, Returns]",
    },
    {
      make: csvSearch,
      named: { csv: "a.csv" },
      content: "item,days\nshoes,30\nhats,14\n",
      expected: "item: hats | days: 14",
    },
    {
      make: jsonSearch,
      named: { json_path: "a.json" },
      content: `{"hats":{"back":"${hats}"}}`,
      expected: hats,
    },
    {
      make: xmlSearch,
      named: { xml: "a.xml" },
      content: XML,
      expected: `shop/hat@colour: blue\nshop/hat/back: ${hats}`,
    },
    {
      make: mdxSearch,
      named: { mdx: "a.mdx" },
      content: MDX,
      expected: 'const hats = "code";',
    },
  ])("$make.entry.className", async ({ make, named, content, expected }) => {
    const { ask } = documentWorld();
    const search_query = "hats, or goods, sent back within days";
    const [path = ""] = Object.values(named);
    const input = { search_query, ...named, similarity_threshold: 0 } as never;
    const { text, failure } = await ask(make(), input, { [path]: content });
    expect(failure).toBeUndefined();
    expect(text).toContain(expected);
  });

  it("has the names and arguments of CrewAI's tools", () => {
    const tools = [pdfSearch, docxSearch, txtSearch, csvSearch, jsonSearch, xmlSearch, mdxSearch];
    expect(tools.map(({ entry }) => entry.className)).toEqual([
      "PDFSearchTool",
      "DOCXSearchTool",
      "TXTSearchTool",
      "CSVSearchTool",
      "JSONSearchTool",
      "XMLSearchTool",
      "MDXSearchTool",
    ]);
    expect(tools.map((make) => make().parameters["required"])).toEqual([
      ["query", "pdf"],
      ["search_query", "docx"],
      ["search_query", "txt"],
      ["search_query", "csv"],
      ["search_query", "json_path"],
      ["search_query", "xml"],
      ["search_query", "mdx"],
    ]);
  });
});

describe("a document at an address", () => {
  const address = "https://shop.example/prices.txt";
  const input = { search_query: "What does the teapot cost?", txt: address };

  it("is read through the guard, and cited by its address", async () => {
    const { ask } = documentWorld({ answers: [new Response("The teapot costs 45 euros.")] });
    const { text, extras, requests } = await ask(txtSearch(), input);
    expect(requests).toMatchObject([{ method: "GET", url: address }]);
    expect(text).toContain(`[${address}, line 1]\nThe teapot costs 45 euros.`);
    expect(extras).toMatchObject({ sources: [{ url: address }], untrusted: ["shop.example"] });
  });

  it("is read once within its lifetime", async () => {
    const { ask } = documentWorld({ answers: [new Response("The teapot costs 45 euros.")] });
    expect((await ask(txtSearch(), input)).requests).toHaveLength(1);
    expect((await ask(txtSearch(), input)).requests).toHaveLength(0);
  });

  it("is refused when it leads into a private network, and when it redirects there", async () => {
    const leading = new Response(null, { status: 302, headers: { location: "http://10.0.0.1/" } });
    const { ask } = documentWorld({ answers: [leading] });
    for (const txt of ["http://127.0.0.1/a.txt", "http://169.254.169.254/latest", address]) {
      const { failure } = await ask(txtSearch(), { ...input, txt });
      expect(failure?.code).toBe("refused");
    }
  });

  it("fails as its host does", async () => {
    const failed = async (response: Response) =>
      (await documentWorld({ answers: [response] }).ask(txtSearch(), input)).failure;
    expect(await failed(new Response("", { status: 404 }))).toMatchObject({ code: "not_found" });
    expect((await failed(new Response("", { status: 500 })))?.message).toContain("(500)");
  });
});

describe("a run in a deployment without knowledge", () => {
  it("names the missing part", async () => {
    const files = await workspaceWith({ "a.txt": "Tea is drunk hot." });
    const { failure } = await callOf(
      txtSearch(),
      { search_query: "tea", txt: "a.txt" },
      { services: { files } },
    );
    expect(failure?.message).toMatch(/knowledge: knowledge\(\).*knowledgeService\(\)/);
  });

  it("works with knowledge in this process", async () => {
    const files = await workspaceWith({ "a.txt": "Tea is drunk hot." });
    const knowledge = ownKnowledge({ environment: { variables: {} } });
    const { text } = await callOf(
      txtSearch({ knowledge }),
      { search_query: "How is tea drunk?", txt: "a.txt" },
      { services: { files } },
    );
    expect(text).toContain("[a.txt, line 1]\nTea is drunk hot.");
  });
});

it("loses no text and embeds none twice, wherever the first use is cut off", async () => {
  const rules = Array.from({ length: 8 }, (_, at) => `Rule ${at}: ${"keep it dry ".repeat(110)}`);
  const files = await workspaceWith({ "rules.txt": rules.join("\n\n") });
  const embedded: string[][] = [];
  const { whole, cut } = await cutAfterEveryWrite(() => {
    const subject = documentSubject(
      txtSearch(),
      { search_query: "rule 7", txt: "rules.txt" },
      { files },
    );
    embedded.push(subject.knowledge.embedder.embedded);
    return subject;
  });
  expect(whole.run.output).toMatchObject({ text: expect.stringContaining("Rule 7:") });
  expect(cut.length).toBeGreaterThan(8);
  for (const { course } of cut) expect(course.output).toEqual(whole.course.output);
  const chunks = embedded.map((all) => all.filter((text) => text.includes("keep it dry")).length);
  expect(chunks[0]).toBeGreaterThan(7);
  expect(new Set(chunks)).toEqual(new Set([chunks[0]]));
});
