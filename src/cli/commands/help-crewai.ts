import type { CommandEntry } from "../command-entry.ts";
import { command, type Command } from "../command.ts";
import { CREWAI_COMMANDS } from "../crewai-commands.ts";

/** `edgecrew help crewai`: lists CrewAI's commands with their counterparts here. */
export const helpCrewaiOf = (commands: readonly CommandEntry[]): Command =>
  command({
    name: "help crewai",
    about: "print CrewAI's commands and their names here",
    example: "edgecrew help crewai",
    options: {},
    run: async ({ out }) => {
      // Only names of commands in this version are printed.
      const names = new Set(commands.map(({ name }) => name));
      const known = (name: string): boolean =>
        names.has(name) || [...names].some((each) => each.startsWith(`${name} `));
      const rows = CREWAI_COMMANDS.map((row) => ({ ...row, here: row.here.filter(known) }));
      const others = commands
        .filter(({ name }) => !rows.some(({ here }) => here.some((each) => isOf(name, each))))
        .map(({ name }) => name);
      out.table({ rows, value: { items: rows, others }, none: "" }, [
        { title: "CREWAI", of: ({ crewai }) => crewai },
        { title: "EDGECREW", of: ({ here }) => here.join(", ") || "–", isWhole: true },
        { title: "", of: ({ note }) => note },
      ]);
      out.note(`Without a counterpart there: ${others.join(", ")}`);
    },
  });

const isOf = (name: string, named: string): boolean =>
  name === named || name.startsWith(`${named} `);
