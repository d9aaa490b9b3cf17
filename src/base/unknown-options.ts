// Refuses unknown options of a call or a constructor, each with its correct spelling or replacement.
import { camelCase } from "./camel-case.ts";
import { EngineError, type ErrorCode } from "./error.ts";

/** Accepted options. */
export type KnownOptions = {
  /** The owner, as messages name it: `new Agent()`. */
  readonly method: string;
  readonly known: readonly string[];
  /** Advice for single unknown names. */
  readonly advice?: Readonly<Record<string, string>> | undefined;
  /** @default "invalid_input" */
  readonly code?: ErrorCode;
};

/** Returns the names of all options of a type: a missing one does not compile. */
export function optionNames<Options>(names: Readonly<Record<keyof Options & string, true>>) {
  return Object.keys(names);
}

/** Throws for options that are not accepted. An undefined option counts as absent. */
export function refuseUnknownOptions(options: object, known: KnownOptions): void {
  const unknown = Object.entries(options).flatMap(([name, value]) =>
    value === undefined || known.known.includes(name) ? [] : [name],
  );
  if (unknown.length === 0) return;
  const { method, known: names, code = "invalid_input" } = known;
  const advice = unknown.map((name) => adviceFor(name, known));
  const what = unknown.map((name, at) => `"${name}"${advice[at] ?? ""}`).join(", ");
  const list = advice.includes(undefined) ? `; it has: ${names.join(", ")}` : "";
  const guesses = unknown.flatMap((name, at) =>
    advice[at] === undefined ? guess(name, names) : [],
  );
  const meant = guesses.length === 0 ? "" : `. Is it ${guesses.join(", ")}?`;
  const noun = unknown.length === 1 ? "option" : "options";
  throw new EngineError(code, `${method} has no ${noun} ${what}${list}${meant}`);
}

/** Returns the advice for a name, if there is any. */
function adviceFor(name: string, { known, advice = {} }: KnownOptions): string | undefined {
  const camel = camelCase(name);
  if (Object.hasOwn(advice, name)) return `: ${advice[name]}`;
  if (Object.hasOwn(advice, camel)) return `: ${advice[camel]}`;
  return known.includes(camel) ? `: write ${camel}` : undefined;
}

function guess(name: string, known: readonly string[]): readonly string[] {
  const camel = camelCase(name).toLowerCase();
  return known.filter((each) => isMisspelt(camel, each.toLowerCase()));
}

/** One letter too many, missing or wrong, or two next to each other in the other order; only for names long enough. */
function isMisspelt(name: string, meant: string): boolean {
  if (name === meant) return true;
  if (meant.length < 5) return false;
  let start = 0;
  while (start < meant.length && name[start] === meant[start]) start++;
  const rest = (text: string, from: number): string => text.slice(start + from);
  return (
    rest(name, 1) === rest(meant, 1) ||
    rest(name, 1) === rest(meant, 0) ||
    rest(name, 0) === rest(meant, 1) ||
    (name[start] === meant[start + 1] &&
      name[start + 1] === meant[start] &&
      rest(name, 2) === rest(meant, 2))
  );
}
