import { readJsonLines, writeJsonLines } from "./json-lines.ts";
import { runPython, type RunPythonOptions } from "./run-python.ts";

type Shared = Pick<RunPythonOptions, "environment" | "script" | "signal">;

export type PythonLanes<Case> = Shared & {
  readonly cases: readonly Case[];
  /** Number of processes. Each gets every so many of the cases. */
  readonly processes: number;
  /** Argument behind the file of cases: the address of a server. */
  readonly address: string;
  readonly scratch: string;
  readonly env: (lane: number) => Readonly<Record<string, string>>;
};

/** Runs cases through a program of Python in processes beside each other, and returns their outcomes by id. */
export async function runPythonLanes<Case, Outcome extends { readonly id: string }>({
  cases,
  processes,
  address,
  scratch,
  env,
  ...shared
}: PythonLanes<Case>): Promise<Map<string, Outcome>> {
  const lanes = await Promise.all(
    Array.from({ length: processes }, async (_, lane) => {
      const own = `${scratch}/cases-${lane}.jsonl`;
      const output = `${scratch}/theirs-${lane}.jsonl`;
      writeJsonLines(
        own,
        cases.filter((__, index) => index % processes === lane),
      );
      await runPython({ ...shared, args: [own, address], env: env(lane), cwd: scratch, output });
      return readJsonLines<Outcome>(output);
    }),
  );
  return new Map(lanes.flat().map((outcome) => [outcome.id, outcome]));
}
