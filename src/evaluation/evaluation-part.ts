import type { Part } from "../parts/part.ts";
import { evaluationEvents } from "./events.ts";

/** Evaluations of agents, which flows and tools of a Worker may run. */
export const evaluationPart: Part = {
  name: "evaluation",
  docs: "testing-and-training.md",
  events: evaluationEvents,
};
