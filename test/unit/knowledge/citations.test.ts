// What a passage is cited as: the page, row or line that says what was asked for.
import { describe, expect, it } from "vitest";
import { toBase64 } from "../../../src/base/bytes.ts";
import { citedText } from "../../../src/knowledge/cited-text.ts";
import { indexDocument } from "../../../src/knowledge/index-document.ts";
import type { DocumentSource } from "../../../src/knowledge/knowledge-source.ts";
import { TEXT_READERS } from "../../../src/knowledge/readers/text-reader-list.ts";
import { queryKnowledge } from "../../../src/knowledge/query-knowledge.ts";
import { DOCUMENT_READERS } from "../../../src/knowledge/readers/document-readers.ts";
import { docxOf, pdfOf, xlsxOf } from "../../support/documents.ts";
import { inRun, knowledgeService } from "../../support/knowledge-world.ts";

/** What the passage with the answer to each question is cited as, without the name of the document. */
async function cited(
  source: DocumentSource,
  questions: ReadonlyArray<readonly [question: string, answer: string]>,
) {
  const service = knowledgeService({ readers: [...DOCUMENT_READERS, ...TEXT_READERS] });
  const done = await inRun((scope) => indexDocument(scope, service, { collection: "c", source }));
  expect(done).toMatchObject({ state: "ready" });
  const { signal } = new AbortController();
  return Promise.all(
    questions.map(async ([question, answer]) => {
      const query = { collection: "c", queries: [question], limit: 20, scoreThreshold: 0 };
      const { snippets } = await queryKnowledge(service, query, signal);
      const found = snippets.find(({ text }) => text.includes(answer));
      const label = (found === undefined ? "[not found]" : citedText(found)).split("\n")[0] ?? "";
      return label.slice(1, -1).replace(source.name, "").replace(/^, /, "");
    }),
  );
}

const THINGS =
  "anchor,bellows,candle,dynamo,easel,flute,goblet,hammock,inkwell,jigsaw,kettle,lantern";
const things = THINGS.split(",");
const filler = (index: number): string =>
  Array.from(
    { length: 7 },
    (_, line) => `General remark ${index * 7 + line} on the care of things.`,
  ).join("\n");

const base64 = (name: string, bytes: Uint8Array): DocumentSource => ({
  name,
  base64: toBase64(bytes),
});

