// The command line: reads arguments, runs a command, shows what failed.
//
//   CLI1. Exit codes: 0 done; 1 failed; 2 wrong use; 3 a person is needed; 4 not reachable or not allowed; 5 partly done; 130 interrupted.
//   CLI2. An unknown command or option is wrong use, answered with the nearest one that there is.
//   CLI3. Without a terminal, in CI, and with --no-input nobody is asked anything.
//   CLI4. A failure says what was expected, what came and what to do next; with --json it is `{ "error": … }` on standard error. No stack without --verbose.
//   CLI5. No key is in any text that is printed.
import { resolve } from "node:path";
import { Command as Program, CommanderError, Option } from "commander";
import type { Clock } from "../base/clock.ts";
import { camelCase } from "../base/camel-case.ts";
import { EdgecrewClient } from "../client/index.ts";
import { asFailure, wrongUse, type CliFailure } from "./cli-failure.ts";
import type { CliContext, Command, ExitCode, GlobalOptions, OptionSpec } from "./command.ts";
import { COMMANDS, type CommandEntry } from "./command-table.ts";
import { GLOBAL } from "./global-options.ts";
import { nearestOf } from "./nearest.ts";
import { Output, type Sink } from "./output.ts";
import { findProject } from "./project.ts";
import type { Processes } from "./processes.ts";
import type { Prompter } from "./prompter.ts";
import { findTarget, type Target } from "./target.ts";

/** What the command line has of the machine: in tests, doubles. */
export type CliWorld = {
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly stdin: { readonly isTerminal: boolean; readonly read: () => Promise<string> };
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly prompter: () => Promise<Prompter>;
  readonly processes: Processes;
  readonly version: string;
};

const NO_INPUT = "--no-input";

/** Runs a command line, and answers its exit code. Rejects for nothing. */
export async function main(argv: readonly string[], world: CliWorld): Promise<ExitCode> {
  const early = outputOf(argv, world);
  let out = early;
  const seen: { target?: Target } = {};
  try {
    const { entry, words } = entryOf(argv);
    if (entry === undefined) return await listCommands(argv, early, world);
    const command = await entry.load();
    const call = parse(command, argv.slice(words), world);
    if (call === undefined) return 0;
    const { context, args, options, rest } = contextOf(call, world, seen);
    out = context.out;
    return (await command.run(context, { args, options: options as never, rest })) ?? 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const failure = asFailure(error, seen.target);
    showFailure(failure, { out, key: seen.target?.key });
    return failure.exitCode;
  }
}

/** The words of a command line that name its command. */
function entryOf(argv: readonly string[]): {
  readonly entry: CommandEntry | undefined;
  readonly words: number;
} {
  const plainWords: string[] = [];
  for (const word of argv) {
    if (word.startsWith("-")) break;
    plainWords.push(word);
  }
  for (let words = Math.min(2, plainWords.length); words > 0; words--) {
    const name = plainWords.slice(0, words).join(" ");
    const entry = COMMANDS.find((each) => each.name === name || each.aliases?.includes(name));
    if (entry !== undefined) return { entry, words };
  }
  const [first] = plainWords;
  if (first === undefined || first === "help") return { entry: undefined, words: 0 };
  const within = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  if (within.length > 0) {
    const names = within.map(({ name }) => name).join(", ");
    throw wrongUse(`edgecrew ${first} needs one of its commands: ${names}`, `edgecrew help`);
  }
  const names = COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const near = nearestOf(plainWords.slice(0, 2).join(" "), names) ?? nearestOf(first, names);
  throw wrongUse(
    `unknown command ${JSON.stringify(first)}${near === undefined ? "" : `; did you mean ${near}?`}`,
    "edgecrew help",
  );
}

type Parsed = {
  readonly args: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
  /** Whether people may be asked. */
  readonly asks: boolean;
  readonly rest: readonly string[];
};

/** Undefined where help was asked for, and shown. Throws exit code 2 for what the command does not take. */
function parse(
  command: Command,
  argv: readonly string[],
  { stdout }: CliWorld,
): Parsed | undefined {
  const dashes = argv.indexOf("--");
  const written = dashes === -1 ? argv : argv.slice(0, dashes);
  const own = written
    .filter((word) => word !== NO_INPUT) // commander would take it for an option `input` that is off
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
      `  ${NO_INPUT.padEnd(24)}  ask nobody anything\n\nExample:\n  ${command.example}`,
    );
  for (const place of command.args?.split(" ") ?? []) program.argument(place);
  addOptions(program, command.options);
  addOptions(program, GLOBAL, "Every command:");
  try {
    program.parse([...own], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return undefined;
    throw wrongUse(faultOf(error, command), `edgecrew ${command.name} --help`);
  }
  const values = { ...defaultsOf(command.options), ...program.opts<Record<string, unknown>>() };
  return {
    args: program.args,
    values,
    asks: own.length === written.length,
    rest: dashes === -1 ? [] : argv.slice(dashes + 1),
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

/** What options are that were not written. */
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
  if (spec.many === true)
    option.argParser((text: string, all?: string[]) => [...(all ?? []), text]);
  if (spec.integer !== undefined) option.argParser((text: string) => wholeNumber(text, name, spec));
  if (spec.hidden === true) option.hideHelp();
  return option;
}

/** An option as it is written: `checkRuns` is `check-runs`. */
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

/** What commander found wrong, in our words. */
function faultOf(error: CommanderError, command: Command): string {
  const message = error.message.replace(/^error: /, "").replace(/\s+\(Did you mean.*\)$/s, "");
  if (error.code !== "commander.unknownOption") return message;
  const [, option = ""] = /'--?([^']+)'/.exec(message) ?? [];
  const names = [...Object.keys(command.options), ...Object.keys(GLOBAL)];
  const near = nearestOf(camelCase(option.replace(/^no-/, "")), names);
  return `unknown option --${option}${near === undefined ? "" : `; did you mean --${longName(near)}?`}`;
}

