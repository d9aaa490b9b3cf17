import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { pythonOf } from "../needs/python-environment.ts";

export type OracleRequest = { readonly id: string; readonly path: string; readonly kind: string };
export type OracleAnswer = { readonly text?: string; readonly error?: string };

/** Returns the texts of documents as other libraries read them, by id. */
export async function oracleTexts(
  environment: string,
  requests: readonly OracleRequest[],
): Promise<ReadonlyMap<string, OracleAnswer>> {
  const program = fileURLToPath(new URL("oracles.py", import.meta.url));
  const child = spawn(pythonOf(environment), [program], { stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.end(requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
  const answers = new Map<string, OracleAnswer>();
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, ...answer } = JSON.parse(line) as OracleAnswer & { readonly id: string };
    answers.set(id, answer);
  }
  return answers;
}
