import { capitalize } from "./words.ts";

const ORDERED =
  /\b(?:write|draft|create|prepare|produce|compose|generate|turn [^.\n]{1,60}? into|make|compile)\s+(?:(?:a|an|the|short|concise|clear|good|user-facing)\s+)*([^\n]+)/i;
const PHRASE_END =
  /(?:[.;:,](?=\s|$)|\s+(?:in markdown|as markdown|that|which|with|from|based on|using|so|of the (?:given|following)|here)\b)/i;

/** `Write the release notes for version 2.4.0 in Markdown.` → `Release notes for version 2.4.0` */
export function titleOf(asked: string): string | undefined {
  const phrase = ORDERED.exec(asked)?.[1]
    ?.split(PHRASE_END)[0]
    ?.replace(/^markdown\s+/i, "")
    .trim();
  return phrase === undefined || phrase.length < 3 || phrase.length > 80
    ? undefined
    : capitalize(phrase);
}
