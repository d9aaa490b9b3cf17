import type { CommandEntry } from "./command-table.ts";

/** Commands about a project itself, in the order of help. */
export const PROJECT_COMMANDS: readonly CommandEntry[] = [
  {
    name: "check",
    about: "find what is wrong with the project: definitions, configuration, code",
    load: async () => (await import("./commands/check.ts")).check,
  },
  {
    name: "types",
    about: "write the types of what can be started: inputs and outputs",
    load: async () => (await import("./commands/types.ts")).types,
  },
  {
    name: "doctor",
    about: "look at this machine, the project and the Worker; each fault with its fix",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
];
