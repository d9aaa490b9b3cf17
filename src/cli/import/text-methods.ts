import type { Arguments } from "./call-keys.ts";
import type { PythonValue } from "./python-value.ts";
import { formatted, TEXT_METHODS } from "./text-values.ts";

/** Returns the result of a method of a text: `"{x}".format(x=1)`. Undefined for another method or another object. */
export function textMethod(
  method: string,
  {
    on,
    args,
    keywords,
    text,
  }: Arguments & {
    readonly on: PythonValue;
    /** A value as it stands in a text. */
    readonly text: (value: PythonValue) => string;
  },
): PythonValue | undefined {
  if (on.kind === "input" && Object.hasOwn(TEXT_METHODS, method)) return on;
  if (on.kind !== "plain" || typeof on.value !== "string") return undefined;
  const [list] = args;
  if (method === "format") {
    const names = new Map(keywords.map(({ name, value }) => [name, text(value)] as const));
    return { ...on, value: formatted(on.value, args.map(text), names) };
  }
  if (method === "join" && list?.kind === "list")
    return { ...on, value: list.items.map(text).join(on.value) };
  const change = Object.hasOwn(TEXT_METHODS, method) ? TEXT_METHODS[method] : undefined;
  return change === undefined || args.length > 0 ? undefined : { ...on, value: change(on.value) };
}
