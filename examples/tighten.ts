// A flow that works in rounds: an editor shortens a text until it reads well, or the rounds are used up. What reads well is
// measured by code, so the loop ends for a reason that can be told.
//
//   measure ──again── rewrite ── measure ── ... ──done── deliver
import * as z from "zod";
import { Flow, listen, or, router, start } from "../src/flow/index.ts";
import { Agent } from "../src/index.ts";

const editor = new Agent({
  role: "Editor",
  goal: "Say the same in fewer words",
  backstory:
    "You cut what a reader can do without. You never add a fact, and never change a number.",
});

const State = z.object({
  text: z.string().min(1),
  maxWords: z.number().int().min(10).default(70),
  maxRounds: z.number().int().min(1).max(10).default(4),
  rounds: z.number().int().default(0),
  words: z.number().int().default(0),
  /** Words of every version, the first one's included. */
  history: z.array(z.number()).default([]),
});

export class Tighten extends Flow(State) {
  @start()
  begin() {
    this.state.text = this.state.text.trim();
  }

  @router(or("begin", "rewrite"), { emit: ["again", "done"] })
  measure() {
    const { state } = this;
    state.words = wordsOf(state.text);
    state.history.push(state.words);
    return state.words <= state.maxWords || state.rounds >= state.maxRounds ? "done" : "again";
  }

  @listen("again")
  async rewrite() {
    const { state } = this;
    state.rounds++;
    const sentences = Math.max(1, sentencesOf(state.text) - 2);
    const { object } = await editor.kickoff(
      `Summarize the report in ${sentences} sentences.\nUse at most ${state.maxWords} words in all, and keep numbers, times and names.\n\n<report>\n${state.text}\n</report>`,
      { responseFormat: z.object({ text: z.string().describe("The shorter text") }) },
    );
    if (object !== undefined && object.text !== "") state.text = object.text;
  }

  @listen("done")
  deliver() {
    const { text, words, rounds, maxWords } = this.state;
    return { text, words, rounds, fits: words <= maxWords };
  }
}

function wordsOf(text: string): number {
  return text.split(/\s+/).filter((word) => word !== "").length;
}

function sentencesOf(text: string): number {
  return text.split(/(?<=[.!?])\s+/).length;
}
