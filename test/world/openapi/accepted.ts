// Differences between schemathesis and our answers that are no fault of the description.
import { isJsonObject } from "../../../src/base/json.ts";
import type { AcceptedDifference } from "../support/accepted.ts";
import { refusalOf } from "./refusals.ts";
import type { Found } from "./report.ts";

const PAGE = "reference-http.md#generated-clients";
/** Statuses that say no, and that the kit does not know as a refusal of a body. */
const REFUSED_STATUSES: ReadonlySet<number> = new Set([412, 413]);

export const ACCEPTED_ANSWERS: readonly AcceptedDifference<Found>[] = [
  {
    id: "refused-by-size-or-version",
    upstream: "A request that does not fit has to be answered with 400, 404, 409, 415, 422 or 428.",
    ours: "Too long a text or list is 413, and another version of tus 412, as their specifications have it.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: ({ kind, status }) => kind === "invalid accepted" && REFUSED_STATUSES.has(status),
  },
  {
    id: "json-rpc-errors",
    upstream: "A body that does not fit has to be answered with a status of 400 and above.",
    ours: "JSON-RPC over HTTP answers errors of calls with 200, and has them in the body.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: ({ kind, operation, answer }) =>
      kind === "invalid accepted" &&
      operation === "POST /a2a/{name}" &&
      isJsonObject(answer) &&
      answer["error"] !== undefined,
  },
  {
    id: "event-streams-are-text",
    upstream: "The schema of `text/event-stream` is that of each event.",
    ours: "It is that of the whole stream, a text: OpenAPI 3.1 has no schema for events.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: ({ title }) => title === "SSE event violates schema",
  },
  {
    id: "documents-as-they-are",
    upstream: "A body of JSON has to fit the schema of JSON bodies.",
    ours: "With `name` in the query the body is the document itself, in any JSON.",
    verdict: "decision",
    page: "knowledge-api.md",
    matches: ({ kind, operation, request }) =>
      kind === "invalid accepted" &&
      operation === "POST /knowledge/{collection}/sources" &&
      typeof request.query["name"] === "string",
  },
  {
    id: "signed-addresses",
    upstream: "A request without its credential is 401.",
    ours: "A request with a signed address is checked by its signature, and 403 names the fault.",
    verdict: "decision",
    page: "files-api.md",
    matches: ({ kind, operation, status }) =>
      kind === "invalid accepted" && operation === "GET /files/{id}/content" && status === 403,
  },
  {
    id: "more-than-a-schema",
    upstream: "A request that fits its schema is let through.",
    ours: "It may still be refused for a rule outside of every schema, with a 4xx that names the field: a cursor of no page, missing inputs of the crew's texts, exclusive fields, a day its month lacks, a past time.",
    verdict: "decision",
    page: PAGE,
    matches: (found) => found.kind === "valid rejected" && refusalOf(found) !== undefined,
  },
];
