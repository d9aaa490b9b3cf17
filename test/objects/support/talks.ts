// A conversational flow for the tests of runs in Durable Objects.
import { conversational, Flow, listen } from "../../../src/flow/index.ts";
import { enter } from "./ledger.ts";
import { plays } from "./models.ts";

/** "ask" asks a person, "work" does an effect, "fail" fails; everything else is answered by a model. */
@conversational({ llm: plays("one", "two", "three", "four") })
export class talk extends Flow() {
  override readonly name = "talk";

  routeTurn() {
    const { message } = this.conversation;
    return /^(ask|work|fail)$/.exec(message)?.[0];
  }

  @listen("ask")
  async asks() {
    return `they say ${await this.ask("Who?")}`;
  }

  @listen("work")
  works() {
    return this.step("send", async ({ idempotencyKey, signal, attempt }) => {
      await enter({ idempotencyKey, attempt }, signal);
      return "sent";
    });
  }

  @listen("fail")
  fails(): never {
    throw new Error("no luck");
  }
}
