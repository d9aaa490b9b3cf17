// What a model says is missing among the memories that it was shown.
//
//   EG1. Only the line `Missing: …` at the end counts, with a list below it if there is one. The rest is about what was found.
//   EG2. That nothing is missing is no gap, in whatever words.

/** Longer than one short line. */
const MAX_GAP_LENGTH = 200;

/** `Missing: …`, also as an item of a list, in bold type, or with another dash or colon. */
const MISSING = /^[\s>#*_•-]*missing[\s*_]*[:：][\s*_]*(.*)$/i;
const LIST_ITEM = /^\s*(?:[-*•]|\d+[.)])\s+/;

/** Words that begin a statement that nothing is missing, up to its end or the next sign: `nothing else (all of it is there)`. */
const NOTHING =
  /^(?:none|nothing|nil|null|n\/?a|not applicable|no (?:gaps?|(?:more |further |other |additional )?(?:information|details?|facts?|data|items?|memories)))(?: (?:is|are|else|further|more|at all|relevant|important|significant|needed|required|missing|lacking|absent|identified|found|here|really|of note|for this question|from (?:the|these) memories))*$/i;
const COMPLETE =
  /^(?:(?:all|everything)\b.*\b(?:there|present|covered|included|answered|available|found|provided)|the (?:memories|question) (?:answer|cover|is (?:fully )?answered)\b.*)$/i;

/** What is missing, in one line; undefined where nothing is. */
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
