import type { DocumentReader } from "../document-text.ts";
import { checkLength } from "../text-builder.ts";
import { decodeHtml } from "./decode-text.ts";
import { htmlText } from "./html-text.ts";
import { ReadingWork } from "./reading-work.ts";

/** Maximum ratio of a page's source to its text. */
const MARKUP_PER_TEXT = 4;

/** The visible text of a page, with its headings as in Markdown: its `<main>`, if it has one. */
export const htmlReader: DocumentReader = {
  name: "html",
  mediaTypes: ["text/html", "application/xhtml+xml"],
  extensions: [".html", ".htm", ".xhtml"],
  read: async (bytes, { maxCharacters }) => {
    const html = decodeHtml(bytes);
    checkLength(html.length, { maxCharacters: maxCharacters * MARKUP_PER_TEXT });
    const options = { maxCharacters, withoutControls: true, images: true, main: "every" } as const;
    const { text, losses } = await htmlText(html, options, new ReadingWork("HTML"));
    const lost = losses === undefined ? {} : { losses };
    return { text, marks: [], format: "markdown", ...lost };
  },
};
