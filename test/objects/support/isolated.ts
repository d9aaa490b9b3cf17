import { env } from "cloudflare:workers";
import { boundLoader } from "../../../src/cloudflare/code/worker-loader.ts";
import type { CodeJob, CodeResult } from "../../../src/code/code-runner.ts";

/** Runs JavaScript in an isolate of the local runtime. */
export async function isolated(code: string, more: Partial<CodeJob> = {}): Promise<CodeResult> {
  const runner = boundLoader(env);
  if (runner === undefined) throw new Error("LOADER is not bound");
  const job: CodeJob = {
    language: "javascript",
    code,
    idempotencyKey: "test",
    timeoutMs: 5_000,
    maxOutputChars: 30_000,
    network: false,
    ...more,
  };
  return runner.run(job, new AbortController().signal);
}
