import { digestText } from "../../../base/bytes.ts";

/** Returns the namespace of a collection, different for each tenant. */
export function vectorNamespace(tenant: string, collection: string): Promise<string> {
  return digestText(JSON.stringify([tenant, collection]));
}
