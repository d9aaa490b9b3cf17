// Checks of the official kit that are known to fail.
import type { AcceptedDifference } from "../support/accepted.ts";
import type { Check } from "./checks.ts";

type Row = AcceptedDifference<Check>;

/** The kit names its requirement at the beginning of a message. */
function row(id: string, about: Omit<Row, "id" | "matches" | "page">, message: RegExp): Row {
  return {
    id,
    ...about,
    page: "a2a-reference.md#the-official-test-suite",
    matches: (check) =>
      check.outcome === "failed" && check.message.includes(id) && message.test(check.message),
  };
}

export const ACCEPTED_CHECKS: readonly Row[] = [
  row(
    "CARD-STRUCT-001",
    {
      upstream: "The suite refuses a card with fields that are not of 1.0.",
      ours: 'The card has the fields of 0.3 beside those of 1.0, as that of the official Python server; readers ignore unknown fields. `versions: ["1.0"]` passes.',
      verdict: "decision",
    },
    /additionalInterfaces/,
  ),
  row(
    "CARD-CACHE-003",
    {
      upstream:
        "The suite fails a card without `Last-Modified`, which the specification makes optional.",
      ours: "`ETag` and `Cache-Control` are sent.",
      verdict: "upstream's defect",
    },
    /Last-Modified/,
  ),
  row(
    "CORE-SEND-003",
    {
      upstream: "The suite counts the error it requests as a failed operation.",
      ours: "A part of an unknown media type is refused with -32005.",
      verdict: "upstream's defect",
    },
    /application\/x-unsupported-tck-type/,
  ),
  row(
    "HTTP_JSON-SVC-001",
    {
      upstream: "The suite wants `application/json` of HTTP+JSON.",
      ours: "The type is `application/a2a+json`, which the specification prefers.",
      verdict: "upstream's defect",
    },
    /application\/a2a\+json/,
  ),
];
