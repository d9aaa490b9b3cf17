// Callbacks around a crew: code before its first task, and after its last.
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { userCode } from "../base/user-code.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { CrewOutput } from "./tasks/task-output.ts";

/** Passes a value through callbacks. Each is called once per run, even if the run is replayed. `check` throws for an invalid result. */
export async function callEach<T>(
  scope: RunScope,
  callbacks: ReadonlyArray<(value: T) => T | Promise<T>>,
  {
    first,
    check,
    marks,
    what,
  }: {
    readonly first: T;
    /** Name of the callbacks in errors. */
    readonly what: string;
    readonly check: (value: T) => void;
    readonly marks?: { readonly label: string; readonly mark: "inputs" };
  },
): Promise<T> {
  let value = first;
  for (const [index, callback] of callbacks.entries()) {
    const previous = value;
    const call = async (): Promise<T> => {
      const name = callbacks.length === 1 ? what : `${what}, number ${index},`;
      const returned = await userCode(name, () => callback(previous));
      check(returned);
      return returned;
    };
    value = await scope.at(String(index)).callOnce(call, marks);
  }
  return value;
}

/** Throws `output_invalid` for a value that is no output of a crew. */
export function checkOutput(output: CrewOutput | null | undefined): void {
  if (typeof output?.raw === "string" && Array.isArray(output.tasks)) return;
  throw new EngineError(
    "output_invalid",
    `an afterKickoff callback must return the crew's output with its raw, tasks and usage, got ${preview(output)}`,
  );
}
