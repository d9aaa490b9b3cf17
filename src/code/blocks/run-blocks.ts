// Runs the code blocks of a message and makes the same reply as AG2.
//
//   CRB1. Blocks run in order until one fails. Each is a step of its own and does not run again.
//   CRB2. The reply has the exit code, and for each block its stderr and then its stdout.
//   CRB3. A file that a block names is kept in the working directory for later blocks. A name outside of it is a
//         failure.
import { EngineError } from "../../base/error.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { workspacePath, type WorkspaceFile } from "../../files/workspace.ts";
import { codeLanguage, isKeptLanguage } from "../code-language.ts";
import { codeFailure, EXIT, type CodeResult, type CodeRunner } from "../code-runner.ts";
import { keepFiles } from "../code-sessions.ts";
import { isCodeOutside, RUNNER_RETRY, runCode } from "../run-code.ts";
import type { CodeBlock } from "./code-blocks.ts";
import { defaultFileName, writtenFileName } from "./file-name.ts";

/** Settings for the code of a conversation. */
export type BlockOptions = {
  /** Takes precedence over the deployment's runners. */
  readonly runner?: CodeRunner | undefined;
  readonly timeoutMs?: number | undefined;
  /** Prefix of the paths of its files in the workspace, such as `coding/`. @default "" */
  readonly workDir?: string | undefined;
  /** Session shared with other code of the run. */
  readonly session: string;
  /** Name of the caller, for error messages. */
  readonly owner: string;
};

/** Recorded result of a block. */
type RanBlock = {
  readonly exitCode: number;
  readonly output: string;
  readonly files: readonly WorkspaceFile[];
};

/** Runs blocks as steps at `place` and returns the reply. */
export async function runBlocks(
  place: RunScope,
  blocks: readonly CodeBlock[],
  options: BlockOptions,
): Promise<{ readonly reply: string; readonly exitCode: number }> {
  const outputs: string[] = [];
  let exitCode = 0;
  for (const [index, block] of blocks.entries()) {
    const ran = await runBlock(place.at(`code:${index}`), block, options);
    outputs.push(ran.output);
    exitCode = ran.exitCode;
    if (exitCode !== 0) break;
  }
  const outcome = exitCode === 0 ? "execution succeeded" : "execution failed";
  return {
    exitCode,
    reply: `exitcode: ${exitCode} (${outcome})\nCode output: ${outputs.join("\n").replace(/\n{2,}$/, "\n")}`,
  };
}

async function runBlock(
  place: RunScope,
  block: CodeBlock,
  options: BlockOptions,
): Promise<RanBlock> {
  const language = codeLanguage(block.language);
  const acts = language !== undefined && isCodeOutside(language);
  try {
    return await place.step<RanBlock>({
      kind: "effect",
      label: `code ${block.language}`.trimEnd(),
      effect: acts ? "once" : "idempotent",
      retry: RUNNER_RETRY,
      run: (context, inside) => inside.run(() => performBlock(inside, block, { options, context })),
    });
  } catch (error) {
    if (!EngineError.is(error) || !isOfCode(error)) throw error;
    return { exitCode: EXIT.failed, output: error.message, files: [] };
  }
}

/** True for failures that the conversation can go on from, because a model can react to them. */
function isOfCode({ code }: EngineError): boolean {
  return code === "outcome_unknown" || code === "unavailable" || code === "tool_failed";
}

async function performBlock(
  place: RunScope,
  { language, code }: CodeBlock,
  {
    options,
    context,
  }: {
    readonly options: BlockOptions;
    readonly context: { readonly signal: AbortSignal; readonly idempotencyKey: string };
  },
): Promise<RanBlock> {
  const { runner, timeoutMs, workDir: folder = "", session, owner } = options;
  const written = writtenFileName(code);
  const name = written ?? (isKeptLanguage(language) ? defaultFileName(code, language) : undefined);
  const path = name === undefined ? undefined : pathOf(name);
  if (name !== undefined && path === undefined)
    return recorded(codeFailure(EXIT.failed, "Filename is not in the workspace"));
  const own = path === undefined ? [] : [{ path, bytes: new TextEncoder().encode(code) }];
  if (isKeptLanguage(language)) {
    const files = await keepFiles(place, own, { session, folder });
    return { exitCode: 0, output: `Code saved to ${folder}${path ?? ""}\n`, files };
  }
  const result = await runCode(
    place,
    {
      language,
      code,
      files: Object.fromEntries(own.map((file) => [file.path, file.bytes])),
      timeoutMs,
      session,
      runner,
      owner,
      lacking: "exit",
    },
    context,
  );
  const files = await keepFiles(place, [...own, ...result.files], { session, folder });
  return recorded(result, files);
}

function recorded(result: CodeResult, files: readonly WorkspaceFile[] = []): RanBlock {
  const { exitCode, stdout, stderr, truncatedChars, error } = result;
  const lost = truncatedChars > 0 ? `\n[${truncatedChars} more characters]` : "";
  const late = error === "timeout" ? "\nTimeout" : "";
  return { exitCode, output: `${stderr}${stdout}${lost}${late}`, files };
}

function pathOf(name: string): string | undefined {
  try {
    return workspacePath(name);
  } catch {
    return undefined;
  }
}
