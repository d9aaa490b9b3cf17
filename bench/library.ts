// Library mode in Node against its floors, in one process and one run: CPU per model call of a bare `fetch` loop, of the
// plain `openai` SDK loop, and of a crew; and of a crew of three agents with a task each, beside as many loops in a row.
//
//   node bench/library.ts             takes minutes; CALLS=1000 for a first look
import OpenAI from "openai";
import * as z from "zod";
import { Agent, Crew, Task, tool } from "../src/index.ts";
import { modelCatalog } from "../src/entry/models.ts";
import { startCannedServer } from "./canned-server-process.ts";

const ROUNDS = [1, 10, 50, 200];
/** Model calls that each variant makes for one number of rounds, in each repetition. */
const CALLS = Number(process.env["CALLS"] ?? 3000);
const REPETITIONS = 7;

type Message = Record<string, unknown>;
type Loop = (rounds: number) => Promise<void>;

const peer = await startCannedServer();
const { url } = peer;

const parameters = { type: "object", properties: { word: { type: "string" } }, required: ["word"] };
const description = "Look a word up.";
const wireTools = [
  { type: "function" as const, function: { name: "lookup", description, parameters } },
];
const firstMessages = (): Message[] => [
  { role: "system", content: "You are a researcher. Do the task." },
  { role: "user", content: "Look the words up and tell what you found." },
];

const bareFetch: Loop = async (rounds) => {
  const messages = firstMessages();
  for (;;) {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer k" },
      body: JSON.stringify({ model: `rounds-${rounds}`, messages, tools: wireTools }),
    });
    const { choices } = (await response.json()) as {
      choices: [{ message: { tool_calls?: Array<{ id: string }> } & Message }];
    };
    const [{ message }] = choices;
    if (message.tool_calls === undefined) return;
    messages.push(message);
    for (const call of message.tool_calls)
      messages.push({ role: "tool", tool_call_id: call.id, content: "known" });
  }
};

const client = new OpenAI({ apiKey: "k", baseURL: `${url}/v1`, maxRetries: 0 });
const plainSdk: Loop = async (rounds) => {
  const messages = firstMessages() as unknown as OpenAI.Chat.ChatCompletionMessageParam[];
  for (;;) {
    const completion = await client.chat.completions.create({
      model: `rounds-${rounds}`,
      messages,
      tools: wireTools,
    });
    const message = completion.choices[0]?.message;
    if (message?.tool_calls === undefined) return;
    messages.push(message);
    for (const call of message.tool_calls)
      messages.push({ role: "tool", tool_call_id: call.id, content: "known" });
  }
};

const lookup = tool({
  name: "lookup",
  description,
  input: z.object({ word: z.string() }),
  run: () => "known",
});
const models = modelCatalog({ variables: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${url}/v1` } });
/** A crew of so many agents with a task each, for each number of rounds. */
function crewsOf(size: number): Loop {
  const crews = new Map<number, Crew>();
  for (const rounds of ROUNDS) {
    const tasks = Array.from({ length: size }, (_, index) => {
      const agent = new Agent({
        role: `Researcher ${index}`,
        goal: "Find out",
        backstory: "Careful.",
        tools: [lookup],
        llm: `openai/rounds-${rounds}`,
        maxIter: 1000,
      });
      return new Task({
        description: "Look the words up",
        expectedOutput: "What you found",
        agent,
      });
    });
    crews.set(rounds, new Crew({ tasks }));
  }
  return async (rounds) => {
    await crews.get(rounds)?.start({ models }).output();
  };
}
const edgecrew = crewsOf(1);
const threeLoops: Loop = async (rounds) => {
  for (let loop = 0; loop < 3; loop++) await plainSdk(rounds);
};
const crewOfThree = crewsOf(3);

console.log(
  "rounds   fetch ms   SDK ms   crew ms   crew - SDK   (CPU per model call, median of repetitions)",
);
const overheads: number[] = [];
for (const rounds of ROUNDS) {
  const variants = [bareFetch, plainSdk, edgecrew];
  const samples: number[][] = variants.map(() => []);
  for (const loop of variants) await measure(loop, rounds, CALLS / 4);
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    for (const [index, loop] of variants.entries())
      samples[index]?.push(await measure(loop, rounds, CALLS));
  }
  const [fetchMs = 0, sdkMs = 0, crewMs = 0] = samples.map(median);
  overheads.push(crewMs - sdkMs);
  console.log(
    [
      String(rounds).padEnd(6),
      ...[fetchMs, sdkMs, crewMs, crewMs - sdkMs].map((ms) => ms.toFixed(4).padStart(9)),
    ].join("  "),
  );
}
const [, at10 = 0, , at200 = 0] = overheads;
console.log(
  `overhead at T = 10: ${at10.toFixed(4)} ms (at most 0.08); at T = 200: ${(at200 / at10).toFixed(2)} times that (at most 1.3)`,
);
console.log("rounds   three SDK loops   crew of three   (CPU per model call, median)");
for (const rounds of [1, 10]) {
  const samples: [number[], number[]] = [[], []];
  for (let repetition = 0; repetition <= REPETITIONS; repetition++)
    for (const [index, loop] of [threeLoops, crewOfThree].entries()) {
      const ms = (await measure(loop, rounds, CALLS / 3)) / 3; // each loop makes three times the calls
      if (repetition > 0) samples[index]?.push(ms);
    }
  const [loopMs, crewMs] = samples.map(median) as [number, number];
  console.log(
    `${String(rounds).padEnd(8)} ${loopMs.toFixed(4)} ms   ${crewMs.toFixed(4)} ms   ${(crewMs / loopMs).toFixed(2)} times (at most 1.4)`,
  );
}
peer.stop();

/** CPU time of this process per model call, in milliseconds. */
async function measure(loop: Loop, rounds: number, calls: number): Promise<number> {
  const runs = Math.max(1, Math.round(calls / (rounds + 1)));
  const before = process.cpuUsage();
  for (let run = 0; run < runs; run++) await loop(rounds);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / (runs * (rounds + 1));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
