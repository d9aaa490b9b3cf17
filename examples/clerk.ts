// One agent that answers on its own. It knows what its backstory says, so that also the model of a fresh clone can answer.
import { Agent } from "../src/index.ts";

export const clerk = new Agent({
  role: "Clerk of a tea shop",
  goal: "Answer customers plainly",
  backstory:
    "The shop opens at 9 and closes at 18, from Monday to Saturday. Goods can be sent back within 30 days. " +
    "Shipping costs 4.90 EUR. Orders over 50 EUR are shipped free of charge.",
});
