// The libraries that read documents work in workerd.
import { expect, it } from "vitest";
import type { DocumentReader } from "../../src/knowledge/document-text.ts";
import { docxReader } from "../../src/knowledge/readers/docx-reader.ts";
import { htmlReader } from "../../src/knowledge/readers/html-reader.ts";
import { pdfReader } from "../../src/knowledge/readers/pdf-reader.ts";
import { jsonReader } from "../../src/knowledge/readers/json-reader.ts";
import { mailReader } from "../../src/knowledge/readers/mail-reader.ts";
import { odsReader } from "../../src/knowledge/readers/ods-reader.ts";
import { yamlReader } from "../../src/knowledge/readers/yaml-reader.ts";
import { csvReader } from "../../src/knowledge/readers/csv-reader.ts";
import { xlsxReader } from "../../src/knowledge/readers/xlsx-reader.ts";
import { docxOf, pdfOf, xlsxOf, zipOf } from "../support/documents.ts";

const ODS =
  '<document><table name="S"><table-row><table-cell><p>green</p></table-cell></table-row></table></document>';
const base64 = (text: string) => Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
const bytes = (text: string) => new TextEncoder().encode(text);

it.each<[DocumentReader, Uint8Array, string]>([
  [pdfReader, pdfOf("One page", "Another"), "One page\nAnother\n"],
  [docxReader, docxOf("# Terms", "Pay."), "# Terms\n\nPay."],
  [xlsxReader, xlsxOf({ Tea: [["green", 3]] }), "green | 3\n"],
  [htmlReader, bytes("<h1>A</h1><p>b</p>"), "# A\n\nb"],
  [csvReader, bytes("a,b\n"), "a | b\n"],
  [
    csvReader,
    base64("QXJ0aWtlbDtQcmVpcwpL/GNoZTs1Cg=="),
    "Artikel | Preis\nArtikel: Küche | Preis: 5\n",
  ],
  [
    csvReader,
    base64("j6SVaSyJv4ppCoLigqmC8SwyNTCJfgo="),
    "商品 | 価格\n商品: やかん | 価格: 250円\n",
  ],
  [csvReader, base64("yczGtyy827jxCsuuuvgsMjUwCg=="), "商品 | 价格\n商品: 水壶 | 价格: 250\n"],
  [
    csvReader,
    base64("wMy4pyy1tb3DCrHow7a89iy8rb/vCg=="),
    "이름 | 도시\n이름: 김철수 | 도시: 서울\n",
  ],
  [jsonReader, bytes('{"id":12345678901234567890}'), "id: 12345678901234567890\n"],
  [yamlReader, bytes("zip: 007\n"), "zip: 007\n"],
  [mailReader, bytes("Subject: Hi\nContent-Type: text/html\n\n<p>there"), "# Hi\n\nthere"],
  [odsReader, zipOf({ "content.xml": ODS }), "green\n"],
])("$name", async (reader, content, text) => {
  expect((await reader.read(content, { maxCharacters: 1000 })).text).toBe(text);
});
