import { foldText } from "../../text/index.ts";

/** True if an address means one of these names, without regard to case and to the width of letters. */
export function isAddressed(to: string, names: readonly string[]): boolean {
  const wanted = foldText(to).trim();
  return names.some((name) => foldText(name).trim() === wanted);
}
