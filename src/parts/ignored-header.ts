// The header with the unused fields of a request (AST3).
import type { AnswerSettings } from "../llm/answer-settings.ts";
import type { OperationAnswer } from "./operation-answer.ts";

const IGNORED_HEADER = "X-Edgecrew-Ignored";

/** Settings of a request, used and ignored. */
export type SettledSettings = {
  readonly used: AnswerSettings;
  /** Fields of the ignored settings, as they were sent. */
  readonly ignored: readonly string[];
};

/** Field names allowed in the header, each once; other texts are left out. */
const NAME = /^[\w.-]{1,64}$/;
const MAX_NAMES = 50;

/** Returns the header with the ignored fields, or no header if all were used. */
export function ignoredHeader(fields: readonly string[]): Readonly<Record<string, string>> {
  const names = [...new Set(fields)].filter((name) => NAME.test(name)).slice(0, MAX_NAMES);
  return names.length === 0 ? {} : { [IGNORED_HEADER]: names.join(", ") };
}

/** Returns an answer with this header. */
export function withIgnored<Answer extends OperationAnswer>(
  answer: Answer,
  fields: readonly string[],
): Answer {
  const headers = ignoredHeader(fields);
  if (!(answer instanceof Response))
    return Object.assign({}, answer, { headers: { ...answer.headers, ...headers } });
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}
