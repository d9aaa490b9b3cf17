// Accepted differences between the prompts of CrewAI 1.15.30 or AG2 0.14 and ours. A rule looks at the field and at the feature that causes it.
import type { AcceptedDifference } from "../support/accepted.ts";
import type { PromptDifference } from "./compare.ts";
import type { Place } from "./facts.ts";
import type { CrewProgram } from "./program.ts";

export type PromptRow = AcceptedDifference<PromptDifference>;

type Settings = {
  readonly toolChoice: unknown;
  readonly stop: unknown;
  readonly strict: boolean;
};

const factOf = (difference: PromptDifference): string =>
  "fact" in difference ? difference.fact : "";
const placesOf = (value: unknown): readonly Place[] => value as readonly Place[];
const without = (value: unknown, ...places: readonly Place[]): string =>
  JSON.stringify(placesOf(value).filter((place) => !places.includes(place)));
const isText = ({ program }: PromptDifference): boolean =>
  program.kind !== "chat" && program.agents.some(({ text }) => text);
const isLed = ({ manager }: NonNullable<CrewProgram["crew"]>): boolean => manager !== undefined;
const delegates = ({ program }: PromptDifference): boolean =>
  program.kind === "crew" &&
  (program.agents.some((agent) => agent.delegates) || isLed(program.crew ?? {}));
/** The model is asked to name the next speaker. */
const isSelection = ({ program, ourRequest }: PromptDifference): boolean =>
  program.kind === "chat" &&
  (program.way.how === "group" || program.way.how === "pattern") &&
  ourRequest?.response_format?.type === "json_schema";
/** Characters by which ours is longer. */
const surplus = ({ ours, theirs }: PromptDifference): number => Number(ours) - Number(theirs);

/** Rows of crews and agents, in the order in which they are tried. */
export const PROMPTS_OF_CREWS: readonly PromptRow[] = [
  {
    id: "tool-settings",
    upstream: "CrewAI sends `strict: true` and `tool_choice: auto` with tools to every address.",
    ours: "`strict` goes to OpenAI's own address, and `auto`, which is the default, is not sent.",
    verdict: "decision",
    page: "models.md",
    matches: ({ field, ours, theirs, theirRequest }) =>
      field === "settings" &&
      theirRequest?.tools !== undefined &&
      sameSettings(ours as Settings, theirs as Settings),
  },
  {
    id: "tool-result-name",
    upstream: "CrewAI writes the tool's name into the message with its result.",
    ours: "The call's id names it, as OpenAI's API has it; some servers refuse the field.",
    verdict: "decision",
    page: "tools.md",
    matches: (difference) =>
      difference.field === "place" &&
      factOf(difference).startsWith("tool:") &&
      (difference.theirRequest?.messages ?? []).some(
        ({ role, name }) => role === "tool" && `tool:${name}` === factOf(difference),
      ) &&
      without(difference.ours, "tool") === without(difference.theirs, "tool"),
  },
  {
    id: "observation",
    upstream: "In the text form, CrewAI writes a tool's result into the model's own message.",
    ours: "The result is a message to the model, and `Observation:` is a stop word: the model invents no results.",
    verdict: "ours is better",
    page: "tools.md",
    matches: (difference) =>
      isText(difference) &&
      ((difference.field === "place" && factOf(difference).startsWith("tool result:")) ||
        (difference.field === "settings" &&
          (difference.ours as Settings).stop !== null &&
          (difference.theirs as Settings).stop === null)),
  },
  {
    id: "feedback-on-the-answer",
    upstream: "CrewAI's model gets a person's feedback without the answer.",
    ours: "The answer precedes it.",
    verdict: "ours is better",
    page: "crews.md",
    matches: (difference) =>
      difference.program.kind === "crew" &&
      difference.program.tasks.some(({ human }) => human !== undefined) &&
      difference.request === 2 &&
      (difference.field === "roles" ||
        (difference.field === "extra" && factOf(difference).startsWith("said:"))),
  },
  {
    id: "goals-of-coworkers",
    upstream: "CrewAI's tools of delegation name the roles of coworkers.",
    ours: "They name the goals too, about 15 tokens for each coworker.",
    verdict: "ours is better",
    page: "crews.md#delegation",
    matches: (difference) =>
      difference.field === "extra" &&
      factOf(difference).startsWith("goal:") &&
      delegates(difference) &&
      JSON.stringify(difference.ours) === '["tools"]',
  },
  {
    id: "schema-in-words",
    upstream: "For an agent without a crew, CrewAI sends the schema in `response_format` alone.",
    ours: "It is in the text too, as for tasks on both sides: servers that ignore the field still answer in the format.",
    verdict: "decision",
    page: "answers.md",
    matches: (difference) =>
      difference.program.kind === "agent" &&
      difference.program.shape === true &&
      ((difference.field === "place" &&
        factOf(difference).startsWith("shape:") &&
        without(difference.ours, "user") === without(difference.theirs, "user")) ||
        difference.field === "size"),
  },
  {
    id: "form-of-the-result",
    upstream: "CrewAI adds after the question: `Provide your complete response`.",
    ours: "The system text defines the last message alone as the result, 40 tokens.",
    verdict: "decision",
    page: "agents.md",
    matches: (difference) =>
      difference.program.kind === "agent" &&
      difference.program.shape === undefined &&
      difference.field === "size" &&
      surplus(difference) < 200,
  },
];

