import { describe, expect, it } from "vitest";
import { directorySearch } from "../../../../../src/tools/catalog/documents/directory-search.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { pdfOf } from "../../../../support/documents.ts";
import {
  documentSubject,
  documentWorld,
  workspaceWith,
} from "../../../../support/document-world.ts";

const FILES = {
  "shop/prices.pdf": pdfOf("The teapot with the blue lid costs 45 euros."),
  "shop/rules/dogs.md": "# Kitchen\n\n## Dogs\n\nDogs are not allowed in the kitchen.\n",
  "shop/app.py": "def teapot_price():\n    return 45\n",
  "shop/logo.png": new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0]),
  "shop/.secret/teapot.txt": "teapot of the hidden",
  "shop/node_modules/a/teapot.js": "teapot of others",
  "shopping.txt": "A teapot of the neighbours.",
};

describe("search of a directory", () => {
  it("searches all texts in it, including PDFs, without hidden files and packages", async () => {
    const { ask, knowledge } = documentWorld();
    const input = { search_query: "What does the teapot cost?", directory: "shop/" };
    const { text, extras } = await ask(directorySearch(), input, FILES);
    expect(text).toContain("[shop/prices.pdf, page 1]");
    expect(text).toContain("[shop/app.py, line 1]");
    expect(extras.untrusted).toEqual(["shop/"]);
    const [collection] = await knowledge.store.collections({ limit: 2 });
    const documents = await knowledge.store.documents(collection?.name ?? "", { limit: 99 });
    expect(documents.map((each) => each.name)).toEqual([
      "shop/app.py",
      "shop/prices.pdf",
      "shop/rules/dogs.md",
    ]);
  });

  it("searches the whole workspace, too", async () => {
    const { ask } = documentWorld();
    const input = { search_query: "teapot of the neighbours", directory: "." };
    expect((await ask(directorySearch(), input, FILES)).text).toContain("[shopping.txt, line 1]");
  });

  it("reads a changed file again, and embeds only its text", async () => {
    const { ask, knowledge } = documentWorld();
    const input = { search_query: "Are cats allowed?", directory: "shop" };
    await ask(directorySearch(), input, FILES);
    const before = knowledge.embedder.embedded.length;
    const changed = { ...FILES, "shop/rules/dogs.md": "# Kitchen\n\nCats are allowed." };
    const { text } = await ask(directorySearch(), input, changed);
    expect(text).toContain("Cats are allowed.");
    expect(text).not.toContain("Dogs");
    expect(knowledge.embedder.embedded.length - before).toBe(2); // the new text, the question
    await ask(directorySearch(), input, changed);
    expect(knowledge.embedder.embedded.length - before).toBe(3);
  });

  it("reports an empty folder, and one outside of the workspace", async () => {
    const { ask } = documentWorld();
    const failed = async (directory: string) =>
      (await ask(directorySearch(), { search_query: "x", directory }, FILES)).failure?.code;
    expect(await failed("nothing")).toBe("not_found");
    expect(await failed("../other")).toBe("refused");
    expect(await failed("/etc")).toBe("refused");
  });

  it("loses no text and embeds none twice, wherever its first use is cut off", async () => {
    const files = await workspaceWith(FILES);
    const embedded: string[][] = [];
    const query = "What does the teapot cost?";
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const input = { search_query: query, directory: "shop" };
      const subject = documentSubject(directorySearch(), input, { files });
      embedded.push(subject.knowledge.embedder.embedded);
      return subject;
    });
    for (const { course } of cut) expect(course.output).toEqual(whole.course.output);
    const counts = embedded.map((all) => all.filter((text) => text !== query).length);
    expect(new Set(counts)).toEqual(new Set([counts[0]]));
  });
});
