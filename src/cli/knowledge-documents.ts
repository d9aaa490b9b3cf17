// Documents named at a terminal: files, folders, globs and addresses.
//
//   KDC1. A folder includes all files in it and below, except names that begin with a dot and node_modules. A link out
//         of it is not followed.
//   KDC2. A document's name is its path from the current folder, or its address. Two documents with one name are wrong
//         use: one would replace the other.
import { globSync, readdirSync, statSync } from "node:fs";
import { basename, isAbsolute, join, relative, resolve, sep } from "node:path";
import { wrongUse } from "./cli-failure.ts";

/** A document before it is read. */
export type NamedDocument =
  | { readonly name: string; readonly url: string }
  | { readonly name: string; readonly path: string };

/** Throws exit code 2 for a missing file, for an empty list, and for two documents with one name. */
export function namedDocuments(words: readonly string[], cwd: string): readonly NamedDocument[] {
  const found = words.flatMap((word): readonly NamedDocument[] => {
    if (/^https?:\/\//i.test(word)) return [{ name: word, url: word }];
    return filesOf(word, cwd).map((path) => ({ name: nameOf(path, cwd), path }));
  });
  const seen = new Map<string, NamedDocument>();
  for (const document of found) {
    const { name } = document;
    const other = seen.get(name);
    if (other !== undefined && originOf(other) !== originOf(document))
      throw wrongUse(
        `${originOf(other)} and ${originOf(document)} would both be called ${name}`,
        "add them from a folder above both, or into two collections",
      );
    seen.set(name, document);
  }
  return [...seen.values()];
}

const originOf = (document: NamedDocument): string =>
  "url" in document ? document.url : document.path;

function filesOf(word: string, cwd: string): readonly string[] {
  const path = resolve(cwd, word);
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isFile()) return [path];
  if (there?.isDirectory()) {
    const files = filesBelow(path);
    if (files.length === 0) throw wrongUse(`there are no files in ${word}`);
    return files;
  }
  const matched = /[*?[\]{}]/.test(word)
    ? globSync(word, { cwd })
        .map((each) => resolve(cwd, each))
        .filter((each) => statSync(each, { throwIfNoEntry: false })?.isFile())
    : [];
  if (matched.length === 0) throw wrongUse(`there is no file, folder or match of ${word}`);
  return matched.toSorted();
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      return entry.isFile() ? [path] : [];
    });
}

function nameOf(path: string, cwd: string): string {
  const from = relative(cwd, path);
  const isOutside = from.startsWith("..") || isAbsolute(from);
  return isOutside ? basename(path) : from.split(sep).join("/");
}
