// Tool with which a model runs its own code.
//
//   RCD1. Code in an isolate without a network needs no approval and runs again after a crash. Other code needs a
//         person's approval and does not run again.
//   RCD2. Files go in from the workspace of the run and come out into it.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import * as z from "zod";
import { EngineError } from "../../base/error.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { jsonText, preview, type JsonObject } from "../../base/json.ts";
import { RunScope } from "../../events/run-scope.ts";
import { workspaceOf } from "../../files/workspace.ts";
import type { Effect } from "../../journal/step-spec.ts";
import type { NeedsApproval, ToolContext } from "../../tools/tool-context.ts";
import { toolFailure, type ToolFailure } from "../../tools/tool-failure.ts";
import { toolResult, type ResultImage, type ToolResult } from "../../tools/tool-result.ts";
import { requireNeeds } from "../../tools/tool-needs.ts";
import { tool, type Tool } from "../../tools/tool.ts";
import { codeLanguage, type CodeLanguage } from "../code-language.ts";
import type { CodeNetwork, CodeResult, CodeRunner } from "../code-runner.ts";
import { requireRunner } from "../code-service.ts";
import { keepFiles } from "../code-sessions.ts";
import { checkNetwork } from "../loader/request-gate.ts";
import { resultText } from "../result-text.ts";
import {
  DEFAULT_TIMEOUT_MS,
  isCodeOutside,
  MAX_TIMEOUT_MS,
  RUNNER_RETRY,
  runCode,
} from "../run-code.ts";
import { ToolGate } from "../tool-gate.ts";
import { toolSignature } from "./tool-signature.ts";

/** Settings of `runCodeTool()`. */
export type RunCodeOptions = {
  /** Shown to the model. @default "run_code" */
  readonly name?: string;
  /** @default its languages and limits */
  readonly description?: string;
  /** Languages for the model; the first one is the default of a call. @default ["javascript"] */
  readonly languages?: readonly CodeLanguage[];
  /** Network access of the code. @default false, no access */
  readonly network?: CodeNetwork;
  /** Maximum duration of a piece of code, in milliseconds: 1_000 to 600_000. @default 60_000 */
  readonly timeoutMs?: number;
  /**
   * State shared between pieces of code. `call`: no state. `run`: all pieces of the run share a working directory, and
   * in Python their variables.
   * @default "call"
   */
  readonly session?: "call" | "run";
  /** Tools for JavaScript and TypeScript: `await tools.search({ query })`. @default [] */
  readonly tools?: readonly Tool[];
  /** True if a person approves each call. @default for code in Python and bash, and for code with a network */
  readonly needsApproval?: NeedsApproval;
  /** Runner of the code. @default the deployment's runners */
  readonly runner?: CodeRunner;
};

const LANGUAGES: readonly unknown[] = ["javascript", "typescript", "python", "bash"];
/** Includes waiting for other pieces of code and for the start of their containers. */
const CALL_TIMEOUT_MS = 900_000;
const MAX_IMAGES = 4;

const OPTIONS = definitionOptions<RunCodeOptions>("runCode()", {
  name: true,
  description: true,
  languages: true,
  network: true,
  timeoutMs: true,
  session: true,
  tools: true,
  needsApproval: true,
  runner: true,
});

/** Makes a tool for running code. Throws `invalid_definition` for invalid options. */
export function runCodeTool(options: RunCodeOptions = {}): Tool {
  refuseUnknownOptions(options, OPTIONS);
  const checked = checkOptions(options);
  const { name, languages, network, tools, session, timeoutMs, runner } = checked;
  const acts = (language: CodeLanguage): boolean => isCodeOutside(language) || network !== false;
  const actsOutside = languages.some(acts);
  const [first = "javascript"] = languages;
  const made = tool({
    name,
    description: options.description ?? describe(checked),
    input: inputSchema(checked),
    effect: effectOf(actsOutside, tools),
    timeoutMs: CALL_TIMEOUT_MS,
    retry: RUNNER_RETRY,
    cache: () => !actsOutside && tools.length === 0 && session === "call",
    ...(actsOutside ? { actsOutside } : undefined),
    needsApproval:
      options.needsApproval ??
      (actsOutside && (({ language }) => acts(codeLanguage(jsonText(language)) ?? first))),
    run: ({ code, language = first, files = [], timeout }, context) =>
      perform(
        {
          code: withoutFence(code),
          language,
          timeoutMs: timeout === undefined ? timeoutMs : Math.min(timeout * 1000, timeoutMs),
          network,
          session: session === "run" ? "run" : undefined,
          runner,
          owner: name,
        },
        { paths: files, tools },
        context,
      ),
  });
  return {
    ...made,
    check: (services) => {
      checkNetwork(network, `tool "${name}"`, services.network?.outbound ?? {});
      requireNeeds(tools, services);
      if (runner === undefined)
        for (const language of languages) requireRunner(services, language, name);
    },
  };
}

type Checked = Required<Omit<RunCodeOptions, "description" | "needsApproval" | "runner">> &
  Pick<RunCodeOptions, "runner">;

