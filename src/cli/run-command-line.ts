// Runs the command line of this process.
import { existsSync, readFileSync } from "node:fs";
import { stdin } from "node:process";
import { systemClock } from "../base/system.ts";
import { main } from "./main.ts";
import { nodeProcesses } from "./node-processes.ts";
import type { Sink } from "./output.ts";

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    if (interrupted.signal.aborted) process.exit(130); // the second Ctrl-C ends at once
    interrupted.abort();
  });
// A closed pipe is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exitCode = await main(process.argv.slice(2), {
  cwd: process.cwd(),
  variables: process.env,
  stdout: sink(process.stdout),
  stderr: sink(process.stderr),
  stdin: { isTerminal: stdin.isTTY, read: readAll },
  fetch,
  clock: systemClock,
  signal: interrupted.signal,
  prompter: async () => (await import("./terminal-prompter.ts")).terminalPrompter(),
  processes: nodeProcesses,
  version: ownVersion(),
});

function sink(stream: NodeJS.WriteStream): Sink {
  return {
    write: (text) => void stream.write(text),
    isTerminal: stream.isTTY,
    get columns() {
      return stream.isTTY ? stream.columns : undefined;
    },
    get rows() {
      return stream.isTTY ? stream.rows : undefined;
    },
  };
}

async function readAll(): Promise<string> {
  let text = "";
  stdin.setEncoding("utf8");
  for await (const piece of stdin) text += String(piece);
  return text;
}

function ownVersion(): string {
  // The package create-edgecrew has its bundle one folder higher.
  const [path] = ["../package.json", "../../package.json"]
    .map((each) => new URL(each, import.meta.url))
    .filter((each) => existsSync(each));
  if (path === undefined) return "";
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}
