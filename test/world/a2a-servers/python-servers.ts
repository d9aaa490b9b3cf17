// A Python program that serves agents on loopback, and says where.
import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { fileURLToPath } from "node:url";
import { pythonOf } from "../needs/python-environment.ts";
import type { PartContext } from "../part.ts";
import { QUIET } from "../support/run-python.ts";

/** Addresses by the name of the server and of its agent, divided by the last space. */
export type Served = Readonly<Record<string, string>>;

/** Starts the program and waits for its addresses. It is killed when the part ends. */
export async function startServers(
  { environment, script }: { readonly environment: string; readonly script: URL },
  { scratch, atEnd }: Pick<PartContext, "scratch" | "atEnd">,
): Promise<Served> {
  const program = fileURLToPath(script);
  const child = spawn(pythonOf(environment), [program], {
    cwd: scratch,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...QUIET, OPENAI_API_KEY: "none", CREWAI_STORAGE_DIR: "world-a2a" },
  });
  atEnd(() => void child.kill("SIGKILL"));
  child.stderr.pipe(createWriteStream(`${scratch}/${program.split("/").at(-1)}.err`));
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (data: Buffer) => {
      said += data.toString();
      const found = /SERVES (\{.*\})/.exec(said)?.[1];
      if (found !== undefined) resolve(JSON.parse(found) as Served);
    });
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`${program} ended with ${code}`)));
  });
}
