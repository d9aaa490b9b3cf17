import { Flow, humanFeedback, listen, or, router, start } from "edgecrew/flow";
import * as z from "zod";
import { crews } from "../definitions.ts";

const State = z.object({
  ticket: z.string().min(1),
  reply: z.string().default(""),
});

/** Answers a support ticket: a crew writes the reply, and a person reads it where money or anger is involved. */
export class Triage extends Flow(State) {
  @start()
  begin() {}

  /** The tasks of the crew are steps of this run. */
  @listen(or("begin", "rewrite"))
  async draft() {
    const wishes = this.feedback.map(({ feedback }) => feedback).join("\n") || "none";
    const { raw } = await crews.reply.kickoff({ inputs: { ticket: this.state.ticket, wishes } });
    this.state.reply = raw;
  }

  @router("draft", { emit: ["delicate", "simple"] })
  judge() {
    return /refund|money|angry|lawyer|complain/i.test(this.state.ticket) ? "delicate" : "simple";
  }

  /** The run waits here, for months if need be, and uses no compute meanwhile. */
  @humanFeedback({ message: "Send this reply?", emit: ["approve", "rewrite"] })
  @listen("delicate")
  review() {
    return this.state.reply;
  }

  @listen(or("simple", "approve"))
  send() {
    return this.step("send", async () => `Sent: ${this.state.reply}`); // your mail service: called once
  }
}
