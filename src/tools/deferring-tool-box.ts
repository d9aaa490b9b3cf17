// Tool box for many tools. The model sees only the schemas of the tools it searches for.
//
//   DFT1. The model gets the name of each tool, the first sentence of its description, and `tool_search`.
//   DFT2. The visible tools follow from the recorded results of the model's searches and from the names it has called,
//         so a replay shows the same tools in each turn.
import * as z from "zod";
import type { Message, ToolSpec } from "../llm/language-model.ts";
import { Bm25Index } from "../text-search/bm25.ts";
import { sentencesIn } from "../text/sentences.ts";
import { termsOf } from "../text/terms.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { ToolBox } from "./tool-box.ts";
import { toolResult } from "./tool-result.ts";
import { tool, type Tool } from "./tool.ts";

/** Maximum number of tools shown with their whole schemas. */
export const SHOWN_TOOLS = 20;

const NAME = "tool_search";
/** Weight of a name, which characterises a tool better than its description. */
const NAME_WEIGHT = 3;
const MAX_SENTENCE = 160;

/** Tools of one conversation, found by searching. */
export class DeferringToolBox extends ToolBox {
  readonly #all: readonly ToolSpec[];
  readonly #index: Bm25Index;
  readonly #found: Set<string>;
  #shown: readonly ToolSpec[];

  constructor(tools: readonly Tool[], taken: readonly string[] = []) {
    const search = searchTool({
      find: (query, limit) => this.#find(query, limit),
      found: (names) => this.#show(names),
    });
    super([...tools, search], taken);
    const specs = super.specs;
    this.#all = specs.slice(0, -1);
    this.#found = new Set();
    this.#shown = specs.slice(-1);
    this.#index = new Bm25Index();
    for (const [index, spec] of this.#all.entries())
      this.#index.set(String(index).padStart(6, "0"), textOf(spec));
  }

  override get specs(): readonly ToolSpec[] {
    return this.#shown;
  }

  override get others(): string {
    return this.#all
      .filter(({ name }) => !this.#found.has(name))
      .map(({ name, description }) => `- ${name}: ${firstSentence(description)}`)
      .join("\n");
  }

  /** Finds a tool and shows it, as the model knows the tools it calls. */
  override find(name: string): Tool | undefined {
    const found = super.find(name);
    if (found !== undefined) this.#show([this.nameFor(name)]);
    return found;
  }

  /** Shows the tools found or called in an earlier part of the conversation. */
  recall(messages: readonly Message[]): void {
    const names = new Set(this.#all.map(({ name }) => name));
    for (const message of messages) {
      if (message.role === "assistant")
        this.#show(
          (message.toolCalls ?? []).map((call) => call.name).filter((name) => names.has(name)),
        );
      if (message.role === "tool" && message.toolName === this.#shown.at(-1)?.name)
        this.#show(namesIn(message.content).filter((name) => names.has(name)));
    }
  }

  #find(query: string, limit: number): readonly ToolSpec[] {
    const ids = this.#index.search(termsOf(query), { limit, passes: () => true });
    return ids.flatMap((id) => this.#all[Number(id)] ?? []);
  }

  #show(names: readonly string[]): void {
    const added = names.filter(
      (name) => !this.#found.has(name) && this.#all.some((spec) => spec.name === name),
    );
    if (added.length === 0) return;
    for (const name of added) this.#found.add(name);
    const search = this.#shown.slice(-1);
    this.#shown = [...this.#all.filter(({ name }) => this.#found.has(name)), ...search];
  }
}

function searchTool(box: {
  readonly find: (query: string, limit: number) => readonly ToolSpec[];
  readonly found: (names: readonly string[]) => void;
}): Tool {
  const made = tool({
    name: NAME,
    description:
      "Finds tools by what they do. You know further tools by name alone: those that this finds you can call from your next message on.",
    input: z.object({
      query: z.string().min(1).describe("What the tool is to do, in a few words"),
      limit: z.int().min(1).max(20).default(5).describe("How many tools at most"),
    }),
    effect: "pure",
    cache: () => false,
    allowRepeat: true,
    run: ({ query, limit }) => {
      const specs = box.find(query, limit);
      const names = specs.map(({ name }) => name);
      if (specs.length === 0)
        return toolResult({
          text: "No tool fits these words. Use words of the names and descriptions that you were told.",
          data: { found: [] },
        });
      return toolResult({ text: specs.map(described).join("\n\n"), data: { found: names } });
    },
  });
  return {
    ...made,
    recorded: (result: JsonValue) => {
      const { found } = isJsonObject(result) ? result : ({} as JsonObject);
      if (Array.isArray(found)) box.found(found as readonly string[]);
    },
  };
}

/** Describes one tool completely, as models with text-form calls have no other source. */
function described({ name, description, parameters }: ToolSpec): string {
  return `Tool: ${name}\nArguments: ${JSON.stringify(parameters)}\nPurpose: ${description}`;
}

function namesIn(result: string): readonly string[] {
  return Array.from(result.matchAll(/^Tool: (\S+)$/gm), ([, name = ""]) => name);
}

/** Returns the searchable text of a tool: its name, its description, its arguments. */
function textOf({ name, description, parameters }: ToolSpec): string {
  const words = name.replaceAll("_", " ");
  return [
    ...Array.from({ length: NAME_WEIGHT }, () => words),
    description,
    argumentsOf(parameters),
  ].join("\n");
}

function argumentsOf({ properties }: JsonObject): string {
  if (!isJsonObject(properties)) return "";
  return Object.entries(properties)
    .map(([name, schema]) => {
      const said = isJsonObject(schema) ? schema["description"] : undefined;
      return `${name.replaceAll(/[_-]/g, " ")} ${typeof said === "string" ? said : ""}`;
    })
    .join("\n");
}

function firstSentence(description: string): string {
  const [line = ""] = description.trim().split("\n");
  const [sentence = line] = /^.*?[.!?](?=\s|$)/.exec(line) ?? sentencesIn(line);
  return sentence.length <= MAX_SENTENCE
    ? sentence
    : `${sentence.slice(0, MAX_SENTENCE).toWellFormed()}…`;
}
