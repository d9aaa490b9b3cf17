import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Starts the canned server in a process of its own, so that its work is not counted as ours. */
export async function startCannedServer(): Promise<{ readonly url: string; stop(): void }> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL("./canned-server.ts", import.meta.url))],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { url: string };
  return { url, stop: () => child.kill() };
}
