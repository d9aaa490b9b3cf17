import type { DocumentReader } from "../document-text.ts";
import { checkLength } from "../text-builder.ts";
import { decodeText } from "./decode-text.ts";

/** Parts of a page that are not what it says. */
const BESIDE = [
  "script",
  "style",
  "noscript",
  "template",
  "nav",
  "svg",
  "iframe",
  "form",
  "button",
];
const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"];

/** What a page shows, with its headings as Markdown has them. */
export const htmlReader: DocumentReader = {
  name: "html",
  mediaTypes: ["text/html", "application/xhtml+xml"],
  extensions: [".html", ".htm", ".xhtml"],
  read: async (bytes, limits) => ({
    text: await htmlToText(decodeText(bytes), limits),
    marks: [],
    format: "markdown",
  }),
};

export async function htmlToText(
  html: string,
  limits: { readonly maxCharacters: number },
): Promise<string> {
  checkLength(html.length, { maxCharacters: limits.maxCharacters * 4 });
  const { compile } = await import("html-to-text");
  const convert = compile({
    wordwrap: false,
    baseElements: { selectors: ["main", "article", "body"], returnDomByDefault: true },
    limits: { maxInputLength: html.length, maxDepth: 500 },
    selectors: [
      ...BESIDE.map((selector) => ({ selector, format: "skip" })),
      ...HEADINGS.map((selector, level) => ({
        selector,
        format: "markdownHeading",
        options: { level: level + 1 },
      })),
      { selector: "a", options: { ignoreHref: true } },
      { selector: "img", format: "skip" },
      { selector: "table", format: "dataTable", options: { uppercaseHeaderCells: false } },
    ],
    formatters: {
      // oxlint-disable-next-line max-params -- as the library calls it
      markdownHeading: (element, walk, builder, { level }) => {
        builder.openBlock({ leadingLineBreaks: 2 });
        builder.addLiteral(`${"#".repeat(Number(level))} `);
        walk(element.children, builder);
        builder.closeBlock({ trailingLineBreaks: 2 });
      },
    },
  });
  const text = convert(html);
  checkLength(text.length, limits);
  return text;
}
