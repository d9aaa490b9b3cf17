// The options and arguments of one command.
import { Command as Program, CommanderError, Option } from "commander";
import { camelCase } from "../base/camel-case.ts";
import { wrongUse } from "./cli-failure.ts";
import type { Command, OptionSpec } from "./command.ts";
import { GLOBAL } from "./global-options.ts";
import { nearestOf } from "../base/nearest.ts";
import type { Sink } from "./output.ts";

const NO_INPUT = "--no-input";

/** A parsed command line. */
export type Parsed = {
  readonly args: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
  /** True if the command may ask questions. */
  readonly asks: boolean;
  readonly rest: readonly string[];
};

/** Undefined after help was requested and printed. Throws exit code 2 for invalid arguments. */
export function parseArguments(
  command: Command,
  argv: readonly string[],
  { stdout }: { readonly stdout: Sink },
): Parsed | undefined {
  const dashes = argv.indexOf("--");
  const written = dashes === -1 ? argv : argv.slice(0, dashes);
  const own = written
    .filter((word) => word !== NO_INPUT) // commander would read it as the disabled option `input`
    .map((word) => command.spellings?.[word] ?? word);
  const program = new Program(`edgecrew ${command.name}`)
    .description(command.about)
    .exitOverride()
    .helpOption("-h, --help", "show this help")
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: () => undefined,
    })
    .addHelpText(
      "after",
      `  ${NO_INPUT.padEnd(24)}  ask no questions\n\nExample:\n  ${command.example}`,
    );
  for (const place of command.args?.split(" ") ?? []) program.argument(place);
  const passes = command.passesOptions === true;
  if (passes) program.allowUnknownOption().allowExcessArguments();
  addOptions(program, command.options);
  addOptions(program, GLOBAL, "Every command:");
  try {
    program.parse([...own], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return undefined;
    throw wrongUse(faultOf(error, command), `edgecrew ${command.name} --help`);
  }
  if (passes) checkPassed(program.args, command);
  const values = { ...defaultsOf(command.options), ...program.opts<Record<string, unknown>>() };
  return {
    args: passes ? [] : program.args,
    values,
    asks: own.length === written.length,
    rest: [...(passes ? program.args : []), ...(dashes === -1 ? [] : argv.slice(dashes + 1))],
  };
}

function addOptions(
  program: Program,
  specs: Readonly<Record<string, OptionSpec>>,
  heading?: string,
): void {
  for (const [name, spec] of Object.entries(specs)) {
    const option = optionOf(name, spec);
    if (heading !== undefined) option.helpGroup(heading);
    program.addOption(option);
  }
}

/** Returns the values of absent options. */
function defaultsOf(specs: Readonly<Record<string, OptionSpec>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(specs).map(([name, { value, many, on = false }]) => [
      name,
      many === true ? [] : value === undefined ? on : undefined,
    ]),
  );
}

function optionOf(name: string, spec: OptionSpec): Option {
  const long = longName(name);
  const flags = [
    ...(spec.short === undefined ? [] : [`-${spec.short},`]),
    spec.on === true ? `--no-${long}` : `--${long}`,
    ...(spec.value === undefined ? [] : [`<${spec.value}>`]),
  ].join(" ");
  const option = new Option(flags, spec.on === true ? `no ${spec.about}` : spec.about);
  if (spec.choices !== undefined) option.choices([...spec.choices]);
  if (spec.value !== undefined) option.argParser(readerOf(name, spec, option.parseArg));
  if (spec.hidden === true) option.hideHelp();
  return option;
}

type ReadOption = (text: string, before: unknown) => unknown;

/** Returns the reader of an option's value. Throws exit code 2 for a repeated option. */
function readerOf(name: string, spec: OptionSpec, choose: ReadOption = (text) => text): ReadOption {
  if (spec.many === true) return (text, all) => [...((all ?? []) as string[]), text];
  return (text, before) => {
    if (before !== undefined)
      throw wrongUse(`--${longName(name)} is written twice: it takes one value`);
    return spec.integer === undefined ? choose(text, before) : wholeNumber(text, name, spec);
  };
}

/** Returns an option's written form: `checkRuns` is `check-runs`. */
function longName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function wholeNumber(text: string, name: string, { integer }: OptionSpec): number {
  const { least = 0, most = 0 } = integer ?? {};
  const value = Number(text);
  if (text.trim() !== "" && Number.isInteger(value) && value >= least && value <= most)
    return value;
  throw wrongUse(
    `--${longName(name)}: expected a whole number from ${least} to ${most}, got ${JSON.stringify(text)}`,
  );
}

/** Returns commander's error in our words. */
function faultOf(error: CommanderError, command: Command): string {
  const message = error.message.replace(/^error: /, "").replace(/\s+\(Did you mean.*\)$/s, "");
  if (error.code !== "commander.unknownOption") return message;
  const [, option = ""] = /'--?([^']+)'/.exec(message) ?? [];
  const near = nearestOption(option, command);
  return `unknown option --${option}${near === undefined ? "" : `; did you mean --${near}?`}`;
}

function nearestOption(option: string, command: Command): string | undefined {
  const names = [...Object.keys(command.options), ...Object.keys(GLOBAL)];
  const near = nearestOf(camelCase(option.replace(/^no-/, "")), names);
  return near && longName(near);
}

/** Throws exit code 2 for an unknown option that resembles an own one. Behind `--` all are passed on. */
function checkPassed(words: readonly string[], command: Command): void {
  for (const word of words) {
    const [, option = ""] = /^--([^=]+)/.exec(word) ?? [];
    const near = option === "" ? undefined : nearestOption(option, command);
    if (near !== undefined)
      throw wrongUse(
        `unknown option --${option}; did you mean --${near}?`,
        `edgecrew ${command.name} -- ${word} passes it on`,
      );
  }
}
