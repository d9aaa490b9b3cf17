// What bundlers leave out of the published package: not of the sources, which are cut into files in another way.
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import * as vite from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { packedPackage } from "../support/packed-package.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "edgecrew-packed-size-"));
const main = join(folder, "main.js");

type Chunk = {
  readonly name: string;
  readonly code: string | Uint8Array;
  /** The chunks that are loaded with it. */
  readonly imports: readonly string[];
  readonly files: readonly string[];
};

beforeAll(() => {
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  execFileSync("tar", ["-xzf", packedPackage("edgecrew", folder), "-C", folder]);
  renameSync(join(folder, "package"), join(modules, "edgecrew"));
  const { dependencies } = JSON.parse(
    readFileSync(join(modules, "edgecrew/package.json"), "utf8"),
  ) as { readonly dependencies: Readonly<Record<string, string>> };
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(
    main,
    'import { Agent, Crew, Task, tool } from "edgecrew"; console.log(Agent, Crew, Task, tool);',
  );
}, 180_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function byEsbuild(): Promise<readonly Chunk[]> {
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: [main],
    absWorkingDir: folder,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "node",
    external: ["cloudflare:*"],
    outdir: folder,
    write: false,
    metafile: true,
  });
  return outputFiles.map(({ path, contents }) => {
    const name = path.slice(folder.length + 1);
    const { imports = [], inputs = {} } = metafile.outputs[name] ?? {};
    return {
      name,
      code: contents,
      imports: imports.flatMap((each) => (each.kind === "import-statement" ? [each.path] : [])),
      files: Object.entries(inputs).flatMap(([file, { bytesInOutput }]) =>
        bytesInOutput > 0 ? [file] : [],
      ),
    };
  });
}

async function byVite(): Promise<readonly Chunk[]> {
  const built = await vite.build({
    root: folder,
    configFile: false,
    logLevel: "silent",
    ssr: { noExternal: true, external: [] },
    build: { ssr: main, write: false, minify: true },
  });
  if (!("output" in built)) throw new Error("expected one build");
  return built.output.flatMap((each) =>
    each.type === "chunk"
      ? [
          {
            name: each.fileName,
            code: each.code,
            imports: each.imports,
            files: Object.entries(each.modules).flatMap(([file, { renderedLength }]) =>
              renderedLength > 0 ? [file] : [],
            ),
          },
        ]
      : [],
  );
}

it.each([
  ["esbuild", byEsbuild],
  ["Vite", byVite],
])(
  "an app of crews bundled by %s loads at most 218.5 kB, without YAML, SDKs and RE2",
  async (_, bundled) => {
    const chunks = new Map((await bundled()).map((chunk) => [chunk.name, chunk]));
    const loaded = new Set(["main.js"]);
    for (const name of loaded)
      for (const next of chunks.get(name)?.imports ?? []) if (chunks.has(next)) loaded.add(next);
    const atStart = [...loaded].flatMap((name) => chunks.get(name) ?? []);
    const files = atStart.flatMap((chunk) => chunk.files);
    expect(files.some((file) => file.endsWith("crew/run-crew.js"))).toBe(true);
    expect(
      files.filter((file) => /node_modules\/(js-yaml|openai|@anthropic-ai|@bufbuild)\//.test(file)),
    ).toEqual([]);
    const bytes = atStart.reduce((sum, { code }) => sum + gzipSync(code).length, 0);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThanOrEqual(218_500);
  },
  60_000,
);
