// The part of a tool's result that the model sees (TO1).
import { cut } from "../../base/cut.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { estimateTokens } from "../../llm/token-estimate.ts";
import type { Tool } from "../../tools/tool.ts";
import type { AgentWork } from "../agent-work.ts";
import { fill } from "../prompts/prompts.ts";
import type { KeptResults } from "./kept-results.ts";

/** Minimum limit of a tool's result in characters, for any window size. */
const MIN_SHOWN = 16_384;

/** A shorter text needs no estimate. */
const MOST_TOKENS_OF_CHARACTER = 2;

/** Makes the store of a conversation's long results, when it has the first of them. */
export type KeepResults = () => Promise<KeptResults>;

/** A result of a tool. */
type Result = {
  readonly tool: Tool;
  readonly text: string;
  /** External sources of the text. */
  readonly writers: readonly string[];
};

type ResultWork = Pick<AgentWork, "agent" | "model" | "identity" | "prompts">;

/** Returns the shown part of a result (TO1). `keep` creates the storage for the rest. @default the rest is cut */
export async function shownResult(
  call: RunScope,
  work: ResultWork,
  { tool, text: result, writers, keep }: Result & { readonly keep: KeepResults | undefined },
): Promise<string> {
  const text = marked(work, result, writers);
  const { agent, model, identity } = work;
  const own = tool.maxResultCharacters ?? agent.maxToolResultCharacters;
  const usual = usualLimit(text, model.contextWindow);
  const limit = own ?? usual;
  if (text.length <= limit) return text;
  const kept = await keep?.();
  const whole = { tool: tool.safeName, result, writers };
  const beginning =
    tool === kept?.reader ? undefined : kept?.keep(call.path, whole, { own, usual });
  const shown =
    beginning === undefined
      ? { text: cut(text, limit), shownCharacters: limit }
      : { ...beginning, text: marked(work, beginning.text, writers) };
  call.emit("tool_result_cut", {
    toolName: tool.safeName,
    agentRole: identity.role,
    characters: result.length,
    shownCharacters: shown.shownCharacters,
  });
  return shown.text;
}

/** Text of external writers is marked as content, not instructions. */
function marked({ prompts }: ResultWork, text: string, writers: readonly string[]): string {
  if (writers.length === 0) return text;
  return fill(prompts.slices.untrusted, { sources: writers.join(", "), text });
}

/** Returns the default number of shown characters: never more than half of the window, in any script. */
function usualLimit(text: string, contextWindow: number): number {
  const limit = Math.max(MIN_SHOWN, contextWindow);
  const half = contextWindow / 2;
  if (text.length <= half / MOST_TOKENS_OF_CHARACTER) return limit;
  const tokens = estimateTokens(text.length > limit ? text.slice(0, limit) : text);
  return tokens <= half ? limit : Math.floor((Math.min(limit, text.length) * half) / tokens);
}
