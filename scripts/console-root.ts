// The folder that the pages of the console are served from. `npm run build` fills it; wrangler needs it to be there.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { headersFile } from "../src/access/page-headers.ts";

/** Makes the folder where it is missing, with the headers of what is served from it. Answers where it is. */
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
