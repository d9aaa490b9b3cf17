// The example of docs/conversational-flows.md, as it is written there, run on the model that needs no key.
import { expect, it } from "vitest";
import { conversational, conversationState, Flow, listen } from "../../../../src/flow/index.ts";
import * as z from "zod";
import { readSource } from "../../../support/source-files.ts";

it("behaves as the page describes", async () => {
  const page = readSource("docs/conversational-flows.md");
  @conversational({ llm: "offline/demo", systemPrompt: "You work in a tea shop. Be brief." })
  class Help extends Flow(conversationState.extend({ orders: z.number().default(0) })) {
    routeTurn() {
      return /order/i.test(this.conversation.message) ? "order" : null;
    }

    @listen("order")
    take() {
      this.state.orders++;
      return `That is order number ${this.state.orders}.`;
    }
  }
  const help = new Help();
  const first = await help.handleTurn("I would like to order tea", { sessionId: "customer-7" });
  expect(page).toContain(`console.log(first.reply); // ${first.reply}`);
  const next = await help.handleTurn("Thank you, how are you?", { sessionId: "customer-7" });
  expect(next).toMatchObject({ turn: 2, ended: false, route: "converse" });
});
