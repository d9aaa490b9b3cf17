// A shop that one talks with, turn by turn. An order asks how much it is of; money goes back only when a person of the shop agrees.
//
//   order  ── take
//   refund ── propose ──approved── refunded
//                      └─refused── kept
//   anything else: the model goes on talking
import * as z from "zod";
import { conversational, defineFlow } from "../src/flow/index.ts";

const State = z.object({ packets: z.number().int().default(0) });

export const teaShop = defineFlow({
  name: "tea-shop",
  description:
    "A tea shop to talk with: it takes orders, and gives money back when a person agrees.",
  state: State,
  conversational: conversational({
    llm: "offline/demo",
    systemPrompt:
      "You work in a tea shop. Be brief. The shop opens at 9 and closes at 18, from Monday to Saturday. " +
      "Goods can be sent back within 30 days. Shipping costs 4.90 EUR.",
    routeTurn: ({ message }) => {
      if (/\brefund|money back\b/i.test(message)) return "refund";
      return /\b(?:to|an|another) order\b/i.test(message) ? "order" : null;
    },
  }),
  methods: {
    take: {
      listen: "order",
      run: async ({ state, ask }) => {
        const said = await ask("How many packets shall it be?", { choices: ["1", "5", "20"] });
        state.packets += Number(said ?? 1);
        return `Noted: **${state.packets} packets** of tea in all.`;
      },
    },
    propose: {
      listen: "refund",
      humanFeedback: {
        message: "The customer wants their money back. Is that all right?",
        emit: ["approved", "refused"],
      },
      run: ({ state }) => `A refund for ${state.packets} packets.`,
    },
    refunded: { listen: "approved", run: () => "Your money is on its way back." },
    kept: { listen: "refused", run: () => "I am sorry: we cannot pay that back." },
  },
});
