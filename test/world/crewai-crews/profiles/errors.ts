import type { CaseWriter } from "../case-writer.ts";
import type { CrewCase, Reply } from "../crew-case.ts";

const FULL =
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 200000 tokens.";

const ERRORS: readonly NonNullable<Reply["error"]>[] = [
  { status: 500, type: "server_error", message: "internal" },
  { status: 503, type: "server_error", message: "overloaded" },
  { status: 429, type: "rate_limit_exceeded", message: "slow down" },
  { status: 400, type: "invalid_request_error", message: "bad request" },
  { status: 401, type: "authentication_error", message: "wrong key" },
  { status: 400, type: "context_length_exceeded", message: FULL },
  { status: 404, type: "not_found", message: "no such model" },
];

/** Errors of the model's server, once to four times. */
export function errors({ random }: CaseWriter, made: CrewCase): void {
  for (const [task, replies] of Object.entries(made.script)) {
    if (!random.chance(0.5)) continue;
    const error = random.pick(ERRORS);
    const times = Array.from({ length: random.pick([1, 1, 2, 4]) }, () => ({ error }));
    made.script[task] = replies.toSpliced(random.below(replies.length), 0, ...times);
  }
}
