// Tool results too long for a conversation: the model sees the beginning and reads the rest in parts.
//
//   KR1. A result is kept by the place of its call, from the record of this call: a replay keeps it again under the
//        same name.
//   KR2. A part read by the model is bounded like any result (TO1), and is never kept itself.
import * as z from "zod";
import { cut } from "../../base/cut.ts";
import { fingerprint } from "../../base/hash.ts";
import { uniqueToolNames } from "../../wire/tool-name.ts";
import { toolResult } from "../../tools/tool-result.ts";
import { tool, type Tool } from "../../tools/tool.ts";
import { fill, type Prompts } from "../prompts/prompts.ts";

const NAME = "read_tool_result";
/** Length of the shown beginning, if neither tool nor agent sets a limit. */
const PREVIEW_LINES = 10;
const PREVIEW_CHARACTERS = 2_000;
/** A longer line counts as several. */
const MAX_LINE = 1_000;
/** Maximum size of a read part, as a share of the result limit. */
const READ_PART = 0.2;

type ToolText = {
  readonly tool: string;
  readonly result: string;
  readonly writers: readonly string[];
};

export type KeptResult = {
  /** Text for the model: the beginning, and how to read on. */
  readonly text: string;
  /** Characters of the result in it. */
  readonly shownCharacters: number;
};

/** The long results of one conversation. */
export class KeptResults {
  #reader: Tool | undefined;
  readonly #prompts: Prompts;
  readonly #readerName: string;
  readonly #results = new Map<string, { lines: readonly string[]; writers: readonly string[] }>();

  /** `names` are those of the agent's other tools. */
  constructor(prompts: Prompts, names: readonly string[]) {
    this.#prompts = prompts;
    this.#readerName = uniqueToolNames([...names, NAME]).at(-1) ?? NAME;
  }

  /** Tool to read a kept result in parts. */
  get reader(): Tool {
    return (this.#reader ??= this.#makeReader());
  }

  /**
   * Keeps a result of the call at `path`, with its external writers. `limits.own` is the limit of the tool or the
   * agent, `limits.usual` the usual one.
   */
  keep(
    path: string,
    { tool: toolName, result, writers }: ToolText,
    limits: { readonly own: number | undefined; readonly usual: number },
  ): KeptResult {
    const id = `result-${fingerprint(path)}`;
    const lines = linesOf(result);
    this.#results.set(id, { lines, writers });
    const beginning =
      limits.own === undefined
        ? lines.slice(0, PREVIEW_LINES).join("").slice(0, PREVIEW_CHARACTERS)
        : result.slice(0, limits.own);
    const preview = beginning.toWellFormed();
    const perLine = result.length / lines.length;
    const count = Math.floor((limits.usual * READ_PART) / perLine);
    const text = fill(this.#prompts.slices.keptResult, {
      preview,
      tool: toolName,
      result: id,
      characters: String(result.length),
      lines: String(lines.length),
      reader: this.#readerName,
      count: String(Math.max(1, Math.min(lines.length, count))),
    });
    return { text, shownCharacters: preview.length };
  }

  #makeReader(): Tool {
    return tool({
      name: NAME,
      description:
        "Reads some lines of a result that was too long to be shown. The message in place of that result names it.",
      input: z.object({
        result: z.string().describe("Name of the result, as the message gives it"),
        start_line: z.int().min(1).default(1).describe("First line, counted from 1"),
        line_count: z.int().min(1).optional().describe("How many lines"),
      }),
      effect: "pure",
      cache: () => false,
      allowRepeat: true,
      run: ({ result, start_line: first, line_count: count }) => {
        const kept = this.#results.get(result);
        if (kept === undefined)
          return `There is no result ${cut(result, 100)}. Known: ${[...this.#results.keys()].join(", ") || "none"}.`;
        const { lines, writers } = kept;
        if (first > lines.length) return `The result ${result} ends with line ${lines.length}.`;
        const end = count === undefined ? undefined : first - 1 + count;
        return toolResult({
          text: lines.slice(first - 1, end).join(""),
          ...(writers.length === 0 ? {} : { untrusted: writers }),
        });
      },
    });
  }
}

/** The lines with their ends. */
function linesOf(text: string): readonly string[] {
  const lines: string[] = [];
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? [])
    for (let at = 0; at < line.length; at += MAX_LINE) lines.push(line.slice(at, at + MAX_LINE));
  return lines;
}
