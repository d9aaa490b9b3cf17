// Delegation as a loop: the local model answers in a fixed form, with agents to ask or with its own answer.
//
//   AXL1. During the loop, the output form of the work itself is suspended. An answer in another form is final.
//   AXL2. An answer names agents by their endpoints; without names, the first agent is asked. An unknown id fails the
//         work. The exception is the name of exactly one agent or skill, because models often write it.
//   AXL3. A completed answer of an agent is final with `trustRemoteCompletionStatus`. Otherwise the local model writes
//         the final answer.
//   AXL4. After `maxTurns` turns the last remote text is the answer; without one the work fails.
import * as z from "zod";
import { EngineError } from "../../../base/error.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import type { Performer, WorkAround } from "../../../agent/agent-work.ts";
import { changedWork, type AgentWork } from "../../../agent/agent-work.ts";
import { readLenientObject } from "../../../tools/lenient-json.ts";
import type { Conversation, Turn } from "./conversation.ts";

/** Number of consecutive failures that end the loop. After other failures the local model decides. */
const MAX_FAILURES = 2;

/** Form of the local model's answers. */
const agentResponse = z.object({
  a2a_ids: z.array(z.string()).default([]),
  message: z.string(),
  is_a2a: z.boolean(),
});

type AgentResponse = z.output<typeof agentResponse>;

/** Creates the loop over some remote agents. */
export function delegationLoop(conversations: readonly Conversation[]): WorkAround {
  return async (scope, work, perform) => {
    const text = await loop(scope, work, { conversations, perform });
    return reviewed(scope, { text, work, perform });
  };
}

type Loop = { readonly conversations: readonly Conversation[]; readonly perform: Performer };

async function loop(
  scope: RunScope,
  work: AgentWork,
  { conversations, perform }: Loop,
): Promise<string> {
  const maxTurns = Math.min(...conversations.map(({ peer }) => peer.config.maxTurns));
  const transcript: string[] = [];
  let last = "";
  let failures = 0;
  for (let turn = 0; ; turn++) {
    const isReady = conversations.some((each) =>
      each.state(() => undefined).some((state) => state?.isReady() === true),
    );
    const place = turn === 0 ? scope : scope.at(`a2a-turn:${turn}`);
    if (turn >= maxTurns && last !== "") return last;
    if (turn >= maxTurns)
      throw new EngineError(
        "agent_failed",
        `A2A conversation exceeded maximum turns (${maxTurns})`,
      );
    const asked = changedWork(work, {
      prompt: promptOf(work.prompt, { conversations, transcript, left: maxTurns - turn }),
      answerSchema: isReady ? work.answerSchema : schemaFor(conversations),
      review: undefined,
    });
    const raw = await perform(place, asked);
    const response = isReady ? undefined : responseIn(raw);
    if (response === undefined) return raw;
    if (!response.is_a2a) return response.message;
    const chosen = chosenOf(response, conversations);
    const turns = await askAll(place, chosen, { message: response.message, work });
    const [first] = turns;
    if (first === undefined) return response.message;
    failures = turns.every(({ state }) => isFailure(state)) ? failures + 1 : 0;
    transcript.push(`You said: ${response.message}`);
    for (const [index, each] of turns.entries()) {
      const who = chosen[index]?.peer.card.name ?? "The agent";
      transcript.push(`${who} ${spoke(each.state)}: ${each.text}`);
      last = each.text || last;
    }
    const trusted = chosen.every(({ peer }) => peer.config.trustRemoteCompletionStatus);
    if (trusted && turns.every(({ state }) => state === "completed"))
      return turns.map(({ text }) => text).join("\n\n");
    if (failures === MAX_FAILURES) return `A2A delegation failed: ${first.text}`;
  }
}

/** Sends the message to some agents, in parallel if there are several. */
async function askAll(
  place: RunScope,
  chosen: readonly Conversation[],
  { message, work }: { readonly message: string; readonly work: AgentWork },
): Promise<readonly Turn[]> {
  const endpoints = chosen.map(({ peer }) => peer.config.endpoint);
  const isParallel = chosen.length > 1;
  if (isParallel)
    place.emit("a2a_parallel_delegation_started", { endpoints, agentRole: work.identity.role });
  const turns = await Promise.all(
    chosen.map(async (conversation, index) => {
      const at = place.at(`a2a:${index}`);
      const turn = await at.group<Turn>("group", (inside) => conversation.say(inside, message), {
        label: `ask ${conversation.peer.card.name}`,
      });
      conversation.take(turn);
      return turn;
    }),
  );
  if (isParallel) {
    const failureCount = turns.filter(({ state }) => isFailure(state)).length;
    place.emit("a2a_parallel_delegation_completed", {
      endpoints,
      successCount: turns.length - failureCount,
      failureCount,
    });
  }
  return turns;
}

