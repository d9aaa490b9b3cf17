// Ports of this machine for a server.
import { CliFailure, wrongUse } from "./cli-failure.ts";
import type { Processes } from "./processes.ts";

/** A port chosen by a person, or a range to choose from. */
export type PortChoice = number | { readonly first: number; readonly last: number };

/** Yields ports to try one after the other. Throws exit code 2 after a chosen one, 1 after the last of a range. */
export async function* freePorts(
  choice: PortChoice,
  { isFree }: Pick<Processes, "isFree">,
): AsyncGenerator<number, never> {
  if (typeof choice === "number") {
    yield choice;
    throw wrongUse(`port ${choice} is taken`, `--port ${choice + 1}`);
  }
  for (let port = choice.first; port <= choice.last; port++) if (await isFree(port)) yield port;
  throw new CliFailure(1, `the ports ${choice.first} to ${choice.last} are all taken`, {
    fix: "edgecrew dev --port <n>",
  });
}
