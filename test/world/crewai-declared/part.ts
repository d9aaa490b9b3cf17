import { crewai } from "../needs/environments.ts";
import type { WorldPart } from "../part.ts";
import { explain } from "../support/accepted.ts";
import { readJsonLines, writeJsonLines } from "../support/json-lines.ts";
import { runPython } from "../support/run-python.ts";
import { ACCEPTED } from "./accepted.ts";
import { compareOutcomes, describeDifference } from "./compare.ts";
import { programsOf } from "./generate.ts";
import type { Outcome } from "./program.ts";
import { runDeclared } from "./run-edgecrew.ts";

const SLICE = 250;
const WHOLE = 2_000;

export const part: WorldPart = {
  name: "crewai-declared",
  title: "Declared flows: expressions, inputs, forms",
  needs: [crewai],
  sliceSeconds: 60,
  wholeSeconds: 1_800,
  async run({ folders, seed, slice, count, scratch, signal, say }) {
    const programs = programsOf(seed, count ?? (slice ? SLICE : WHOLE));
    const [input, output] = [`${scratch}/programs.jsonl`, `${scratch}/theirs.jsonl`];
    writeJsonLines(input, programs);
    const upstream = runPython({
      environment: folders["crewai"] ?? "",
      script: new URL("run_crewai.py", import.meta.url),
      args: [input],
      cwd: scratch,
      output,
      signal,
    });
    const ours = new Map<string, Outcome>();
    for (const program of programs) ours.set(program.id, await runDeclared(program));
    say(`${programs.length} programs ran here`);
    await upstream;
    const theirs = new Map(
      readJsonLines<{ readonly id: string; readonly outcome: Outcome }>(output).map(
        ({ id, outcome }) => [id, outcome],
      ),
    );
    const compared = programs.map((program) => {
      const [here, there] = [ours.get(program.id), theirs.get(program.id)];
      if (here === undefined || there === undefined)
        throw new Error(`program ${program.id} has no outcome: see ${output}.err`);
      return compareOutcomes(program, here, there);
    });
    const explained = explain(compared, ACCEPTED, describeDifference);
    return { upstream: "CrewAI 1.15.30", tried: programs.length, ...explained };
  },
};
