// Small files that stand for much, and files that are not what they say. Each names the bound that it meets, or that it is read.
import { gzipSync, strToU8, zipSync, zlibSync } from "fflate";
import { bookOf, docxOf, docxOfXml, pdfOfObjects, pdfStream, xlsxOf, zipOf } from "./documents.ts";

export type HostileDocument = {
  readonly name: string;
  readonly reader:
    | "html"
    | "xlsx"
    | "ods"
    | "docx"
    | "pdf"
    | "csv"
    | "json"
    | "jsonl"
    | "yaml"
    | "notebook"
    | "mail"
    | "mailbox"
    | "markdown"
    | "text";
  readonly bytes: () => Uint8Array;
  /** The message that it fails with; absent: it is read, and says little. */
  readonly fails?: RegExp;
};

const ascii = (content: string) => () => strToU8(content);
const entry = (name: string, content: Uint8Array) => () =>
  zipSync({ ...filesOf(name), [name]: content }, { level: 9 });

/** The other files of an XLSX or DOCX of which one file is hostile. */
function filesOf(name: string): Record<string, Uint8Array> {
  const relationships = name.startsWith("word") ? "word/document.xml" : "xl/workbook.xml";
  return {
    "_rels/.rels": strToU8(
      `<Relationships><Relationship Id="r" Type="x/officeDocument" Target="${relationships}"/></Relationships>`,
    ),
    ...(relationships === name
      ? {}
      : {
          "xl/workbook.xml": strToU8(
            '<workbook><sheets><sheet name="S" r:id="s"/></sheets></workbook>',
          ),
          "xl/_rels/workbook.xml.rels": strToU8(
            '<Relationships><Relationship Id="s" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="t" Type="x/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
          ),
        }),
  };
}

/** UTF-16 of a text, little endian, with a byte order mark. */
function utf16(content: string): Uint8Array {
  const bytes = new Uint8Array(2 + content.length * 2);
  bytes.set([0xff, 0xfe]);
  for (let at = 0; at < content.length; at++) {
    bytes[2 + at * 2] = content.charCodeAt(at) % 256;
    bytes[3 + at * 2] = content.charCodeAt(at) >> 8;
  }
  return bytes;
}

/** The sheet's file many times under one name in the workbook. */
function sameSheetManyTimes(): Uint8Array {
  const sheets = Array.from({ length: 5000 }, (_, index) => `<sheet name="S${index}" r:id="s"/>`);
  return zipSync({
    ...filesOf("xl/worksheets/sheet1.xml"),
    "xl/workbook.xml": strToU8(`<workbook><sheets>${sheets.join("")}</sheets></workbook>`),
    "xl/worksheets/sheet1.xml": strToU8(`<worksheet>${" ".repeat(1024 * 1024)}</worksheet>`),
  });
}

/** Says in its directory that an entry unpacks to next to nothing. */
function lyingSize(): Uint8Array {
  const name = "xl/worksheets/sheet1.xml";
  const bytes = entry(name, new Uint8Array(80 * 1024 * 1024).fill(32))();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at + 30 < bytes.length; at++) {
    if (view.getUint32(at, true) === 0x04034b50) view.setUint32(at + 22, 10, true);
    if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, 10, true);
  }
  return bytes;
}

const FLATE = "/Filter /FlateDecode";
const seen = strToU8("BT /F1 12 Tf 72 720 Td (Seen) Tj ET");
const packed = new Map<number, Uint8Array>();
function blanks(length: number): Uint8Array {
  const known = packed.get(length) ?? zlibSync(new Uint8Array(length).fill(32));
  packed.set(length, known);
  return known;
}

