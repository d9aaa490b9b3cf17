// The header that names fields of a request that were not used (AST3).
import type { AnswerSettings } from "../llm/answer-settings.ts";
import type { OperationAnswer } from "./operation.ts";

export const IGNORED_HEADER = "X-Edgecrew-Ignored";

/** What became of settings. */
export type SettledSettings = {
  readonly used: AnswerSettings;
  /** Fields of the others, as they were sent. */
  readonly ignored: readonly string[];
};

/** Names in a header, each once; other texts are none. */
const NAME = /^[\w.-]{1,64}$/;
const MAX_NAMES = 50;

/** The header that names what was ignored; none where nothing was. */
export function ignoredHeader(fields: readonly string[]): Readonly<Record<string, string>> {
  const names = [...new Set(fields)].filter((name) => NAME.test(name)).slice(0, MAX_NAMES);
  return names.length === 0 ? {} : { [IGNORED_HEADER]: names.join(", ") };
}

/** An answer with that header. */
export function withIgnored(answer: OperationAnswer, fields: readonly string[]): OperationAnswer {
  const headers = ignoredHeader(fields);
  if (!(answer instanceof Response))
    return { ...answer, headers: { ...answer.headers, ...headers } };
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}
