// A git log read as release notes: commits grouped by the prefix of their subject (conventionalcommits.org).
import { COMMIT_SECTIONS } from "./render-json.ts";

const COMMIT =
  /^\s*(?:[-*|]\s*)*(?:([0-9a-f]{7,40})\s+)?(?:\([^)]*\)\s+)?([a-z]+)(?:\(([^)]+)\))?(!)?:\s+(\S.*)$/;
/** Fewer than this, or a smaller part of the lines, is prose with a colon in it. */
const MIN_COMMITS = 2;
const MIN_SHARE = 0.4;

/** Markdown sections of the commits in a log; undefined when the text is no log. */
export function releaseSections(log: string): string | undefined {
  const lines = log
    .split("\n")
    .filter(
      (line) => line.trim() !== "" && !/^(?:commit [0-9a-f]+|Author:|Date:|Merge:)/.test(line),
    );
  const groups = new Map<string, string[]>([...COMMIT_SECTIONS.keys()].map((kind) => [kind, []]));
  let count = 0;
  for (const line of lines) {
    const [, hash, kind = "", scope, breaking, subject = ""] = COMMIT.exec(line) ?? [];
    if (!COMMIT_SECTIONS.has(kind)) continue;
    count++;
    const entry = `- ${scope === undefined ? "" : `**${scope}:** `}${subject.trim()}${hash === undefined ? "" : ` (${hash.slice(0, 7)})`}`;
    groups.get(breaking === undefined ? kind : "breaking")?.push(entry);
  }
  if (count < MIN_COMMITS || count < lines.length * MIN_SHARE) return undefined;
  return [...groups]
    .filter(([, entries]) => entries.length > 0)
    .map(([kind, entries]) => `## ${COMMIT_SECTIONS.get(kind) ?? kind}\n\n${entries.join("\n")}`)
    .join("\n\n");
}
