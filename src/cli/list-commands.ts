import { camelCase } from "../base/camel-case.ts";
import { wrongUse } from "./cli-failure.ts";
import type { CommandEntry } from "./command-entry.ts";
import { COMMANDS } from "./command-table.ts";
import type { ExitCode } from "./exit-code.ts";
import { GLOBAL } from "./global-options.ts";
import type { Output } from "./output.ts";

/** Commands by their first words, in the order of help. */
const GROUPS: readonly (readonly [heading: string, words: readonly string[]])[] = [
  ["A project", ["create", "add", "dev", "build", "check", "types", "doctor", "migrate", "import"]],
  ["Runs", ["run", "chat", "runs", "tasks", "replay", "tail", "say", "waits", "plot"]],
  ["Quality", ["test", "train", "experiments", "trace"]],
  ["Data of a Worker", ["memory", "reset-memories", "knowledge", "files"]],
  ["Triggers", ["schedules", "hooks", "triggers"]],
  ["Deployment", ["deploy", "promote", "rollback", "status", "logs", "secrets", "destroy"]],
  ["Operations", ["usage", "backup", "restore", "reindex", "keys", "tokens", "console"]],
  ["This machine", ["login", "logout", "config", "version", "docs", "completion", "help"]],
];
const OTHERS = "Others";

/** Help without a command, and the version. */
export function listCommands(
  argv: readonly string[],
  out: Output,
  {
    version,
    below,
  }: {
    readonly version: string;
    /** Prefix of the listed names. */
    readonly below: string;
  },
): ExitCode {
  if (argv.includes("--version") || argv.includes("-V")) {
    out.result({ edgecrew: version }, () => version);
    return 0;
  }
  const unknown = argv.find((word) => word.startsWith("-") && !["-h", "--help"].includes(word));
  if (
    unknown !== undefined &&
    !Object.hasOwn(GLOBAL, camelCase(unknown.replace(/^--(?:no-)?/, "")))
  )
    throw wrongUse(`unknown option ${unknown}`, "edgecrew help");
  const listed = COMMANDS.filter(({ name }) => name.startsWith(below));
  const width = Math.max(...listed.map(({ name }) => name.length));
  const line = ({ name, about }: CommandEntry): string => `  ${name.padEnd(width)}  ${about}`;
  const all = (): string =>
    [
      "edgecrew: crews of AI agents that survive anything.",
      "",
      "Usage: edgecrew <command> [options]",
      ...grouped(listed).flatMap(([heading, entries]) => [
        "",
        out.style("bold", heading),
        ...entries.map(line),
      ]),
      "",
      "edgecrew <command> --help shows details.",
    ].join("\n");
  out.result(
    listed.map(({ name, about }) => ({ name, about })),
    () => (below === "" ? all() : listed.map(line).join("\n")),
  );
  return 0;
}

function grouped(
  entries: readonly CommandEntry[],
): readonly (readonly [heading: string, entries: readonly CommandEntry[]])[] {
  const headingOf = ({ name }: CommandEntry): string => {
    const [first = ""] = name.split(" ");
    return GROUPS.find(([, words]) => words.includes(first))?.[0] ?? OTHERS;
  };
  const headings = [...GROUPS.map(([heading]) => heading), OTHERS];
  return headings
    .map((heading) => [heading, entries.filter((each) => headingOf(each) === heading)] as const)
    .filter(([, found]) => found.length > 0);
}
