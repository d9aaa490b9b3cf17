// Folder of the console's pages. `npm run build` fills it; wrangler requires it to exist.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { headersFile } from "../src/access/page-headers.ts";

/** Creates the folder if it is missing, with the headers of its files, and returns its path. */
export function makeConsoleRoot(): string {
  const folder = fileURLToPath(new URL("../dist/console-root", import.meta.url));
  mkdirSync(`${folder}/console`, { recursive: true });
  const file = `${folder}/_headers`;
  const text = headersFile();
  // A write reloads every `wrangler dev` that serves the folder, also with the same text.
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
  return folder;
}

if (import.meta.main) makeConsoleRoot();