/** A PDF of one page with these contents and further objects, from the sixth on. */
function pdf(contents: string, streams: readonly Uint8Array[], { xObjects = "", font = "" } = {}) {
  return pdfOfObjects([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> /XObject << ${xObjects} >> >> /Contents ${contents} >>`,
    `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica ${font} >>`,
    pdfStream("", seen),
    ...streams,
  ]);
}

/** Forms that each paint the next one twice, the last of them a text. */
function formsInForms(count: number, text: string): Uint8Array {
  const forms = Array.from({ length: count }, (_, index) =>
    pdfStream(
      `/Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /Font << /F1 4 0 R >> /XObject << /Fm ${index + 8} 0 R >> >>`,
      strToU8(index === count - 1 ? `BT /F1 12 Tf (${text}) Tj ET` : "/Fm Do /Fm Do"),
    ),
  );
  return pdf("6 0 R", [pdfStream("", strToU8("/Fm Do")), ...forms], { xObjects: "/Fm 7 0 R" });
}

/** Content with these operators within a text. */
function letters(operators: string): Uint8Array {
  return pdfStream(FLATE, zlibSync(strToU8(`BT /F1 12 Tf 1 0 0 1 9 720 Tm ${operators} ET`)));
}

const HEBREW = { font: "/Encoding << /Type /Encoding /Differences [65 /afii57664] >>" };

/** A form with this number of fields on its page, and this number of lines. */
function manyFields(count: number, lines = 0): Uint8Array {
  const fields = Array.from(
    { length: count },
    (_, index) =>
      `<< /Type /Annot /Subtype /Widget /FT /Tx /T (f) /V (v) /Rect [9 ${index % 700} 99 ${(index % 700) + 9}] >>`,
  );
  const first = 6;
  const text = `BT /F1 1 Tf ${Array.from({ length: lines }, (_, index) => `1 0 0 1 9 ${index % 790} Tm (x) Tj `).join("")} ET`;
  return pdfOfObjects([
    `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${fields.map((_, index) => `${first + index} 0 R`).join(" ")}] >> >>`,
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R /Annots [${fields.map((_, index) => `${first + index} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    pdfStream("", strToU8(lines === 0 ? "BT /F1 12 Tf 72 720 Td (Seen) Tj ET" : text)),
    ...fields,
  ]);
}

const PACKS_TOO_MUCH =
  /PDF unpacks to more than 33554432 bytes for one stream or 134217728 for all/;
const IN_DISGUISE = /repeated or unusual compression/;

