// The header `traceparent`: https://www.w3.org/TR/trace-context/#traceparent-header
//
//   TRP1. A header that is malformed, all zeros or of version ff is ignored. From a later version, only the fields
//         common to every version are used.

const VALID =
  /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(-.*)?$/;

/** Returns the context of a header, as a header of version 00; undefined if it is ignored. */
export function validTraceparent(header: string | null | undefined): string | undefined {
  const [, version, context, more] = VALID.exec(header?.trim() ?? "") ?? [];
  if (context === undefined || (version === "00" && more !== undefined)) return undefined;
  return `00-${context}`;
}
