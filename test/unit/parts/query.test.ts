import { describe, expect, it } from "vitest";
import * as z from "zod";
import { compileSchema } from "../../../src/base/json-schema-compile.ts";
import { faultsOf } from "../../../src/base/json-schema-check.ts";
import { EngineError } from "../../../src/base/error.ts";
import { openApiDocument } from "../../../src/http/openapi/openapi.ts";
import { readQuery } from "../../../src/parts/query.ts";
import { appParts } from "../../support/app-parts.ts";
import { HttpWorld } from "../../support/http-app.ts";

/** Parts that `HttpWorld` has of its own. */
const OWN = new Set(["crews", "agents", "flows", "tools", "crewai", "platform"]);
const { api } = new HttpWorld({ parts: appParts.filter(({ name }) => !OWN.has(name)) });
const withQuery = api.operations.filter(({ query }) => query !== undefined);

function refused(query: string, schema: z.ZodObject): readonly string[] {
  try {
    readQuery(new Request(`http://localhost/?${query}`), schema);
    return [];
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    return (error.issues ?? []).map(({ path, message }) => `${path} ${message}`);
  }
}

describe("QRY2: an empty value", () => {
  it.each(withQuery.map(({ id }) => id))("of the query of %s is refused", (id) => {
    const { query = z.object() } = withQuery.find((each) => each.id === id) ?? {};
    for (const name of Object.keys(query.shape))
      expect(refused(`${name}=`, query)).toContain(`/${name} expected a value, got an empty text`);
  });

  it("fits no schema of a query in the description", () => {
    const ids = new Set(withQuery.map(({ id }) => id));
    const operations = Object.values(openApiDocument(api).paths).flatMap((path) =>
      Object.values(path),
    );
    const fitting = operations
      .filter(({ operationId }) => ids.has(operationId))
      .flatMap(({ operationId, parameters }) =>
        parameters
          .filter((parameter) => parameter.in === "query")
          .filter(({ schema }) => faultsOf(compileSchema(schema), "").length === 0)
          .map(({ name }) => `${operationId} ${name}`),
      );
    expect(fitting).toEqual([]);
  });
});

describe("a query", () => {
  const schema = z.strictObject({
    after: z.coerce.number().int().min(0).optional(),
    limit: z.coerce.number().int().default(50),
    word: z.string().optional(),
  });

  it.each(["%20", "0x10", "1_000", "%2B5", "Infinity"])("QRY3: has no number %s", (text) => {
    expect(refused(`after=${text}`, schema)).toHaveLength(1);
    expect(refused(`limit=${text}`, schema)).toHaveLength(1);
  });

  it("reports one fault for each parameter", () => {
    expect(refused("after=&limit=x&word=&other=", schema)).toEqual([
      "/after expected a value, got an empty text",
      "/word expected a value, got an empty text",
      expect.stringMatching(/^\/limit /),
      "/other is not a known field",
    ]);
  });

  it("QRY1: has each parameter once, but for lists", () => {
    const tags = z.strictObject({
      tag: z.union([z.string(), z.array(z.string())]),
      limit: z.coerce.number().optional(),
    });
    expect(readQuery(new Request("http://localhost/?tag=a&tag=b"), tags)).toEqual({
      tag: ["a", "b"],
    });
    expect(refused("tag=a&limit=1&limit=2", tags)).toHaveLength(1);
    expect(refused("tag=a&tag=", tags)).toEqual(["/tag expected a value, got an empty text"]);
  });

  it("reads numbers and texts", () => {
    const request = new Request("http://localhost/?after=12&word=%20");
    expect(readQuery(request, schema)).toEqual({ after: 12, limit: 50, word: " " });
  });
});
