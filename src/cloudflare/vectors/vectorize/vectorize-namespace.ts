import { digestText } from "../../../base/bytes.ts";

/** The namespace of a collection. Another tenant's has another one. */
export function vectorNamespace(tenant: string, collection: string): Promise<string> {
  return digestText(JSON.stringify([tenant, collection]));
}
