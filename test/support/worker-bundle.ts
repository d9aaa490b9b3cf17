// Workers of this repository, bundled once for all servers of the same code: wrangler needs longer for that than for a start.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";

const root = fileURLToPath(new URL("../..", import.meta.url));
const wrangler = `${root}/node_modules/wrangler/bin/wrangler.js`;
const cache = `${root}/node_modules/.cache/edgecrew/workers`;

/** Configurations that are kept in the repository; others are made by a test, together with their code. */
const KEPT = /^(?:test\/\w+\/)?[\w-]+\.toml$/;

export type BundledProject = {
  /** The project's folder. */
  readonly cwd: string;
  /** Path of its wrangler.toml, from there. */
  readonly config: string;
  readonly environment: NodeJS.ProcessEnv;
};

/** Hashes of what a bundle was made of, by their paths from the root. */
type Sources = Readonly<Record<string, string>>;

const checked = new Map<string, string>();

/** The configuration of a Worker that is bundled, by wrangler itself; undefined for code that a test has written. */
export function bundledWorker(project: BundledProject): string | undefined {
  const { cwd, config } = project;
  const path = resolve(cwd, config);
  if (!KEPT.test(relative(root, path))) return undefined;
  const known = checked.get(path);
  if (known !== undefined) return known;
  const versions = readFileSync(join(root, "package-lock.json"));
  const key = hashOf(`${path}\n${hashOf(readFileSync(path))}\n${hashOf(versions)}`);
  const folder = join(cache, key.slice(0, 32));
  if (!isFresh(folder)) make(project, folder);
  const made = join(folder, "wrangler.json");
  checked.set(path, made);
  return made;
}

function isFresh(folder: string): boolean {
  const file = join(folder, "sources.json");
  if (!existsSync(file)) return false;
  const sources = JSON.parse(readFileSync(file, "utf8")) as Sources;
  return Object.entries(sources).every(([path, hash]) => {
    const source = join(root, path);
    return existsSync(source) && hashOf(readFileSync(source)) === hash;
  });
}

/** In a folder of its own, which then is in its place as a whole. */
function make({ cwd, config, environment }: BundledProject, folder: string): void {
  mkdirSync(cache, { recursive: true });
  const own = mkdtempSync(join(cache, "new-"));
  const metafile = join(own, "meta.json");
  const options = ["--dry-run", "--config", config, "--outdir", own, "--metafile", metafile];
  const { status, stdout, stderr } = spawnSync(process.execPath, [wrangler, "deploy", ...options], {
    cwd,
    // as `wrangler dev` bundles it, with the parts of development
    env: { NODE_ENV: "development", ...environment },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the Worker cannot be bundled:\n${stdout}\n${stderr}`);
  const path = resolve(cwd, config);
  const { inputs, outputs } = JSON.parse(readFileSync(metafile, "utf8")) as {
    readonly inputs: Readonly<Record<string, unknown>>;
    readonly outputs: Readonly<Record<string, { readonly entryPoint?: string }>>;
  };
  const [bundle = ""] = Object.keys(outputs).filter((name) => outputs[name]?.entryPoint);
  const code = readFileSync(join(own, basename(bundle)), "utf8");
  // Wrangler reads the module that it starts with, whose size is time; others it passes on as they are.
  writeFileSync(join(own, "all.mjs"), code.replace(/\/\/# sourceMappingURL=.*\s*$/, ""));
  writeFileSync(
    join(own, "start.js"),
    'export * from "./all.mjs";\nexport { default } from "./all.mjs";\n',
  );
  writeFileSync(join(own, "wrangler.json"), JSON.stringify(configurationOf(path)));
  writeFileSync(join(own, "sources.json"), JSON.stringify(sourcesOf(dirname(path), inputs)));
  for (const name of [basename(bundle), `${basename(bundle)}.map`, "meta.json"])
    rmSync(join(own, name), { force: true });
  if (isFresh(folder)) {
    rmSync(own, { recursive: true }); // another process was faster, and serves from it
    return;
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(own, folder);
}

/** The same but for its module and its place. */
function configurationOf(path: string): object {
  const { env: _, ...config } = parse(readFileSync(path, "utf8"));
  const there = (value: unknown): string => resolve(dirname(path), String(value));
  const databases = (config["d1_databases"] ?? []) as ReadonlyArray<Record<string, unknown>>;
  const assets = config["assets"] as Record<string, unknown> | undefined;
  return {
    ...config,
    main: "start.js",
    no_bundle: true,
    find_additional_modules: true,
    rules: [{ type: "ESModule", globs: ["**/*.mjs"] }],
    d1_databases: databases.map((each) => ({
      ...each,
      migrations_dir: there(each["migrations_dir"]),
    })),
    ...(assets && { assets: { ...assets, directory: there(assets["directory"]) } }),
  };
}

/** Those of packages stand for their versions, which are in the bundle's key. */
function sourcesOf(folder: string, inputs: Readonly<Record<string, unknown>>): Sources {
  const own = Object.keys(inputs)
    .map((path) => resolve(folder, path))
    .filter((path) => !path.includes("/node_modules/") && existsSync(path));
  return Object.fromEntries(
    own.map((path) => [relative(root, path), hashOf(readFileSync(path))] as const),
  );
}

function hashOf(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
