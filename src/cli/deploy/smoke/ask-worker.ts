// Requests of the checks of a deployment.
import { sleep, type Clock } from "../../../base/clock.ts";
import { isJsonObject, parsedJson, type JsonObject } from "../../../base/json.ts";
import { CliFailure, deepestMessage } from "../../cli-failure.ts";

/** Subject of the test, and its expected state. */
export type SmokeTest = {
  readonly url: string;
  readonly key: string | undefined;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly expected: ExpectedCode;
  /** True if public access is intended. */
  readonly isOpen: boolean;
  /** Receives notes that are no failures. */
  readonly onNote: (note: string) => void;
};

/** The deployed code. */
export type ExpectedCode = {
  readonly version: string;
  /** Undefined if no tag was sent. */
  readonly tag?: string | undefined;
  /** Version of the package in the project. Undefined if it is not installed there. */
  readonly packageVersion?: string | undefined;
  /** Name of the Worker if the version shares its requests with another one. Each request then names its version. */
  readonly sharedBy?: string | undefined;
};

/** A check. It returns the reason if it was skipped, or undefined. Throws exit code 1. */
export type Check = (test: SmokeTest) => Promise<string | undefined>;

export type Answer = {
  readonly status: number;
  readonly text: string;
  readonly json: JsonObject;
};

const PAUSE_MS = 3_000;
const REQUEST_MS = 30_000;
/** A minute. */
export const USUAL_TRIES = 20;

export function failed(message: string, fix?: string): CliFailure {
  return new CliFailure(1, `smoke test: ${message}`, {
    code: "smoke_test_failed",
    ...(fix === undefined ? {} : { fix }),
  });
}

export async function askWorker(
  { url, key, fetch, signal, expected }: SmokeTest,
  path: string,
  {
    method = "GET",
    body,
    headers = {},
    anonymous = false,
  }: {
    method?: string;
    body?: JsonObject;
    headers?: Record<string, string>;
    anonymous?: boolean;
  } = {},
): Promise<Answer> {
  const { sharedBy, version } = expected;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(key === undefined || anonymous ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(sharedBy === undefined
        ? {}
        : { "cloudflare-workers-version-overrides": `${sharedBy}="${version}"` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
  });
  const text = await response.text();
  const json = parsedJson(text);
  return { status: response.status, text, json: isJsonObject(json) ? json : {} };
}

/** Asks until the expected state is reached. Returns the last fault in words if it never is. */
export async function until(
  { clock, signal }: SmokeTest,
  tries: number,
  look: () => Promise<string | undefined>,
): Promise<string | undefined> {
  let fault: string | undefined;
  for (let attempt = 0; attempt < tries; attempt++) {
    fault = await look().catch((error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof CliFailure) throw error;
      return deepestMessage(error);
    });
    if (fault === undefined) return undefined;
    if (attempt < tries - 1) await sleep(clock, PAUSE_MS, signal);
  }
  return fault;
}

export const textOr = (value: unknown, other: string): string =>
  typeof value === "string" ? value : other;

/** Returns the detail of a problem, or the beginning of another response. */
export function detailOf({ json, text }: Answer): string {
  return textOr(json["detail"], text.slice(0, 200));
}
