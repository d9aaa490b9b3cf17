import { Flow, listen, start } from "edgecrew/flow";
import * as z from "zod";
import { crews } from "../definitions.ts";

const State = z.object({
  notes: z.string().trim().min(1),
  facts: z.string().default(""),
});

/** Reads notes, asks who the report is for, and writes it. */
export class Briefing extends Flow(State) {
  @start()
  async read() {
    const { raw } = await crews.facts.kickoff({ inputs: { notes: this.state.notes } });
    this.state.facts = raw;
  }

  /** The run waits for the answer of the page, also if nobody comes back before next month. */
  @listen("read")
  askReaders() {
    return this.ask("Who is the report for?", { choices: ["beginners", "experts"] });
  }

  @listen("askReaders")
  async write(readers: string | null) {
    const inputs = { facts: this.state.facts, readers: readers ?? "beginners" };
    return (await crews.report.kickoff({ inputs })).raw;
  }
}
