import { EngineError, errorMessage } from "../../base/error.ts";
import type { DocumentReader } from "../document-text.ts";
import { TextBuilder } from "../text-builder.ts";

/** The text layer of PDF documents, page by page. Scans have none: a document without any text is refused. */
export const pdfReader: DocumentReader = {
  name: "pdf",
  mediaTypes: ["application/pdf"],
  extensions: [".pdf"],
  read: async (bytes, limits) => {
    const { getDocumentProxy } = await import("unpdf");
    let document: Awaited<ReturnType<typeof getDocumentProxy>>;
    try {
      document = await getDocumentProxy(bytes.slice(), { verbosity: 0 });
    } catch (error) {
      throw new EngineError(
        "invalid_input",
        `the document is no readable PDF: ${errorMessage(error)}`,
      );
    }
    try {
      const builder = new TextBuilder(limits);
      for (let number = 1; number <= document.numPages; number++) {
        const page = await document.getPage(number);
        const { items } = await page.getTextContent();
        const text = items
          .map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : ""))
          .join("");
        page.cleanup();
        builder.add(`${text}\n`, { page: number });
      }
      const read = builder.build();
      if (read.text.trim() !== "") return read;
    } finally {
      await document.loadingTask.destroy();
    }
    throw new EngineError(
      "invalid_input",
      "the PDF has no text: pages that are pictures have to be recognised by OCR first",
    );
  },
};
