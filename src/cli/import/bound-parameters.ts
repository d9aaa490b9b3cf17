import type { Arguments } from "./call-keys.ts";
import type { Found } from "./program.ts";
import { parametersOf } from "./python-parameters.ts";
import type { PythonValue } from "./python-value.ts";
import { readValue } from "./python-values.ts";

/** Returns the parameters of a function by name: the passed value, else the default, else an input of this name. */
export function boundParameters(
  { source, definition }: Found,
  { args, keywords }: Arguments,
  valueOf: (value: PythonValue) => PythonValue,
): ReadonlyMap<string, PythonValue> {
  const all = parametersOf(source, definition.node);
  const isMethod = all[0]?.name === "self" || all[0]?.name === "cls";
  return new Map(
    (isMethod ? all.slice(1) : all).map(({ name, node, value }, index) => {
      const passed = keywords.find((each) => each.name === name)?.value ?? args[index];
      if (passed !== undefined) {
        const isUnnamed = passed.kind === "input" && passed.name === "";
        return [name, isUnnamed ? { ...passed, name } : passed] as const;
      }
      const none: PythonValue = { source, node, kind: "input", name };
      return [name, value === undefined ? none : valueOf(readValue(source, value))];
    }),
  );
}
