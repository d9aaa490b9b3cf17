/** The commits of a log, in the groups that users care about. */
export type SortedCommits = { readonly [Group in (typeof GROUPS)[number]]?: readonly string[] };

const GROUPS = [
  "Breaking changes",
  "Features",
  "Fixes",
  "Performance",
  "Documentation",
  "Other",
] as const;

const GROUP_OF_TYPE: Readonly<Record<string, (typeof GROUPS)[number]>> = {
  feat: "Features",
  fix: "Fixes",
  perf: "Performance",
  docs: "Documentation",
};

const ONE_LINE = /^(?:\* )?[0-9a-f]{7,40}\s+(?:\([^)]*\)\s+)?(.+)$/;
const CONVENTIONAL = /^(\w+)(?:\(([^)]+)\))?(!)?:\s*(.+)$/;

/** Reads `git log` and `git log --oneline`, and sorts the commits by their conventional types. Empty groups are left out. */
export function parseGitLog(log: string): SortedCommits {
  const sorted = new Map<string, string[]>();
  for (const { subject, body } of commitsOf(log)) {
    const [, type = "", scope, bang, text] = CONVENTIONAL.exec(subject) ?? [];
    const breaking = bang !== undefined || /^BREAKING CHANGE:/m.test(body);
    const group = breaking ? "Breaking changes" : (GROUP_OF_TYPE[type] ?? "Other");
    const line =
      text === undefined ? subject : scope === undefined ? capitalised(text) : `${scope}: ${text}`;
    sorted.set(group, [...(sorted.get(group) ?? []), line]);
  }
  return Object.fromEntries(
    GROUPS.flatMap((group) => (sorted.has(group) ? [[group, sorted.get(group) ?? []]] : [])),
  );
}

type Commit = { readonly subject: string; readonly body: string };

function commitsOf(log: string): Commit[] {
  return /^commit [0-9a-f]{7,40}/m.test(log) ? longForm(log) : shortForm(log);
}

function longForm(log: string): Commit[] {
  return log
    .split(/^commit [0-9a-f]{7,40}.*$/m)
    .map((entry) =>
      entry
        .split("\n")
        .filter((line) => /^\s{4}\S/.test(line))
        .map((line) => line.trim()),
    )
    .flatMap(([subject, ...body]) =>
      subject === undefined ? [] : [{ subject, body: body.join("\n") }],
    );
}

function shortForm(log: string): Commit[] {
  return log.split("\n").flatMap((line) => {
    const subject = ONE_LINE.exec(line.trim())?.[1] ?? line.trim();
    return subject === "" ? [] : [{ subject, body: "" }];
  });
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
