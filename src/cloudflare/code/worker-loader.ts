// Isolates for code that models write, where a Worker Loader is bound.
import { RpcTarget } from "cloudflare:workers";
import type { CodeToolAnswer, CodeTools } from "../../code/code-runner.ts";
import type { CodeLoader } from "../../code/loader/code-loader.ts";
import { WorkerLoaderRunner } from "../../code/loader/worker-loader-runner.ts";
import type { PartEnv } from "../../parts/part.ts";

declare module "../../parts/part.ts" {
  interface PartEnv {
    /** A Worker Loader: JavaScript and TypeScript of models are run in isolates of their own. */
    readonly LOADER?: unknown;
  }
}

/**
 * Tools of a run as an isolate has them: a reference, which is of no use to anybody else and ends with the call that it is handed
 * to. Whose run it is, and what may be called, the isolate can neither see nor change.
 */
class ToolGate extends RpcTarget {
  readonly #tools: CodeTools;

  constructor(tools: CodeTools) {
    super();
    this.#tools = tools;
  }

  call(name: unknown, input: unknown): Promise<CodeToolAnswer> {
    return this.#tools.call(String(name), String(input));
  }
}

/** What runs JavaScript and TypeScript where `LOADER` is bound; undefined where it is not. */
export function boundLoader({ LOADER: loader }: PartEnv): WorkerLoaderRunner | undefined {
  if (loader === undefined) return undefined;
  return new WorkerLoaderRunner({
    loader: loader as CodeLoader,
    toolsStub: (tools) => new ToolGate(tools),
  });
}
