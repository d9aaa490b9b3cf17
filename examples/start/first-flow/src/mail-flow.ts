import { Agent } from "edgecrew";
import { Flow, listen, router, start } from "edgecrew/flow";
import * as z from "zod";

const clerk = new Agent({
  role: "Clerk",
  goal: "Answer customers",
  backstory: "The shop opens at nine and closes at six.",
});

export class MailFlow extends Flow(
  z.object({ mail: z.string(), urgent: z.boolean().default(false) }),
) {
  @start()
  read() {
    this.state.urgent = /outage|urgent/i.test(this.state.mail);
  }

  @router("read", { emit: ["urgent", "normal"] })
  sort() {
    return this.state.urgent ? "urgent" : "normal";
  }

  @listen("urgent")
  page() {
    return "The person on call is paged.";
  }

  @listen("normal")
  async reply() {
    const { raw } = await clerk.kickoff(this.state.mail); // joins the run
    return raw;
  }
}
