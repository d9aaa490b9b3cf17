// `npm run docs:fill`: writes the pages that are made of the source, and the blocks of pages that show a file.
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fillAccepted } from "../world/accepted-tables.ts";
import { fillTiers } from "./tier-table.ts";
import { REFERENCE_PAGES } from "./reference-pages.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

for (const [path, make] of Object.entries(REFERENCE_PAGES)) write(path, await make());

for (const page of globSync("docs/*.md", { cwd: root })) {
  const markdown = readFileSync(`${root}/${page}`, "utf8");
  const filled = markdown.replaceAll(
    /^(```\S+ [^\n]*?file=(\S+)[^\n]*)\n[^]*?^```$/gm,
    (block, head: string, file: string) =>
      existsSync(`${root}/${file}`)
        ? `${head}\n${readFileSync(`${root}/${file}`, "utf8")}\`\`\``
        : block,
  );
  write(page, fillTiers(await fillAccepted(filled)));
}

function write(path: string, text: string): void {
  const file = `${root}/${path}`;
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  writeFileSync(file, text);
  console.log(path);
}
