import { env } from "cloudflare:workers";
import { boundLoader } from "../../../src/cloudflare/code/worker-loader.ts";
import type { CodeJob, CodeResult } from "../../../src/code/code-runner.ts";

/** Runs JavaScript in an isolate of the local runtime. */
export async function isolated(
  code: string,
  more: Partial<CodeJob> & { readonly send?: typeof fetch } = {},
): Promise<CodeResult> {
  const { send, ...own } = more;
  const network = send === undefined ? {} : { fetch: send };
  const runner = boundLoader({ env, tenant: "default", services: { network } });
  if (runner === undefined) throw new Error("LOADER is not bound");
  const job: CodeJob = {
    language: "javascript",
    code,
    idempotencyKey: "test",
    timeoutMs: 5_000,
    maxOutputChars: 30_000,
    network: false,
    ...own,
  };
  return runner.run(job, new AbortController().signal);
}
