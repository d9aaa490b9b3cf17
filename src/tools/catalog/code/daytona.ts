import * as z from "zod";
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import type { DaytonaSandbox } from "../../../code/daytona/daytona-sandbox.ts";
import { quoted } from "../../../code/machines/quoted.ts";
import { toolResult, type ToolResult } from "../../tool-result.ts";
import { serviceFailure } from "../base/service-failure.ts";
import { daytonaTool } from "./daytona-tool.ts";
import { contentOf, fileAnswer } from "./sandbox-files.ts";

const env = z.record(z.string(), z.string()).optional().describe("Variables of this run");
const timeout = z.number().positive().max(600).optional().describe("Seconds");

/** Runs a shell command in a sandbox of Daytona. */
export const daytonaExec = daytonaTool({
  className: "DaytonaExecTool",
  displayName: "Daytona Sandbox Exec",
  description:
    "Runs a shell command in a sandbox of Daytona, and returns its exit code and what it printed.",
  input: () =>
    z.object({
      command: z.string().min(1).describe("The command"),
      cwd: z.string().optional().describe("The folder that it runs in"),
      env,
      timeout,
    }),
  use: async (sandbox, { command, cwd, env: own, timeout: seconds }, { options }) => {
    const timeoutMs = (seconds ?? options.sandboxTimeout) * 1000;
    const text = `bash -c ${quoted(command)}`;
    return ranResult(await sandbox.execute(text, { cwd, env: own, timeoutMs }));
  },
});

/** Runs Python in a sandbox of Daytona. */
export const daytonaPython = daytonaTool({
  className: "DaytonaPythonTool",
  displayName: "Daytona Sandbox Python",
  description:
    "Runs Python in a sandbox of Daytona, and returns its exit code and what it printed.",
  input: () =>
    z.object({
      code: z.string().min(1).describe("The code"),
      argv: z.array(z.string()).optional().describe("Arguments of the script"),
      env,
      timeout,
    }),
  use: async (sandbox, { code, argv = [], env: own, timeout: seconds }, { options }) => {
    const file = "/tmp/edgecrew-code.py";
    await sandbox.write(file, new TextEncoder().encode(code));
    const text = `bash -c ${quoted(["python3", file, ...argv.map(quoted)].join(" "))}`;
    const timeoutMs = (seconds ?? options.sandboxTimeout) * 1000;
    return ranResult(await sandbox.execute(text, { env: own, timeoutMs }));
  },
});

function ranResult({
  exitCode,
  result,
}: {
  readonly exitCode: number;
  readonly result: string;
}): ToolResult {
  const shown = [result.trimEnd(), exitCode === 0 ? "" : `[exit code: ${exitCode}]`];
  return toolResult({
    text: shown.filter(Boolean).join("\n") || "(no output)",
    data: { exit_code: exitCode, result, artifacts: null },
  });
}

const ACTIONS = [
  "read",
  "write",
  "append",
  "list",
  "delete",
  "mkdir",
  "info",
  "exists",
  "move",
  "find",
  "search",
  "chmod",
  "replace",
] as const;
const MAX_BYTES = 4 << 20;
const SHORT_MS = 30_000;

const fileInput = () =>
  z.object({
    action: z.enum(ACTIONS),
    path: z.string().optional().describe("Absolute path; for all but replace"),
    content: z.string().optional().describe("For write and append"),
    binary: z.boolean().default(false).describe("The content is base64"),
    recursive: z.boolean().default(false).describe("For delete: folders"),
    mode: z.string().optional().describe("For mkdir and chmod, such as 755"),
    destination: z.string().optional().describe("For move"),
    pattern: z
      .string()
      .optional()
      .describe("find: text in files; search: names such as *.py; replace: text"),
    replacement: z.string().optional().describe("For replace"),
    paths: z.array(z.string()).optional().describe("For replace: files"),
    owner: z.string().optional().describe("For chmod"),
    group: z.string().optional().describe("For chmod"),
  });

type FileInput = z.output<ReturnType<typeof fileInput>>;

/** Reads, writes and manages files of a sandbox of Daytona. */
export const daytonaFile = daytonaTool({
  className: "DaytonaFileTool",
  displayName: "Daytona Sandbox Files",
  description:
    "Works with files of a sandbox of Daytona: reads, writes, appends, lists, deletes, moves, makes folders, finds text, searches names, changes permissions, replaces text. Large files are written in several pieces with append.",
  input: fileInput,
  use: (sandbox, input) => onFiles(sandbox, input),
});

