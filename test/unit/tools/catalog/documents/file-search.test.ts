import { describe, expect, it } from "vitest";
import { pdfSearch } from "../../../../../src/tools/catalog/documents/pdf-search.ts";
import { txtSearch } from "../../../../../src/tools/catalog/documents/txt-search.ts";
import { docxOf, pdfOf } from "../../../../support/documents.ts";
import { documentWorld } from "../../../../support/document-world.ts";

const PRICES = pdfOf("The kettle costs 29 euros.", "The teapot with the blue lid costs 45 euros.");
const RULES = pdfOf("Dogs are not allowed in the kitchen.");

it("D", async () => {
  const { ask } = documentWorld();
  const r = await ask(
    pdfSearch(),
    { query: "What does the teapot cost?", pdf: "docs/prices.pdf" },
    { "docs/prices.pdf": PRICES },
  );
  console.log(r.text, r.failure, r.extras, JSON.stringify(r.data));
  console.log(
    JSON.stringify(pdfSearch().parameters).length,
    pdfSearch().description,
    pdfSearch().name,
  );
  const t = await ask(txtSearch(), { search_query: "x", txt: "nofile.txt" }, {});
  console.log(t.failure);
  const u = await ask(txtSearch(), { search_query: "x", txt: "../nofile.txt" }, {});
  console.log(u.failure);
});
