// Random flows on CrewAI and on Edgecrew, with and without `compat: "crewai"`.
import { explain } from "../support/accepted.ts";
import { crewai } from "../needs/environments.ts";
import type { WorldPart } from "../part.ts";
import { ACCEPTED_FLOWS } from "./accepted.ts";
import { flowProgram } from "./generate.ts";
import { describeDifference, playOnBoth } from "./play-on-both.ts";

const PROGRAMS = 1_000;
/** Programs of a slice. */
const SLICE = 24;

export const part: WorldPart = {
  name: "crewai-flows",
  title: "Random flows, with and without compat",
  needs: [crewai],
  sliceSeconds: 150,
  wholeSeconds: 7_200,
  async run(context) {
    const { seed, slice, count = slice ? SLICE : PROGRAMS } = context;
    const programs = Array.from({ length: count }, (_, index) => flowProgram(seed, index));
    const compared = await playOnBoth(programs, context);
    const explained = explain(compared, ACCEPTED_FLOWS, describeDifference);
    return { upstream: "CrewAI 1.15.30", tried: compared.length, ...explained };
  },
};
