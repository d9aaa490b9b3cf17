import { describe, expect, it } from "vitest";
import * as z from "zod";
import { namedObjects } from "../../../../src/http/openapi/named-objects.ts";
import { plainSchema } from "../../../../src/http/openapi/plain-schema.ts";

const componentsOf = (name: string, schema: z.ZodType) =>
  namedObjects({ [name]: plainSchema(schema, "output") });

const usage = () => z.strictObject({ tokens: z.number() });

describe("the components of the description", () => {
  it("have a name for each object, and one for equal objects", () => {
    const output = z.union([z.strictObject({ usage: usage() }), z.string()]);
    const components = componentsOf("Run", z.strictObject({ output, sums: z.array(usage()) }));
    expect(Object.keys(components).toSorted()).toEqual(["Run", "RunOutput1", "RunOutput1Usage"]);
    expect(components["Run"]?.["properties"]).toEqual({
      output: { anyOf: [{ $ref: "#/components/schemas/RunOutput1" }, { type: "string" }] },
      sums: { type: "array", items: { $ref: "#/components/schemas/RunOutput1Usage" } },
    });
  });

  it("refer to a recursive schema by its component", () => {
    const node = z.strictObject({
      get children() {
        return z.array(node);
      },
    });
    expect(JSON.stringify(componentsOf("Node", node))).toContain(
      '"items":{"$ref":"#/components/schemas/Node"}',
    );
    expect(JSON.stringify(componentsOf("Tree", z.strictObject({ root: node })))).not.toMatch(
      /"\$ref":"#(\/\$defs|")|\$defs/,
    );
  });

  it("take any JSON as an empty schema", () => {
    expect(componentsOf("Value", z.json())).toEqual({ Value: {} });
    const components = componentsOf("Message", z.strictObject({ params: z.json() }));
    expect(components).toEqual({
      Message: expect.objectContaining({ properties: { params: {} } }) as object,
    });
  });
});
