// The flows that are measured: they call no model, so all that is seen is ours.
import * as z from "zod";
import { and, defineFlow, type BuiltFlow, type FlowMethod } from "../src/flow/index.ts";

const State = z.object({ n: z.number().default(0) });
type Method = FlowMethod<z.output<typeof State>>;

/** What a method does: adds to the state of the flow, or to the value that it was handed. */
type Work = Method["run"];
export const toState: Work = ({ state }) => ++state.n;
export const toValue: Work = ({ value }) => ({
  n: ((value as { readonly n: number } | undefined) ?? { n: 0 }).n + 1,
});

/** Methods that wait for each other in a row. */
export function chainFlow(length: number, run = toState): BuiltFlow<z.output<typeof State>> {
  const methods = Array.from({ length }, (_, index): [string, Method] => [
    `m${index}`,
    { ...(index === 0 ? { start: true } : { listen: `m${index - 1}` }), run },
  ]);
  return defineFlow({
    name: `chain-${length}`,
    state: State,
    methods: Object.fromEntries(methods),
  });
}

/** So many methods at once, and one that waits for all of them. */
export function fanFlow(width: number, run = toState): BuiltFlow<z.output<typeof State>> {
  const names = Array.from({ length: width }, (_, index) => `w${index}`);
  const wide = names.map((name): [string, Method] => [name, { listen: "begin", run }]);
  return defineFlow({
    name: `fan-${width}`,
    state: State,
    methods: {
      begin: { start: true, run: () => ({ n: 0 }) },
      ...Object.fromEntries(wide),
      join: { listen: and(...names), run: ({ state }) => state.n },
    },
  });
}

export const waitingFlow = defineFlow({
  name: "waiting",
  methods: {
    draft: {
      start: true,
      humanFeedback: { message: "Good?", emit: ["yes", "no"] },
      run: () => "a draft",
    },
  },
});
