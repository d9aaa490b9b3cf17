import { EngineError } from "./error.ts";

/** Throws `invalid_input` for an option that a method does not have; `advice` says what to do about single ones. */
export function refuseUnknownOptions(
  options: object,
  {
    method,
    known,
    advice = {},
  }: {
    readonly method: string;
    readonly known: readonly string[];
    readonly advice?: Readonly<Record<string, string>>;
  },
): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const what = Object.hasOwn(advice, unknown)
    ? `: ${advice[unknown]}`
    : `; it has: ${known.join(", ")}`;
  throw new EngineError("invalid_input", `${method} has no option "${unknown}"${what}`);
}
