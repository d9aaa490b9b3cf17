// Isolates for code that models write, where a Worker Loader is bound.
import { printLine } from "../../base/system.ts";
import type { CodeToolAnswer } from "../../code/code-runner.ts";
import type { CodeLoader } from "../../code/loader/code-loader.ts";
import { WorkerLoaderRunner, type GuestGate } from "../../code/loader/worker-loader-runner.ts";
import type { RunnerPlace } from "../../code/runners.ts";
import type { PartEnv } from "../../parts/part.ts";
import { developmentSettings } from "../development-settings.ts";

declare module "../../parts/part.ts" {
  interface PartEnv {
    /** A Worker Loader: JavaScript and TypeScript of models are run in isolates of their own. */
    readonly LOADER?: unknown;
  }
}

/**
 * What an isolate can reach: a reference, which is of no use to anybody else and ends with the call that it is handed to. Whose run
 * it is, what may be called and who may be asked, the isolate can neither see nor change.
 */
async function stubOf({ tools, send }: GuestGate): Promise<unknown> {
  const { RpcTarget } = await import("cloudflare:workers"); // only there: tools that run code can be made everywhere
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

/** The local runtime does not limit the time of computing, and one isolate that never ends stops all others. */
function warnLocally(env: PartEnv): void {
  if (
    hasWarned ||
    developmentSettings(env as Parameters<typeof developmentSettings>[0]).length === 0
  )
    return;
  hasWarned = true;
  printLine(
    "Code that models write is run in isolates whose time of computing nothing limits on this machine: a loop without an end stops this Worker. Deployed, such code is ended after 5 s.",
  );
}

/** What runs JavaScript and TypeScript where `LOADER` is bound; undefined where it is not. */
export function boundLoader({ env, services }: RunnerPlace): WorkerLoaderRunner | undefined {
  if (env.LOADER === undefined) return undefined;
  warnLocally(env);
  return new WorkerLoaderRunner({
    loader: env.LOADER as CodeLoader,
    stubOf,
    ...services.network,
  });
}
