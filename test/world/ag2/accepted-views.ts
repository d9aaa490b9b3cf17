// Messages that a model is shown on one side alone.
import { isDeepStrictEqual } from "node:util";
import type { ConversationRow } from "./accepted.ts";
import { agentOf } from "./difference-rules.ts";

const page = "coming-from-ag2.md#what-behaves-differently";

export const VIEWS: readonly ConversationRow[] = [
  {
    id: "empty-words",
    upstream: "A model sees its own empty answers as messages without text.",
    ours: "They are omitted: some APIs refuse them.",
    verdict: "ours is better",
    page: "models.md",
    matches: ({ field, ours, theirs }) => {
      if (field !== "seen") return false;
      const withWords = (texts: unknown): readonly string[] =>
        (texts as readonly unknown[]).map(String).filter((text) => text !== "0,");
      const [our, their] = [ours, theirs].map(withWords);
      return (
        (ours as readonly unknown[]).length < (theirs as readonly unknown[]).length &&
        isDeepStrictEqual(our, their)
      );
    },
  },
  {
    id: "hooks-of-a-wrapper",
    upstream:
      "In a nested chat by a hand-over, a helper of the group speaks in place of the agent, without its hooks.",
    ours: "The agent speaks, and its hooks are called.",
    verdict: "ours is better",
    page,
    matches: ({ field, ours, theirs, program, agent = "", at = 0, theirOutcome }) => {
      const view = theirOutcome.seen[agent]?.[at] ?? [];
      const words = (value: unknown): string =>
        JSON.stringify(value).replaceAll(/(?: ~heard| ~sent)+(?=")/g, "");
      return (
        field === "seen" &&
        program.profile === "pattern" &&
        view.some(([, author]) => author?.startsWith("wrapped_nested_")) &&
        words(ours) === words(theirs)
      );
    },
  },
  {
    id: "result-without-call",
    upstream: "A model sees a result without its call, which a hook has cut off.",
    ours: "A result without its call, which APIs would refuse, is omitted.",
    verdict: "ours is better",
    page,
    matches: ({ field, ours, theirs, program, agent = "", at = 0, theirOutcome }) => {
      if (field !== "seen") return false;
      const { hooks = [] } = agentOf(program, agent) ?? {};
      const roles = (theirOutcome.seen[agent]?.[at] ?? []).map(([role]) => role);
      const first = roles.findIndex((role) => role !== "tool");
      const left = (theirs as readonly unknown[]).slice(first);
      return (
        hooks.includes("process_all_messages_before_reply") &&
        first > 0 &&
        JSON.stringify(ours) === JSON.stringify(left)
      );
    },
  },
  {
    id: "unanswered-calls",
    upstream: "A model sees unexecuted calls without a result.",
    ours: "Each call has a result, with the note that the conversation continued.",
    verdict: "ours is better",
    page,
    matches: ({ field, ours, theirs }) => {
      if (field !== "seen") return false;
      const shown = (ours as readonly (readonly [number, string])[]).filter(
        ([, text]) => !text.startsWith("This call has no result:"),
      );
      return (
        shown.length < (ours as readonly unknown[]).length &&
        JSON.stringify(shown) === JSON.stringify(theirs)
      );
    },
  },
];
