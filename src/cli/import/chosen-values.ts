// Values that conditions and the environment choose: `a or b`, `a if x else b`, `os.getenv("MODEL", "gpt-5")`.
//
//   CHV1. A variable of the environment has the value of its default in Python, and is listed. Without a default it
//         cannot be read.
import type { Arguments } from "./call-keys.ts";
import type { PythonValue } from "./python-value.ts";

type Variable = PythonValue & { readonly kind: "variable" };

/** Truth of a value as in Python. Undefined if it depends on the executed code. */
export function truthOf(value: PythonValue): boolean | undefined {
  switch (value.kind) {
    case "plain":
      return Boolean(value.value);
    case "list":
      return value.items.length > 0;
    case "dict":
      return value.entries.length > 0;
    case "call":
      // An object of a class.
      return /^[A-Z]/.test(value.name.split(".").at(-1) ?? "") ? true : undefined;
    default:
      return undefined;
  }
}

const GETTERS = /^(os\.)?(getenv|environ\.get)$/;

/** Returns the variable of `os.getenv("MODEL", "gpt-5")`. Undefined for another call. */
export function variableOf(
  at: PythonValue,
  name: string,
  { args, keywords }: Arguments,
): Variable | undefined {
  const [key, second] = args;
  if (!GETTERS.test(name) || key?.kind !== "plain" || typeof key.value !== "string")
    return undefined;
  const fallback = second ?? keywords.find((each) => each.name === "default")?.value;
  return {
    source: at.source,
    node: at.node,
    kind: "variable",
    name: key.value,
    fallback: isNone(fallback) ? undefined : fallback,
  };
}

/** Returns the value of `left or right`. */
export function either(left: PythonValue, right: PythonValue): PythonValue {
  const truth = truthOf(left);
  if (truth !== undefined) return truth ? left : right;
  if (left.kind !== "variable") return { source: left.source, node: left.node, kind: "unread" };
  const { fallback } = left;
  if (fallback !== undefined) return { ...left, fallback: either(fallback, right) };
  return isNone(right) ? left : { ...left, fallback: right };
}

/** Returns the value of `yes if test else no`. */
export function chosen(test: PythonValue, [yes, no]: readonly PythonValue[]): PythonValue {
  const unread: PythonValue = { source: test.source, node: test.node, kind: "unread" };
  if (yes === undefined || no === undefined) return unread;
  const truth = truthOf(test);
  if (truth !== undefined) return truth ? yes : no;
  // `os.getenv("X") if os.getenv("X") else "y"`.
  const isSame = test.kind === "variable" && yes.kind === "variable" && test.name === yes.name;
  return isSame ? either(yes, no) : unread;
}

/** Changes a value, or the default of a variable: `int(os.getenv("MAX", "3"))`. */
export function mapped(
  value: PythonValue,
  change: (value: PythonValue) => PythonValue | undefined,
): PythonValue | undefined {
  if (value.kind !== "variable") return change(value);
  if (value.fallback === undefined) return value;
  const fallback = mapped(value.fallback, change);
  return fallback && { ...value, fallback };
}

/** Returns the default of a variable, for a variable with one. */
export function defaultOf(value: PythonValue): PythonValue | undefined {
  return value.kind === "variable"
    ? value.fallback && (defaultOf(value.fallback) ?? value.fallback)
    : undefined;
}

/** Reason of an open place for a variable with a default. */
export function defaultTaken(name: string): string {
  return `the variable \`${name}\` of the environment sets it: its default is used`;
}

function isNone(value: PythonValue | undefined): boolean {
  return (
    value === undefined || (value.kind === "plain" && (value.value === null || value.value === ""))
  );
}
