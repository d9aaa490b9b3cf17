// Runs the project's installed wrangler.
//
//   WRP1. Secrets are neither in a command line, nor in the environment of the process.
//   WRP2. Output for programs is read, never the text for people.
//   WRP3. A failure with a retry time is tried again then, three times at most.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { sleep, type Clock } from "../../base/clock.ts";
import { isJsonObject, parsedJson, type JsonObject } from "../../base/json.ts";
import { wrongUse } from "../cli-failure.ts";
import { ProgramOutput } from "../program-output.ts";
import { CloudFault, type FaultKind } from "./cloud.ts";

/** Output of one call of wrangler. */
export type WranglerResult = {
  readonly stdout: string;
  /** Output for programs, one object a line. */
  readonly entries: readonly JsonObject[];
};

export type WranglerWorld = {
  readonly folder: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

const RANGE = "4.155";
const MAX_TRIES = 4;
const MAX_PAUSE_MS = 60_000;

/**
 * Returns the script to run: `EDGECREW_WRANGLER`, or the project's own. Throws exit code 2 if it is missing or of an
 * unsupported version.
 */
export function findWrangler({ folder, variables }: WranglerWorld): string {
  const { EDGECREW_WRANGLER = "" } = variables;
  if (EDGECREW_WRANGLER !== "") return EDGECREW_WRANGLER;
  const install = `npm install --save-dev wrangler@^${RANGE}.0`;
  for (let from = folder; ; from = dirname(from)) {
    const manifest = join(from, "node_modules", "wrangler", "package.json");
    if (existsSync(manifest)) {
      const { version = "" } = JSON.parse(readFileSync(manifest, "utf8")) as { version?: string };
      const [major = 0, minor = 0] = version.split(".").map(Number);
      if (major === 4 && minor >= 155) return join(dirname(manifest), "bin", "wrangler.js");
      throw wrongUse(
        `this needs wrangler from ${RANGE} and below 5; the project has ${version}`,
        install,
      );
    }
    if (dirname(from) === from) throw wrongUse("the project has no wrangler", install);
  }
}

/** Runs it to its end. Throws a `CloudFault`. */
export async function runWrangler(
  script: string,
  args: readonly string[],
  world: WranglerWorld,
): Promise<WranglerResult> {
  for (let attempt = 1; ; attempt++) {
    const { code, stdout, stderr, entries } = await once(script, args, world);
    world.signal.throwIfAborted();
    if (code === 0) return { stdout, entries };
    const failed = entries.findLast(({ type }) => type === "command-failed");
    const pauseMs = failed?.["retry_after_ms"];
    if (typeof pauseMs !== "number" || attempt === MAX_TRIES)
      throw faultOf({ args, failed, stdout, stderr });
    await sleep(world.clock, Math.min(pauseMs, MAX_PAUSE_MS), world.signal);
  }
}

/** Follows its output, line by line, until the signal. */
export async function followWrangler(
  script: string,
  args: readonly string[],
  { onLine, ...world }: WranglerWorld & { readonly onLine: (line: string) => void },
): Promise<void> {
  let rest = "";
  const { code, stdout, stderr, entries } = await once(script, args, {
    ...world,
    onText: (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      lines.forEach(onLine);
    },
  });
  if (code === 0 || world.signal.aborted) return;
  const failed = entries.findLast(({ type }) => type === "command-failed");
  throw faultOf({ args, failed, stdout, stderr });
}

type Ended = WranglerResult & { readonly code: number | null; readonly stderr: string };

function once(
  script: string,
  args: readonly string[],
  {
    folder,
    variables,
    signal,
    onText,
  }: WranglerWorld & { readonly onText?: (text: string) => void },
): Promise<Ended> {
  const own = mkdtempSync(join(tmpdir(), "edgecrew-wrangler-"));
  const entriesFile = join(own, "entries.ndjson");
  return new Promise<Ended>((resolve, reject) => {
    const isScript = /\.[cm]?[jt]s$/.test(script);
    const child = spawn(isScript ? process.execPath : script, isScript ? [script, ...args] : args, {
      cwd: folder,
      env: environmentFor({ folder, variables }, entriesFile),
      stdio: ["ignore", "pipe", "pipe"],
      signal,
      killSignal: "SIGINT",
    });
    const written = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (onText === undefined) written.stdout += text;
      else onText(text);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => void (written.stderr += text));
    child.on("error", (error) => {
      if (signal.aborted) return; // its end follows
      reject(
        new CloudFault("failed", `wrangler did not start: ${error.message}`, {
          command: args.join(" "),
        }),
      );
    });
    child.on("close", (code) => resolve({ code, ...written, entries: entriesOf(entriesFile) }));
  }).finally(() => rmSync(own, { recursive: true, force: true }));
}

/** Our own variables are removed: the Worker's key is among them. */
function environmentFor(
  { folder, variables }: Pick<WranglerWorld, "folder" | "variables">,
  entriesFile: string,
): NodeJS.ProcessEnv {
  const others = Object.entries(variables).filter(([name]) => !name.startsWith("EDGECREW_"));
  return {
    ...Object.fromEntries(others),
    CI: "1",
    NO_COLOR: "1",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_OUTPUT_FILE_PATH: entriesFile,
    // The project's `build` command is found as it is under npm.
    PATH: [join(folder, "node_modules", ".bin"), variables["PATH"] ?? ""].join(delimiter),
  };
}

function entriesOf(path: string): readonly JsonObject[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      const value = parsedJson(line);
      return isJsonObject(value) ? [value] : [];
    });
}

/** Codes of the account's API: not allowed, and not found. */
const NOT_ALLOWED: ReadonlySet<unknown> = new Set([10000, 9109, 10001, 10023]);
const MISSING: ReadonlySet<unknown> = new Set([10007, 10090, 10006, 3000]);

function faultOf({
  args,
  failed,
  stdout,
  stderr,
}: {
  readonly args: readonly string[];
  readonly failed: JsonObject | undefined;
  readonly stdout: string;
  readonly stderr: string;
}): CloudFault {
  const output = new ProgramOutput();
  output.add([stdout, stderr].join("\n"));
  const said = typeof failed?.["message"] === "string" ? failed["message"] : "";
  // The message alone is often too short; the output has the failed migration and its reason.
  const parts = [said, output.reason].filter((part) => part !== "");
  const message = parts.filter(
    (part) => !parts.some((each) => each !== part && each.includes(part)),
  );
  const whole = [said, output.whole].join("\n");
  return new CloudFault(
    kindOf(failed?.["code"], whole),
    [...new Set(message)].join("\n") || "wrangler was ended",
    { command: args.join(" "), output: whole },
  );
}

function kindOf(code: unknown, message: string): FaultKind {
  if (/CLOUDFLARE_API_TOKEN|not authenticated|wrangler login/i.test(message))
    return "not_logged_in";
  if (/more than one account/i.test(message)) return "several_accounts";
  if (
    NOT_ALLOWED.has(code) ||
    /authentication error|not authorized|missing permission/i.test(message)
  )
    return "not_allowed";
  if (MISSING.has(code) || /does not exist|not found/i.test(message)) return "missing";
  return "failed";
}
