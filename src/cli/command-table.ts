import type { Command } from "./command.ts";

/** A command before it is loaded. */
export type CommandEntry = {
  readonly name: string;
  /** Other names, of CrewAI's command line among them. */
  readonly aliases?: readonly string[];
  readonly about: string;
  readonly load: () => Promise<Command>;
};

/** Every command, in the order of help. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "build",
    about: "make .edgecrew/definitions.ts of crews/, flows/ and skills/",
    load: async () => (await import("./commands/build.ts")).build,
  },
  {
    name: "create",
    about: "make a new project",
    load: async () => (await import("./commands/create.ts")).create,
  },
  {
    name: "dev",
    about: "serve the project on this machine",
    load: async () => (await import("./commands/dev.ts")).dev,
  },
  {
    name: "run",
    aliases: ["flow kickoff"],
    about: "start a crew, a flow or an agent, and follow it",
    load: async () => (await import("./commands/run.ts")).run,
  },
  {
    name: "runs ls",
    about: "list runs, newest first",
    load: async () => (await import("./commands/runs-ls.ts")).runsLs,
  },
  {
    name: "runs show",
    about: "show a run: tasks, waits, error, usage",
    load: async () => (await import("./commands/runs-show.ts")).runsShow,
  },
  {
    name: "runs watch",
    about: "follow a run that is under way, from its start",
    load: async () => (await import("./commands/runs-watch.ts")).runsWatch,
  },
];
