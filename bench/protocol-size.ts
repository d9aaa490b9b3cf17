// What each protocol adds to a Worker of crews alone (minified, gzip), beside its bound.
import { build } from "esbuild";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** How the part is named and made, and how many KiB it may add. */
const PARTS = [
  { entry: "a2a", made: 'a2a({ expose: "all" })', bound: 60 },
  { entry: "mcp", made: 'mcp({ expose: "all" })', bound: 70 },
  { entry: "ag-ui", name: "agUi", made: 'agUi({ expose: "all" })', bound: 15 },
  { entry: "openai", made: 'openai({ expose: "all" })', bound: 12 },
  { entry: "acp", made: 'acp({ expose: "all" })', bound: 8 },
] as const;

async function bytesOf(imports: string, parts: string): Promise<number> {
  const contents = `
    import { releaseNotes } from "./examples/release-notes.ts";
    import { supportReply } from "./examples/support-reply.ts";
    import { defineApp } from "./src/worker.ts";
    ${imports}
    const app = defineApp({
      crews: { "release-notes": releaseNotes, "support-reply": supportReply },
      files: "d1",
      parts: [${parts}],
    });
    export default app;
    export const { CrewRun } = app.durableObjects;`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root, loader: "ts" },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser", "import"],
    external: ["node:*", "cloudflare:*"],
    write: false,
    logLevel: "error",
  });
  return gzipSync(outputFiles[0]?.contents ?? new Uint8Array()).length;
}

const alone = await bytesOf("", "");
console.log(`crews alone: ${(alone / 1024).toFixed(1)} KiB gzip`);
for (const { entry, made, bound, ...rest } of PARTS) {
  const name = "name" in rest ? rest.name : entry;
  const withPart = await bytesOf(`import { ${name} } from "./src/${entry}.ts";`, made);
  const added = (withPart - alone) / 1024;
  console.log(`${entry}: ${added.toFixed(1)} KiB more (at most ${bound})`);
}
