import { describe, expect, it } from "vitest";
import { EngineError, type ErrorCode } from "../../../../src/base/error.ts";
import { mayPass, STATUS_BY_CODE } from "../../../../src/parts/code-answers.ts";
import { toA2aError } from "../../../../src/protocols/a2a/errors.ts";
import { failureAnswer } from "../../../../src/protocols/a2a/json-rpc.ts";
import { restFailure } from "../../../../src/protocols/a2a/http-json.ts";

const codes = Object.keys(STATUS_BY_CODE) as readonly ErrorCode[];

describe("errors of the engine in A2A", () => {
  it.each(codes.flatMap((code) => [true, false].map((retryable) => ({ code, retryable }))))(
    "say of $code, retryable $retryable, whether a repetition may help",
    ({ code, retryable }) => {
      const error = new EngineError(code, "secret or not", { retryable });
      const answer = restFailure(toA2aError(error, () => undefined));
      expect(answer.headers.get("x-should-retry")).toBe(mayPass(error) ? null : "false");
    },
  );

  it.each<[ErrorCode, boolean, string]>([
    ["user_code_failed", true, "an internal error occurred; the request may be repeated"],
    ["user_code_failed", false, "an internal error occurred"],
    ["not_configured", false, "an internal error occurred"],
  ])("do not send the text of %s, retryable %s: %s", (code, retryable, sent) => {
    const reported: unknown[] = [];
    const error = new EngineError(code, "the key of the bank", { retryable });
    const { message, status } = toA2aError(error, (each) => reported.push(each));
    expect([message, status, reported.length]).toEqual([sent, 500, 1]);
  });

  it.each<[ErrorCode, number]>([
    ["quota_exceeded", 429],
    ["vector_store_unavailable", 503],
    ["token_expired", 401],
    ["budget_exceeded", 400],
    ["precondition_failed", 400],
    ["model_unavailable", 503],
  ])("have the status of their kind: %s is %i", (code, status) => {
    expect(toA2aError(new EngineError(code, "no"), () => undefined).status).toBe(status);
  });

  it("have no such header on answers of JSON-RPC with 200", () => {
    const error = toA2aError(new EngineError("conflict", "no"), () => undefined);
    const answer = failureAnswer(error);
    expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([200, null]);
  });
});
