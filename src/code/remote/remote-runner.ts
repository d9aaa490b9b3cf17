// The deployment's own external runner: one request for each piece of code.
import * as z from "zod";
import { fromBase64, toBase64 } from "../../base/bytes.ts";
import { EngineError } from "../../base/error.ts";
import { parsedJson, type JsonObject } from "../../base/json.ts";
import { boundedBody } from "../../security/bounded-body.ts";
import type { CodeLanguage } from "../code-language.ts";
import {
  codeFailure,
  EXIT,
  type CodeJob,
  type CodeResult,
  type CodeRunner,
} from "../code-runner.ts";

export type RemoteRunnerOptions = {
  /** Base address; `POST <url>/v1/run` runs code. */
  readonly url: string;
  /** Token for `Authorization: Bearer`. @default no token */
  readonly token?: string | undefined;
  /** @default ["python", "bash"] */
  readonly languages?: readonly CodeLanguage[] | undefined;
  readonly fetch: typeof fetch;
};

const MAX_ANSWER_BYTES = 48 * 1024 * 1024;

const answerSchema = z.object({
  exit_code: z.int(),
  stdout: z.string().default(""),
  stderr: z.string().default(""),
  truncated_chars: z.number().nonnegative().default(0),
  duration_ms: z.number().nonnegative().default(0),
  value: z.json().optional(),
  files: z.array(z.object({ path: z.string(), content: z.base64() })).default([]),
  error: z.enum(["timeout", "limit", "syntax", "unavailable", "refused"]).optional(),
});

/**
 * Sends the whole code, with its files in base64. The `Idempotency-Key` is the same for every attempt. A 4xx answer
 * refuses the code; a 5xx answer means that it did not run.
 */
export class RemoteRunner implements CodeRunner {
  readonly name = "remote runner";
  readonly languages: readonly CodeLanguage[];
  readonly #options: RemoteRunnerOptions;

  constructor(options: RemoteRunnerOptions) {
    this.#options = options;
    this.languages = options.languages ?? ["python", "bash"];
  }

  async run(job: CodeJob, signal: AbortSignal): Promise<CodeResult> {
    const { url, token, fetch: send } = this.#options;
    const body = JSON.stringify(await wireJob(job));
    const response = await send(`${url.replace(/\/+$/, "")}/v1/run`, {
      method: "POST",
      redirect: "manual",
      signal,
      headers: {
        "content-type": "application/json",
        "idempotency-key": job.idempotencyKey,
        ...(token === undefined ? undefined : { authorization: `Bearer ${token}` }),
      },
      body,
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      // With the key, the runner can answer a repeated request without running the code again.
      return new EngineError("unavailable", `the remote runner is not there: ${String(error)}`);
    });
    if (EngineError.is(response)) return unavailable(response.message);
    if (response.status >= 500) return unavailable(`the remote runner answered ${response.status}`);
    const text = await textOf(response);
    if (!response.ok)
      return codeFailure(
        EXIT.refused,
        `the remote runner refused the code (${response.status}): ${text.slice(0, 500)}`,
        { error: "refused" },
      );
    return resultOf(text);
  }
}

function unavailable(message: string): CodeResult {
  return codeFailure(EXIT.unavailable, message, { error: "unavailable" });
}

async function wireJob(job: CodeJob): Promise<JsonObject> {
  const { language, code, input, files, timeoutMs, maxOutputChars, network, session } = job;
  const all = { ...(await session?.files()), ...files };
  return {
    language,
    code,
    files: Object.fromEntries(Object.entries(all).map(([path, bytes]) => [path, toBase64(bytes)])),
    timeout_ms: timeoutMs,
    max_output_chars: maxOutputChars,
    network: network === false ? false : { hosts: [...network.hosts] },
    ...(input === undefined ? undefined : { input }),
    ...(session === undefined ? undefined : { session: session.id }),
  };
}

async function textOf(response: Response): Promise<string> {
  const bytes = await boundedBody(response, MAX_ANSWER_BYTES).catch((cause: unknown) => {
    throw new EngineError("tool_failed", "the answer of the remote runner cannot be read", {
      cause,
    });
  });
  return new TextDecoder().decode(bytes);
}

function resultOf(text: string): CodeResult {
  const read = answerSchema.safeParse(parsedJson(text));
  if (!read.success)
    throw new EngineError("tool_failed", "the remote runner answered something unexpected");
  const { exit_code: exitCode, truncated_chars: truncatedChars, ...rest } = read.data;
  const { duration_ms: durationMs, value, files, error, stdout, stderr } = rest;
  return {
    exitCode: exitCode < 0 ? exitCode : exitCode & 255,
    stdout,
    stderr,
    truncatedChars,
    durationMs,
    files: files.map(({ path, content }) => ({ path, bytes: fromBase64(content) })),
    ...(value === undefined ? undefined : { value }),
    ...(error === undefined ? undefined : { error }),
  };
}
