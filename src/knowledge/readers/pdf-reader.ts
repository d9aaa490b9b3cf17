import { EngineError, errorMessage } from "../../base/error.ts";
import { systemClock } from "../../base/system.ts";
import type { DocumentReader } from "../document-text.ts";
import { TextBuilder } from "../text-builder.ts";
import { boundedPdf } from "./pdf-streams.ts";
import { ReadingWork } from "./reading-work.ts";

const MAX_PAGES = 10_000;
/** Time limit for all pages together. The cost of a page is unknown before it is read. */
const MAX_READING_MS = 60_000;
const WORK_PER_PAGE = 25_000;
const WORK_PER_ITEM = 100;

type Piece = {
  readonly items: ReadonlyArray<{ readonly str?: string; readonly hasEOL?: boolean }>;
};

/** The text layer of PDF documents, page by page. Scans have no text layer: a document without any text is refused. */
export const pdfReader: DocumentReader = {
  name: "pdf",
  mediaTypes: ["application/pdf"],
  extensions: [".pdf"],
  read: async (bytes, limits) => {
    const work = new ReadingWork("PDF");
    const bounded = await boundedPdf(bytes, work);
    const { getDocumentProxy } = await import("unpdf");
    const document = await getDocumentProxy(bounded, { verbosity: 0 }).catch(unreadable);
    try {
      if (document.numPages > MAX_PAGES)
        throw new EngineError(
          "limit_exceeded",
          `the PDF has more than ${MAX_PAGES} pages, which is all that is read: split it up`,
        );
      const builder = new TextBuilder(limits);
      const started = systemClock.now();
      for (let number = 1; number <= document.numPages; number++) {
        builder.add("", { page: number });
        const page = await document.getPage(number);
        const pieces = page.streamTextContent() as ReadableStream<Piece>;
        for await (const { items } of pieces) {
          for (const { str = "", hasEOL = false } of items) builder.add(hasEOL ? `${str}\n` : str);
          work.spend(items.length * WORK_PER_ITEM);
          await work.pause();
          checkTime(started, number);
        }
        builder.add("\n");
        page.cleanup();
        work.spend(WORK_PER_PAGE);
        await work.pause();
        checkTime(started, number);
      }
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
