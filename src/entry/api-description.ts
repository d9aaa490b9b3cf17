/** Description of an app's HTTP API. */
import { descriptionPart } from "../http/openapi/description-part.ts";
import type { Part } from "../parts/part.ts";

/**
 * Serves the OpenAPI 3.1 document of the app at `/openapi.json`, and a page for people at `/docs`: `defineApp({ parts:
 * [apiDescription()] })`.
 */
export function apiDescription(): Part {
  return descriptionPart();
}
