import type { PDFDocumentProxy, PDFPageProxy } from "unpdf/pdfjs";
import { EngineError, errorMessage } from "../../base/error.ts";
import { systemClock } from "../../base/system.ts";
import type { DocumentReader } from "../document-text.ts";
import { DOCUMENT_FORMATS } from "./document-formats.ts";
import { TextBuilder } from "../text-builder.ts";
import { PdfContent } from "./pdf-content.ts";
import { fieldValues, type Annotation, type FieldValue } from "./pdf-fields.ts";
import { mayHaveActualText, pageItems, type RawItem } from "./pdf-items.ts";
import { pageLines } from "./pdf-lines.ts";
import { addPages, type PdfPage } from "./pdf-pages.ts";
import { boundedPdf, type BoundedPdf } from "./pdf-streams.ts";
import { ReadingWork } from "./reading-work.ts";

const MAX_PAGES = 10_000;
/** Time limit for all pages together. The cost of a page is unknown before it is read. */
const MAX_READING_MS = 60_000;
const WORK_PER_PAGE = 25_000;
const WORK_PER_ITEM = 100;
/** Maximum number of fields, comments and links of a form. The library reads those of a page at once. */
const MAX_AREAS = 20_000;
/** Marks of content are read, and letters are normalised, by the reader. */
const TEXT_OPTIONS = { includeMarkedContent: true, disableNormalization: true };

type Piece = { readonly items: readonly RawItem[] };

/** The text layer of PDF documents, page by page. Scans have no text layer: a document without any text is refused. */
export const pdfReader: DocumentReader = {
  ...DOCUMENT_FORMATS.pdf,
  read: async (bytes, limits) => {
    const work = new ReadingWork("PDF");
    const bounded = await boundedPdf(bytes, work);
    const { getDocumentProxy } = await import("unpdf");
    const document = await getDocumentProxy(bounded.bytes, { verbosity: 0 }).catch(unreadable);
    try {
      const builder = new TextBuilder(limits);
      if (document.numPages > MAX_PAGES)
        throw new EngineError(
          "limit_exceeded",
          `the PDF has more than ${MAX_PAGES} pages, which is all that is read: split it up`,
        );
      addPages(await pagesOf(document, { bytes, bounded, builder, work }), builder);
      builder.lose("picture", { count: bounded.pictures, place: {} });
      builder.lose("embedded_file", { count: bounded.embeddedFiles, place: {} });
      for (const example of bounded.unknownEncodings) builder.lose("font", { place: {}, example });
      if (bounded.hasXmlForm) builder.lose("unknown_element", { place: {}, example: "XFA form" });
      const read = builder.build();
      if (read.text.trim() !== "") return read;
    } catch (error) {
      unreadable(error);
    } finally {
      await document.loadingTask.destroy();
    }
    throw new EngineError(
      "invalid_input",
      "the PDF has no text: pages that are pictures have to be recognised by OCR first",
    );
  },
};

type Reading = {
  readonly bytes: Uint8Array;
  readonly bounded: BoundedPdf;
  readonly builder: TextBuilder;
  readonly work: ReadingWork;
};

async function pagesOf(
  document: PDFDocumentProxy,
  { bytes, bounded, builder, work }: Reading,
): Promise<PdfPage[]> {
  const pages: PdfPage[] = [];
  const content = new PdfContent(bytes, work);
  const started = systemClock.now();
  let length = 0;
  const areTooMany = bounded.areas > MAX_AREAS;
  if (bounded.hasFields && areTooMany)
    builder.lose("form_field", { count: bounded.areas, place: {} });
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const raw: RawItem[] = [];
    const pieces = page.streamTextContent(TEXT_OPTIONS) as ReadableStream<Piece>;
    for await (const { items } of pieces) {
      for (const item of items) raw.push(item);
      work.spend(items.length * WORK_PER_ITEM);
      await work.pause();
      checkTime(started, number);
    }
    const marks = mayHaveActualText(raw) ? await content.marksOf(page.ref?.num ?? -1) : undefined;
    const values = bounded.hasFields && !areTooMany ? await valuesOf(page, builder) : [];
    work.spend((values.length * raw.length) / 10);
    const lines = pageLines(pageItems(raw, marks), values);
    for (const { text } of lines) length += text.length + 1;
    builder.check(length);
    const [, bottom = 0, , top = 0] = page.view;
    pages.push({ lines, bottom, top });
    page.cleanup();
    work.spend(WORK_PER_PAGE + values.length * WORK_PER_ITEM);
    await work.pause();
    checkTime(started, number);
  }
  return pages;
}

async function valuesOf(page: PDFPageProxy, builder: TextBuilder): Promise<FieldValue[]> {
  const annotations = (await page.getAnnotations()) as readonly Annotation[];
  return fieldValues(annotations, (kind, options) =>
    builder.lose(kind, { place: { page: page.pageNumber }, ...options }),
  );
}

function unreadable(error: unknown): never {
  if (EngineError.is(error)) throw error;
  throw new EngineError("invalid_input", `the document is no readable PDF: ${errorMessage(error)}`);
}

function checkTime(startedAtMs: number, page: number): void {
  if (systemClock.now() - startedAtMs > MAX_READING_MS)
    throw new EngineError(
      "limit_exceeded",
      `the PDF takes more than ${MAX_READING_MS / 1000} s to read, at page ${page}: split it up`,
    );
}