describe("PL1: a citation", () => {
  it("names the page of a PDF with a fact on each of 12 pages", async () => {
    const pages = things.map(
      (thing, index) => `${filler(index)}\nThe ${thing} costs ${index + 3} dollars.`,
    );
    const places = await cited(
      base64("facts.pdf", pdfOf(...pages)),
      things.map((thing) => [`What does the ${thing} cost?`, `The ${thing} costs`]),
    );
    expect(places).toEqual(things.map((_, index) => `page ${index + 1}`));
  });

  it("names the page when small pages were put together", async () => {
    const pages = things.map((thing, index) => `The ${thing} costs ${index + 3} dollars.`);
    const places = await cited(
      base64("slides.pdf", pdfOf(...pages)),
      things.map((thing) => [`What does the ${thing} cost?`, `The ${thing} costs`]),
    );
    expect(places).toEqual(things.map((_, index) => `page ${index + 1}`));
  });

  it("names the row of a CSV of 500 rows", async () => {
    const rows = Array.from({ length: 500 }, (_, index) => {
      const [one, two] = [things[index % 12], things[Math.floor(index / 12) % 12]];
      return `${one} with ${two} number${index},${index * 7}`;
    });
    const asked = [0, 41, 177, 250, 333, 499];
    const places = await cited(
      { name: "stock.csv", text: ["name,stock", ...rows].join("\n"), type: "csv" },
      asked.map((index) => [
        rows[index]?.split(",")[0] ?? "",
        `name: ${rows[index]?.replace(",", " | stock: ")}`,
      ]),
    );
    expect(places).toEqual(asked.map((index) => `row ${index + 2}`));
  });

  it("PL2: counts blank rows, and rows of several lines once", async () => {
    const text = `name,use\nkettle,"boils\nwater"\n\nlantern,light\n${"\n".repeat(9)}goblet,drink\n`;
    const source = { name: "a.csv", text, type: "csv" };
    expect(
      await cited(source, [
        ["kettle", "kettle"],
        ["lantern", "lantern"],
        ["goblet", "goblet"],
      ]),
    ).toEqual(["row 2", "row 4", "row 14"]);
  });

  it("names the sheet and the row of a workbook, a hidden sheet too", async () => {
    const stock = Array.from({ length: 300 }, (_, index) => [`screw M${index}`, index]);
    const book = xlsxOf(
      {
        Stock: [["item", "count"], ...stock],
        Staff: [
          ["name", "office"],
          ["Ada Lovelace", "attic"],
          ["Grace Hopper", "harbour"],
        ],
        Secret: [["code word"], ["marzipan"]],
      },
      { hidden: ["Secret"] },
    );
    const places = await cited(base64("book.xlsx", book), [
      ["Grace Hopper", "Grace"],
      ["marzipan", "marzipan"],
      ["screw M177", "item: screw M177 | count: 177"],
    ]);
    expect(places).toEqual(["sheet Staff, row 3", "sheet Secret, row 2", "sheet Stock, row 179"]);
  });

  it("names the heading of DOCX, HTML and Markdown", async () => {
    const [one, two] = ["The lease ends in May.", "Pets are welcome."];
    const questions = [
      ["When does the lease end?", one],
      ["Are pets welcome?", two],
    ] as const;
    const expected = ["Term", "Animals"];
    const docx = docxOf("# Term", one, "# Animals", two);
    expect(await cited(base64("a.docx", docx), questions)).toEqual(expected);
    const html = `<h1>Term</h1><p>${one}</p><h1>Animals</h1><p>${two}</p>`;
    expect(await cited({ name: "a.html", text: html, type: "html" }, questions)).toEqual(expected);
    const md = `# Term\n${one}\n\n# Animals\n${two}\n`;
    expect(await cited({ name: "a.md", text: md, type: "markdown" }, questions)).toEqual(expected);
  });

  it("names the line of JSON and YAML", async () => {
    const records = things.map((thing, index) => ({
      name: thing,
      room: { number: index, floor: 2 },
    }));
    const json = JSON.stringify(records, null, 2);
    const yaml = records
      .map(({ name, room }) => `- name: ${name}\n  # stays\n  room:\n    number: ${room.number}\n`)
      .join("");
    const questions = things.map((thing) => [`Where is the ${thing}?`, `name: ${thing}`] as const);
    const lineOf = (text: string, thing: string): number =>
      text.split("\n").findIndex((line) => line.includes(thing)) + 1;
    for (const [name, text] of [
      ["a.json", json],
      ["a.yaml", yaml],
    ] as const)
      expect(await cited({ name, text }, questions)).toEqual(
        things.map((thing) => `line ${lineOf(text, thing)}`),
      );
  });

  it("names the line of a long text with facts spread in it", async () => {
    const lines = Array.from({ length: 600 }, (_, index) =>
      index % 50 === 7
        ? `The ${things[(index - 7) / 50]} hangs in room ${index}.`
        : `Note ${index}: nothing of note was seen in the corridor.`,
    );
    const places = await cited(
      { name: "log.txt", text: lines.join("\r\n") },
      things.map((thing) => [`In which room hangs the ${thing}?`, `The ${thing} hangs`]),
    );
    expect(places).toEqual(things.map((_, index) => `line ${index * 50 + 8}`));
  });

  it("covers all candidates when they match equally", async () => {
    const text = "one apple\ntwo pears\nthree plums\nfour pears\nfive figs";
    expect(
      await cited({ name: "a.txt", text }, [
        ["pears", "pears"],
        ["fruit", "one"],
        ["figs", "figs"],
      ]),
    ).toEqual(["lines 2–4", "lines 1–5", "line 5"]);
  });
});
