// Turns Markdown into safe HTML. No other text becomes HTML in the page.
import DOMPurify from "dompurify";
import { Marked } from "marked";
import { stripAnsi } from "./plain-text.ts";

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Levels of headings that a page has above a text: its own, and that of the card. */
const HEADINGS_ABOVE = 2;

/** To other sites, and to paths of this one. */
const SAFE_ADDRESS = /^(?:https?:|mailto:|#|\/(?![/\\]))/i;

const marked = new Marked({
  gfm: true,
  breaks: true, // answers are letters as often as documents: a line of an address stays a line
  renderer: {
    heading({ tokens, depth }) {
      const level = Math.min(depth + HEADINGS_ABOVE, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    html: ({ text }) => escapeHtml(text),
    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens);
      return SAFE_ADDRESS.test(href)
        ? `<a href="${escapeHtml(href)}">${inner}</a>`
        : `${inner} (<code>${escapeHtml(href)}</code>)`;
    },
    // An external picture would reveal the reader to its server, so only its address is shown.
    image: ({ href, text }) =>
      `<span>${escapeHtml(text === "" ? "image" : text)} (<code>${escapeHtml(href)}</code>)</span>`,
  },
});

const ALLOWED = {
  ALLOWED_TAGS: [
    "a",
    "b",
    "blockquote",
    "br",
    "code",
    "del",
    "em",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "input",
    "li",
    "ol",
    "p",
    "pre",
    "s",
    "span",
    "strong",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
  ],
  ALLOWED_ATTR: ["href", "title", "start", "align", "type", "checked", "disabled"],
  ALLOWED_URI_REGEXP: SAFE_ADDRESS,
};

/** Adds `rel` to links, and marks links to other origins, so that the page asks before it follows them. */
export function markdownToHtml(text: string, origin: string): string {
  const html = marked.parse(stripAnsi(text), { async: false });
  const body = DOMPurify.sanitize(html, { ...ALLOWED, RETURN_DOM: true }) as HTMLElement;
  for (const link of body.querySelectorAll("a[href]")) {
    const href = link.getAttribute("href") ?? "";
    if (href.startsWith("#")) continue;
    link.setAttribute("rel", "noopener noreferrer nofollow");
    link.setAttribute("target", "_blank");
    if (URL.parse(href, origin)?.origin !== origin) link.setAttribute("data-leaves", "");
  }
  for (const box of body.querySelectorAll("input")) {
    if (box.getAttribute("type") === "checkbox") box.setAttribute("disabled", "");
    else box.remove();
  }
  return body.innerHTML;
}
