import * as z from "zod";
import { fromBase64, toBase64 } from "../../../base/bytes.ts";
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import type { E2BSandbox } from "../../../code/e2b/e2b-sandbox.ts";
import { shellOnE2B } from "../../../code/e2b/shell-on-e2b.ts";
import { quoted } from "../../../code/machines/quoted.ts";
import { keepFiles } from "../../../code/code-sessions.ts";
import { toolResult } from "../../tool-result.ts";
import { serviceFailure } from "../base/service-failure.ts";
import { e2bTool } from "./e2b-tool.ts";
import { contentOf, fileAnswer } from "./sandbox-files.ts";

const envs = z.record(z.string(), z.string()).optional().describe("Variables of this run");
const timeout = z.number().positive().max(600).optional().describe("Seconds");
const TIMEOUT_S = 60;

/** Runs a shell command in a sandbox of E2B. */
export const e2bExec = e2bTool({
  className: "E2BExecTool",
  displayName: "E2B Sandbox Exec",
  description:
    "Runs a shell command in a sandbox of E2B, and returns its exit code and what it printed.",
  input: () =>
    z.object({
      command: z.string().min(1).describe("The command"),
      cwd: z.string().optional().describe("The folder that it runs in"),
      envs,
      timeout,
    }),
  use: async (sandbox, { command, cwd, envs: own, timeout: seconds = TIMEOUT_S }) => {
    const file = "/tmp/edgecrew-command.sh";
    await sandbox.write(file, new TextEncoder().encode(command));
    const folder = cwd === undefined ? "" : `cd ${quoted(cwd)} && `;
    const text = `${folder}timeout -k 2 ${Math.ceil(seconds)} bash ${file}`;
    const timeoutMs = seconds * 1000 + 15_000;
    const { exitCode, stdout, stderr } = await shellOnE2B(sandbox, text, { timeoutMs, envs: own });
    const error = exitCode === 124 ? "the command took too long" : null;
    const shown = [stdout, stderr].map((part) => part.trimEnd()).filter(Boolean);
    if (exitCode !== 0) shown.push(`[exit code: ${exitCode}]`);
    return toolResult({
      text: shown.join("\n") || "(no output)",
      data: { exit_code: exitCode, stdout, stderr, error },
    });
  },
});

/** Runs Python in the interpreter of a sandbox of E2B. */
export const e2bPython = e2bTool({
  className: "E2BPythonTool",
  displayName: "E2B Sandbox Python",
  description:
    "Runs Python in the interpreter of a sandbox of E2B, and returns what it printed, the value of its last expression, and charts.",
  input: () =>
    z.object({
      code: z.string().min(1).describe("The code"),
      language: z.string().optional().describe("Another language of the interpreter, such as r"),
      envs,
      timeout,
    }),
  use: async (sandbox, { code, language, envs: own, timeout: seconds = TIMEOUT_S }, { io }) => {
    const ran = await sandbox.execute(code, {
      ...(language === undefined ? undefined : { language }),
      envs: own,
      timeoutMs: seconds * 1000,
    });
    const charts: { path: string; bytes: Uint8Array }[] = [];
    const results = ran.results.map((result) => withoutCharts(result, charts));
    const files = await keepFiles(io.scope, charts, {});
    const { stdout, stderr, error, text, executionCount } = ran;
    const shown = [stdout.join("").trimEnd(), stderr.join("").trimEnd(), text ?? ""];
    if (error !== undefined) shown.push(error.traceback || `${error.name}: ${error.value}`);
    if (files.length > 0) shown.push(`Files: ${files.map(({ path }) => path).join(", ")}`);
    return toolResult({
      text: shown.filter(Boolean).join("\n") || "(no output)",
      data: {
        text: text ?? null,
        stdout: [...stdout],
        stderr: [...stderr],
        error: error ?? null,
        results,
        execution_count: executionCount ?? null,
      },
      files,
      images: files.map(({ path, mediaType }) => ({ path, mediaType })),
    });
  },
});

/** Charts are files, and data has their names. */
function withoutCharts(
  result: JsonObject,
  charts: { path: string; bytes: Uint8Array }[],
): JsonObject {
  const entries = Object.entries(result).map(([name, value]): [string, JsonValue] => {
    if ((name !== "png" && name !== "jpeg") || typeof value !== "string") return [name, value];
    const path = `chart_${charts.length + 1}.${name}`;
    charts.push({ path, bytes: fromBase64(value) });
    return [name, path];
  });
  return Object.fromEntries(entries);
}

