import { camelCase } from "../base/camel-case.ts";
import { wrongUse } from "./cli-failure.ts";
import type { ExitCode } from "./command.ts";
import { COMMANDS } from "./command-table.ts";
import { GLOBAL } from "./global-options.ts";
import type { Output } from "./output.ts";

/** Help without a command, and the version. */
export function listCommands(
  argv: readonly string[],
  out: Output,
  { version }: { readonly version: string },
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
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  out.result(
    COMMANDS.map(({ name, about }) => ({ name, about })),
    () =>
      [
        "edgecrew: crews of AI agents that survive anything.",
        "",
        "Usage: edgecrew <command> [options]",
        "",
        ...COMMANDS.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`),
        "",
        "edgecrew <command> --help says more.",
      ].join("\n"),
  );
  return 0;
}
