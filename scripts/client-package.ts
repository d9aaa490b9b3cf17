// Builds client/dist: the package edgecrew-client, the client of `edgecrew` by itself, without dependencies.
// Its JavaScript is the client's imports, its declarations are the types of the client's exports, and
// `schema-types.d.ts` replaces zod.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { reachableDeclarations } from "./reachable-declarations.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = `${root}/client/dist`;
type Manifest = {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
};
const manifest = JSON.parse(readFileSync(`${root}/client/package.json`, "utf8")) as Manifest;

/** Modules of the package's subpaths, below `src` and without an ending. */
const ENTRIES = Object.values(manifest.exports).flatMap((subpath) =>
  typeof subpath === "string" ? [] : [subpath.default.replace("./dist/", "").replace(".js", "")],
);

/** Types of the engine for functions of a Worker alone. */
const OPAQUE = new Set(["RunHost", "ModelSpec", "Member", "InnerChat"]);

const built = mkdtempSync(`${tmpdir()}/edgecrew-client-`);
try {
  compile();
  rmSync(target, { recursive: true, force: true });
  for (const path of await modules()) copy(join(built, "src", path), path);
  writeDeclarations();
} finally {
  rmSync(built, { recursive: true, force: true });
}

function compile(): void {
  const compiler = `${root}/node_modules/typescript/bin/tsc`;
  const { status } = spawnSync(
    process.execPath,
    [compiler, "-p", "tsconfig.build.json", "--outDir", built],
    { cwd: root, stdio: "inherit" },
  );
  if (status !== 0) throw new Error("the sources do not compile");
}

/** JavaScript loaded by the entries, without React. */
async function modules(): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: `${built}/src`,
    entryPoints: ENTRIES.map((entry) => `${entry}.js`),
    bundle: true,
    splitting: true,
    format: "esm",
    external: ["react"],
    outdir: "out",
    write: false,
    metafile: true,
  });
  return Object.keys(metafile.inputs);
}

function writeDeclarations(): void {
  const declarations = reachableDeclarations(`${built}/src`, {
    entries: ENTRIES.map((entry) => `./${entry}.d.ts`),
    opaque: OPAQUE,
  });
  for (const [path, text] of declarations) {
    const schemas = relative(dirname(path), "./schema-types.js").replace(/^(?!\.)/, "./");
    write(
      path,
      text
        .replaceAll(/from "zod"/g, `from "${schemas}"`)
        .replaceAll(/(["'])(\.[^"']*)\.ts\1/g, '"$2.js"'),
    );
  }
  write("schema-types.d.ts", readFileSync(`${root}/scripts/schema-types.d.ts`, "utf8"));
}

function copy(from: string, path: string): void {
  write(path, readFileSync(from, "utf8"));
}

function write(path: string, text: string): void {
  const file = join(target, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