/** Reviews the end of the work by person or rule, not its earlier turns. */
async function reviewed(
  scope: RunScope,
  {
    text,
    work,
    perform,
  }: { readonly text: string; readonly work: AgentWork; readonly perform: Performer },
): Promise<string> {
  const { review } = work;
  if (review === undefined) return text;
  let answer = text;
  for (let round = 1; ; round++) {
    const place = scope.at(`review:${round}`);
    const objection = await review({ scope: place, answer, round });
    if (objection === undefined) return answer;
    answer = await perform(
      place,
      changedWork(work, {
        prompt: `${work.prompt}\n\nYour answer was:\n${answer}\n\n${objection}`,
        review: undefined,
      }),
    );
  }
}

function isFailure(state: Turn["state"]): boolean {
  return (
    state === "failed" || state === "rejected" || state === "canceled" || state === "auth_required"
  );
}

function spoke(state: Turn["state"]): string {
  if (state === "input_required") return "asks";
  return isFailure(state) ? "could not do it" : "answered";
}

function responseIn(raw: string): AgentResponse | undefined {
  const start = raw.indexOf("{");
  const read = agentResponse.safeParse(
    start < 0 ? undefined : readLenientObject(raw.slice(start))?.value,
  );
  return read.success ? read.data : undefined;
}

function chosenOf(
  { a2a_ids: ids }: AgentResponse,
  conversations: readonly Conversation[],
): readonly Conversation[] {
  if (ids.length === 0) return conversations.slice(0, 1);
  return [...new Set(ids.map((id) => chosenBy(id, conversations)))];
}

function chosenBy(id: string, conversations: readonly Conversation[]): Conversation {
  const exact = conversations.find(({ peer }) => peer.config.endpoint === id);
  const alike = conversations.filter(
    ({ peer: { card } }) =>
      card.name === id || card.skills.some((each) => each.id === id || each.name === id),
  );
  const found = exact ?? (alike.length === 1 ? alike[0] : undefined);
  if (found !== undefined) return found;
  throw new EngineError(
    "agent_failed",
    `a2a_ids must be among ${conversations.map(({ peer }) => peer.config.endpoint).join(", ")}, got ${JSON.stringify(id)}`,
  );
}

function schemaFor(conversations: readonly Conversation[]): JsonObject {
  return {
    type: "object",
    additionalProperties: false,
    required: ["a2a_ids", "message", "is_a2a"],
    properties: {
      a2a_ids: {
        type: "array",
        items: { type: "string", enum: conversations.map(({ peer }) => peer.config.endpoint) },
        description: "The endpoints of the agents that the message is for",
      },
      message: { type: "string", description: "What to say to them, or your own answer" },
      is_a2a: {
        type: "boolean",
        description: "true to ask other agents, false for your own answer",
      },
    },
  };
}

function promptOf(
  prompt: string,
  about: {
    readonly conversations: readonly Conversation[];
    readonly transcript: readonly string[];
    readonly left: number;
  },
): string {
  const { conversations, transcript, left } = about;
  const agents = conversations.map(({ peer: { config, card } }) => {
    const skills = card.skills.map((each) => each.name || each.id).join(", ");
    return `- ${config.endpoint}: ${card.name}. ${card.description}${skills === "" ? "" : ` Skills: ${skills}.`}`;
  });
  const lines = [
    prompt,
    `You can ask these agents, who work elsewhere:\n${agents.join("\n")}`,
    'Answer with a JSON object { "a2a_ids": [...], "message": "...", "is_a2a": true or false }. With is_a2a true the message goes to the agents whose endpoints are in a2a_ids; with false it is your own, final answer.',
  ];
  if (transcript.length > 0)
    lines.push(
      `What was said so far:\n${transcript.join("\n")}`,
      "If this is enough, give the answer in your own words with is_a2a false.",
    );
  if (left === 2) lines.push("After this you can send one more message.");
  if (left === 1) lines.push("This is your last chance to send a message.");
  return lines.join("\n\n");
}
