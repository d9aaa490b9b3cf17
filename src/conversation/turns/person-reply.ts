// Termination check of a conversation, and a person's input in an agent's place.
//
//   PSR1. A person is asked once, by a durable wait with the names of the agent and its peer, or by the agent's own
//         function.
//   PSR2. The input is screened before use.
import { cut } from "../../base/cut.ts";
import { type JsonObject, jsonText } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { WaitRequest } from "../../journal/journal-store.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import { contentText, type ConversationMessage } from "../messages.ts";
import type { Screening } from "../safeguards/screening.ts";
import { screenedInput } from "../safeguards/screens.ts";
import { answeredTermination, checkTermination, type TerminationStep } from "../termination.ts";

/** The agent's step, and its person's input. */
export type PersonStep = { readonly step: TerminationStep; readonly humanInput?: string };

/** Maximum length of a message shown to a person; the log has it whole. */
const MAX_SHOWN_TEXT = 16_384;

/** Returns the agent's decision to answer, after asking its person if necessary. */
export async function personStep(
  place: RunScope,
  {
    agent,
    work,
    sender,
    message,
    counter,
  }: Screening & {
    readonly sender: TalkingMember;
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

/** Asks a person for input in an agent's place; returns an empty text without input. */
export async function askPerson(
  place: RunScope,
  {
    agent,
    peer,
    answered = "",
    author = peer.name,
  }: {
    readonly agent: TalkingMember;
    readonly peer: TalkingMember;
    /** The text to answer. */
    readonly answered?: string;
    /** Author of that text. @default the peer */
    readonly author?: string | undefined;
  },
): Promise<string> {
  const shown = cut(answered, MAX_SHOWN_TEXT);
  const whom = author === peer.name ? `to ${peer.name}` : "in a group";
  const lead = `You speak as ${agent.name} ${whom}.`;
  const prompt =
    answered === ""
      ? `${lead} What do you say?`
      : `${lead} ${author} said:\n\n${shown}\n\nAnswer, say nothing to let the conversation go on by itself, or end it with "exit".`;
  const data = { agent: agent.name, peer: peer.name };
  return asked(place, agent, { prompt, subject: shown, freeText: true, data });
}

/** Asks a person to choose in an agent's place; other text counts as an answer too. */
export function askPersonToChoose(
  place: RunScope,
  {
    agent,
    prompt,
    choices,
  }: {
    readonly agent: TalkingMember;
    readonly prompt: string;
    readonly choices: readonly string[];
  },
): Promise<string> {
  return asked(place, agent, { prompt, choices, freeText: true, data: { agent: agent.name } });
}

async function asked(
  place: RunScope,
  { name, options }: TalkingMember,
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
