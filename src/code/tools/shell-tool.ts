// Shell commands for a model, with lists of allowed and blocked programs.
//
//   SHT1. With a list, a command is one program with its arguments: it cannot join commands, write files or run text.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import * as z from "zod";
import { EngineError } from "../../base/error.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import { RunScope } from "../../events/run-scope.ts";
import type { NeedsApproval } from "../../tools/tool-context.ts";
import { toolResult, type ToolResult } from "../../tools/tool-result.ts";
import { tool, type Tool } from "../../tools/tool.ts";
import { codeFailure, EXIT, type CodeRunner } from "../code-runner.ts";
import { requireRunner } from "../code-service.ts";
import { keepFiles } from "../code-sessions.ts";
import { resultText } from "../result-text.ts";
import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS, RUNNER_RETRY, runCode } from "../run-code.ts";

/** Settings of `shellTool()`. */
export type ShellToolOptions = {
  /** Shown to the model. @default "shell_tool" */
  readonly name?: string;
  readonly description?: string;
  /** Allowed programs. @default all */
  readonly allowed?: readonly string[];
  /** Blocked programs, at any place of a command. @default [] */
  readonly blocked?: readonly string[];
  /** Allows only programs that read and print: `cat`, `ls`, `grep` and similar ones. @default false */
  readonly readOnly?: boolean;
  /** Maximum duration of a command, in milliseconds: 1_000 to 600_000. @default 60_000 */
  readonly timeoutMs?: number;
  /** `run`: the commands of a run share a working directory. `call`: each has its own. @default "run" */
  readonly session?: "call" | "run";
  /** True if a person approves each command. @default true, unless it is `readOnly` */
  readonly needsApproval?: NeedsApproval;
  /** Runner of the commands. @default the deployment's runner for bash */
  readonly runner?: CodeRunner;
};

/** Programs that neither write files nor run other programs, with any arguments. */
const READERS =
  "basename cat cut diff dirname du df echo grep head id ls md5sum nl printf pwd realpath sha256sum stat tail tr uname wc which whoami".split(
    " ",
  );
const JOINED = /[|;&<>`\n\r\\]|\$[({'"]/;

const OPTIONS = definitionOptions<ShellToolOptions>("shellTool()", {
  name: true,
  description: true,
  allowed: true,
  blocked: true,
  readOnly: true,
  timeoutMs: true,
  session: true,
  needsApproval: true,
  runner: true,
});

/** Makes a tool for shell commands. Throws `invalid_definition` for invalid options. */
export function shellTool(options: ShellToolOptions = {}): Tool {
  refuseUnknownOptions(options, OPTIONS);
  const { name = "shell_tool", readOnly = false, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const { session = "run", runner, blocked = [] } = options;
  for (const field of ["allowed", "blocked"] as const)
    checkNames(options[field], `tool "${name}": ${field}`);
  if (!(timeoutMs >= 1_000 && timeoutMs <= MAX_TIMEOUT_MS))
    throw invalidDefinition(
      `tool "${name}": timeoutMs must be 1000 to ${MAX_TIMEOUT_MS}, got ${preview(timeoutMs)}`,
    );
  const allowed = readOnly
    ? READERS.filter((each) => options.allowed?.includes(each) ?? true)
    : options.allowed;
  const rules = { allowed, blocked };
  const made = tool({
    name,
    description: options.description ?? describe(rules, session),
    input: z.object({ command: z.string().describe("The command") }),
    effect: readOnly ? "idempotent" : "once",
    timeoutMs: 900_000,
    retry: RUNNER_RETRY,
    cache: () => false,
    actsOutside: true,
    needsApproval: options.needsApproval ?? !readOnly,
    run: async ({ command }, context): Promise<ToolResult> => {
      const scope = RunScope.current();
      if (scope === undefined)
        throw new EngineError("invalid_definition", "code is run within runs alone");
      const refusal = commandRefusal(command, rules);
      const own = session === "run" ? "run" : undefined;
      const result =
        refusal === undefined
          ? await runCode(
              scope,
              { language: "bash", code: command, timeoutMs, session: own, runner, owner: name },
              context,
            )
          : codeFailure(EXIT.refused, `refused: ${refusal}`, { error: "refused" });
      const files = await keepFiles(scope, result.files, { session: own });
      const { exitCode, stdout, stderr } = result;
      return toolResult({
        text: resultText(result, files),
        data: { exitCode, stdout, stderr },
        files,
        untrusted: ["the command that was run"],
      });
    },
  });
  return {
    ...made,
    check: (services) => {
      if (runner === undefined) requireRunner(services, "bash", name);
    },
  };
}

type Rules = {
  readonly allowed: readonly string[] | undefined;
  readonly blocked: readonly string[];
};

/** Returns the reason to refuse a command. Undefined if it may run. */
export function commandRefusal(command: string, { allowed, blocked }: Rules): string | undefined {
  if (allowed === undefined && blocked.length === 0) return undefined;
  if (JOINED.test(command))
    return "one program with its arguments is run: no pipes, lists, redirections or substitutions";
  const words = command.replaceAll(/["']/g, "").trim().split(/\s+/).map(programOf);
  const [program = ""] = words;
  if (allowed !== undefined && !allowed.includes(program))
    return `${program} is not among the programs that may be run: ${allowed.join(", ")}`;
  const found = words.find((word) => blocked.includes(word));
  if (found !== undefined) return `${found} may not be run`;
  return program.includes("$") || program.includes("=") ? "the program has no name" : undefined;
}

function programOf(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

const isName = (each: unknown): boolean => typeof each === "string" && /^[\w.+-]+$/.test(each);

function checkNames(names: unknown, owner: string): void {
  if (names === undefined) return;
  if (Array.isArray(names) && names.length > 0 && names.every(isName)) return;
  throw invalidDefinition(`${owner} must be a list of names of programs, got ${preview(names)}`);
}

function describe({ allowed, blocked }: Rules, session: "call" | "run"): string {
  const sentences = [
    "Runs a shell command in a sandbox and gives back what it printed.",
    ...(session === "run" ? ["The working directory stays from one command to the next."] : []),
    ...(allowed === undefined ? [] : [`It may run ${allowed.join(", ")} alone.`]),
    ...(blocked.length === 0 ? [] : [`It may not run ${blocked.join(", ")}.`]),
    ...(allowed === undefined && blocked.length === 0
      ? []
      : ["No pipes, redirections or several commands."]),
  ];
  return sentences.join(" ");
}
