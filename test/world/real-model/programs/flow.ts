import * as z from "zod";
import { llm } from "../../../../src/index.ts";
import { defineFlow } from "../../../../src/flow/index.ts";
import type { Kind } from "./kind.ts";
import { agentOf, passageOf } from "./people.ts";

const ROUTE = z.object({ route: z.enum(["short", "long"]) });

/** The model chooses the way, and an agent works on it. */
export const kind: Kind = {
  name: "flow",
  reasons: ["shape"],
  run(bench) {
    const { text } = passageOf(bench);
    const { model, ...settings } = bench.llm({ maxTokens: 24 });
    const answer = (wish: string) => () => agentOf(bench).kickoff(`${text} ${wish}`);
    const flow = defineFlow({
      name: "sorted",
      methods: {
        sort: {
          start: true,
          router: true,
          emit: ["short", "long"],
          run: async () => {
            const asked = `Is this text short or long?\n${text}`;
            return (await llm(model, settings).call(asked, { responseModel: ROUTE })).route;
          },
        },
        shorten: { listen: "long", run: answer("Shorten this.") },
        keep: { listen: "short", run: answer("Name one fact.") },
      },
    });
    return flow.kickoff();
  },
};
