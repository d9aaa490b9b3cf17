// Whether a conversation goes on, and what a person says in an agent's place.
//
//   PSR1. A person is asked by a durable wait that names the agent and whom it answers, or by the agent's own function, once.
//   PSR2. What they type is screened before anything is made of it.
import { cut } from "../../base/cut.ts";
import { type JsonObject, jsonText } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { WaitRequest } from "../../journal/journal-store.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { contentText, type ConversationMessage } from "../messages.ts";
import type { Screening } from "../safeguards/screening.ts";
import { screenedInput } from "../safeguards/screens.ts";
import { answeredTermination, checkTermination, type TerminationStep } from "../termination.ts";

/** What the agent does, and what its person was heard to say. */
export type PersonStep = { readonly step: TerminationStep; readonly humanInput?: string };

/** A message is shown to a person up to this length; the log has it whole. */
const MAX_SHOWN_TEXT = 16_384;

/** Decides whether an agent answers, with its person where it has to ask. */
export async function personStep(
  place: RunScope,
  {
    agent,
    work,
    sender,
    message,
    counter,
  }: Screening & {
    readonly sender: ConversableAgent;
    readonly message: ConversationMessage | undefined;
    readonly counter: number;
  },
): Promise<PersonStep> {
  const { maxConsecutiveAutoReply } = agent;
  const mode =
    place.services.scriptedAgents?.personOf(agent.name) === "nobody"
      ? "NEVER"
      : agent.humanInputMode;
  const isTermination = message !== undefined && agent.isTerminationMsg(message);
  const state = { mode, counter, maxConsecutiveAutoReply, isTermination, message };
  const step = checkTermination(state);
  if (step.kind !== "ask") return { step };
  const typed = await askPerson(place.at("person"), {
    agent,
    peer: sender,
    answered: contentText(message?.content),
    author: message?.name,
  });
  const humanInput = await screenedInput(place, { agent, work }, typed);
  return { step: answeredTermination(state, humanInput), humanInput };
}

/** What a person says in an agent's place; empty when they say nothing. */
export async function askPerson(
  place: RunScope,
  {
    agent,
    peer,
    answered = "",
    author = peer.name,
  }: {
    readonly agent: ConversableAgent;
    readonly peer: ConversableAgent;
    /** What they answer. */
    readonly answered?: string;
    /** Whose words these are. @default the peer's */
    readonly author?: string | undefined;
  },
): Promise<string> {
  const shown = cut(answered, MAX_SHOWN_TEXT);
  const lead = `You speak as ${agent.name} to ${peer.name}.`;
  const prompt =
    answered === ""
      ? `${lead} What do you say?`
      : `${lead} ${peer.name} said:\n\n${shown}\n\nAnswer, say nothing to let the conversation go on by itself, or end it with "exit".`;
  const data = { agent: agent.name, peer: peer.name };
  return asked(place, agent, { prompt, subject: shown, data });
}

/** What a person answers in an agent's place who has to choose; other words are an answer too. */
export function askPersonToChoose(
  place: RunScope,
  {
    agent,
    prompt,
    choices,
  }: {
    readonly agent: ConversableAgent;
    readonly prompt: string;
    readonly choices: readonly string[];
  },
): Promise<string> {
  return asked(place, agent, { prompt, choices, freeText: true, data: { agent: agent.name } });
}

async function asked(
  place: RunScope,
  { name, options }: ConversableAgent,
  request: Pick<WaitRequest, "subject" | "data" | "choices" | "freeText"> & {
    readonly prompt: string;
  },
): Promise<string> {
  const { getHumanInput, humanInputTimeout, humanInputDefault } = options;
  const scripted = place.services.scriptedAgents?.personOf(name);
  if (typeof scripted === "object")
    return place.callOnce(() => scripted.answer(), { label: scripted.label });
  if (getHumanInput !== undefined)
    return place.callOnce(async () => jsonText(await getHumanInput(request.prompt)));
  const answer = await place.wait<JsonObject>({
    kind: "human",
    ...request,
    ...(humanInputTimeout === undefined
      ? undefined
      : { dueAtMs: place.at("asked").now() + humanInputTimeout * 1000 }),
    ...(humanInputDefault === undefined
      ? undefined
      : { otherwise: { feedback: humanInputDefault } }),
  });
  return jsonText(answer["feedback"] ?? answer["value"]);
}
