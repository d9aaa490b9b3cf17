// Flows for the tests of runs in Durable Objects.
import * as z from "zod";
import { announce } from "../../../examples/announce.ts";
import { inboxDigest } from "../../../examples/inbox-digest.ts";
import { Tighten } from "../../../examples/tighten.ts";
import { BuiltFlow } from "../../../src/flow/built-flow.ts";
import {
  Flow,
  humanFeedback,
  listen,
  or,
  persist,
  router,
  start,
} from "../../../src/flow/index.ts";
import { FLOW_VECTORS } from "../../support/flow-vectors.ts";
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

/** The flow, each of its methods entered in the ledger and held there before it begins. */
function held<State>({ parts }: BuiltFlow<State>): BuiltFlow<State> {
  return new BuiltFlow<State>({
    ...parts,
    run: async (method, call) => {
      const { runId, path } = call.scope;
      await enter({ idempotencyKey: `${runId}:${path}` }, new AbortController().signal);
      return parts.run(method, call);
    },
  });
}

export const exampleFlows = {
  announce: held(announce),
  tighten: held(new Tighten().flow),
  "inbox-digest": held(inboxDigest),
};

export const vectorFlows = Object.fromEntries(FLOW_VECTORS.map(({ flow }) => [flow.name, flow]));
