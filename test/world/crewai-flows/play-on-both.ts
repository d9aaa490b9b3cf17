// Plays programs on both sides, and lists where they differ.
import { existsSync } from "node:fs";
import { readJsonLines, writeJsonLines } from "../support/json-lines.ts";
import type { Compared } from "../support/accepted.ts";
import { mapAtMost } from "../../../src/base/concurrency.ts";
import { crewai } from "../needs/environments.ts";
import type { PartContext } from "../part.ts";
import { runPython } from "../support/run-python.ts";
import { ACCEPTED_FLOWS } from "./accepted.ts";
import { fieldsThatDiffer, textOf, type FlowDifference } from "./compare.ts";
import type { FlowProgram, Mode, Result } from "./flow-program.ts";
import { runOnEdgecrew } from "./run-edgecrew.ts";

const MODES: readonly Mode[] = ["compat", "native"];

/**
 * Rounds of a run: programs that differ run again with a longer quantum. The last outweighs the tenth of a second
 * that CrewAI takes for a flow within a flow.
 */
const ROUNDS = [
  { quantumMs: 6, atOnce: 6 },
  { quantumMs: 16, atOnce: 2 },
  { quantumMs: 80, atOnce: 1 },
  { quantumMs: 2_000, atOnce: 4 },
] as const;

type Round = (typeof ROUNDS)[number];

/** Results of one program. */
type Trio = { readonly theirs: Result; readonly ours: Readonly<Record<Mode, Result>> };

type PlayContext = Pick<PartContext, "folders" | "scratch" | "signal" | "say">;

/** Each program is two entries: with `compat` and without. */
export async function playOnBoth(
  programs: readonly FlowProgram[],
  context: PlayContext,
): Promise<readonly Compared<FlowDifference>[]> {
  const results = new Map<string, Trio>();
  let open = programs;
  for (const [index, round] of ROUNDS.entries()) {
    if (open.length === 0) break;
    for (const [id, trio] of await runBoth(context, open, { ...round, index }))
      results.set(id, trio);
    open = open.filter((program) => {
      const trio = results.get(program.id);
      return trio !== undefined && isOpen(program, trio);
    });
    const { length } = programs;
    context.say(`${length} programs, round ${index + 1}: ${open.length} differ without a row`);
  }
  return programs.flatMap((program) => {
    const trio = results.get(program.id);
    return trio === undefined ? [] : comparedIn(program, trio);
  });
}

async function runBoth(
  { folders, scratch, signal }: PlayContext,
  programs: readonly FlowProgram[],
  { index, quantumMs, atOnce }: Round & { readonly index: number },
): Promise<ReadonlyMap<string, Trio>> {
  const file = `${scratch}/programs-${index}.jsonl`;
  const output = `${scratch}/theirs-${index}.jsonl`;
  const own = `${scratch}/ours-${index}.jsonl`;
  if (existsSync(own) && areAmong(programs, file)) return triosIn(programs, own, output);
  writeJsonLines(file, programs);
  await runPython({
    environment: folders[crewai.name] ?? "",
    script: new URL("run_crewai.py", import.meta.url),
    args: [file, String(quantumMs), String(atOnce)],
    cwd: scratch,
    output,
    signal,
  });
  const theirs = new Map(readJsonLines<Result>(output).map((result) => [result.id, result]));
  const trios = new Map<string, Trio>();
  await mapAtMost(programs, atOnce, async (program) => {
    const result = theirs.get(program.id);
    if (result === undefined) throw new Error(`CrewAI's side gave nothing for ${program.id}`);
    const compat = await runOnEdgecrew(program, "compat", { quantumMs });
    const native = await runOnEdgecrew(program, "native", { quantumMs });
    trios.set(program.id, { theirs: result, ours: { compat, native } });
  });
  writeJsonLines(
    own,
    [...trios.values()].map(({ ours }) => ours),
  );
  return trios;
}

function areAmong(programs: readonly FlowProgram[], file: string): boolean {
  const known = new Set(readJsonLines<FlowProgram>(file).map((program) => textOf(program)));
  return programs.every((program) => known.has(textOf(program)));
}

/** Results of a round that an interrupted run has finished. */
function triosIn(
  programs: readonly FlowProgram[],
  ours: string,
  theirs: string,
): ReadonlyMap<string, Trio> {
  const own = new Map(
    readJsonLines<Trio["ours"]>(ours).map((result) => [result.compat.id, result]),
  );
  const others = new Map(readJsonLines<Result>(theirs).map((result) => [result.id, result]));
  const trios = programs.flatMap(({ id }) => {
    const [our, their] = [own.get(id), others.get(id)];
    return our === undefined || their === undefined
      ? []
      : [[id, { ours: our, theirs: their }] as const];
  });
  return new Map(trios);
}

function isOpen(program: FlowProgram, trio: Trio): boolean {
  return comparedIn(program, trio).some(({ differences }) =>
    differences.some((difference) => !ACCEPTED_FLOWS.some((row) => row.matches(difference))),
  );
}

/** The program in both modes, each an entry of its own. */
function comparedIn(program: FlowProgram, trio: Trio): readonly Compared<FlowDifference>[] {
  const differencesIn = (mode: Mode, isCompatEqual: boolean): readonly FlowDifference[] => {
    const ours = trio.ours[mode];
    const { kickoff, fields } = fieldsThatDiffer({ ours, theirs: trio.theirs });
    const outcomes = { ours: ours.kickoffs[kickoff], theirs: trio.theirs.kickoffs[kickoff] };
    return fields.map((field) => ({ program, mode, kickoff, field, ...outcomes, isCompatEqual }));
  };
  const compat = differencesIn("compat", true);
  const isCompatEqual = compat.every((difference) =>
    ACCEPTED_FLOWS.some((row) => row.matches(difference)),
  );
  const of = (mode: Mode): string => `${program.id} ${mode}`;
  return MODES.map((mode) => ({
    id: of(mode),
    differences: mode === "compat" ? compat : differencesIn("native", isCompatEqual),
  }));
}

export function describeDifference({
  program,
  kickoff,
  field,
  ours,
  theirs,
}: FlowDifference): string {
  return [
    `kickoff ${kickoff}, ${field}: ${textOf(program)}`,
    `  ours   ${textOf(ours)}`,
    `  theirs ${textOf(theirs)}`,
  ].join("\n");
}
