import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { Processes, ProgramOptions, RunningProgram } from "./processes.ts";

/**
 * Ends a program half a second after its parent is gone, and likewise the programs that it starts with the same options
 * of Node.
 */
const GUARD = `const parent = process.ppid;
setInterval(() => process.ppid !== parent && process.kill(process.pid, "SIGTERM"), 500).unref();`;

/** Processes of `node:child_process`. */
export const nodeProcesses: Processes = {
  id: process.pid,
  parentId: () => process.ppid,
  startNode,
  startProgram: (name, args, options) => start({ program: name, args }, options),
  isFree,
};

function startNode(args: readonly string[], options: ProgramOptions): RunningProgram {
  const guard = ["--import", `data:text/javascript,${encodeURIComponent(GUARD)}`];
  return start({ program: process.execPath, args: [...guard, ...args] }, options);
}

function start(
  { program, args }: { readonly program: string; readonly args: readonly string[] },
  { cwd, variables, onText }: ProgramOptions,
): RunningProgram {
  const isWindows = process.platform === "win32";
  const child = spawn(program, [...args], {
    shell: isWindows && program !== process.execPath, // npm is a script there
    cwd,
    env: variables,
    detached: !isWindows, // a group of its own, which ends together with its child processes
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", onText);
  }
  const exited = new Promise<number>((resolve) => {
    child.on("error", () => resolve(1));
    child.on("close", (code) => resolve(code ?? 1));
  });
  return {
    exited,
    signal: (name) => {
      try {
        if (child.pid !== undefined && !isWindows) process.kill(-child.pid, name);
        else child.kill(name);
      } catch {} // it is gone
    },
  };
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
