import { Agent } from "edgecrew";
import { conversational, conversationState, Flow, listen } from "edgecrew/flow";
import * as z from "zod";

const ORDERS: Readonly<Record<number, string>> = { 1204: "on its way", 1205: "being packed" };

const advisor = new Agent({
  role: "Tea advisor",
  goal: "Help people to find a tea that they like",
  backstory: `You know what the shop has: Assam is strong and malty, good with milk. Sencha is green and fresh.
Rooibos is mild and has no caffeine. You ask back if you do not know enough.`,
});

/** The help desk of a tea shop. Each turn of a conversation is a run; what is in the state is there in the next one. */
@conversational()
export class Desk extends Flow(conversationState.extend({ order: z.number().optional() })) {
  /** Which method answers. Without this one, a model decides. */
  routeTurn() {
    const number = /\b\d{4}\b/.exec(this.conversation.message)?.[0];
    if (number !== undefined) this.state.order = Number(number);
    return /\b(order|parcel)\b/i.test(this.conversation.message) || number ? "order" : "advice";
  }

  @listen("order")
  findOrder() {
    const { order } = this.state;
    if (order === undefined) return "Which number does your order have?";
    return `Order ${order} is ${ORDERS[order] ?? "unknown to us: is the number right?"}`;
  }

  @listen("advice")
  async advise() {
    const lines = this.conversation.messages.map(({ role, content }) => `${role}: ${content}`);
    const { raw } = await advisor.kickoff(`Answer the last message.\n\n${lines.join("\n")}`);
    return raw;
  }
}
