// The folder that the pages of the console are served from. `npm run build` fills it; wrangler needs it to be there.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { headersFile } from "../src/access/page-headers.ts";

/** Makes the folder where it is missing, with the headers of what is served from it. Answers where it is. */
export function makeConsoleRoot(): string {
  const folder = fileURLToPath(new URL("../dist/console-root", import.meta.url));
  mkdirSync(`${folder}/console`, { recursive: true });
  writeFileSync(`${folder}/_headers`, headersFile());
  return folder;
}

if (import.meta.main) makeConsoleRoot();
