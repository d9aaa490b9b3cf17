import { describe, expect, it } from "vitest";
import * as z from "zod";
import { problemStatuses } from "../../../../src/http/openapi/added-problems.ts";
import { operation, type Operation } from "../../../../src/parts/operation.ts";

const made = (fields: Partial<Operation>): Operation =>
  operation({
    id: "example",
    method: "post",
    path: "/example",
    group: "Examples",
    scope: "read",
    summary: "An example",
    answers: { 204: { description: "Done" } },
    problems: [],
    handle: () => ({ status: 204 }),
    ...fields,
  } as Parameters<typeof operation>[0]);

const schema = z.strictObject({});

describe("problems added by the middleware", () => {
  it.each<[string, Partial<Operation>, boolean, readonly number[]]>([
    ["a bug alone where no key is needed", { scope: "none" }, true, [500]],
    ["those of keys", {}, false, [401, 403, 500, 503]],
    ["those of quotas", {}, true, [401, 403, 429, 500, 503]],
    ["those of a query", { scope: "none", query: schema }, false, [400, 500]],
    [
      "those of a body",
      { scope: "none", body: { name: "Body", schema, required: false } },
      false,
      [400, 413, 415, 500],
    ],
    [
      "those of a body read by the operation itself",
      { scope: "none", rawBody: { types: ["*/*"] } },
      false,
      [413, 415, 500],
    ],
    ["an id in use", { scope: "none", headers: ["Idempotency-Key"] }, false, [409, 500]],
    ["its own", { scope: "none", problems: [404] }, false, [404, 500]],
  ])("are %s", (...[, fields, hasGates, statuses]) => {
    expect(problemStatuses(made(fields), { hasGates })).toEqual(statuses);
  });
});