function checkOptions(options: RunCodeOptions): Checked {
  const { name = "run_code", languages = ["javascript"], network = false, tools = [] } = options;
  const { timeoutMs = DEFAULT_TIMEOUT_MS, session = "call", runner } = options;
  const owner = `tool "${name}"`;
  const unknown = languages.find((each) => !LANGUAGES.includes(each));
  if (languages.length === 0 || unknown !== undefined)
    throw invalidDefinition(
      `${owner}: languages must be some of ${LANGUAGES.join(", ")}, got ${preview(languages)}`,
    );
  if (!(timeoutMs >= 1_000 && timeoutMs <= MAX_TIMEOUT_MS))
    throw invalidDefinition(
      `${owner}: timeoutMs must be 1000 to ${MAX_TIMEOUT_MS}, got ${preview(timeoutMs)}`,
    );
  checkNetwork(network, owner, { allowPrivate: true }); // the deployment's policy is applied at a place that knows it
  if (network !== false && network.hosts.includes("*") && !languages.every(isCodeOutside))
    throw invalidDefinition(
      `${owner}: JavaScript and TypeScript may ask hosts that are named; "*" is for containers`,
    );
  if (tools.length > 0 && !languages.some((each) => !isCodeOutside(each)))
    throw invalidDefinition(`${owner}: tools can be called from JavaScript and TypeScript alone`);
  const names = tools.map(({ safeName }) => safeName);
  const twice = names.find((each, index) => names.indexOf(each) < index);
  if (twice !== undefined)
    throw invalidDefinition(
      `${owner}: two of its tools are tools.${twice}() in code: give one of them another name`,
    );
  return {
    name,
    languages,
    network,
    tools,
    timeoutMs,
    session,
    ...(runner === undefined ? undefined : { runner }),
  };
}

function inputSchema({ languages, timeoutMs }: Checked) {
  const names = languages as [CodeLanguage, ...CodeLanguage[]];
  const language = z.preprocess(
    (value) => (typeof value === "string" ? (codeLanguage(value) ?? value) : value),
    z.enum(names),
  );
  return z.object({
    code: z.string().describe("The code"),
    ...(languages.length > 1 ? { language: language.default(names[0]).optional() } : undefined),
    files: z
      .array(z.string())
      .optional()
      .describe("Files of the workspace that it needs in its working directory"),
    timeout: z
      .number()
      .positive()
      .optional()
      .describe(`Seconds, at most ${Math.floor(timeoutMs / 1000)}`),
  }) as z.ZodType<CodeInput>;
}

/** Models often fence code even if only code is expected. */
function withoutFence(code: string): string {
  return /^\s*(`{3,})[\w+-]*[ \t]*\r?\n([^]*?)\r?\n[ \t]*\1\s*$/.exec(code)?.[2] ?? code;
}

type CodeInput = {
  readonly code: string;
  readonly language?: CodeLanguage | undefined;
  readonly files?: readonly string[] | undefined;
  readonly timeout?: number | undefined;
};

function effectOf(actsOutside: boolean, tools: readonly Tool[]): Effect {
  if (actsOutside) return "once";
  return tools.length > 0 ? "idempotent" : "pure";
}

const SCRIPT =
  "JavaScript is the body of an async function: `return` gives the value, console.log prints, node:fs reads and writes files, and there are no packages";

function describe({ languages, network, session, tools }: Checked): string {
  const scripts = languages.some((each) => !isCodeOutside(each));
  const sentences = [
    `Runs code in ${languages.join(", ")} in a sandbox and gives back what it printed, its value and the files that it wrote.`,
    ...(scripts ? [`${SCRIPT}.`] : []),
    network === false ? "It has no network." : `It may ask ${network.hosts.join(", ")} alone.`,
    ...(session === "run" ? ["The working directory stays from one call to the next."] : []),
  ];
  const signatures = tools.map((each) => `- ${toolSignature(each)}`);
  const calls =
    signatures.length === 0
      ? []
      : ["The code can call these, each of which gives a promise:", ...signatures];
  return [sentences.join(" "), ...calls].join("\n");
}

async function perform(
  request: Parameters<typeof runCode>[1],
  { paths, tools }: { readonly paths: readonly string[]; readonly tools: readonly Tool[] },
  context: ToolContext,
): Promise<ToolResult | ToolFailure> {
  const scope = RunScope.current();
  if (scope === undefined)
    throw new EngineError("invalid_definition", "code is run within runs alone");
  const files: Record<string, Uint8Array> = {};
  for (const path of paths) {
    const file = await workspaceOf(scope).read(path);
    if (file === undefined)
      return toolFailure({
        message: `there is no file ${path} in the workspace`,
        code: "not_found",
      });
    files[path] = file.content;
  }
  const gate = tools.length === 0 ? undefined : await ToolGate.open(scope, context, tools);
  const result = await runCode(
    scope,
    { ...request, files, ...(gate === undefined ? undefined : { tools: gate }) },
    context,
  );
  const called = await gate?.close();
  const kept = await keepFiles(scope, result.files, { session: request.session });
  return toolResult({
    text: resultText(result, kept),
    data: dataOf(result),
    files: kept,
    images: kept
      .flatMap(({ path, mediaType }): ResultImage[] =>
        /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType) ? [{ path, mediaType }] : [],
      )
      .slice(0, MAX_IMAGES),
    untrusted: ["the code that was run"],
    ...(called === undefined || called.usd === 0 ? undefined : { usd: called.usd }),
    ...(called === undefined ? undefined : { sources: called.sources }),
  });
}

function dataOf({ exitCode, stdout, stderr, value, durationMs, error }: CodeResult): JsonObject {
  return {
    exitCode,
    stdout,
    stderr,
    durationMs,
    ...(value === undefined ? undefined : { value }),
    ...(error === undefined ? undefined : { error }),
  };
}
