import { appendFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ACCEPTED_ANSWERS } from "../../../world/openapi/accepted.ts";
import { readReports, type Found, type Kind } from "../../../world/openapi/report.ts";

const scenario = (check: string, status: number, answer: object): object => ({
  ScenarioFinished: {
    phase: "coverage",
    recorder: {
      label: "POST /mcp",
      cases: { one: { value: { query: { name: "x" }, headers: null, body: { a: 1 } } } },
      interactions: {
        one: {
          response: {
            status_code: status,
            content: { $base64: Buffer.from(JSON.stringify(answer)).toString("base64") },
          },
        },
      },
      checks: {
        one: [
          { name: "not_a_server_error", status: "success" },
          {
            name: check,
            status: "failure",
            failure_info: { failure: { operation: "POST /mcp", title: "Title", message: "Why" } },
          },
        ],
      },
    },
  },
});

function fileOf(events: readonly object[]): string {
  const file = join(mkdtempSync(join(tmpdir(), "edgecrew-report-")), "report.ndjson");
  writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  return file;
}

describe("a report of the kit", () => {
  it.each<[string, Kind]>([
    ["not_a_server_error", "server error"],
    ["status_code_conformance", "unexpected status"],
    ["response_schema_conformance", "answer that does not fit"],
    ["negative_data_rejection", "invalid accepted"],
    ["positive_data_acceptance", "valid rejected"],
    ["use_after_free", "other"],
  ])("classifies %s: %s", async (check, kind) => {
    const events = [
      { Initialize: {} },
      scenario(check, 503, { detail: "gone" }),
      scenario(check, 503, { detail: "gone" }),
    ];
    const report = await readReports([fileOf(events)]);
    expect([...report.phases]).toEqual([["coverage", { requests: 2, failures: 1 }]]);
    expect([...report.byOperation]).toEqual([
      [
        "POST /mcp",
        [
          {
            operation: "POST /mcp",
            kind,
            check,
            title: "Title",
            message: "Why",
            request: { query: { name: "x" }, headers: {}, body: { a: 1 } },
            status: 503,
            answer: { detail: "gone" },
          },
        ],
      ],
    ]);
  });

  it("is whole when every run of the kit came to its end", async () => {
    const ended = fileOf([{ EngineFinished: { stop_reason: "completed" } }]);
    const stopped = fileOf([scenario("use_after_free", 200, {})]);
    appendFileSync(stopped, '{"ScenarioFinished": {"reco');
    expect((await readReports([ended])).isWhole).toBe(true);
    expect((await readReports([ended, stopped])).isWhole).toBe(false);
  });

  it("puts findings of request chains under the answering operation", async () => {
    const chain = scenario("use_after_free", 200, {}) as {
      ScenarioFinished: { recorder: { label: string } };
    };
    chain.ScenarioFinished.recorder.label = "Stateful tests";
    const { byOperation } = await readReports([fileOf([chain])]);
    expect([...byOperation.keys()]).toEqual(["POST /mcp"]);
  });

  it("names untestable operations", async () => {
    const error = { NonFatalError: { label: "GET /x", value: { message: "no writer" } } };
    const { errors } = await readReports([fileOf([error])]);
    expect(errors).toEqual([{ operation: "GET /x", message: "no writer" }]);
  });
});

const found = (fields: Partial<Found>): Found => ({
  operation: "POST /crews/{name}/kickoff",
  kind: "other",
  check: "",
  title: "",
  message: "",
  request: { query: {}, headers: {}, body: null },
  status: 200,
  answer: null,
  ...fields,
});

describe("accepted answers", () => {
  it.each<[string, Partial<Found>, string | undefined]>([
    ["a server error", { kind: "server error", status: 503 }, undefined],
    ["an unexpected status", { kind: "unexpected status", status: 409 }, undefined],
    ["an invalid answer", { kind: "answer that does not fit" }, undefined],
    ["an accepted invalid body", { kind: "invalid accepted", status: 202 }, undefined],
    ["an oversized body", { kind: "invalid accepted", status: 413 }, "refused-by-size-or-version"],
    [
      "a cursor of no page",
      {
        kind: "valid rejected",
        operation: "GET /crews",
        status: 400,
        answer: {
          code: "invalid_input",
          errors: [{ path: "/cursor", message: "expected the nextCursor of an earlier page" }],
        },
      },
      "more-than-a-schema",
    ],
    [
      "a needed input of one of several runs",
      {
        kind: "valid rejected",
        operation: "POST /crews/{name}/kickoff-for-each",
        status: 400,
        answer: {
          code: "invalid_input",
          errors: [
            { path: "/inputs/12/topic", message: "is needed by the crew's texts, got nothing" },
          ],
        },
      },
      "more-than-a-schema",
    ],
    [
      "a refusal of another field beside it",
      {
        kind: "valid rejected",
        operation: "GET /crews",
        status: 400,
        answer: {
          code: "invalid_input",
          errors: [
            { path: "/cursor", message: "expected a nextCursor from an earlier answer" },
            { path: "/limit", message: "" },
          ],
        },
      },
      undefined,
    ],
    [
      "a refusal of the same field by another operation",
      {
        kind: "valid rejected",
        operation: "POST /memory/recall",
        status: 400,
        answer: {
          code: "invalid_input",
          errors: [{ path: "/cursor", message: "expected a nextCursor from an earlier answer" }],
        },
      },
      undefined,
    ],
    [
      "a refusal of the same field for another reason",
      {
        kind: "valid rejected",
        operation: "GET /crews",
        status: 400,
        answer: { code: "invalid_input", errors: [{ path: "/cursor", message: "too long" }] },
      },
      undefined,
    ],
    [
      "a refusal with another status",
      {
        kind: "valid rejected",
        operation: "GET /crews",
        status: 412,
        answer: {
          code: "invalid_input",
          errors: [{ path: "/cursor", message: "expected a nextCursor from an earlier answer" }],
        },
      },
      undefined,
    ],
    [
      "a refusal without a name",
      { kind: "valid rejected", operation: "GET /crews", status: 400, answer: {} },
      undefined,
    ],
    [
      "mutually exclusive fields, in the form of OpenAI",
      {
        kind: "valid rejected",
        operation: "POST /v1/responses",
        status: 400,
        answer: { error: { message: "no", code: null, param: "conversation" } },
      },
      "more-than-a-schema",
    ],
    ["a failing valid request", { kind: "valid rejected", status: 500 }, undefined],
    [
      "an error of JSON-RPC",
      { kind: "invalid accepted", operation: "POST /a2a/{name}", answer: { error: {} } },
      "json-rpc-errors",
    ],
    [
      "a result of JSON-RPC",
      { kind: "invalid accepted", operation: "POST /a2a/{name}", answer: { result: {} } },
      undefined,
    ],
  ])("explain %s by its row alone", (_, fields, id) => {
    expect(ACCEPTED_ANSWERS.find((row) => row.matches(found(fields)))?.id).toBe(id);
  });
});
