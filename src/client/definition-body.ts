import type { RequestOptions } from "./transport.ts";

/** The request body of a definition: JSON for an object, YAML for a string. */
export function definitionBody(definition: object | string): Pick<RequestOptions, "json" | "text"> {
  return typeof definition === "string"
    ? { text: { type: "application/yaml", body: definition } }
    : { json: definition };
}
