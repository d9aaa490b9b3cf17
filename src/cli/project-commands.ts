import type { CommandEntry } from "./command-entry.ts";

/** Commands about a project itself, in the order of help. */
export const PROJECT_COMMANDS: readonly CommandEntry[] = [
  {
    name: "dev kill",
    about: "kill the Worker of edgecrew dev in mid-run; it restarts without loss",
    load: async () => (await import("./commands/dev-kill.ts")).devKill,
  },
  {
    name: "check",
    about: "find faults of the project: definitions, configuration, code",
    load: async () => (await import("./commands/check.ts")).check,
  },
  {
    name: "types",
    about: "write types of inputs and outputs of crews, flows and agents",
    load: async () => (await import("./commands/types.ts")).types,
  },
  {
    name: "doctor",
    about: "look at this machine, the project and the Worker; each fault with its fix",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  {
    name: "add crew",
    aliases: ["flow add-crew"],
    about: "add a crew: crews/<name>/",
    load: async () => (await import("./commands/add.ts")).addCrew,
  },
  {
    name: "add flow",
    about: "add a flow: flows/<name>.yaml",
    load: async () => (await import("./commands/add.ts")).addFlow,
  },
  {
    name: "add agent",
    about: "add an agent: src/agents/<name>.ts",
    load: async () => (await import("./commands/add.ts")).addAgent,
  },
  {
    name: "add tool",
    about: "add a tool: one of the catalogue by its name, or an empty one",
    load: async () => (await import("./commands/add.ts")).addTool,
  },
  {
    name: "add skill",
    about: "add a skill: skills/<name>/, empty or from a folder or a Git repository",
    load: async () => (await import("./commands/add.ts")).addSkill,
  },
  {
    name: "add knowledge",
    about: "add a document to look up: knowledge/<name>.md",
    load: async () => (await import("./commands/add.ts")).addKnowledge,
  },
  {
    name: "add schedule",
    about: "add a schedule of the code: src/schedules/<name>.ts",
    load: async () => (await import("./commands/add.ts")).addSchedule,
  },
  {
    name: "add hook",
    about: "add a webhook of the code: src/hooks/<name>.ts",
    load: async () => (await import("./commands/add.ts")).addHook,
  },
  {
    name: "add console",
    about: "add the web console, under /console/",
    load: async () => (await import("./commands/add-console.ts")).addConsole,
  },
  {
    name: "migrate",
    about: "bring the project's configuration and migrations to the installed version",
    load: async () => (await import("./commands/migrate.ts")).migrate,
  },
];
