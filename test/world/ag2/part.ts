// Random conversations on AG2 and on Edgecrew, against one scripted model server.
import { writeFileSync } from "node:fs";
import { ag2 } from "../needs/environments.ts";
import type { WorldPart } from "../part.ts";
import { explain } from "../support/accepted.ts";
import { ACCEPTED_CONVERSATIONS } from "./accepted.ts";
import { describeDifference } from "./compare-outcomes.ts";
import { generateCases } from "./generate.ts";
import { playOnBoth } from "./play-on-both.ts";

const SLICE = 32;
const WHOLE = 1_000;

export const part: WorldPart = {
  name: "ag2",
  title: "Random conversations",
  needs: [ag2],
  sliceSeconds: 150,
  wholeSeconds: 3_600,
  async run(context) {
    const { seed, slice, count = slice ? SLICE : WHOLE, scratch } = context;
    const cases = generateCases(seed, count);
    const compared = await playOnBoth(cases, context);
    const { passed, differences, failures } = explain(
      compared,
      ACCEPTED_CONVERSATIONS,
      describeDifference,
    );
    writeFileSync(`${scratch}/failures.json`, JSON.stringify(failures, undefined, 2));
    return { upstream: "AG2 0.14.0", tried: cases.length, passed, differences, failures };
  },
};
