import type { OptionSpec } from "./command.ts";

/** The options of every command. */
export const GLOBAL: Readonly<Record<string, OptionSpec>> = {
  url: { about: "the Worker's address", value: "address" },
  key: { about: "its key; better in EDGECREW_KEY", value: "key" },
  profile: { about: "a Worker that edgecrew login has saved", value: "name" },
  env: { about: "an environment of wrangler's configuration", value: "name" },
  json: { about: "print JSON: one document, or a line for each event" },
  quiet: { about: "print results alone" },
  verbose: { about: "print more, and stacks of faults" },
  color: { about: "colours", on: true },
  yes: { about: "answer yes to every question", short: "y" },
  cwd: { about: "the folder to work in", value: "folder" },
};