const HOSTILE_PDFS: readonly HostileDocument[] = (
  [
    [
      "with a stream of 40 MB of blanks",
      () => pdf("6 0 R", [pdfStream(FLATE, blanks(40_000_000))]),
      PACKS_TOO_MUCH,
    ],
    [
      "with five streams of 30 MB of blanks",
      () =>
        pdf(
          "6 0 R",
          Array.from({ length: 5 }, () => pdfStream(FLATE, blanks(30_000_000))),
        ),
      PACKS_TOO_MUCH,
    ],
    [
      "whose page is one stream of 5 MB a hundred times",
      () => pdf(`[${"6 0 R ".repeat(100)}]`, [pdfStream(FLATE, blanks(5_000_000))]),
      PACKS_TOO_MUCH,
    ],
    [
      "with a picture of 40 MB beside its text",
      () => pdf("5 0 R", [pdfStream(`/Subtype /Image ${FLATE}`, blanks(40_000_000))]),
      undefined,
    ],
    [
      "whose page is what it calls a picture",
      () => pdf("[5 0 R 6 0 R]", [pdfStream(`/Subtype /Image ${FLATE}`, blanks(40_000_000))]),
      undefined,
    ],
    [
      "with a stream that is packed twice",
      () => pdf("6 0 R", [pdfStream("/Filter [/FlateDecode /Fl]", zlibSync(blanks(30_000_000)))]),
      IN_DISGUISE,
    ],
    [
      "with a stream of 40 MB in hex digits",
      () =>
        pdf("6 0 R", [
          pdfStream(
            "/Filter [/AHx /Fl]",
            strToU8(`${Buffer.from(blanks(40_000_000)).toString("hex")}>`),
          ),
        ]),
      PACKS_TOO_MUCH,
    ],
    [
      "with runs of one letter",
      () =>
        pdf("6 0 R", [
          pdfStream(
            "/Filter /RunLengthDecode",
            new Uint8Array(600_000).map((_, at) => (at % 2 === 0 ? 129 : 32)),
          ),
        ]),
      PACKS_TOO_MUCH,
    ],
    [
      "whose filter is named by codes",
      () => pdf("6 0 R", [pdfStream("/#46ilter /FlateDecode", blanks(40_000_000))]),
      IN_DISGUISE,
    ],
    [
      "whose filter is in another object",
      () => pdf("6 0 R", [pdfStream("/Filter 7 0 R", blanks(40_000_000)), strToU8("/FlateDecode")]),
      IN_DISGUISE,
    ],
    [
      "whose filter stands before a text that looks like an object",
      () => pdf("6 0 R", [pdfStream(`${FLATE} /X (1 0 obj)`, blanks(40_000_000))]),
      IN_DISGUISE,
    ],
    [
      "with a comment between a dictionary and its stream",
      () => {
        const object = pdfStream(FLATE, blanks(40_000_000));
        const text = strToU8("<< /Filter /FlateDecode >> % >> not\nstream\n");
        return pdf("6 0 R", [
          Uint8Array.from([...text, ...object.subarray(object.indexOf(0x78, 40))]),
        ]);
      },
      PACKS_TOO_MUCH,
    ],
    [
      "with a stream within a stream of objects",
      () =>
        pdf("6 0 R", [
          pdfStream(
            `/Type /ObjStm /N 1 /First 4 ${FLATE}`,
            zlibSync(strToU8("9 0 << /Filter /FlateDecode >> stream\nx")),
          ),
        ]),
      IN_DISGUISE,
    ],
    [
      "of forms in forms, a billion texts",
      () => formsInForms(30, "billion"),
      /painted of more than 50000 pieces/,
    ],
    [
      "of forms in forms that say nothing",
      () => formsInForms(30, ""),
      /painted of more than 50000 pieces/,
    ],
    ["of forms in forms, a few", () => formsInForms(5, "few"), undefined],
    [
      "of objects that never end",
      () => strToU8(`%PDF-1.4 /Form ${"1 0 obj ".repeat(500_000)}`),
      IN_DISGUISE,
    ],
    [
      "of streams that never end",
      () => strToU8(`%PDF-1.4 /Form ${"1 0 obj <<>>\nstream\n".repeat(200_000)}`),
      IN_DISGUISE,
    ],
    ["with a form of 150,000 fields", () => manyFields(150_000), undefined],
    ["with 19,000 fields beside 10,000 lines", () => manyFields(19_000, 10_000), undefined],
    [
      "of one line with 200,000 right-to-left words",
      () =>
        pdf("6 0 R", [letters("1 0 0 1 9 720 Tm (A) Tj 3 0 Td (a) Tj ".repeat(100_000))], HEBREW),
      undefined,
    ],
    [
      "of one line with 100,000 cells, twice",
      () => {
        const line = "(x) Tj 40 0 Td ".repeat(100_000);
        return pdf("6 0 R", [letters(`${line} 1 0 0 1 9 700 Tm ${line}`)]);
      },
      undefined,
    ],
    [
      "of one word of three million letters, in lines of 100,000",
      () => pdf("6 0 R", [letters(`(${"a".repeat(100_000)}) Tj 0 -12 Td `.repeat(30))]),
      undefined,
    ],
    [
      "of 100,000 marks in one another",
      () => pdf("6 0 R", [letters("/Span<</ActualText(x)>>BDC (y) Tj ".repeat(100_000))]),
      undefined,
    ],
    [
      "of marks with open strings and brackets",
      () =>
        pdf("6 0 R", [letters(`/Span<</ActualText(x)>>BDC (y) Tj EMC ${"((<<[".repeat(500_000)}`)]),
      undefined,
    ],
    [
      "of one page many times",
      () =>
        pdfOfObjects([
          "<< /Type /Catalog /Pages 2 0 R >>",
          `<< /Type /Pages /Kids [${"3 0 R ".repeat(10_001)}] /Count 10001 >>`,
          "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>",
        ]),
      /more than 10000 pages/,
    ],
    [
      "that is encrypted",
      () => strToU8("%PDF-1.4\ntrailer << /#45ncrypt 9 0 R >>"),
      /is encrypted, if only against changes/,
    ],
    [
      "that packs a gzip",
      () => pdf("6 0 R", [pdfStream(FLATE, gzipSync(new Uint8Array(30_000_000)))]),
      /has no text/,
    ],
  ] as const
).map(([name, bytes, fails]) => ({
  name: `a PDF ${name}`,
  reader: "pdf",
  bytes,
  ...(fails === undefined ? undefined : { fails }),
}));

