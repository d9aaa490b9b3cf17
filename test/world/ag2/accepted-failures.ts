// Conversations that AG2 cannot finish.
import type { ConversationRow } from "./accepted.ts";
import { failedIn } from "./difference-rules.ts";

const page = "coming-from-ag2.md#what-behaves-differently";
const verdict = "upstream's defect";

export const FAILURES: readonly ConversationRow[] = [
  {
    id: "summary-of-nothing",
    upstream:
      "The summary `last_msg` fails with a `TypeError` when the last message is a call, or is missing.",
    ours: "The summary is empty.",
    verdict,
    page,
    matches: (difference) => failedIn(difference, "_last_msg_as_summary", "TypeError"),
  },
  {
    id: "summary-without-history",
    upstream: "The summary `last_msg` of a chat without messages fails with a `KeyError`.",
    ours: "The summary is empty.",
    verdict,
    page,
    matches: (difference) => failedIn(difference, "last_message", "KeyError"),
  },
  {
    id: "async-tool-with-a-list",
    upstream:
      "The call of an asynchronous tool with arguments other than an object fails the chat with a `KeyError`.",
    ours: "The model gets an error about its arguments.",
    verdict,
    page,
    matches: (difference) => failedIn(difference, "_run_async_in_thread", "KeyError"),
  },
  {
    id: "reflection-on-nothing",
    upstream: "The summary `reflection_with_llm` of an empty chat calls a model.",
    ours: "The summary is empty, without a call.",
    verdict: "ours is better",
    page,
    matches: (difference) => {
      const { field, ours, theirs, ourOutcome, theirOutcome, chat = 0 } = difference;
      const made = theirOutcome.chats
        .filter((_, index) => ourOutcome.chats[index]?.history.length === 0)
        .map(({ summary }) => summary)
        .filter((summary) => summary !== "");
      if (made.length === 0) return false;
      // Later chats receive the summary.
      const without = made.reduce(
        (text, summary) => text.replaceAll(summary, ""),
        JSON.stringify(theirs),
      );
      // The script has one summary after another.
      const scripted = difference.program.script["_summary"] ?? [];
      const isScripted = (value: unknown): boolean =>
        scripted.some(({ text }) => (value as { readonly text?: string }).text === text);
      return (
        (field === "summary" && ourOutcome.chats[chat]?.history.length === 0) ||
        (field === "summary" && isScripted(ours) && isScripted(theirs)) ||
        (field === "modelCalls" && withoutSummaries(ours) === withoutSummaries(theirs)) ||
        ((field === "content" || field === "seen") && without === JSON.stringify(ours))
      );
    },
  },
  {
    id: "nothing-left-of-a-history",
    upstream:
      "A `MessageHistoryLimiter` that leaves no message fails the chat with an `IndexError` in the next reply function.",
    ours: "The limit applies to the model's view, and the chat continues.",
    verdict,
    page,
    matches: (difference) =>
      failedIn(difference, "generate_function_call_reply", "IndexError") &&
      difference.program.agents.some(({ history }) => history !== undefined),
  },
  {
    id: "function-by-condition",
    upstream:
      "A hand-over to a function, by the model or by a condition, fails with a `ValueError`.",
    ours: "Every target works everywhere.",
    verdict,
    page,
    matches: (difference) =>
      failedIn(difference, "determine_next_agent", "ValueError") &&
      /must be a valid TransitionTarget/.test(difference.theirOutcome.message ?? "") &&
      difference.program.agents.some(({ handoffs }) =>
        [...(handoffs?.llm ?? []), ...(handoffs?.context ?? [])].some(
          ({ target }) => target.kind === "function",
        ),
      ),
  },
  {
    id: "guardrail-on-calls",
    upstream: "An output guardrail of an agent that calls a tool fails with a `ValueError`.",
    ours: "The arguments of the call are checked.",
    verdict,
    page: "conversation-safeguards.md",
    matches: (difference) =>
      failedIn(difference, "check", "ValueError") &&
      difference.program.agents.some(({ guardrails }) =>
        guardrails?.some(({ side }) => side === "output"),
      ),
  },
  {
    id: "input-guardrail-on-calls",
    upstream: "An input guardrail fails with a `TypeError` at a call without text beside it.",
    ours: "The text and the arguments of calls are checked.",
    verdict,
    page: "conversation-safeguards.md",
    matches: (difference) =>
      failedIn(difference, "run_input_guardrails", "TypeError") &&
      /got 'NoneType'/.test(difference.theirOutcome.message ?? "") &&
      difference.program.agents.some(({ guardrails }) =>
        guardrails?.some(({ side }) => side === "input"),
      ),
  },
  {
    id: "carryover-of-first-message",
    upstream:
      "Nested chats with the carryover `last_msg` fail with an `IndexError` at the first message.",
    ours: "The carryover is empty.",
    verdict,
    page,
    matches: (difference) => failedIn(difference, "_process_nested_chat_carryover", "IndexError"),
  },
  {
    id: "model-to-manager",
    upstream:
      "A hand-over by the model to the group manager fails: the name of its tool has spaces.",
    ours: "The model may hand over to the manager.",
    verdict,
    page,
    matches: (difference) =>
      failedIn(difference, "_assert_valid_name", "ValueError") &&
      /transfer_to_the group manager/.test(difference.theirOutcome.message ?? ""),
  },
  {
    id: "two-nested-targets",
    upstream: "An agent with two nested chats among its hand-overs is refused for equal names.",
    ours: "It may have any number of them.",
    verdict,
    page,
    matches: (difference) =>
      failedIn(difference, "__post_init__", "ValueError") &&
      /Duplicate agent names found: .*wrapped_nested/.test(difference.theirOutcome.message ?? ""),
  },
  {
    id: "arguments-of-a-list",
    upstream: "A JSON list as arguments of a call ends the conversation with an exception.",
    ours: "The model gets a text about the mistake.",
    verdict,
    page,
    matches: (difference) =>
      failedIn(difference, "__init__", "ValidationError") &&
      /ExecuteFunctionEvent/.test(difference.theirOutcome.message ?? ""),
  },
  {
    id: "values-in-expressions",
    upstream:
      "An expression fails with a `ValueError` when the text of a list, an object or a text in it cannot be read as code, when it takes the length of a value without one, or when a variable is in a length and also alone.",
    ours: "Values are never read as code: the expression is true or false.",
    verdict: "ours is better",
    page,
    matches: ({ field, theirs, ours, program, at = 0 }) => {
      const text = program.expressions?.[at] ?? "";
      return (
        field === "truth" &&
        theirs === "error ValueError" &&
        typeof ours === "boolean" &&
        (/\$\{(?:list|dict)\}/.test(text) ||
          /len\(\$\{(?:count|flag|nothing|rate|negative)\}\)/.test(text) ||
          hasLengthAndValue(text) ||
          (text.includes("${name}") && program.variables?.["name"] === "it's"))
      );
    },
  },
];

/** Model calls, without those that sum up. */
function withoutSummaries(calls: unknown): string {
  const { _summary: _, ...others } = calls as Readonly<Record<string, number>>;
  return JSON.stringify(Object.entries(others).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** True for an expression that has a variable both as a length and by itself. */
function hasLengthAndValue(text: string): boolean {
  const measured = [...text.matchAll(/len\((\$\{\w+\})\)/g)].map(([, name = ""]) => name);
  const others = text.replaceAll(/len\(\$\{\w+\}\)/g, "");
  return measured.some((name) => others.includes(name));
}
