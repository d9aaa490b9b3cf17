import type { JsonValue } from "../../../base/json.ts";
import { toolResult, type ResultCost, type ToolResult } from "../../tool-result.ts";
import { serviceFailure } from "../base/service-failure.ts";

/** Page read by a service. */
export type ReadPage = {
  readonly url: string;
  readonly title?: string | undefined;
  readonly text: string;
};

/**
 * Creates the result of reading pages: their texts, and a source for each. Throws the failure `not_found` without any
 * text.
 */
export function pageResult(
  pages: readonly ReadPage[],
  { data, cost }: { readonly data?: JsonValue; readonly cost?: ResultCost | undefined } = {},
): ToolResult {
  const found = pages.filter(({ text }) => text.trim() !== "");
  const [first] = found;
  if (first === undefined)
    throw serviceFailure({ code: "not_found", message: "There is no text at this address." });
  const texts = found.map(({ url, title, text }) =>
    [`# ${title ?? url}`, ...(title === undefined ? [] : [url]), "", text.trim()].join("\n"),
  );
  return toolResult({
    text: pages.length === 1 ? first.text.trim() : texts.join("\n\n---\n\n"),
    ...(data === undefined ? undefined : { data }),
    sources: found.map(({ url, title }) => (title ? { url, title } : { url })),
    untrusted: [...new Set(found.map(({ url }) => hostOf(url)))],
    ...(cost === undefined ? undefined : { cost }),
  });
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