export const HOSTILE_DOCUMENTS: readonly HostileDocument[] = [
  ...HOSTILE_PDFS,
  {
    name: "a workbook with its first and its last cell",
    reader: "xlsx",
    bytes: () =>
      bookOf(
        '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>',
      ),
  },
  {
    name: "a workbook of rows that all have a last cell",
    reader: "xlsx",
    bytes: () => bookOf('<row><c r="XFD1"><v>1</v></c></row>'.repeat(80_000)),
  },
  {
    name: "a workbook of a million empty cells",
    reader: "xlsx",
    bytes: () => bookOf(`<row>${'<c s="1"/>'.repeat(1000)}</row>`.repeat(1000)),
  },
  {
    name: "a workbook of rows far apart",
    reader: "xlsx",
    bytes: () =>
      bookOf(
        Array.from(
          { length: 210_000 },
          (_, index) => `<row r="${index * 5 + 1}"><c><v>1</v></c></row>`,
        ).join(""),
      ),
    fails: /more than 200000 pages, or rows with gaps/,
  },
  {
    name: "a workbook with texts in common that are huge",
    reader: "xlsx",
    bytes: entry(
      "xl/sharedStrings.xml",
      strToU8(`<sst>${`<si><t>${"a".repeat(1024 * 1024)}</t></si>`.repeat(20)}</sst>`),
    ),
    fails: /more than 1000000 texts or 16000000 characters in its cells/,
  },
  {
    name: "a workbook of many tiny sheets",
    reader: "xlsx",
    bytes: () =>
      xlsxOf(Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`S${index}`, [[1]]]))),
  },
  {
    name: "a workbook that names one sheet 5,000 times",
    reader: "xlsx",
    bytes: sameSheetManyTimes,
    fails: /unpacks to more than 67108864 bytes/,
  },
  {
    name: "a workbook that lies about its size",
    reader: "xlsx",
    bytes: lyingSize,
    fails: /unpacks to more than 67108864 bytes/,
  },
  {
    name: "a workbook of entities that stand for each other",
    reader: "xlsx",
    bytes: () =>
      bookOf('<row><c t="str"><v>&lol9;&#x41;</v></c></row>', {
        "xl/sharedStrings.xml": `<!DOCTYPE x [<!ENTITY lol "lol">${Array.from({ length: 9 }, (_, index) => `<!ENTITY lol${index + 1} "${`&lol${index};`.repeat(10)}">`).join("")}]><sst><si><t>&lol9;</t></si></sst>`,
      }),
  },
  {
    name: "a ZIP in ZIPs in a document",
    reader: "docx",
    bytes: () => {
      let inner = docxOf("# Found");
      for (let depth = 0; depth < 50; depth++) inner = zipSync({ "inner.zip": inner });
      return zipSync({
        "word/media.zip": inner,
        ...filesOf("word/document.xml"),
        "word/document.xml": strToU8(
          "<document><body><p><r><t>Short</t></r></p></body></document>",
        ),
      });
    },
  },
  {
    name: "a ZIP of more files than any document has",
    reader: "docx",
    bytes: () =>
      zipSync(
        Object.fromEntries(
          Array.from({ length: 10_001 }, (_, index) => [`${index}`, new Uint8Array(0)]),
        ),
        { level: 0 },
      ),
    fails: /more than 67108864 bytes or 10000 files/,
  },
  {
    name: "a document of 70 MB of blanks",
    reader: "docx",
    bytes: entry("word/document.xml", new Uint8Array(70 * 1024 * 1024).fill(32)),
    fails: /unpacks to more than 67108864 bytes/,
  },
  {
    name: "a document with tables 2,000 deep in one another",
    reader: "docx",
    bytes: () => docxOfXml("<w:tbl><w:tr><w:tc>".repeat(2000)),
    fails: /nested more than 1000 deep/,
  },
  {
    name: "a document of a million empty runs",
    reader: "docx",
    bytes: () => docxOfXml(`<w:p>${"<w:r/>".repeat(1_000_000)}</w:p>`),
  },
  {
    name: "a document of readings",
    reader: "docx",
    bytes: () =>
      docxOfXml(
        `<w:p>${"<w:ruby><w:rt><w:r><w:t>b</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>a</w:t></w:r></w:rubyBase></w:ruby>".repeat(300_000)}</w:p>`,
      ),
  },
  {
    name: "a document of one unclosed reading of 40 MB",
    reader: "docx",
    bytes: () => docxOfXml(`<w:p><w:r><w:ruby><w:rt><w:r><w:t>${"b".repeat(40_000_000)}`),
  },
  {
    name: "a document of items whose number is 1 MB long",
    reader: "docx",
    bytes: () =>
      docxOfXml(
        '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>'.repeat(
          20_000,
        ),
        {
          numbering: `<w:numbering><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:lvlText w:val="${" %1".repeat(300_000)}"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num></w:numbering>`,
        },
      ),
  },
  {
    name: "a document of cells over 100,000 rows and columns",
    reader: "docx",
    bytes: () =>
      docxOfXml(
        `<w:tbl>${'<w:tr><w:tc><w:tcPr><w:gridSpan w:val="99999"/><w:vMerge/></w:tcPr><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr>'.repeat(100_000)}</w:tbl>`,
      ),
    fails: /more than 4000000 characters of text/,
  },
  {
    name: "a document of hidden texts",
    reader: "docx",
    bytes: () =>
      docxOfXml(
        `<w:p>${"<w:r><w:rPr><w:vanish/></w:rPr><w:t>x</w:t></w:r>".repeat(300_000)}</w:p>`,
      ),
  },
  {
    name: "a document whose styles are based on each other",
    reader: "docx",
    bytes: () =>
      docxOfXml('<w:p><w:pPr><w:pStyle w:val="a"/></w:pPr><w:r><w:t>Short</w:t></w:r></w:p>', {
        styles:
          '<w:styles><w:style w:styleId="a"><w:basedOn w:val="b"/></w:style><w:style w:styleId="b"><w:basedOn w:val="a"/></w:style></w:styles>',
      }),
  },
  {
    name: "a page with a cell over a billion columns",
    reader: "html",
    bytes: ascii('<table><tr><td colspan="1000000000" rowspan="1000000">x</td></tr></table>'),
  },
  {
    name: "a page with cells over 100,000 rows and columns",
    reader: "html",
    bytes: ascii(
      `<table>${'<tr><td colspan="100000" rowspan="100000">x</td></tr>'.repeat(10)}</table>`,
    ),
  },
  {
    name: "a page with 1,000 cells over a million rows",
    reader: "html",
    bytes: ascii(
      `<table><tr>${'<td rowspan="65534">x'.repeat(1_000)}${"<tr><td>y".repeat(1_000_000)}</table>`,
    ),
    fails: /more than 4000000 characters of text/,
  },
  {
    name: "a page with 1,000 cells over a million rows without cells",
    reader: "html",
    bytes: ascii(
      `<table><tr>${'<td rowspan="65534">x'.repeat(1_000)}${"<tr>".repeat(2_000_000)}</table>`,
    ),
  },
  {
    name: "a page of tables with spans in one another",
    reader: "html",
    bytes: ascii('<table><tr><td rowspan="65534" colspan="1000">x'.repeat(20_000)),
    fails: /more than 4000000 characters of text/,
  },
  {
    name: "a page of unclosed readings",
    reader: "html",
    bytes: ascii("<ruby>a<rt>b".repeat(800_000)),
  },
  {
    name: "a page of readings",
    reader: "html",
    bytes: ascii("<ruby>a<rt>b</ruby>".repeat(500_000)),
  },
  {
    name: "a page of formulas in one another",
    reader: "html",
    bytes: ascii(`<math>${"<msup><mi>x</mi>".repeat(400_000)}`),
  },
  {
    name: "a page of hidden elements",
    reader: "html",
    bytes: ascii("<p hidden>x</p>".repeat(600_000)),
  },
  {
    name: "a page with elements 200,000 deep",
    reader: "html",
    bytes: ascii(`${"<div>".repeat(200_000)}x`),
  },
  {
    name: "a page that closes what was never opened, deep down",
    reader: "html",
    bytes: ascii(`${"<b>".repeat(999)}${"</i>".repeat(500_000)}`),
  },
  {
    name: "a page with an element of a million attributes",
    reader: "html",
    bytes: ascii(`<p ${Array.from({ length: 1_000_000 }, (_, index) => `a${index}`).join(" ")}>x`),
  },
  {
    name: "a page with an attribute of 10 MB",
    reader: "html",
    bytes: ascii(`<p title="${"a".repeat(10_000_000)}">x</p>`),
  },
  {
    name: "a page of entities alone",
    reader: "html",
    bytes: ascii("&CounterClockwiseContourIntegral;".repeat(300_000)),
  },
  {
    name: "a page of unclosed comments",
    reader: "html",
    bytes: ascii("<!--".repeat(2_000_000)),
  },
  {
    name: "a page of half tags",
    reader: "html",
    bytes: ascii("<".repeat(5_000_000)),
    fails: /more than 4000000 characters of text/,
  },
  {
    name: "a page of list items in lists without end",
    reader: "html",
    bytes: ascii("<ul><li>".repeat(450)),
  },
  {
    name: "a page of a million rows",
    reader: "html",
    bytes: ascii(`<table>${"<tr><td>".repeat(1_000_000)}</table>`),
  },
  {
    name: "a table of one row of 20 MB",
    reader: "csv",
    bytes: ascii("a".repeat(20_000_000)),
    fails: /more than 4000000 characters of text/,
  },
  {
    name: "a table of one row of ten million cells",
    reader: "csv",
    bytes: ascii(",".repeat(10_000_000)),
    fails: /row of the CSV has more than 100000 cells/,
  },
  {
    name: "a table of long names in each row",
    reader: "csv",
    bytes: ascii(`${"n".repeat(100)},b\n${"1,2\n".repeat(100_000)}`),
  },
  {
    name: "a workbook with cells merged over everything, many times",
    reader: "xlsx",
    bytes: () =>
      bookOf(
        `${'<row><c r="A1"><v>1</v></c></row>'.repeat(50_000)}</sheetData><mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(50_000)}</mergeCells><sheetData>`,
      ),
  },
  {
    name: "a workbook of a row of a million cells",
    reader: "xlsx",
    bytes: () => bookOf(`<row>${"<c><v>1</v></c>".repeat(1_000_000)}</row>`),
    fails: /row of the XLSX has more than 16384 cells/,
  },
  {
    name: "a workbook with a format of 1 MB",
    reader: "xlsx",
    bytes: () =>
      bookOf('<row><c s="0"><v>1.5</v></c></row>', {
        "xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="${"[h]:0.#E+".repeat(120_000)}"/></numFmts><cellXfs><xf numFmtId="170"/></cellXfs></styleSheet>`,
      }),
  },
  {
    name: "a spreadsheet of a row a million times, with a cell a million times",
    reader: "ods",
    bytes: () =>
      zipOf({
        "content.xml":
          '<document><table name="S"><table-row number-rows-repeated="1000000"><table-cell number-columns-repeated="1000000"><p>bomb</p></table-cell></table-row></table></document>',
      }),
    fails: /more than 4000000 characters of text/,
  },
  {
    name: "YAML of aliases that stand for each other",
    reader: "yaml",
    bytes: ascii(
      `a0: &a0 [${"x,".repeat(9)}x]\n${Array.from({ length: 9 }, (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index},`.repeat(9)}*a${index}]\n`).join("")}`,
    ),
    fails: /aliases must not add more than 1000000 characters/,
  },
  {
    name: "YAML of lists 100,000 deep",
    reader: "yaml",
    bytes: ascii("[".repeat(100_000)),
    fails: /nested more than|YAML/,
  },
  {
    name: "a notebook of a million cells",
    reader: "notebook",
    bytes: ascii(`{"cells":[${"{},".repeat(1_000_000)}{}]}`),
    fails: /more than 1000000 values/,
  },
  {
    name: "JSON Lines of half objects",
    reader: "jsonl",
    bytes: ascii('{"a":\n'.repeat(300_000)),
    fails: /got no line of JSON/,
  },
  {
    name: "a mail of 10,000 parts",
    reader: "mail",
    bytes: ascii(
      `Subject: many\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n\r\nx\r\n".repeat(10_000)}--b--\r\n`,
    ),
  },
  {
    name: "a mail of parts 1,000 deep in one another",
    reader: "mail",
    bytes: ascii(
      `${Array.from({ length: 1000 }, (_, index) => `Content-Type: multipart/mixed; boundary=b${index}\r\n\r\n--b${index}\r\n`).join("")}\r\nx`,
    ),
  },
  {
    name: "a mail with a header of 10 MB",
    reader: "mail",
    bytes: ascii(`Subject: ${"=?utf-8?q?a?= ".repeat(700_000)}\r\n\r\nx`),
  },
  {
    name: "a mail with a parameter of quotes",
    reader: "mail",
    bytes: ascii(`Content-Type: text/plain; a="${'"'.repeat(1_000_000)}\r\n\r\nx`),
  },
  {
    name: "a mailbox of 20,000 mails",
    reader: "mailbox",
    bytes: ascii("From a\nSubject: x\n\ny\n\n".repeat(20_000)),
    fails: /more than 10000 mails/,
  },
  {
    name: "a table with a quote that is never closed",
    reader: "csv",
    bytes: ascii(`a,"${'b""'.repeat(1_000_000)}`),
  },
  {
    name: "a table of quotes",
    reader: "csv",
    bytes: ascii('"'.repeat(10_000_000)),
    fails: /more than 4000000 characters of text/,
  },
  {
    name: "a table of rows far apart",
    reader: "csv",
    bytes: ascii("a\n\n\n\n\n".repeat(300_000)),
    fails: /more than 200000 pages, or rows with gaps/,
  },
  {
    name: "a list in lists, 150,000 deep",
    reader: "json",
    bytes: ascii("[".repeat(150_000)),
    fails: /nested more than 200 deep/,
  },
  {
    name: "an object of a million keys",
    reader: "json",
    bytes: ascii(`{${Array.from({ length: 1_000_001 }, (_, index) => `"k${index}":1`).join(",")}}`),
    fails: /more than 1000000 values/,
  },
  {
    name: "six million empty objects",
    reader: "json",
    bytes: ascii(`[${"{},".repeat(6_000_000)}0]`),
    fails: /more than 1000000 values/,
  },
  {
    name: "a text of 19 MB",
    reader: "json",
    bytes: ascii(`"${"a".repeat(19_000_000)}"`),
    fails: /more than 4000000 characters of text/,
  },
  {
    name: "a text that is never closed",
    reader: "json",
    bytes: ascii(`"${"\\\\".repeat(5_000_000)}`),
    fails: /must be JSON/,
  },
  {
    name: "Markdown with 100,000 quotes in one another",
    reader: "markdown",
    bytes: ascii(`${"> ".repeat(100_000)}x`),
  },
  {
    name: "Markdown of lists in lists",
    reader: "markdown",
    bytes: ascii(Array.from({ length: 2000 }, (_, depth) => `${" ".repeat(depth)}- x`).join("\n")),
  },
  {
    name: "Markdown of headings alone",
    reader: "markdown",
    bytes: ascii("#\n".repeat(1_000_000)),
  },
  {
    name: "Markdown with a heading of a million signs",
    reader: "markdown",
    bytes: ascii(`# ${"# ".repeat(1_000_000)}x`),
  },
  {
    name: "a text of line breaks",
    reader: "text",
    bytes: ascii("\n".repeat(4_000_000)),
  },
  {
    name: "a text of halves of letters in UTF-16",
    reader: "text",
    bytes: () => utf16("\ud800\udc00".slice(0, 1).repeat(1000)),
    fails: /UTF-8/,
  },
  {
    name: "a text in UTF-16 that ends within a letter",
    reader: "text",
    bytes: () => utf16("short").slice(0, -1),
    fails: /UTF-8/,
  },
  {
    name: "a text that is packed",
    reader: "text",
    bytes: () => gzipSync(new Uint8Array(30_000_000)),
    fails: /UTF-8/,
  },
];
