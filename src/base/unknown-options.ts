// Unknown options of a call or a constructor, refused with their correct spelling or replacement.
//
// An undefined value counts as absent. Symbols and inherited properties are not read: they are no misspelt names.
import { camelCase } from "./camel-case.ts";
import { EngineError, type ErrorCode } from "./error.ts";
import { preview } from "./json.ts";
import { nearestOf } from "./nearest.ts";

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
/* @__NO_SIDE_EFFECTS__ */
export function optionNames<Options>(names: Readonly<Record<keyof Options & string, true>>) {
  return Object.keys(names);
}

/** Accepted options of a definition, whose unknown ones throw `invalid_definition`. Unused ones are left out of bundles. */
/* @__NO_SIDE_EFFECTS__ */
export function definitionOptions<Options>(
  method: string,
  names: Readonly<Record<keyof Options & string, true>>,
  advice?: Readonly<Record<string, string>>,
): KnownOptions {
  return { method, code: "invalid_definition", known: Object.keys(names), advice };
}

/**
 * Throws for options that are not accepted, and for options that are no object. A subclass may have options of its own:
 * only another spelling of a known option is refused there, such as `max_iter`.
 */
export function refuseUnknownOptions(
  options: object,
  known: KnownOptions,
  isSubclass = false,
): void {
  const { method, known: names, code = "invalid_input" } = known;
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new EngineError(code, `${method} takes an object of options, got ${preview(options)}`);
  const unknown = Object.entries(options).flatMap(([name, value]) =>
    value === undefined || names.includes(name) || (isSubclass && camelCase(name) === name)
      ? []
      : [{ name, advice: adviceFor(name, known) }],
  );
  const refused = isSubclass ? unknown.filter(({ advice }) => advice !== undefined) : unknown;
  if (refused.length === 0) return;
  const what = refused.map(({ name, advice = "" }) => `"${name}"${advice}`).join(", ");
  const bare = refused.filter(({ advice }) => advice === undefined);
  const list = bare.length === 0 ? "" : `; it has: ${names.join(", ")}`;
  const guesses = bare.flatMap(({ name }) => nearestOf(camelCase(name), names) ?? []);
  const meant = guesses.length === 0 ? "" : `. Is it ${guesses.join(", ")}?`;
  const noun = refused.length === 1 ? "option" : "options";
  throw new EngineError(code, `${method} has no ${noun} ${what}${list}${meant}`);
}

/** Returns the advice for a name, if there is any. */
function adviceFor(name: string, { known, advice = {} }: KnownOptions): string | undefined {
  const camel = camelCase(name);
  if (Object.hasOwn(advice, name)) return `: ${advice[name]}`;
  if (Object.hasOwn(advice, camel)) return `: ${advice[camel]}`;
  return known.includes(camel) ? `: write ${camel}` : undefined;
}
