import { attributeIn, HtmlScanner } from "../../../knowledge/readers/html-scanner.ts";
import { AS_WRITTEN, characterReferences } from "../../../knowledge/readers/html-text.ts";

const MAX_LINKS = 1_000;
const PIECE_LENGTH = 32 * 1024;

/** Returns the http and https addresses linked from a page, each once, in its order, without nofollow links. */
export async function pageLinks(html: string, url: URL): Promise<readonly string[]> {
  const decode = html.includes("&") ? await characterReferences() : AS_WRITTEN;
  const links = new Set<string>();
  let base = url.href;
  let isFollowed = true;
  const scanner = new HtmlScanner(html, {
    open: (name, source) => {
      const read = (attribute: string): string | undefined => {
        const value = attributeIn(source, attribute);
        return value === undefined ? undefined : decode.attribute(value).trim();
      };
      if (name === "base") base = new URL(resolved(read("href") ?? "", base) ?? base).href;
      if (name === "meta" && read("name")?.toLowerCase() === "robots")
        isFollowed &&= !/nofollow|none/i.test(read("content") ?? "");
      if (name !== "a" || /\bnofollow\b/i.test(read("rel") ?? "")) return;
      const target = resolved(read("href") ?? "", base);
      if (target !== undefined && /^https?:/.test(target)) links.add(target);
    },
    close: () => undefined,
    text: () => undefined,
  });
  while (links.size < MAX_LINKS && scanner.advance(PIECE_LENGTH));
  return isFollowed ? [...links].slice(0, MAX_LINKS) : [];
}

function resolved(address: string, base: string): string | undefined {
  return address !== "" && URL.canParse(address, base) ? new URL(address, base).href : undefined;
}
