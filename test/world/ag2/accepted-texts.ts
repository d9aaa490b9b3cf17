// Texts that the two sides word in their own ways.
import type { ConversationRow } from "./accepted.ts";
import { agentOf, chatsOf } from "./difference-rules.ts";
import {
  guardrailNote,
  INTERRUPTED,
  isHandoffNote,
  pythonText,
  withoutMarks,
  type shownTexts,
} from "./normal-forms.ts";

const page = "coming-from-ag2.md#what-behaves-differently";

export const TEXTS: readonly ConversationRow[] = [
  {
    id: "text-beside-calls",
    upstream: "In a group, a call without text beside it has the text `None`.",
    ours: "Its text is empty.",
    verdict: "upstream's defect",
    page,
    matches: (difference) => {
      const { field, ours, theirs, at = -1 } = difference;
      const message = chatsOf(difference).theirs?.history[at];
      return (
        field === "content" && theirs === "None" && ours === "" && (message?.calls ?? []).length > 0
      );
    },
  },
  {
    id: "words-of-handoffs",
    upstream:
      "Hand-overs are noted as `[Handing off to …]`, and the results of their calls as `Transfer to …`, `Terminate` or `Revert to User`.",
    ours: "They are noted as `[Handing over to …]` and `Handing over to ….`",
    verdict: "decision",
    page,
    matches: ({ field, ours, theirs }) =>
      (field === "content" || field === "result") &&
      [ours, theirs].every((text) => isHandoffNote(withoutMarks(text))) &&
      marksOf(ours) === marksOf(theirs),
  },
  {
    id: "words-of-guardrails",
    upstream: "The text of a guardrail ends with the matching words.",
    ours: "It ends with the reason, without the stopped words.",
    verdict: "ours is better",
    page: "conversation-safeguards.md",
    matches: ({ field, ours, theirs }) =>
      field === "content" &&
      guardrailNote(String(ours)) !== undefined &&
      guardrailNote(String(ours)) === guardrailNote(String(theirs)),
  },
  {
    id: "words-of-errors",
    upstream: "The result of a failed call is `Error: ` and the exception.",
    ours: "It names the tool and a remedy for the model; for an unknown tool it lists the others.",
    verdict: "ours is better",
    page: "tools.md#failures",
    matches: ({ field, ours, theirs }) =>
      field === "result" &&
      typeof ours === "string" &&
      typeof theirs === "string" &&
      sameError(ours, theirs),
  },
  {
    id: "results-as-json",
    upstream: "A result other than text is written as Python writes it.",
    ours: "It is written as JSON.",
    verdict: "decision",
    page,
    matches: ({ field, ours, theirs }) =>
      field === "result" &&
      /^[[{]/.test(String(theirs)) &&
      pythonText(String(theirs)) === pythonText(String(ours)),
  },
  {
    id: "words-of-an-interruption",
    upstream: "The result of a call is `USER INTERRUPTED` if a person spoke in its place.",
    ours: "It reports the person's answer, and the unexecuted call.",
    verdict: "decision",
    page,
    matches: ({ field, ours, theirs }) =>
      field === "result" && ours === INTERRUPTED.ours && theirs === INTERRUPTED.theirs,
  },
  {
    id: "place-of-the-introduction",
    upstream:
      "The initiator of a group sees the introduction after its own first message, and an introduction may come between a call and its result.",
    ours: "Each member sees it before the message, and a result stays beside its call.",
    verdict: "decision",
    page,
    matches: ({ field, ours, theirs, program, agent }) => {
      if (field !== "seen" || !program.group?.introductions) return false;
      // A transform that keeps the last messages, or the first, keeps other ones.
      const { history, hooks = [] } = agentOf(program, agent) ?? {};
      const isLimited =
        history !== undefined || hooks.includes("process_all_messages_before_reply");
      const told = (texts: unknown): readonly string[] =>
        (texts as ReturnType<typeof shownTexts>)
          .filter(([, text]) => !isLimited || text !== "<introduction>")
          .map((each) => String(each).replace(" ~heard", ""));
      const [our, their] = [told(ours), told(theirs)];
      const isFirstAlone = history?.max === 1 && history.keepFirst && our.length === 0;
      if (isLimited) return our.at(-1) === their.at(-1) || their.length === 0 || isFirstAlone;
      return JSON.stringify(our.toSorted()) === JSON.stringify(their.toSorted());
    },
  },
];

/** The marks of hooks behind a text. */
function marksOf(text: unknown): string {
  return String(text).slice(withoutMarks(text).length);
}

/** The same failure in the words of each side. */
function sameError(ours: string, theirs: string): boolean {
  const unknown = /^Error: Function (\S+) not found\.$/.exec(theirs)?.[1];
  if (unknown !== undefined) return ours.startsWith(`Error: there is no tool named "${unknown}".`);
  const broken = /^Error: (broken: \w+)$/.exec(theirs)?.[1];
  if (broken !== undefined) return ours.startsWith(`Error: fails failed: ${broken}\n`);
  return (
    /^Error: .*(?:argument must be in JSON format|validation error|missing \d+ required|unexpected keyword)/s.test(
      theirs,
    ) && ours.startsWith("Error: the arguments for ")
  );
}
