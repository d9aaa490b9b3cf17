import { cut } from "../../base/cut.ts";
import { EngineError } from "../../base/error.ts";

/** What is repeated of a request is bounded, whatever came. */
const MAX_REPEATED = 500;

/** The answer of a route that refuses a request, in the protocol's form: `{ error: … }` and a status. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, error: string, more: object = {}) {
    super(cut(error, MAX_REPEATED));
    this.status = status;
    this.body = { error: this.message, ...more };
  }
}

/** A refusal that the same request may not meet later. */
export class PassingRefusal extends Refusal {}

/** An error that the caller can do something about, as a refusal; anything else as it is. */
export function asRefusal(error: unknown): unknown {
  if (!EngineError.is(error)) return error;
  const { code, message, issues = [] } = error;
  if (code !== "invalid_input" && code !== "invalid_definition") return error;
  const what = issues.map(({ path, message: why }) => `${path}: ${why}`).join("; ");
  return new Refusal(400, what === "" ? message : `${message}: ${what}`);
}
