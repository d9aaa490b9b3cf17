// Small documents of the kinds that are packed, made byte by byte.
import { strToU8, zipSync } from "fflate";

/** A PDF with a page for each text. */
export function pdfOf(...pages: readonly string[]): Uint8Array {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${pages.map((_, index) => `${4 + index * 2} 0 R`).join(" ")}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((text, index) => {
      const lines = text.split("\n").map((line) => `(${line.replaceAll(/[()\\]/g, "\\$&")}) Tj T*`);
      const stream = text === "" ? "" : `BT /F1 12 Tf 14 TL 72 720 Td ${lines.join(" ")} ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ];
  return pdfOfObjects(objects);
}

/** A PDF of objects, numbered from 1; the first one is its root. Streams may have bytes. */
export function pdfOfObjects(objects: ReadonlyArray<string | Uint8Array>): Uint8Array {
  const parts: Uint8Array[] = [strToU8("%PDF-1.4\n")];
  let length = parts[0]?.length ?? 0;
  const add = (part: string | Uint8Array): void => {
    const bytes = typeof part === "string" ? strToU8(part) : part;
    parts.push(bytes);
    length += bytes.length;
  };
  const offsets = objects.map((object, index) => {
    const offset = length;
    add(`${index + 1} 0 obj\n`);
    add(object);
    add("\nendobj\n");
    return offset;
  });
  const xref = length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`);
  add(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`);
  const file = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    file.set(part, at);
    at += part.length;
  }
  return file;
}

/** An object of a PDF that is a stream. */
export function pdfStream(dictionary: string, data: Uint8Array): Uint8Array {
  const head = strToU8(`<< ${dictionary} /Length ${data.length} >>\nstream\n`);
  const end = strToU8("\nendstream");
  const all = new Uint8Array(head.length + data.length + end.length);
  all.set(head);
  all.set(data, head.length);
  all.set(end, head.length + data.length);
  return all;
}

const RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** A DOCX of paragraphs; those that begin with `# ` are headings. */
export function docxOf(...paragraphs: readonly string[]): Uint8Array {
  const body = paragraphs.map((text) => {
    const isHeading = text.startsWith("# ");
    const style = isHeading ? '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' : "";
    return `<w:p>${style}<w:r><w:t>${text.replace(/^# /, "")}</w:t></w:r></w:p>`;
  });
  return docxOfXml(body.join(""), {
    styles:
      '<w:styles><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>',
  });
}

/** A DOCX with this body, and further parts by the kind of relation. */
export function docxOfXml(
  body: string,
  parts: Readonly<Record<string, string>> = {},
  namespaces = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"',
): Uint8Array {
  const relations = Object.keys(parts).map(
    (kind) => `<Relationship Id="${kind}" Type="${OFFICE}/${kind}" Target="${kind}.xml"/>`,
  );
  return zipOf({
    "[Content_Types].xml": contentTypes(
      "/word/document.xml",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    ),
    "_rels/.rels": `<Relationships xmlns="${RELATIONSHIPS}"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    "word/document.xml": `<w:document ${namespaces}><w:body>${body}</w:body></w:document>`,
    "word/_rels/document.xml.rels": `<Relationships xmlns="${RELATIONSHIPS}">${relations.join("")}</Relationships>`,
    ...Object.fromEntries(Object.entries(parts).map(([kind, xml]) => [`word/${kind}.xml`, xml])),
  });
}

/** An XLSX of one sheet with these rows as XML, and further files. */
export function bookOf(rows: string, files: Readonly<Record<string, string>> = {}): Uint8Array {
  return zipOf({
    "_rels/.rels": `<Relationships xmlns="${RELATIONSHIPS}"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml": `<workbook xmlns:r="${OFFICE}"><sheets><sheet name="S" sheetId="1" r:id="s1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="${RELATIONSHIPS}"><Relationship Id="s1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="s2" Type="${OFFICE}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="s3" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    ...files,
  });
}

/** An XLSX of sheets by name. */
export function xlsxOf(
  sheets: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string | number>>>>,
  { hidden = [] }: { readonly hidden?: readonly string[] } = {},
): Uint8Array {
  const names = Object.keys(sheets);
  const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const files: Record<string, string> = {
    "[Content_Types].xml": contentTypes(
      "/xl/workbook.xml",
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
    ),
    "_rels/.rels": `<Relationships xmlns="${RELATIONSHIPS}"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml": `<workbook xmlns="${main}" xmlns:r="${OFFICE}"><sheets>${names
      .map(
        (name, index) =>
          `<sheet name="${name}" sheetId="${index + 1}"${hidden.includes(name) ? ' state="hidden"' : ""} r:id="s${index + 1}"/>`,
      )
      .join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="${RELATIONSHIPS}">${names
      .map(
        (_, index) =>
          `<Relationship Id="s${index + 1}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
      )
      .join("")}</Relationships>`,
  };
  for (const [index, name] of names.entries()) {
    const rows = (sheets[name] ?? []).map(
      (cells, row) =>
        `<row r="${row + 1}">${cells
          .map((cell, column) => {
            const at = `${String.fromCodePoint(65 + column)}${row + 1}`;
            return typeof cell === "number"
              ? `<c r="${at}"><v>${cell}</v></c>`
              : `<c r="${at}" t="inlineStr"><is><t>${cell}</t></is></c>`;
          })
          .join("")}</row>`,
    );
    files[`xl/worksheets/sheet${index + 1}.xml`] =
      `<worksheet xmlns="${main}"><sheetData>${rows.join("")}</sheetData></worksheet>`;
  }
  return zipOf(files);
}

function contentTypes(part: string, type: string): string {
  const types = "http://schemas.openxmlformats.org/package/2006/content-types";
  return `<Types xmlns="${types}"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="${part}" ContentType="${type}"/></Types>`;
}

export function zipOf(files: Readonly<Record<string, string>>): Uint8Array {
  const head = '<?xml version="1.0" encoding="UTF-8"?>';
  return zipSync(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(head + text)])),
  );
}
