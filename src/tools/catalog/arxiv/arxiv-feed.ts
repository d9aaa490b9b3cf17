import { markupText } from "../base/markup-text.ts";

/** Paper in a list of arXiv. */
export type Paper = {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly published: string;
  readonly authors: readonly string[];
  /** Address of the paper's page. */
  readonly url: string;
  readonly pdfUrl?: string;
};

/** Returns the papers of an Atom feed; undefined for other texts. */
export function readFeed(xml: string): readonly Paper[] | undefined {
  if (!/<feed[\s>]/.test(xml)) return undefined;
  return xml
    .split(/<entry[\s>]/)
    .slice(1)
    .map((entry) => paperOf(entry.split("</entry>", 1)[0] ?? ""));
}

function paperOf(entry: string): Paper {
  const url = textOf(entry, "id") ?? "";
  const pdfUrl = pdfOf(entry);
  return {
    id: url.split("/").at(-1) ?? "",
    title: textOf(entry, "title") ?? "No title",
    summary: textOf(entry, "summary") ?? "No summary",
    published: textOf(entry, "published") ?? "No date",
    authors: entry
      .split(/<author[\s>]/)
      .slice(1)
      .flatMap((author) => textOf(author, "name") ?? []),
    url: https(url),
    ...(pdfUrl === undefined ? undefined : { pdfUrl }),
  };
}

function textOf(xml: string, name: string): string | undefined {
  const [, rest = ""] = xml.split(new RegExp(`<${name}(?: [^<>]*)?>`), 2);
  const text = markupText(rest.split(`</${name}>`, 1)[0] ?? "")
    .replace(/\s+/g, " ")
    .trim();
  return text === "" ? undefined : text;
}

function pdfOf(entry: string): string | undefined {
  const links = Array.from(entry.matchAll(/<link ([^<>]*)>/g), ([, attributes = ""]) => ({
    isPdf: /\btitle="pdf"/i.test(attributes),
    href: /\bhref="([^"]*)"/.exec(attributes)?.[1],
  }));
  const href = (
    links.find(({ isPdf }) => isPdf) ?? links.find((each) => each.href?.includes("/pdf/"))
  )?.href;
  return href === undefined ? undefined : https(markupText(href));
}

/** Replaces http in arXiv's addresses, which also work with https. */
function https(url: string): string {
  return url.replace(/^http:/, "https:");
}
