// What an app carries that names agents, crews, tasks and tools: the rest is loaded at its first use.
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const CREWS =
  'import { Agent, Crew, Task, tool } from "./src/index.ts"; console.log(Agent, Crew, Task, tool);';

let metafile: Metafile;
let sizes: ReadonlyMap<string, number>;

beforeAll(async () => {
  const built = await build({
    stdin: { contents: CREWS, resolveDir: root, loader: "ts" },
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "node",
    external: ["cloudflare:*"],
    outdir: "/unused",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  metafile = built.metafile;
  sizes = new Map(
    built.outputFiles.map(({ path, contents }) => [
      path.slice(path.lastIndexOf("/") + 1),
      gzipSync(contents).length,
    ]),
  );
}, 60_000);

/** The outputs that a program loads at its start. */
function loadedAtStart(): readonly string[] {
  const start = Object.keys(metafile.outputs).find((path) => path.endsWith("stdin.js")) ?? "";
  const found = new Set([start]);
  for (const path of found)
    for (const { path: next, kind } of metafile.outputs[path]?.imports ?? [])
      if (kind === "import-statement" && next in metafile.outputs) found.add(next);
  return [...found];
}

const filesOf = (paths: readonly string[]): readonly string[] =>
  paths.flatMap((path) =>
    Object.entries(metafile.outputs[path]?.inputs ?? {}).flatMap(([file, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [file] : [],
    ),
  );

describe("an app of crews", () => {
  it("loads the adapters of models, planning, skills with YAML and files when it uses them", () => {
    const late =
      /^src\/(llm\/(openai|anthropic|gemini|bedrock|workers-ai|offline)\/model|llm\/offline\/demo-model|agent\/planning\/plan-and|agent\/skills\/(add-|read-|skill\.)|base\/yaml|files\/(deliver-files|fit-request|plan-files|find-file))|node_modules\/(openai|@anthropic-ai|js-yaml)\//;
    expect(filesOf(loadedAtStart()).filter((file) => late.test(file))).toEqual([]);
    expect(filesOf(Object.keys(metafile.outputs)).filter((file) => late.test(file))).not.toEqual(
      [],
    );
  });

  it("carries at most 218.5 kB from its start, minified and compressed", () => {
    const carried = loadedAtStart().map(
      (path) => sizes.get(path.slice(path.lastIndexOf("/") + 1)) ?? Infinity,
    );
    expect(carried.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(218_500);
  });
});
