import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ACCEPTED_ANSWERS } from "../../../world/openapi/accepted.ts";
import { readReport, type Found, type Kind } from "../../../world/openapi/report.ts";

const scenario = (check: string, status: number, answer: object): object => ({
  ScenarioFinished: {
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
  ])("says of %s: %s", async (check, kind) => {
    const events = [
      { Initialize: {} },
      scenario(check, 503, { detail: "gone" }),
      scenario(check, 503, { detail: "gone" }),
    ];
    const report = await readReport(fileOf(events));
    expect(report.requests).toBe(2);
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

  it("names operations that could not be tested", async () => {
    const error = { NonFatalError: { label: "GET /x", value: { message: "no writer" } } };
    const { errors } = await readReport(fileOf([error]));
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
    ["an answer that does not fit", { kind: "answer that does not fit" }, undefined],
    ["an invalid body that is taken", { kind: "invalid accepted", status: 202 }, undefined],
    [
      "a body that is too large",
      { kind: "invalid accepted", status: 413 },
      "refused-by-size-or-version",
    ],
    [
      "a valid request that is refused",
      { kind: "valid rejected", status: 400 },
      "more-than-a-schema",
    ],
    ["a valid request that fails", { kind: "valid rejected", status: 500 }, undefined],
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
