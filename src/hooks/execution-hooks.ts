// Hooks around a whole execution: of a crew, or of a single agent.
//
//   EH1. `execution_end` is called once for each execution with an `execution_start`, also after a failure. A run ended
//        from outside (cancelled, out of its crash budget) has none, because its code no longer runs.
import { toErrorRecord } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import { intercept, interceptOrFail, type ActiveHooks, type Interception } from "./dispatch.ts";
import { HookAborted } from "./hook.ts";

/** Validity of values changed by a hook. */
type Fits = {
  readonly inputs: (value: JsonValue) => boolean;
  readonly output: (value: JsonValue) => boolean;
};

/** The hooks of one execution at `scope`. */
export class ExecutionHooks<Inputs, Output> {
  readonly #scope: RunScope;
  readonly #active: ActiveHooks | undefined;
  readonly #fits: Fits;
  #ended = false;

  constructor(scope: RunScope, active: ActiveHooks | undefined, fits: Fits) {
    this.#scope = scope;
    this.#active = active;
    this.#fits = fits;
  }

  /** Runs the execution; if it fails, `execution_end` hooks receive the failure. */
  async around<T>(code: () => Promise<T>): Promise<T> {
    if (this.#active === undefined) return code();
    try {
      return await code();
    } catch (error) {
      if (!this.#ended) {
        const { code: errorCode, message } = toErrorRecord(error);
        await this.#end(null, { status: "failed", error: { code: errorCode, message } });
      }
      throw error;
    }
  }

  start(inputs: Inputs): Promise<Inputs> {
    const fits = this.#fits.inputs;
    return this.#pass({ point: "execution_start", value: inputs, alias: "inputs", fits });
  }

  input(inputs: Inputs): Promise<Inputs> {
    const fits = this.#fits.inputs;
    return this.#pass({ point: "input", value: inputs, alias: "inputs", fits });
  }

  output(output: Output): Promise<Output> {
    const fits = this.#fits.output;
    return this.#pass({ point: "output", value: output, alias: "output", fits });
  }

  async end(output: Output): Promise<Output> {
    if (this.#active === undefined) return output;
    const { value, abort } = await this.#end(output, { status: "completed" });
    if (abort !== undefined) throw new HookAborted(abort.reason, abort.source);
    return value ?? output;
  }

  #end(output: Output | null, facts: object) {
    this.#ended = true;
    return intercept<Output | null>(this.#scope, this.#active, {
      point: "execution_end",
      field: "payload",
      alias: "output",
      value: output,
      facts,
      fits: (value) => output !== null && this.#fits.output(value),
    });
  }

  async #pass<Value>(interception: Omit<Interception<Value>, "field">): Promise<Value> {
    if (this.#active === undefined) return interception.value;
    return interceptOrFail<Value>(this.#scope, this.#active, { field: "payload", ...interception });
  }
}
