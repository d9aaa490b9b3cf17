import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ExportedRun } from "../../client/index.ts";
import type { ReplayedCode, ReplayResult } from "../../testing/replay-run.ts";
import { CliFailure, wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { readTrace } from "../read-trace.ts";

type Row = { readonly file: string } & ReplayResult;

/** `edgecrew trace test`: replays saved runs over the current code. */
export const traceTest = command({
  name: "trace test",
  about: "replay saved runs over the present code; no model and no tool is called",
  args: "<files...>",
  example: "edgecrew trace test briefing.json --code src/crews.ts",
  options: {
    code: {
      about: "the module that exports the crew, flow or agent; with #name, which export",
      value: "module",
    },
  },
  run: async ({ out, cwd }, { args: files, options }) => {
    if (options.code === undefined)
      throw wrongUse("say which code the runs are of: --code <module>", "--code src/crews.ts");
    const traces = files.map((file) => ({ file, trace: readTrace(file, cwd) }));
    const [path = "", wanted] = options.code.split("#");
    const { replayRun } = await testingOf(cwd);
    const module = await load(resolve(cwd, path));
    const rows: Row[] = [];
    for (const { file, trace } of traces) {
      const name = wanted ?? trace.run.name;
      const code = codeOf(module, { name, isNamed: wanted !== undefined, path });
      rows.push({ file, ...(await replayRun(trace, code)) });
    }
    out.table({ rows, value: rows, none: "" }, [
      { title: "FILE", of: ({ file }) => file },
      { title: "RESULT", of: ({ fits }) => (fits ? "fits" : "does not fit") },
      { title: "WHY", of: (row) => (row.fits ? "" : row.message) },
    ]);
    return rows.every(({ fits }) => fits) ? 0 : 1;
  },
});

type Testing = {
  readonly replayRun: (trace: ExportedRun, code: ReplayedCode) => Promise<ReplayResult>;
};

/** Loads the project's own engine, so that its version matches the project's code. */
async function testingOf(folder: string): Promise<Testing> {
  try {
    const path = createRequire(join(folder, "package.json")).resolve("edgecrew/testing");
    return (await load(path)) as Testing;
  } catch (cause) {
    if (cause instanceof CliFailure) throw cause;
    throw new CliFailure(2, `edgecrew is not installed in ${folder}`, {
      fix: "npm install edgecrew",
      cause,
    });
  }
}

async function load(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (cause) {
    throw new CliFailure(2, `${path} cannot be loaded: ${(cause as Error).message}`, { cause });
  }
}

type Wanted = { readonly name: string; readonly isNamed: boolean; readonly path: string };

/** Finds the export with this name, or the value whose own name it is. Without a name, returns the only export. */
function codeOf(
  module: Readonly<Record<string, unknown>>,
  { name, isNamed, path }: Wanted,
): ReplayedCode {
  const all = Object.entries(module).filter(([, value]) => isCode(value));
  const found =
    all.find(([key]) => key === name) ??
    all.find(([, value]) => (value as { readonly name?: unknown }).name === name) ??
    (all.length === 1 && !isNamed ? all[0] : undefined);
  if (found !== undefined) return found[1] as ReplayedCode;
  const names = all.map(([key]) => key).join(", ") || "none";
  throw wrongUse(`${path} exports no ${name}; of crews, flows and agents it exports: ${names}`);
}

const isCode = (value: unknown): boolean =>
  typeof (value as { readonly program?: unknown } | null | undefined)?.program === "function";
