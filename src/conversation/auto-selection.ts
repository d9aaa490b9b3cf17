// Selection of the next speaker by a model: its prompt, and the reading of its answers.
//
//   ASL1. A name counts where it stands as a separate word (TXN1), in its exact spelling; underscores may be spaces or
//         escaped. In scripts without spaces a name inside a longer one that is mentioned does not count. An answer
//         that is exactly a name, or data of the requested shape, names only that member.
//   ASL2. An answer that names one candidate decides. After any other answer the model is asked again, up to the number
//         of retries.
//   ASL3. If no answer decides, the next member in order speaks. This is never an error.
import { parsedObject, type JsonObject } from "../base/json.ts";
import { replacePlaceholders } from "../base/template.ts";
import { countMentions, isUnspaced } from "../text/index.ts";
import { nextInOrder } from "./speaker-candidates.ts";

/** A candidate as the model sees it. */
export type Candidate = { readonly name: string; readonly description: string };

/** Texts of a selection. `{roles}` stands for a line for each candidate, `{agentlist}` for their names. */
export type SelectionTexts = {
  /** The system message. */
  readonly instructions: string;
  /** The question; null to use the last message of the group. */
  readonly question: string | null;
  /** The text after an answer with several names. */
  readonly severalNames: string;
  /** The text after an answer without a name. */
  readonly noName: string;
};

/** Default texts of a group chat. */
export const SELECTION_TEXTS: SelectionTexts = {
  instructions:
    "Several participants work on a task together. These are their roles:\n{roles}\n\n" +
    "Read the conversation and decide who of {agentlist} should speak next. Answer with the name alone.",
  question: "Who of {agentlist} should speak next? Answer with one name and nothing else.",
  severalNames:
    "Your answer named more than one participant. Exactly one can speak next: think of what the conversation needs now, " +
    "and answer with one name of {agentlist}, written exactly so, and nothing else.",
  noName:
    "Your answer named no participant. Answer with one name of {agentlist}, written exactly so, and nothing else.",
};

/** A selection between two answers of the model. */
export type AutoSelection = {
  readonly candidates: readonly Candidate[];
  /** All members in order, for the case without a decision. */
  readonly order: readonly string[];
  readonly lastSpeaker: string | undefined;
  /** Number of retries of the model. */
  readonly maxRetries: number;
  readonly texts: SelectionTexts;
  /** Further context variables that the texts may name, as the question of a hand-over does. */
  readonly variables?: JsonObject;
  /** Number of answers so far. */
  readonly attempts: number;
};

/** Mentions of each candidate, and the attempts left. */
export type SelectionAttempt = {
  readonly mentions: Readonly<Record<string, number>>;
  /** Counts from 1. */
  readonly attempt: number;
  readonly attemptsLeft: number;
};

/** Result of one answer of the model. */
export type SelectionStep =
  | {
      readonly kind: "chosen";
      readonly name: string;
      /** True if the order of members decided, after answers without a decision. */
      readonly isFallback: boolean;
      readonly attempt: SelectionAttempt;
    }
  | {
      readonly kind: "ask";
      readonly question: string;
      readonly selection: AutoSelection;
      readonly attempt: SelectionAttempt;
    };

/** Returns the system message of a selection, and its first question, if it has its own. */
export function selectionPrompt(selection: AutoSelection): {
  readonly instructions: string;
  readonly question: string | null;
} {
  const { instructions, question } = selection.texts;
  return {
    instructions: filled(instructions, selection),
    question: question === null ? null : filled(question, selection),
  };
}

/** Reads an answer of the model. */
export function readSelectionAnswer(selection: AutoSelection, answer: string): SelectionStep {
  const { candidates, maxRetries, order, lastSpeaker, texts } = selection;
  const names = candidates.map(({ name }) => name);
  const attempts = selection.attempts + 1;
  const attemptsLeft = Math.max(0, maxRetries + 1 - attempts);
  const whole = chosenName(answer);
  const mentions = names.includes(whole) ? { [whole]: 1 } : mentionedNames(answer, names);
  const attempt = { mentions, attempt: attempts, attemptsLeft };
  const [name, ...others] = Object.keys(mentions);
  if (name !== undefined && others.length === 0)
    return { kind: "chosen", name, isFallback: false, attempt };
  if (attemptsLeft === 0) {
    const next = nextInOrder(order, lastSpeaker, names);
    return { kind: "chosen", name: next, isFallback: true, attempt };
  }
  const question = filled(name === undefined ? texts.noName : texts.severalNames, selection);
  return { kind: "ask", question, selection: { ...selection, attempts }, attempt };
}

/** Returns the schema of an answer, for models with structured output. It allows no other name. */
export function selectionSchema({ candidates }: AutoSelection): JsonObject {
  return {
    type: "object",
    properties: { [NEXT]: { type: "string", enum: candidates.map(({ name }) => name) } },
    required: [NEXT],
    additionalProperties: false,
  };
}

/** Returns the name in an answer of this shape; any other answer unchanged. */
export function chosenName(answer: string): string {
  const text = answer.trim();
  const name = text.startsWith("{") ? parsedObject(text)?.[NEXT] : undefined;
  return typeof name === "string" ? name : text;
}

const NEXT = "next_speaker";

/** Counts the mentions of each name in a text. Names without a mention are absent. */
export function mentionedNames(
  text: string,
  names: readonly string[],
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const forms = [...new Set([name, name.replaceAll("_", " "), name.replaceAll("_", "\\_")])];
      const longer = isUnspaced(name)
        ? names.filter((each) => each !== name && each.includes(name))
        : [];
      const rest = longer.reduce((left, each) => left.replaceAll(each, " "), text);
      const count = forms.reduce(
        (sum, form) => sum + countMentions(rest, form, { exact: true }),
        0,
      );
      return count === 0 ? [] : [[name, count] as const];
    }),
  );
}

/** A line for each candidate. */
export function rolesText(candidates: readonly Candidate[]): string {
  return candidates.map(({ name, description }) => `${name}: ${description}`.trim()).join("\n");
}

/** One pass: inserted text is not searched again. */
function filled(text: string, { candidates, variables = {} }: AutoSelection): string {
  return replacePlaceholders(text, (name) => {
    if (name === "roles") return rolesText(candidates);
    if (name === "agentlist") return `[${candidates.map((each) => `'${each.name}'`).join(", ")}]`;
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return typeof value === "object" || typeof value === "boolean"
      ? JSON.stringify(value)
      : value?.toString();
  });
}
