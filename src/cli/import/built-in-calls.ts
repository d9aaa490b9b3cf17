// Results of Python's own functions.
import type { Arguments } from "./call-keys.ts";
import { mapped, variableOf } from "./chosen-values.ts";
import type { PythonCall, PythonValue } from "./python-value.ts";
import { TEXT_FUNCTIONS } from "./text-values.ts";

/** Returns the value of `dict(a=1)`, `int("3")`, `dedent("…")`, `input()`, `os.getenv("X")`. Undefined for another. */
export function madeByPython(value: PythonCall, passed: Arguments): PythonValue | undefined {
  const { name } = value;
  const [first] = passed.args;
  if (name === "input") return { ...value, kind: "input", name: "" };
  if (name === "dict") return dictOf(value, passed);
  const variable = variableOf(value, name, passed);
  if (variable !== undefined || first === undefined) return variable;
  if (Object.hasOwn(NUMBERS, name))
    return mapped(first, (each) => {
      const number = each.kind === "plain" ? NUMBERS[name]?.(Number(each.value)) : undefined;
      return number === undefined || !Number.isFinite(number)
        ? undefined
        : { ...value, kind: "plain", value: number };
    });
  const textFunction = Object.hasOwn(TEXT_FUNCTIONS, name) ? TEXT_FUNCTIONS[name] : undefined;
  if (textFunction === undefined) return undefined;
  if (first.kind === "input") return first;
  return mapped(first, (each) =>
    each.kind === "plain" && typeof each.value === "string"
      ? { ...value, kind: "plain", value: textFunction(each.value) }
      : undefined,
  );
}

const NUMBERS: Readonly<Record<string, (value: number) => number>> = {
  int: Math.trunc,
  float: (value) => value,
};

function dictOf(value: PythonCall, { args, keywords }: Arguments): PythonValue | undefined {
  const [first, ...others] = args;
  if (first !== undefined)
    return others.length === 0 && keywords.length === 0 && isMapping(first) ? first : undefined;
  if (keywords.some(({ name }) => name === "*" || name === "**")) return undefined;
  const entries = keywords.map(({ name, value: each }) => [name, each] as const);
  return { source: value.source, node: value.node, kind: "dict", entries };
}

/** True for a dict, and for an entry of a configuration in YAML. */
export function isMapping({ kind }: PythonValue): boolean {
  return kind === "dict" || kind === "entry";
}
