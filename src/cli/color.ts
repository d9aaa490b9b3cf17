import type { CliWorld } from "./world.ts";

/** True if a variable is set to anything but `0` or `false`. */
export const isSet = (text: string | undefined): boolean =>
  text !== undefined && text !== "" && text !== "0" && text !== "false";

/** True if colours are wanted and the terminals show them. */
export function hasColor({ variables, stdout, stderr }: CliWorld, wanted: boolean): boolean {
  if (!wanted || isSet(variables["NO_COLOR"])) return false;
  return isSet(variables["FORCE_COLOR"]) || (stdout.isTerminal && stderr.isTerminal);
}