const ACTIONS = ["read", "write", "append", "list", "delete", "mkdir", "info", "exists"] as const;
const SHORT_MS = 30_000;
const MAX_BYTES = 4 << 20;

/** Reads, writes and manages files of a sandbox of E2B. */
export const e2bFile = e2bTool({
  className: "E2BFileTool",
  displayName: "E2B Sandbox Files",
  description:
    "Works with files of a sandbox of E2B: reads, writes, appends, lists, deletes, makes folders, tells about a path. Large files are written in several pieces with append.",
  input: () =>
    z.object({
      action: z.enum(ACTIONS),
      path: z.string().min(1).describe("Absolute path in the sandbox"),
      content: z.string().optional().describe("For write and append"),
      binary: z.boolean().default(false).describe("The content is base64"),
      depth: z.int().min(1).max(10).default(1).describe("For list: levels of folders"),
    }),
  use: async (sandbox, { action, path, content = "", binary, depth }) => {
    switch (action) {
      case "read": {
        const bytes = await sandbox.read(path, MAX_BYTES);
        if (bytes === undefined) throw missing(path);
        return fileAnswer(path, bytes, binary);
      }
      case "write": {
        const bytes = contentOf(content, binary);
        await sandbox.write(path, bytes);
        return { status: "written", path, bytes: bytes.length };
      }
      case "append": {
        const bytes = contentOf(content, binary);
        const piece = `/tmp/edgecrew-piece-${toBase64(bytes.subarray(0, 9)).replace(/\W/g, "")}`;
        await sandbox.write(piece, bytes);
        const text = `mkdir -p "$(dirname ${quoted(path)})" && cat ${piece} >> ${quoted(path)}; rm -f ${piece}; stat -c %s ${quoted(path)}`;
        const total = await shell(sandbox, text, path);
        return {
          status: "appended",
          path,
          appended_bytes: bytes.length,
          total_bytes: Number(total),
        };
      }
      case "list": {
        const text = `find ${quoted(path)} -mindepth 1 -maxdepth ${depth} -printf '%y\\t%s\\t%m\\t%p\\n' | head -n 1000`;
        return { path, entries: entriesOf(await shell(sandbox, text, path)) };
      }
      case "delete":
        await shell(sandbox, `test -e ${quoted(path)} && rm -r -- ${quoted(path)}`, path);
        return { status: "deleted", path };
      case "mkdir":
        await shell(sandbox, `mkdir -p -- ${quoted(path)}`, path);
        return { status: "created", path };
      case "info": {
        const text = `find ${quoted(path)} -maxdepth 0 -printf '%y\\t%s\\t%m\\t%p\\n'`;
        const [entry] = entriesOf(await shell(sandbox, text, path));
        return entry ?? { path };
      }
      default: {
        // exists
        const { exitCode } = await shellOnE2B(sandbox, `test -e ${quoted(path)}`, {
          timeoutMs: SHORT_MS,
        });
        return { path, exists: exitCode === 0 };
      }
    }
  },
});

async function shell(sandbox: E2BSandbox, text: string, path: string): Promise<string> {
  const { exitCode, stdout, stderr } = await shellOnE2B(sandbox, text, { timeoutMs: SHORT_MS });
  if (exitCode === 0) return stdout;
  if (/No such file/.test(stderr) || stderr.trim() === "") throw missing(path);
  throw serviceFailure({ code: "failed", message: `${path}: ${stderr.trim()}` });
}

function missing(path: string): Error {
  return serviceFailure({ code: "not_found", message: `There is no ${path} in the sandbox.` });
}

const TYPES: Readonly<Record<string, string>> = { f: "file", d: "dir", l: "symlink" };

function entriesOf(listing: string): readonly JsonObject[] {
  return listing
    .split("\n")
    .map((line) => line.split("\t"))
    .flatMap(([type = "", size, mode, path]) =>
      path === undefined || size === undefined || mode === undefined
        ? []
        : [
            {
              name: path.slice(path.lastIndexOf("/") + 1),
              path,
              type: TYPES[type] ?? "other",
              size: Number(size),
              mode,
            },
          ],
    );
}
