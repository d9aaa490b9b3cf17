// The files of a folder, with bounds.
//
//   RDF1. Links are not followed; files over 5 MB, and all after the 2,000th, are open places.
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openFile, type OpenPlace } from "./open-places.ts";
import type { SourceFile } from "./source-file.ts";

const MAX_BYTES = 5_000_000;
const MAX_FILES = 2000;

/** Generated folders without content of the project. */
const SKIPPED = new Set([
  "node_modules",
  "venv",
  "env",
  "__pycache__",
  "site-packages",
  "dist",
  "build",
]);

const USED = /\.(py|ya?ml|jsonc?|toml)$|(^|\/)\.env(\.\w+)?$|(^|\/)(knowledge|skills)\//;

export function readFolder(folder: string): {
  readonly files: readonly SourceFile[];
  readonly open: readonly OpenPlace[];
  /** Paths of the other files, which are not read. */
  readonly others: readonly string[];
} {
  const files: SourceFile[] = [];
  const open: OpenPlace[] = [];
  const others: string[] = [];
  let left = 0;
  const visit = (below: string): void => {
    const entries = readdirSync(join(folder, below), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isSymbolicLink()) {
        open.push(openFile(path, "is a link, which is not followed: copy its target"));
      } else if (entry.isDirectory()) {
        if (!entry.name.startsWith(".") && !SKIPPED.has(entry.name)) visit(path);
      } else if (entry.isFile() && !USED.test(path)) {
        if (others.length < MAX_FILES && /\.\w+$/.test(entry.name)) others.push(path);
      } else if (entry.isFile()) {
        const { size } = lstatSync(join(folder, path));
        if (size > MAX_BYTES) open.push(openFile(path, "is larger than 5 MB: it is left out"));
        else if (files.length >= MAX_FILES) left += 1;
        else files.push({ path, bytes: readFileSync(join(folder, path)) });
      }
    }
  };
  visit("");
  if (left > 0)
    open.push(openFile(".", `has ${left} files more than the ${MAX_FILES} that are read`));
  return { files, open, others };
}
