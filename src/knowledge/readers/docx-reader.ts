import { EngineError, errorMessage } from "../../base/error.ts";
import type { DocumentReader } from "../document-text.ts";
import { htmlToText } from "./html-reader.ts";
import { repacked } from "./unpack.ts";

/** Word documents: paragraphs, lists and tables, with their headings as Markdown has them. */
export const docxReader: DocumentReader = {
  name: "docx",
  mediaTypes: ["application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  extensions: [".docx"],
  read: async (bytes, limits) => {
    const arrayBuffer = repacked(bytes, "DOCX", (name) => /\.(xml|rels)$/.test(name));
    const { default: mammoth } = await import("mammoth");
    // Node's form of the library reads `buffer`, the one for Workers `arrayBuffer`.
    const input = { arrayBuffer, buffer: new Uint8Array(arrayBuffer) as Uint8Array as Buffer };
    let html: string;
    try {
      const skipImages = mammoth.images.imgElement(async () => ({ src: "" }));
      ({ value: html } = await mammoth.convertToHtml(input, { convertImage: skipImages }));
    } catch (error) {
      throw new EngineError("invalid_input", `the document is no DOCX: ${errorMessage(error)}`);
    }
    return { text: await htmlToText(html, limits), marks: [], format: "markdown" };
  },
};
