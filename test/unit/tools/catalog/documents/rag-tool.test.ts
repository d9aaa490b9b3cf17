import { describe, expect, it } from "vitest";
import { ragTool } from "../../../../../src/tools/catalog/documents/rag-tool.ts";
import { pdfOf } from "../../../../support/documents.ts";
import { documentWorld } from "../../../../support/document-world.ts";
import type { SeenRequest } from "../../../../support/tool-world.ts";

const FILES = {
  "docs/prices.pdf": pdfOf("The teapot with the blue lid costs 45 euros."),
  "docs/rules.md": "# Kitchen\n\n## Dogs\n\nDogs are not allowed in the kitchen.\n",
  "docs/stock.csv": "item,pieces\nteapot,4\n",
  README: "The shop opens at nine.",
};

function web({ path }: SeenRequest): Response {
  if (path === "/docs/returns.html")
    return new Response("<html><body><h1>Returns</h1><p>Within 30 days.</p></body></html>", {
      headers: { "content-type": "text/html" },
    });
  if (path === "/repos/acme/teapot")
    return Response.json({
      full_name: "acme/teapot",
      description: "Boils",
      default_branch: "main",
    });
  return Response.json({ message: "Not Found" }, { status: 404 });
}

describe("RagTool", () => {
  it("finds out the type of every source by itself", async () => {
    const { ask } = documentWorld({ answers: web });
    const tool = ragTool({
      sources: [
        "docs/prices.pdf",
        "docs/rules.md",
        "docs/stock.csv",
        "README",
        "https://shop.example/docs/returns.html",
        "The chef is called Ada.",
      ],
    });
    const textOf = async (query: string) => (await ask(tool, { query }, FILES)).text;
    expect(await textOf("What does the teapot cost?")).toContain("[docs/prices.pdf, page 1]");
    expect(await textOf("Are dogs allowed?")).toContain("[docs/rules.md, Kitchen > Dogs]");
    expect(await textOf("pieces of teapots")).toContain("item: teapot | pieces: 4");
    expect(await textOf("When does the shop open?")).toContain("[README, line 1]");
    expect(await textOf("Within how many days can I return?")).toContain(
      "[https://shop.example/docs/returns.html, Returns]",
    );
    expect(await textOf("Who is the chef?")).toContain("The chef is called Ada.");
  });

  it("takes sources one by one, with CrewAI's names of types", async () => {
    const { ask } = documentWorld();
    const tool = ragTool();
    expect((await ask(tool, { query: "x" })).failure).toMatchObject({ code: "bad_request" });
    tool.add("README", { dataType: "text_file" });
    tool.add("docs/rules.md");
    const { text, data } = await ask(tool, { query: "When does the shop open?" }, FILES);
    expect(text).toContain("opens at nine");
    expect((data as { document: string }[])[0]?.document).toBe("README");
  });

  it("reads options as definitions write them", async () => {
    const { tool, warnings } = ragTool.entry.make({
      sources: [{ source: "docs/rules.md", data_type: "mdx" }],
      collection_name: "kitchen",
      similarity_threshold: 0.1,
      limit: 1,
      summarize: true,
    });
    expect(warnings).toEqual([]);
    const { ask, knowledge } = documentWorld();
    const { text } = await ask(tool as never, { query: "Are dogs allowed?" }, FILES);
    expect(text).toContain("Dogs are not allowed");
    expect(await knowledge.store.collections({ limit: 9 })).toMatchObject([{ name: "kitchen" }]);
    expect(() => ragTool.entry.make({ sources: [{ source: "x", data_type: "mysql" }] })).toThrow(
      /RagTool.sources/,
    );
  });

  it("searches a collection filled by others", async () => {
    const { ask } = documentWorld();
    const name = { collectionName: "kitchen" };
    await ask(ragTool({ ...name, sources: ["docs/rules.md"] }), { query: "x" }, FILES);
    const { text } = await ask(ragTool(name), { query: "Are dogs allowed?" });
    expect(text).toContain("[docs/rules.md, Kitchen > Dogs]");
  });

  it("DOD3: a missing source does not affect the others", async () => {
    const { ask } = documentWorld({ answers: web });
    const both = ragTool({ sources: ["https://github.com/acme/teapot", "README", "gone.txt"] });
    const { text, failure: none } = await ask(both, { query: "What does acme/teapot do?" }, FILES);
    expect(none).toBeUndefined();
    expect(text).toContain("Description: Boils");
    expect(text).toContain('[not read: gone.txt: There is no file "gone.txt" in the workspace.]');
    const { failure } = await ask(ragTool({ sources: ["gone.txt"] }), { query: "x" });
    expect(failure).toMatchObject({ code: "not_found" });
    const outside = await ask(ragTool({ sources: ["../secret.txt"] }), { query: "x" });
    expect(outside.failure).toMatchObject({ code: "refused" });
  });

  it("puts passages of several collections in one order", async () => {
    const { ask } = documentWorld();
    const tool = ragTool({
      sources: ["Tea is drunk hot.", "Green tea is drunk hot, at seventy degrees.", "Dogs bark."],
      limit: 2,
    });
    const { data } = await ask(tool, { query: "How hot is green tea drunk, in degrees?" });
    expect((data as { text: string }[]).map(({ text }) => text)).toEqual([
      "Green tea is drunk hot, at seventy degrees.",
      "Tea is drunk hot.",
    ]);
  });
});
