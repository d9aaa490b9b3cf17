// Random crews on CrewAI and on Edgecrew, against one scripted model server.
import { writeFileSync } from "node:fs";
import { crewai } from "../needs/environments.ts";
import type { WorldPart } from "../part.ts";
import { explain } from "../support/accepted.ts";
import { ACCEPTED_CREWS } from "./accepted.ts";
import { describeDifference } from "./compare-outcomes.ts";
import { generateCases } from "./generate.ts";
import { playOnBoth } from "./play-on-both.ts";

const SLICE = 30;
const WHOLE = 2_000;

export const part: WorldPart = {
  name: "crewai-crews",
  title: "Random crews",
  needs: [crewai],
  sliceSeconds: 120,
  wholeSeconds: 7_200,
  async run(context) {
    const { seed, slice, count = slice ? SLICE : WHOLE, scratch } = context;
    const cases = generateCases(seed, count);
    const compared = await playOnBoth(cases, context);
    const { passed, differences, failures } = explain(compared, ACCEPTED_CREWS, describeDifference);
    writeFileSync(`${scratch}/failures.json`, JSON.stringify(failures, undefined, 2));
    return { upstream: "CrewAI 1.15.30", tried: cases.length, passed, differences, failures };
  },
};