async function onFiles(sandbox: DaytonaSandbox, input: FileInput): Promise<unknown> {
  const { action, content = "", binary } = input;
  if (action === "replace") return replaceText(sandbox, input);
  const { path } = input;
  if (path === undefined) throw needs(action, "path");
  switch (action) {
    case "read": {
      const bytes = await sandbox.read(path, MAX_BYTES);
      if (bytes !== undefined) return fileAnswer(path, bytes, binary);
      throw serviceFailure({ code: "not_found", message: `There is no ${path} in the sandbox.` });
    }
    case "write": {
      const bytes = contentOf(content, binary);
      await inFolder(sandbox, path);
      await sandbox.write(path, bytes);
      return { status: "written", path, bytes: bytes.length };
    }
    case "append":
      return append(sandbox, path, contentOf(content, binary));
    case "list":
      return { path, entries: await sandbox.files("", { method: "GET", query: { path } }) };
    case "delete": {
      const query = { path, ...(input.recursive ? { recursive: "true" } : undefined) };
      await sandbox.files("", { method: "DELETE", query });
      return { status: "deleted", path };
    }
    case "mkdir": {
      const mode = input.mode ?? "0755";
      await sandbox.files("folder", { method: "POST", query: { path, mode } });
      return { status: "created", path, mode };
    }
    case "info":
      return sandbox.files("info", { method: "GET", query: { path } });
    case "exists":
      return exists(sandbox, path);
    case "move": {
      const { destination } = input;
      if (destination === undefined) throw needs(action, "destination");
      await sandbox.files("move", { method: "POST", query: { source: path, destination } });
      return { status: "moved", from: path, to: destination };
    }
    case "find":
    case "search": {
      const { pattern } = input;
      if (pattern === undefined) throw needs(action, "pattern");
      const found = await sandbox.files(action, { method: "GET", query: { path, pattern } });
      return { path, pattern, [action === "find" ? "matches" : "files"]: filesOf(found) };
    }
    default: // chmod
      return setPermissions(sandbox, path, input);
  }
}

async function setPermissions(
  sandbox: DaytonaSandbox,
  path: string,
  { action, mode, owner, group }: FileInput,
): Promise<unknown> {
  const wanted = Object.entries({ mode, owner, group }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  if (wanted.length === 0) throw needs(action, "mode, owner or group");
  const changes = Object.fromEntries(wanted);
  await sandbox.files("permissions", { method: "POST", query: { path, ...changes } });
  return { status: "permissions_set", path, ...changes };
}

async function replaceText(
  sandbox: DaytonaSandbox,
  { paths = [], pattern, replacement }: FileInput,
): Promise<unknown> {
  if (paths.length === 0 || pattern === undefined || replacement === undefined)
    throw needs("replace", "paths, pattern and replacement");
  const body = { files: paths, pattern, newValue: replacement };
  const results = await sandbox.files("replace", { method: "POST", body });
  return { pattern, replacement, results };
}

/** Found names are in a nested object. */
function filesOf(found: JsonValue): JsonValue {
  const { files = found } = (found ?? {}) as JsonObject;
  return files;
}

async function append(
  sandbox: DaytonaSandbox,
  path: string,
  bytes: Uint8Array,
): Promise<JsonObject> {
  const piece = "/tmp/edgecrew-piece";
  await inFolder(sandbox, path);
  await sandbox.write(piece, bytes);
  const text = `cat ${piece} >> ${quoted(path)}; code=$?; rm -f ${piece}; stat -c %s ${quoted(path)}; exit $code`;
  const { exitCode, result } = await sandbox.execute(`bash -c ${quoted(text)}`, {
    timeoutMs: SHORT_MS,
  });
  if (exitCode !== 0)
    throw serviceFailure({ code: "failed", message: `${path}: ${result.trim()}` });
  return {
    status: "appended",
    path,
    appended_bytes: bytes.length,
    total_bytes: Number(result.trim().split("\n").at(-1)),
  };
}

/** Creates the folder of a path, as uploads need an existing one. */
async function inFolder(sandbox: DaytonaSandbox, path: string): Promise<void> {
  const folder = path.slice(0, path.lastIndexOf("/"));
  if (folder !== "") await sandbox.execute(`mkdir -p ${quoted(folder)}`, { timeoutMs: SHORT_MS });
}

async function exists(sandbox: DaytonaSandbox, path: string): Promise<JsonObject> {
  const { exitCode } = await sandbox.execute(`bash -c ${quoted(`test -e ${quoted(path)}`)}`, {
    timeoutMs: SHORT_MS,
  });
  return { path, exists: exitCode === 0 };
}

function needs(action: string, what: string): Error {
  return serviceFailure({ code: "bad_request", message: `The action ${action} needs ${what}.` });
}
