import { Crew } from "../../../../src/index.ts";
import type { Kind } from "./kind.ts";
import { agentOf, taskOf } from "./people.ts";

/** A rule in code, which long answers break. */
export const kind: Kind = {
  name: "guardrail",
  reasons: ["guardrail"],
  run(bench) {
    const most = bench.random.pick([60, 120, 200]);
    const guardrail = ({ raw }: { readonly raw: string }) =>
      raw.length <= most
        ? ([true, raw] as const)
        : ([false, `at most ${most} characters, got ${raw.length}`] as const);
    const task = taskOf(bench, agentOf(bench), { guardrail, guardrailMaxRetries: 1 });
    return new Crew({ tasks: [task] }).kickoff();
  },
};
