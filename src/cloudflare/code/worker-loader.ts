// Isolates for code written by models, if a Worker Loader is bound.
import { printLine } from "../../base/system.ts";
import type { CodeToolAnswer } from "../../code/code-runner.ts";
import type { CodeLoader } from "../../code/loader/code-loader.ts";
import { WorkerLoaderRunner, type GuestGate } from "../../code/loader/worker-loader-runner.ts";
import type { RunnerPlace } from "../../code/runners.ts";
import type { PartEnv } from "../../parts/part.ts";
import { developmentSettings } from "../development-settings.ts";

declare module "../../parts/part.ts" {
  interface PartEnv {
    /** Worker Loader: runs a model's JavaScript and TypeScript in separate isolates. */
    readonly LOADER?: unknown;
  }
}

/**
 * Creates the only reference an isolate gets. It is useless to other code and ends with its call. The isolate can
 * neither see nor change the run, the allowed tools and the allowed hosts.
 */
async function stubOf({ tools, send }: GuestGate): Promise<unknown> {
  // imported late, so tools with code can be created in any runtime
  const { RpcTarget } = await import("cloudflare:workers");
  class Gate extends RpcTarget {
    async call(name: unknown, input: unknown): Promise<CodeToolAnswer> {
      if (tools === undefined || typeof name !== "string" || typeof input !== "string")
        return { ok: false, message: "there is no such tool" };
      return tools.call(name, input);
    }

    async fetch(request: unknown): Promise<Response> {
      if (send === undefined || !(request instanceof Request))
        return new Response("this code may send no requests", { status: 403 });
      return send(request);
    }
  }
  return new Gate();
}

let hasWarned = false;

/** Warns once: the local runtime has no limit on CPU time, so an endless isolate stops all others. */
function warnLocally(env: PartEnv): void {
  if (
    hasWarned ||
    developmentSettings(env as Parameters<typeof developmentSettings>[0]).length === 0
  )
    return;
  hasWarned = true;
  printLine(
    "Isolates have no limit of CPU time on this machine: an endless loop in a model's code stops this Worker. Deployed, such code ends after 5 s.",
  );
}

/** Returns a runner for JavaScript and TypeScript if `LOADER` is bound, else undefined. */
export function boundLoader({ env, services }: RunnerPlace): WorkerLoaderRunner | undefined {
  if (env.LOADER === undefined) return undefined;
  warnLocally(env);
  return new WorkerLoaderRunner({
    loader: env.LOADER as CodeLoader,
    stubOf,
    ...services.network,
  });
}
