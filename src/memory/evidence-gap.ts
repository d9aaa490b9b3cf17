// Information a model reports as missing from the memories shown to it.
//
//   EG1. Only the line `Missing: …` at the end counts, and a list below it. The rest describes the memories found.
//   EG2. A statement of completeness, in any wording, is no gap.

/** Longer than one short line, in characters. */
const MAX_GAP_LENGTH = 200;

/** `Missing: …`, also as an item of a list, in bold type, or with another dash or colon. */
const MISSING = /^[\s>#*_•-]*missing[\s*_]*[:：][\s*_]*(.*)$/i;
const LIST_ITEM = /^\s*(?:[-*•]|\d+[.)])\s+/;

/**
 * Openings of a statement of completeness, up to its end or the next punctuation: `nothing else (all of it is there)`.
 */
const NOTHING =
  /^(?:none|nothing|nil|null|n\/?a|not applicable|no (?:gaps?|(?:more |further |other |additional )?(?:information|details?|facts?|data|items?|memories)))(?: (?:is|are|else|further|more|at all|relevant|important|significant|needed|required|missing|lacking|absent|identified|found|here|really|of note|for this question|from (?:the|these) memories))*$/i;
const COMPLETE =
  /^(?:(?:all|everything)\b.*\b(?:there|present|covered|included|answered|available|found|provided)|the (?:memories|question) (?:answer|cover|is (?:fully )?answered)\b.*)$/i;

/** Returns the missing information in one line, or undefined if the model reports no gap. */
export function evidenceGapIn(answer: string): string | undefined {
  const lines = answer
    .split("\n")
    .map((line) => line.replace(/^\s*```\w*\s*$/, "").trim())
    .filter((line) => line !== "");
  const place = lines.findLastIndex((line) => MISSING.test(line));
  const items = lines.slice(place + 1);
  if (place === -1 || !items.every((line) => LIST_ITEM.test(line))) return undefined;
  const head = MISSING.exec(lines[place] ?? "")?.[1] ?? "";
  const gap = [head, ...items]
    .map((part) =>
      part
        .replace(LIST_ITEM, "")
        .replaceAll(/\*\*|__|^["'“”]|["'“”]$/g, "")
        .trim(),
    )
    .filter((part) => part !== "" && !saysNothing(part))
    .join("; ");
  return gap === "" ? undefined : gap.slice(0, MAX_GAP_LENGTH).toWellFormed();
}

function saysNothing(text: string): boolean {
  const [first = ""] = text.split(/[.,;:!()–—]| - /);
  const said = first.trim();
  return /^[-–—\s.]*$/.test(text) || NOTHING.test(said) || COMPLETE.test(said);
}