/** Rows of conversations, in the order in which they are tried. */
export const PROMPTS_OF_CHATS: readonly PromptRow[] = [
  {
    id: "speaker-by-schema",
    upstream: "AG2 asks in words for the name of the next speaker, and asks again without one.",
    ours: "The format of the answer lists the names: one call is enough.",
    verdict: "ours is better",
    page: "conversations.md#patterns",
    matches: (difference) =>
      isSelection(difference) &&
      (difference.field === "format" ||
        (difference.field === "place" &&
          /^(?:name|said):/.test(factOf(difference)) &&
          placesOf(difference.ours).includes("format") &&
          (without(difference.ours, "format") === without(difference.theirs) ||
            // A name that was answered wrongly stands in the request for another answer.
            difference.ourRequest?.messages.at(-2)?.role === "assistant"))),
  },
  {
    id: "asked-again",
    upstream: "AG2 asks for a speaker again with a system message under the name of the selector.",
    ours: "A user's message asks again: some providers take no system message at the end.",
    verdict: "decision",
    page: "conversations.md#patterns",
    matches: (difference) =>
      isSelection(difference) &&
      difference.ourRequest?.messages.at(-2)?.role === "assistant" &&
      (difference.field === "roles" ||
        (difference.field === "speaker" && difference.theirs === "speaker_selection_agent")),
  },
  {
    id: "temporary-user",
    upstream: "AG2's patterns attribute the opening to a speaker `_User`, who is in no program.",
    ours: "The opening has no speaker, unless there is a user agent.",
    verdict: "ours is better",
    page: "conversations.md#patterns",
    matches: ({ field, theirs, program }) =>
      field === "speaker" &&
      theirs === "_User" &&
      program.kind === "chat" &&
      program.way.how === "pattern",
  },
  {
    id: "names-in-words",
    upstream:
      "AG2 sends the speaker of each message in the field `name`, an agent's own messages included.",
    ours: "The system text has the agent's own name; in a group each message begins with its speaker's, and in a chat of two the system text names the other. Not every provider takes the field.",
    verdict: "decision",
    page: "conversations.md#patterns",
    matches: (difference) => isNameInWords(difference),
  },
  {
    id: "names-in-a-summary",
    upstream: "AG2's request to sum up a chat has the speakers in the field `name`.",
    ours: "A sentence on names precedes it, 35 tokens, and texts of the other begin with a name.",
    verdict: "decision",
    page: "conversations.md#patterns",
    matches: (difference) => {
      const { program, field, ours, theirs, ourRequest } = difference;
      const isSummary =
        program.kind === "chat" &&
        program.way.how === "two" &&
        program.way.reflects === true &&
        ourRequest?.messages.at(-1)?.role === "system";
      if (!isSummary) return false;
      if (field === "size") return surplus(difference) < 220;
      return (
        field === "roles" &&
        JSON.stringify(ours) === JSON.stringify(["system", ...(theirs as readonly string[])])
      );
    },
  },
  {
    id: "own-name",
    upstream: "AG2's system text is the agent's own.",
    ours: "A sentence on names follows it, 20 to 35 tokens.",
    verdict: "decision",
    page: "conversations.md#patterns",
    matches: (difference) =>
      difference.program.kind === "chat" &&
      difference.field === "size" &&
      !isSelection(difference) &&
      surplus(difference) < 160,
  },
];

export const ACCEPTED_PROMPTS: readonly PromptRow[] = [...PROMPTS_OF_CREWS, ...PROMPTS_OF_CHATS];

function sameSettings(ours: Settings, theirs: Settings): boolean {
  return (
    ours.stop === theirs.stop &&
    ours.toolChoice === null &&
    theirs.toolChoice === "auto" &&
    !ours.strict
  );
}

/** A name that stands in another place, or a speaker who is known by the system text. */
function isNameInWords(difference: PromptDifference): boolean {
  const { program, field, ourRequest } = difference;
  if (program.kind !== "chat") return false;
  const system = (ourRequest?.messages ?? [])
    .filter(({ role }) => role === "system")
    .map(({ content }) => (typeof content === "string" ? content : ""))
    .join("\n");
  const name = field === "speaker" ? String(difference.theirs) : factOf(difference).split(":")[1];
  const isName = program.speakers.some((speaker) => speaker.name === name);
  if (!isName || !system.includes(`${name}`)) return false;
  if (field === "speaker") return difference.ours === "" || difference.ours === "itself";
  return (field === "place" || field === "extra") && /^(?:name|said):/.test(factOf(difference));
}
