import { Flow, listen, start } from "edgecrew/flow";
import * as z from "zod";
import { crews } from "../definitions.ts";

/** Researches a topic, asks who the report is for, and writes it. */
export class Briefing extends Flow(
  z.object({ topic: z.string().trim().min(1), facts: z.string().default("") }),
) {
  @start()
  async research() {
    const { raw } = await crews.research.kickoff({ inputs: { topic: this.state.topic } });
    this.state.facts = raw;
  }

  /** The run waits for the answer of the page, also if nobody comes back before next month. */
  @listen("research")
  async askReaders() {
    return this.ask("Who is the report for?", { choices: ["beginners", "experts"] });
  }

  @listen("askReaders")
  async write(readers: string | null) {
    const { topic, facts } = this.state;
    const inputs = { topic, facts, readers: readers ?? "beginners" };
    return (await crews.report.kickoff({ inputs })).raw;
  }
}
