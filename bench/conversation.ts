// A group chat in library mode beside one agent's loop with as many model calls, on a model that answers at once: CPU per model call.
import * as z from "zod";
import { ConversableAgent, GroupChat, GroupChatManager } from "../src/conversation/index.ts";
import { Agent, Crew, Task, tool } from "../src/index.ts";
import { scriptedModel } from "../src/testing/index.ts";

const AGENTS = 4;
const ROUNDS = [10, 40, 160];
/** Model calls that each variant makes for one number of rounds, in each repetition. */
const CALLS = 2000;
const REPETITIONS = 7;

type Variant = (rounds: number) => Promise<void>;

const lookup = tool({
  name: "lookup",
  description: "Look a word up.",
  input: z.object({ word: z.string() }),
  run: () => "known",
});

/** One agent that calls a tool in each turn but the last. */
const loop: Variant = async (rounds) => {
  const calling = { toolCalls: [{ name: "lookup", arguments: { word: "edge" } }] };
  let calls = 0;
  const llm = scriptedModel(() => (++calls < rounds ? calling : "found"));
  const agent = new Agent({
    role: "Researcher",
    goal: "Find out",
    backstory: "Careful.",
    tools: [lookup],
    llm,
    maxIter: 1000,
  });
  const task = new Task({ description: "Look the words up", expectedOutput: "Words", agent });
  await new Crew({ tasks: [task] }).start().output();
};

/** Four agents in turn. */
const group: Variant = async (rounds) => {
  const llm = scriptedModel(() => "I look the next word up, and say what I found.");
  const agents = Array.from(
    { length: AGENTS },
    (_, index) =>
      new ConversableAgent({
        name: `agent${index}`,
        humanInputMode: "NEVER",
        systemMessage: "Careful.",
        llm,
      }),
  );
  const groupChat = new GroupChat({
    agents,
    speakerSelectionMethod: "round_robin",
    maxRound: rounds + 1,
  });
  const manager = new GroupChatManager({ groupChat });
  const opener = new ConversableAgent({ name: "opener", humanInputMode: "NEVER" });
  await opener.initiateChat(manager, { message: "Look the words up" });
};

console.log("rounds   agent loop ms   group ms   group / loop   (CPU per model call, median)");
const perCall: number[] = [];
for (const rounds of ROUNDS) {
  const variants = [loop, group];
  const samples: number[][] = variants.map(() => []);
  for (const variant of variants) await measure(variant, rounds);
  for (let repetition = 0; repetition < REPETITIONS; repetition++)
    for (const [index, variant] of variants.entries())
      samples[index]?.push(await measure(variant, rounds));
  const [loopMs = 0, groupMs = 0] = samples.map(median);
  perCall.push(groupMs);
  console.log(
    `${String(rounds).padEnd(6)}${loopMs.toFixed(4).padStart(16)}${groupMs.toFixed(4).padStart(11)}${(groupMs / loopMs).toFixed(2).padStart(15)}`,
  );
}
const [, at40 = 0, at160 = 0] = perCall;
console.log(`a round of 160 costs ${(at160 / at40).toFixed(2)} times one of 40`);

/** CPU time of this process per model call, in milliseconds. */
async function measure(variant: Variant, rounds: number): Promise<number> {
  const runs = Math.max(1, Math.round(CALLS / rounds));
  const before = process.cpuUsage();
  for (let run = 0; run < runs; run++) await variant(rounds);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / (runs * rounds);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
