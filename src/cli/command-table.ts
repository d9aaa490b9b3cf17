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
  {
    name: "import",
    about: "bring a CrewAI project along",
    load: async () => (await import("./commands/import.ts")).importCommand,
  },
];
