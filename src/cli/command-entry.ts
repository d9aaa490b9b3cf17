import type { Command } from "./command.ts";

/** A command before it is loaded. */
export type CommandEntry = {
  readonly name: string;
  /** Other names, of CrewAI's command line among them. */
  readonly aliases?: readonly string[];
  readonly about: string;
  readonly load: () => Promise<Command>;
};
