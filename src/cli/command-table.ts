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
    name: "deploy",
    about: "deploy the project: what it needs, the code, and a test of it",
    load: async () => (await import("./commands/deploy.ts")).deploy,
  },
  {
    name: "promote",
    about: "give the newer of two versions more of the requests, or all",
    load: async () => (await import("./commands/promote.ts")).promote,
  },
  {
    name: "rollback",
    about: "bring the version before back, or another one",
    load: async () => (await import("./commands/rollback.ts")).rollback,
  },
  {
    name: "status",
    about: "show which versions are deployed, and whether runs are held",
    load: async () => (await import("./commands/status.ts")).status,
  },
  {
    name: "logs",
    about: "follow the log of the deployed Worker",
    load: async () => (await import("./commands/logs.ts")).logs,
  },
  {
    name: "destroy",
    about: "remove a deployment; its data where that is said",
    load: async () => (await import("./commands/destroy.ts")).destroy,
  },
  {
    name: "secrets ls",
    about: "list the names of the deployed Worker's secrets",
    load: async () => (await import("./commands/secrets-ls.ts")).secretsLs,
  },
  {
    name: "secrets put",
    about: "set a secret of the deployed Worker",
    load: async () => (await import("./commands/secrets-put.ts")).secretsPut,
  },
  {
    name: "secrets rm",
    about: "remove secrets of the deployed Worker",
    load: async () => (await import("./commands/secrets-rm.ts")).secretsRm,
  },
  {
    name: "secrets rotate",
    about: "give a secret a new value",
    load: async () => (await import("./commands/secrets-rotate.ts")).secretsRotate,
  },
];
