import type { CliWorld } from "./world.ts";

/** Whether a variable says yes. */
export const isSet = (text: string | undefined): boolean =>
  text !== undefined && text !== "" && text !== "0" && text !== "false";

/** Whether colours are wanted, and seen. */
export function hasColor({ variables, stdout, stderr }: CliWorld, wanted: boolean): boolean {
  if (!wanted || isSet(variables["NO_COLOR"])) return false;
  return isSet(variables["FORCE_COLOR"]) || (stdout.isTerminal && stderr.isTerminal);
}