function contextOf(
  { args, values, asks, rest }: Parsed,
  world: CliWorld,
  seen: { target?: Target },
): { context: CliContext; args: readonly string[]; options: object; rest: readonly string[] } {
  const { variables, fetch, clock, signal } = world;
  const cwd = typeof values["cwd"] === "string" ? resolve(world.cwd, values["cwd"]) : world.cwd;
  const global = globalOf(values);
  const out = new Output({
    ...world,
    ...global,
    color: hasColor(world, values["color"] !== false),
  });
  const project = findProject(cwd);
  let found: Promise<Target> | undefined;
  const target = (): Promise<Target> =>
    (found ??= findTarget(global, { variables, project, fetch }).then(
      (one) => (seen.target = one),
    ));
  const mayAsk =
    world.stdin.isTerminal &&
    world.stderr.isTerminal &&
    asks &&
    !isSet(variables["CI"]) &&
    !isSet(variables["EDGECREW_NO_INPUT"]) &&
    !isSet(variables["CREWAI_DMN"]);
  const context: CliContext = {
    global,
    out,
    prompt: mayAsk ? lazyPrompter(world.prompter) : undefined,
    target,
    client: async () => {
      const { url, key } = await target();
      return new EdgecrewClient({
        baseUrl: url,
        clock,
        fetch: (address, init) => fetch(address, init),
        ...(key === undefined ? undefined : { apiKey: key }),
      });
    },
    request: async (path, init = {}) => {
      const { url, key } = await target();
      const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
      return fetch(`${url}${path}`, { ...(init as RequestInit), headers, signal });
    },
    project,
    cwd,
    variables,
    clock,
    fetch,
    signal,
    readInput: () => world.stdin.read(),
    processes: world.processes,
    version: world.version,
  };
  return { context, args, options: values, rest };
}

function lazyPrompter(load: () => Promise<Prompter>): Prompter {
  let loaded: Promise<Prompter> | undefined;
  const make = (): Promise<Prompter> => (loaded ??= load());
  return {
    text: async (question) => (await make()).text(question),
    secret: async (question) => (await make()).secret(question),
    confirm: async (question) => (await make()).confirm(question),
    choose: async (question, choices) => (await make()).choose(question, choices),
  };
}

function globalOf(values: Readonly<Record<string, unknown>>): GlobalOptions {
  const text = (name: string): Record<string, string> =>
    typeof values[name] === "string" ? { [name]: values[name] } : {};
  return {
    ...text("url"),
    ...text("key"),
    ...text("profile"),
    ...text("env"),
    json: values["json"] === true,
    quiet: values["quiet"] === true,
    verbose: values["verbose"] === true,
    yes: values["yes"] === true,
  };
}

const isSet = (text: string | undefined): boolean =>
  text !== undefined && text !== "" && text !== "0" && text !== "false";

function hasColor({ variables, stdout, stderr }: CliWorld, wanted: boolean): boolean {
  if (!wanted || isSet(variables["NO_COLOR"])) return false;
  return isSet(variables["FORCE_COLOR"]) || (stdout.isTerminal && stderr.isTerminal);
}

/** For faults before a command is known. */
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

async function listCommands(
  argv: readonly string[],
  out: Output,
  { version }: CliWorld,
): Promise<ExitCode> {
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

function showFailure(
  failure: CliFailure,
  { out, key }: { readonly out: Output; readonly key: string | undefined },
): void {
  const masked = (text: string): string =>
    key === undefined || key.length < 6 ? text : text.replaceAll(key, "***");
  const { code, message, fix, issues } = failure;
  if (out.isJson) {
    const error = { code, message, ...(issues && { issues }), ...(fix && { fix }) };
    out.fault(masked(JSON.stringify({ error })));
    return;
  }
  out.fault(masked(`${out.style("red", "✗")} ${message}`));
  for (const issue of issues ?? []) {
    // One with a place in a file says where by itself.
    const where = /^[^\s:]+:\d+:\d+: /.test(issue.message) ? "" : `${issue.path || "/"}: `;
    const line = `  ${where}${issue.message}`;
    if (!message.includes(issue.message)) out.fault(masked(line));
  }
  if (fix !== undefined) out.fault(masked(`  ${fix}`));
  const { cause } = failure;
  if (out.isVerbose)
    out.fault(masked((cause instanceof Error ? cause.stack : failure.stack) ?? message));
}
