import { cut } from "../../base/cut.ts";
import { EngineError } from "../../base/error.ts";

/** Limit for repeated values of a request. */
const MAX_REPEATED = 500;

/** Refusal of a request in the protocol's form: `{ error: … }` and a status. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, error: string, more: object = {}) {
    super(cut(error, MAX_REPEATED));
    this.status = status;
    this.body = { error: this.message, ...more };
  }
}

/** A temporary refusal, worth a retry. */
export class PassingRefusal extends Refusal {}

/** Converts an error the caller can act on to a refusal; returns any other error unchanged. */
export function asRefusal(error: unknown): unknown {
  if (!EngineError.is(error)) return error;
  const { code, message, issues = [] } = error;
  if (code !== "invalid_input" && code !== "invalid_definition") return error;
  const what = issues.map(({ path, message: why }) => `${path}: ${why}`).join("; ");
  return new Refusal(400, what === "" ? message : `${message}: ${what}`);
}
