import * as z from "zod";
import { MAX_OUTPUT_CHARS } from "../../../code/code-runner.ts";
import { runCodeTool } from "../../../code/tools/run-code-tool.ts";
import { shellTool } from "../../../code/tools/shell-tool.ts";
import { codeTool } from "./code-tool.ts";

const timeoutMs = z.number().min(1_000).max(600_000).default(60_000);
const session = z.enum(["call", "run"]);
const code = z.string().describe("The code");
const files = z.array(z.string()).optional().describe("Files of the workspace that it needs");
const timeout = z.number().positive().optional().describe("Seconds");
/** Maximum output with room for the text around it. */
const maxChars = MAX_OUTPUT_CHARS + 10_000;

const shared = { group: "code", service: "code", untrusted: true, maxChars, cache: false } as const;

/** Runs JavaScript in an isolate without a network. */
export const runCode = codeTool({
  ...shared,
  className: "RunCodeTool",
  otherNames: ["code_execution"],
  displayName: "run_code",
  effectClass: "R",
  description:
    "Runs JavaScript in a sandbox without a network: the body of an async function, whose `return` is its value. console.log prints, node:fs reads and writes files; there are no packages.",
  input: () =>
    z.object({ code, language: z.enum(["javascript", "typescript"]).optional(), files, timeout }),
  options: () => z.object({ timeoutMs, session: session.default("call") }),
  toolOf: (options) => runCodeTool({ ...options, languages: ["javascript", "typescript"] }),
});

/** Runs Python and shell text in a sandbox. */
export const sandboxCode = codeTool({
  ...shared,
  className: "SandboxCodeTool",
  otherNames: ["execute_code"],
  displayName: "sandbox_code",
  effectClass: "X",
  description: "Runs Python, or shell text, in a sandbox, and gives back what it printed.",
  input: () => z.object({ code, language: z.enum(["python", "bash"]).optional(), files, timeout }),
  options: () => z.object({ timeoutMs, session: session.default("run") }),
  toolOf: (options) => runCodeTool({ ...options, languages: ["python", "bash"] }),
});

/** Runs Python, like CrewAI's tool before its removal there. */
export const codeInterpreter = codeTool({
  ...shared,
  className: "CodeInterpreterTool",
  displayName: "Code Interpreter",
  effectClass: "X",
  description:
    "Runs Python 3 in a sandbox. Print what is to be known. Libraries that the sandbox does not have are installed first, where it has a network.",
  input: () =>
    z.object({
      code: z.string().describe("Python 3; the result has to be printed"),
      libraries_used: z.array(z.string()).default([]).describe("Libraries to install with pip"),
    }),
  options: () => z.object({ timeoutMs, unsafeMode: z.boolean().optional() }),
  toolOf: ({ timeoutMs: limit }) => runCodeTool({ timeoutMs: limit, languages: ["python"] }),
  argumentsOf: ({ code: written, libraries_used: libraries }) => ({
    code: withLibraries(written, libraries),
  }),
});

/** Installs missing libraries and runs the code unchanged, so its line numbers stay correct with any first line. */
function withLibraries(written: string, libraries: readonly string[]): string {
  const names = libraries.filter((name) => /^[\w.[\]-]+(?:[=<>!~]=?[\w.*]+)?$/.test(name));
  if (names.length === 0) return written;
  const argv = ["-m", "pip", "install", "-qqq", ...names].map((each) => JSON.stringify(each));
  const install = `__import__("subprocess").run([__import__("sys").executable, ${argv.join(", ")}])`;
  return `${install}\nexec(compile(${JSON.stringify(written)}, "main.py", "exec"))`;
}

/** Runs shell commands in a sandbox. */
export const sandboxShell = codeTool({
  ...shared,
  className: "SandboxShellTool",
  otherNames: ["shell_tool", "execute_command"],
  displayName: "shell_tool",
  effectClass: "X",
  description: (options) => shellTool(optionsOf(options)).description,
  input: () => z.object({ command: z.string().describe("The command") }),
  options: () =>
    z.object({
      allowed: z.array(z.string()).optional(),
      blocked: z.array(z.string()).optional(),
      readOnly: z.boolean().default(false),
      timeoutMs,
      session: session.default("run"),
    }),
  toolOf: (options) => shellTool(optionsOf(options)),
});

function optionsOf<Options extends object>(options: Options): { [Name in keyof Options]: never } {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as never;
}
