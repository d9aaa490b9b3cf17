// The commands of a documentation page, run in a shell as a reader would paste them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

/** One HTTP request that a block of commands made. */
export type MadeRequest = {
  readonly status: number;
  readonly method: string;
  readonly url: string;
};

export type BlockRun = {
  readonly requests: readonly MadeRequest[];
  readonly exitCode: number | null;
  readonly output: string;
};

/** A block that begins a project of its own is tried with the packed package: packed.test.ts. */
const OWN_PROJECT = /^npx wrangler dev$/m;
/** Commands that install, deploy or start something are left out. */
const NOT_RUN = /^(?:npm|npx|wrangler)\b|\| *wrangler\b/m;

/** The code blocks of a page in this language, in their order. */
export function blocksOf(page: string, language: string): readonly string[] {
  const pattern = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm");
  return Array.from(readFileSync(page, "utf8").matchAll(pattern), ([, block = ""]) => block);
}

/** The blocks of a page that talk to a Worker, without lines that need another machine. */
export function commandsOf(page: string): readonly string[] {
  return blocksOf(page, "sh")
    .filter((block) => !OWN_PROJECT.test(block))
    .map((block) =>
      block
        .split("\n")
        .filter((line) => !NOT_RUN.test(line))
        .join("\n"),
    )
    .filter((block) => /\bcurl\b/.test(block));
}

/** The statuses that a block says its commands answer with, such as `# 400 {…}`; the others answer 2xx. */
export function documentedProblems(block: string): readonly number[] {
  return Array.from(block.matchAll(/^# ([45]\d\d)\b/gm), ([, status]) => Number(status));
}

/**
 * `curl` as the reader has it, but that its status is reported. People are slower than a script: what is not there yet, or
 * not yet in the state that the command needs, is tried again.
 */
const PRELUDE = `
curl() {
  local try status said
  for try in 1 2 3 4 5 6 7 8 9 10 11 12; do
    said=$(command curl -sS --max-time 45 -w '%{stderr}STATUS %{http_code} %{method} %{url_effective}\\n' "$@" 2>"$REPORT")
    status=$(sed -n 's/^STATUS \\([0-9]*\\) .*/\\1/p' "$REPORT" | tail -1)
    case "$status" in 404|409) sleep 0.5 ;; *) break ;; esac
    [ -n "$ONCE" ] && break
  done
  cat "$REPORT" >&2
  printf '%s\\n' "$said"
}
`;

export type ShellOptions = {
  readonly cwd: string;
  /** The address of the Worker; it takes the place of `localhost:8787`. */
  readonly url: string;
  /** Whether a 404 or 409 is tried again. @default true */
  readonly patient?: boolean;
};

/** Runs a block of commands in a shell of its own. */
export async function runBlock(
  block: string,
  { cwd, url, patient = true }: ShellOptions,
): Promise<BlockRun> {
  const host = new URL(url).host;
  const script = `${PRELUDE}\n${block.replaceAll("localhost:8787", host)}`;
  const env = {
    ...process.env,
    API: url,
    REPORT: `${cwd}/.report-${process.pid}`,
    ...(patient ? {} : { ONCE: "1" }),
  };
  const child = spawn("bash", ["-c", script], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => said.push(data.toString()));
  const [exitCode] = (await once(child, "close")) as [number | null];
  const output = said.join("");
  const requests = Array.from(
    output.matchAll(/^STATUS (\d+) (\S+) (\S+)$/gm),
    ([, status, method = "", address = ""]) => ({ status: Number(status), method, url: address }),
  );
  return { requests, exitCode, output };
}
