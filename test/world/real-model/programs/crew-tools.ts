import { Crew, Task } from "../../../../src/index.ts";
import type { Kind } from "./kind.ts";
import { agentOf, stock, taskOf } from "./people.ts";

export const kind: Kind = {
  name: "crew-tools",
  reasons: [],
  run(bench) {
    bench.server.mood = "eager";
    const count = new Task({
      description: "Count the tea in stock.",
      expectedOutput: "A number",
      agent: agentOf(bench, { tools: [stock] }),
    });
    return new Crew({ tasks: [count, taskOf(bench, agentOf(bench))] }).kickoff();
  },
};
