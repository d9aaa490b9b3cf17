// Makes the environment of a command from its options.
import { resolve } from "node:path";
import { workerClient } from "./worker-client.ts";
import type { CliContext, Command } from "./command.ts";
import { hasColor, isSet } from "./color.ts";
import type { GlobalOptions } from "./global-option-values.ts";
import { Output } from "./output.ts";
import type { Parsed } from "./parse-arguments.ts";
import { findProject } from "./project.ts";
import type { Prompter } from "./prompter.ts";
import { serveProject, type ServedProject } from "./serve-project.ts";
import { findTarget, type Target } from "./target.ts";
import type { CliWorld } from "./world.ts";

/** Environment of one command, until it is closed. */
export type OpenContext = {
  readonly context: CliContext;
  /** Returns the Worker of its requests. */
  readonly target: () => Target | undefined;
  /** Ends a server started for the command. */
  readonly close: () => Promise<void>;
};

/** Reads only the project's configuration at first. Other resources are opened when the command first needs them. */
export function openContext(
  command: Command,
  { values, asks }: Parsed,
  world: CliWorld,
): OpenContext {
  const { variables, fetch, clock, signal, processes, version } = world;
  const cwd = typeof values["cwd"] === "string" ? resolve(world.cwd, values["cwd"]) : world.cwd;
  const global = globalOf(values);
  const color = hasColor(world, values["color"] !== false);
  const out = new Output({ ...world, ...global, color });
  const project = findProject(cwd);
  let served: ServedProject | undefined;
  const serve =
    command.serves === true && project !== undefined
      ? async () => (served = await serveProject(project, { ...world, out, global })).url
      : undefined;
  let seen: Target | undefined;
  let found: Promise<Target> | undefined;
  const find = async (): Promise<Target> =>
    (seen = await findTarget(global, { variables, project, fetch, serve }));
  const target = (): Promise<Target> => (found ??= find());
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
      return workerClient({ url, key, clock, fetch });
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
    processes,
    version,
  };
  return { context, target: () => seen, close: async () => served?.stop() };
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
