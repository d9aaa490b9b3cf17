// The header `traceparent`: https://www.w3.org/TR/trace-context/#traceparent-header
//
//   TRP1. What is malformed, all zeros or of version ff is ignored. Of a later version, the part that every version has is taken.

const VALID =
  /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(-.*)?$/;

/** The context that a header names, as a header of version 00; undefined where it is to be ignored. */
export function validTraceparent(header: string | null | undefined): string | undefined {
  const [, version, context, more] = VALID.exec(header?.trim() ?? "") ?? [];
  if (context === undefined || (version === "00" && more !== undefined)) return undefined;
  return `00-${context}`;
}
