// Flows for the tests of runs in Durable Objects.
import * as z from "zod";
import {
  Flow,
  humanFeedback,
  listen,
  or,
  persist,
  router,
  start,
} from "../../../src/flow/index.ts";
import { enter } from "./ledger.ts";

/** Drafts two parts at once and has a person look at the whole; "again" drafts anew, "good" publishes. */
export class review extends Flow(
  z.object({
    topic: z.string(),
    rounds: z.number().default(0),
    parts: z.array(z.string()).default([]),
  }),
) {
  @start()
  begin() {
    return this.state.topic;
  }

  @listen(or("begin", "again"))
  count() {
    this.state.rounds++;
    this.state.parts = [];
  }

  @listen("count")
  async left() {
    await this.#draft("left");
  }

  @listen("count")
  async right() {
    await this.#draft("right");
  }

  @humanFeedback({ message: "Good?", emit: ["good", "again"] })
  @listen({ and: ["left", "right"] })
  whole() {
    return `${this.state.parts.toSorted().join(" and ")} of ${this.state.topic}`;
  }

  @router("good")
  check() {
    return "checked";
  }

  @listen("checked")
  async publish() {
    await this.sleep("night", 20);
    const rounds = this.state.rounds;
    return this.step("send", async ({ idempotencyKey, signal, attempt }) => {
      await enter({ idempotencyKey, attempt }, signal);
      return `published in round ${rounds}`;
    });
  }

  async #draft(part: string): Promise<void> {
    const { rounds } = this.state;
    const draft = await this.step(part, async ({ idempotencyKey, signal, attempt }) => {
      await enter({ idempotencyKey, attempt }, signal);
      return `${part} ${rounds}`;
    });
    this.state.parts.push(draft);
  }
}

/** Books a payment that somebody sends, and keeps what it has booked under its id. */
@persist()
export class account extends Flow(
  z.object({ total: z.number().default(0), booked: z.array(z.string()).default([]) }),
) {
  @start()
  async wait() {
    const { amount } = await this.waitForEvent("paid", {
      schema: z.object({ amount: z.number() }),
    });
    return amount;
  }

  @listen("wait")
  async book(amount: number) {
    const receipt = await this.step("receipt", async ({ idempotencyKey, signal, attempt }) => {
      await enter({ idempotencyKey, attempt }, signal);
      return `receipt ${amount}`;
    });
    this.state.total += amount;
    this.state.booked.push(receipt);
    return this.state.total;
  }
}
