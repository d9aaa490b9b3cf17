// The command line: reads arguments, runs a command, and prints failures.
//
//   CLI1. Exit codes: 0 done; 1 failed; 2 wrong use; 3 needs a person; 4 not reachable or not allowed; 5 partly done;
//         130 interrupted.
//   CLI2. An unknown command or option is wrong use. The error names the nearest known one.
//   CLI3. Without a terminal, in CI, and with --no-input, commands ask no questions.
//   CLI4. A failure prints the expectation, the actual value and the next step; with --json it is `{ "error": … }` on
//         standard error. Stacks only with --verbose.
//   CLI5. Printed text contains no key.
import { asFailure } from "./cli-failure.ts";
import { hasColor } from "./color.ts";
import type { ExitCode } from "./exit-code.ts";
import { findCommand, withoutHelp } from "./find-command.ts";
import { listCommands } from "./list-commands.ts";
import { openContext, type OpenContext } from "./open-context.ts";
import { Output } from "./output.ts";
import { parseArguments } from "./parse-arguments.ts";
import { showFailure } from "./show-failure.ts";
import type { CliWorld } from "./world.ts";

export type { CliWorld } from "./world.ts";

/** Runs a command line, and returns its exit code. Never rejects. */
export async function main(written: readonly string[], world: CliWorld): Promise<ExitCode> {
  const argv = withoutHelp(written);
  let out = outputOf(argv, world);
  let opened: OpenContext | undefined;
  try {
    const found = findCommand(argv);
    if (found.kind === "help") return listCommands(argv, out, { ...world, ...found });
    const command = await found.entry.load();
    const call = parseArguments(command, argv.slice(found.words), world);
    if (call === undefined) return 0;
    opened = openContext(command, call, world);
    out = opened.context.out;
    const { args, values, rest } = call;
    return (await command.run(opened.context, { args, options: values as never, rest })) ?? 0;
  } catch (error) {
    const target = opened?.target();
    const failure = asFailure(error, target);
    showFailure(failure, { out, key: target?.key });
    return failure.exitCode;
  } finally {
    await opened?.close();
  }
}

/** Prints faults before a command is known. */
function outputOf(argv: readonly string[], world: CliWorld): Output {
  const has = (flag: string): boolean => argv.includes(flag);
  return new Output({
    ...world,
    json: has("--json"),
    quiet: has("--quiet"),
    verbose: has("--verbose"),
    color: hasColor(world, !has("--no-color")),
  });
}
