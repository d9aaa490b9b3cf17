import { describe, expect, it } from "vitest";
import { fraction } from "../../../../src/base/hash.ts";
import { runCutAfter, runWhole } from "../../../support/cut-off.ts";
import { randomGroup } from "../../../support/random-groups.ts";

const SEEDS = Array.from({ length: Number(process.env["GROUP_SEEDS"] ?? 40) }, (_, seed) => seed);

describe("random groups with random kills", () => {
  it.each(SEEDS)("GRD1, GLP1: group %i comes to the same log as without", async (seed) => {
    const whole = await runWhole(randomGroup(seed));
    expect(whole.run.status).toMatch(/completed|failed/);
    for (let death = 0; death < 4; death++) {
      const writes = [1, 2].map(
        (each) => 1 + Math.floor(fraction(`${seed} ${death} ${each}`) * 25),
      );
      const { course } = await runCutAfter(randomGroup(seed), writes);
      expect(course).toEqual(whole.course);
    }
  });
});
