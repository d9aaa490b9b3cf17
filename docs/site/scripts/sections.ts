// The order of the site: that of docs/README.md.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const docs = fileURLToPath(new URL("../..", import.meta.url));

export type Section = { readonly title: string; readonly pages: readonly string[] };

/** Sections of the index with the names of their pages, each page once. */
export const SECTIONS: readonly Section[] = sectionsOf(readFileSync(`${docs}README.md`, "utf8"));

export function sectionsOf(index: string): readonly Section[] {
  const seen = new Set<string>();
  return index
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      title: part.slice(0, part.indexOf("\n")).trim(),
      pages: Array.from(part.matchAll(/\]\(([\w-]+)\.md\)/g), ([, name = ""]) => name).filter(
        (name) => !seen.has(name) && seen.add(name),
      ),
    }))
    .filter(({ pages }) => pages.length > 0);
}
