// Conversations whose prompts are compared.
import type { ChatProgram, Reply, Speaker } from "./program.ts";

const OTTO: Speaker = {
  name: "otto",
  system: "You are Otto and you buy wool.",
  description: "otto buys wool at the spring fair",
};
const MAREN: Speaker = {
  name: "maren",
  system: "You are Maren and you weave cloth.",
  description: "maren weaves cloth for sails",
};
const PIET: Speaker = {
  name: "piet",
  system: "You are Piet and you dye yarn.",
  description: "piet dyes yarn with woad",
};
const OPENING = "How much wool does one sail need";
const say = (text: string): Reply => ({ text });
const FIRST = say("Twelve pounds of combed wool");
const SECOND = say("Grey wool is cheapest in May");
const THIRD = say("Blue takes two baths of dye");

const chat = (id: string, rest: Omit<ChatProgram, "id" | "kind" | "message">): ChatProgram => ({
  id,
  kind: "chat",
  message: OPENING,
  ...rest,
});

export const CHAT_PROGRAMS: readonly ChatProgram[] = [
  chat("two", { speakers: [OTTO, MAREN], way: { how: "two", turns: 1 }, replies: [FIRST] }),
  chat("two-turns", {
    speakers: [OTTO, MAREN],
    way: { how: "two", turns: 2 },
    replies: [FIRST, SECOND, THIRD],
  }),
  chat("two-tool", {
    speakers: [OTTO, { ...MAREN, tools: ["stock"] }],
    way: { how: "two", turns: 2 },
    replies: [{ tool: "stock", args: { goods: "wool" } }, FIRST],
  }),
  chat("reflection", {
    speakers: [OTTO, MAREN],
    way: { how: "two", turns: 1, reflects: true },
    replies: [FIRST, say("They spoke of twelve pounds")],
  }),
  chat("queue", {
    speakers: [OTTO, MAREN, PIET],
    way: { how: "queue", messages: [OPENING, "And which colour shall it have"] },
    replies: [FIRST, THIRD],
  }),
  chat("nested", {
    speakers: [
      OTTO,
      {
        ...MAREN,
        nested: { trigger: "otto", recipient: "piet", message: "Is there blue yarn left" },
      },
      PIET,
    ],
    way: { how: "two", turns: 1 },
    replies: [THIRD],
  }),
  chat("group-auto", {
    speakers: [OTTO, MAREN, PIET],
    way: { how: "group", method: "auto", rounds: 4 },
    replies: [say("maren"), FIRST, say("piet"), THIRD, say("otto"), SECOND],
  }),
  chat("group-auto-again", {
    speakers: [OTTO, MAREN, PIET],
    way: { how: "group", method: "auto", rounds: 3 },
    replies: [say("the weaver, I think"), say("maren"), FIRST, say("piet"), THIRD],
  }),
  chat("group-no-repeat", {
    speakers: [OTTO, MAREN, PIET],
    way: { how: "group", method: "auto", rounds: 3, noRepeat: true },
    replies: [say("maren"), FIRST, say("piet"), THIRD],
  }),
  chat("group-round", {
    speakers: [OTTO, MAREN, PIET],
    way: { how: "group", method: "round_robin", rounds: 4 },
    replies: [FIRST, THIRD, SECOND],
  }),
  chat("group-introductions", {
    speakers: [OTTO, MAREN, PIET],
    way: { how: "group", method: "round_robin", rounds: 3, introduces: true },
    replies: [FIRST, THIRD],
  }),
  chat("pattern-round", {
    speakers: [OTTO, MAREN, PIET],
    way: { how: "pattern", pattern: "round_robin", rounds: 4 },
    replies: [SECOND, FIRST, THIRD],
  }),
  chat("pattern-auto", {
    speakers: [OTTO, MAREN, PIET],
    way: { how: "pattern", pattern: "auto", rounds: 4 },
    replies: [SECOND, say("maren"), FIRST, say("piet"), THIRD],
  }),
  chat("pattern-handoff", {
    speakers: [{ ...OTTO, handoff: { to: "maren", when: "The talk turns to weaving" } }, MAREN],
    way: { how: "pattern", pattern: "default", rounds: 3 },
    replies: [{ tool: "transfer_to_" }, FIRST],
  }),
];
