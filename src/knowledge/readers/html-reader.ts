import { DocumentLosses } from "../document-losses.ts";
import type { DocumentReader } from "../document-text.ts";
import { DOCUMENT_FORMATS } from "./document-formats.ts";
import { checkLength } from "../text-builder.ts";
import { decodeHtml } from "./decode-text.ts";
import { htmlText } from "./html-text.ts";
import { ReadingWork } from "./reading-work.ts";

/** Maximum ratio of a page's source to its text. */
const MARKUP_PER_TEXT = 4;

/** The visible text of a page, with its headings as in Markdown: its `<main>`, if it has one. */
export const htmlReader: DocumentReader = {
  ...DOCUMENT_FORMATS.html,
  read: async (bytes, { maxCharacters }) => {
    const report = new DocumentLosses();
    const html = decodeHtml(bytes, "", report);
    checkLength(html.length, { maxCharacters: maxCharacters * MARKUP_PER_TEXT });
    const options = { maxCharacters, withoutControls: true, images: true, main: "every" } as const;
    const { text, losses } = await htmlText(html, options, new ReadingWork("HTML"));
    report.add("undecodable", { count: countOf(text, "\ufffd") });
    const all = [...(losses ?? []), ...(report.report().losses ?? [])];
    const lost = all.length === 0 ? {} : { losses: all };
    return { text, marks: [], format: "markdown", ...lost };
  },
};

function countOf(text: string, letter: string): number {
  let count = 0;
  for (let at = text.indexOf(letter); at !== -1; at = text.indexOf(letter, at + 1)) count++;
  return count;
}
