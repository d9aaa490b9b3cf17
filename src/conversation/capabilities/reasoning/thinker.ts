// Questions to models while a tree of thoughts grows.
//
//   THK1. Every question is a recorded step whose key is the path of its thought: `think/0/1/2/options`, `…/rating`,
//         `…/run`.
//   THK2. An answer is a proposal. Thoughts are read from JSON, else from a list; otherwise the text is the only
//         thought. A rating is read from JSON; otherwise it is the first number within the scale. A thought without a
//         rating has the value 0 and a note about it.
import { changedWork, type AgentWork } from "../../../agent/agent-work.ts";
import { executeAgent } from "../../../agent/loop/execute-agent.ts";
import { cut } from "../../../base/cut.ts";
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import type { ModelResponse } from "../../../llm/language-model.ts";
import { answerByTool, refusesShape, shapeRequest } from "../../../model-calls/answer-shape.ts";
import { callModel } from "../../../model-calls/model-call.ts";
import { Transcript } from "../../../model-calls/transcript.ts";
import { parseToolArguments } from "../../../tools/tool-arguments.ts";
import { typedValue } from "../../../tools/typed-values.ts";
import type { CheckedReasonConfig } from "./reason-config.ts";
import { addChildren, trailText, trailTo, type GrowingNode, type ThinkNode } from "./think-node.ts";

/** Thinking agent, grading agent, and their place in the run. */
export type ThinkerOptions = {
  readonly place: RunScope;
  readonly work: AgentWork;
  readonly grader: AgentWork;
  readonly config: CheckedReasonConfig;
};

const MAX_OPTIONS = 4;
const MAX_THOUGHT = 2_000;
const TERMINATE = /\bTERMINATE\b/;
const LISTED = /^[ \t]*(?:\d+[.)]|[-*•])[ \t]+(\S.*)$/gm;

const TEXT: JsonObject = { type: "string" };
const objectOf = (properties: Readonly<Record<string, JsonObject>>): JsonObject => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const OPTIONS = objectOf({ reflection: TEXT, options: { type: "array", items: TEXT } });
const RATING = objectOf({ reason: TEXT, rating: { type: "number" } });
const RATINGS = objectOf({ ratings: { type: "array", items: RATING } });

const THINK =
  "You plan how to solve a task, one step at a time. Look at the steps so far: what they found, and what is wrong or missing. Then propose up to 4 next steps that differ from each other: go on, correct a step, try another way, or check a result. " +
  "When the steps so far suffice for the answer, one of the options is the word TERMINATE.";
const RATE =
  "You rate steps of work on a task: is the way right, free of errors, and close to an answer? 1 is worthless, {scale} cannot be better.";
const ANSWER =
  "You give the final answer to a task, worked out from the thoughts that you are shown: they may be wrong, so check them. Answer the task itself and do not mention the thoughts.";

/** Asks models about one tree. */
export class Thinker {
  readonly #options: ThinkerOptions;
  readonly #root: GrowingNode;

  constructor(root: GrowingNode, options: ThinkerOptions) {
    this.#root = root;
    this.#options = options;
  }

  /** True if a thought has no successors. */
  isEnd({ content, depth }: ThinkNode): boolean {
    return depth >= this.#options.config.maxDepth || (depth > 0 && TERMINATE.test(content));
  }

  /** Adds possible successors of a thought. `lessons` are results of earlier tries. */
  async expand(node: GrowingNode, lessons = ""): Promise<readonly GrowingNode[]> {
    const { interimExecution } = this.#options.config;
    if (interimExecution && node.depth > 0) node.output = await this.#carryOut(node);
    const text = await this.#ask(this.#at(node).at("options"), this.#options.work, {
      system: THINK,
      user: [this.#soFar(node), lessons].filter((each) => each !== "").join("\n\n"),
      schema: OPTIONS,
    });
    const answer = readObject(text, OPTIONS);
    node.reflection = cut(textOf(answer["reflection"]), MAX_THOUGHT);
    return addChildren(node, optionsOf(answer, text));
  }

  /** Rates sibling thoughts, each once. Rated thoughts count as visited. */
  async rate(nodes: readonly GrowingNode[], parent: GrowingNode): Promise<void> {
    const { batchGrading, ratingScale } = this.#options.config;
    const system = RATE.replace("{scale}", `${ratingScale}`);
    const { grader } = this.#options;
    if (batchGrading && nodes.length > 1) {
      const list = nodes.map(({ content }, index) => `${index + 1}. ${content}`).join("\n");
      const text = await this.#ask(this.#at(parent).at("ratings"), grader, {
        system,
        user: `${this.#soFar(parent)}\n\nRate each of these next steps, in their order:\n${list}`,
        schema: RATINGS,
      });
      const { ratings } = readObject(text, RATINGS);
      const read = Array.isArray(ratings) ? ratings : [];
      for (const [index, node] of nodes.entries()) this.#take(node, read[index], "");
      return;
    }
    await Promise.all(
      nodes.map(async (node) => {
        const text = await this.#ask(this.#at(node).at("rating"), grader, {
          system,
          user: `${this.#soFar(node)}\n\nRate where these steps lead.`,
          schema: RATING,
        });
        this.#take(node, readObject(text, RATING), text);
      }),
    );
  }

  /** Returns the answer derived from one or several ways. */
  answer(place: RunScope, ends: readonly ThinkNode[]): Promise<string> {
    const ways = ends.map(({ path }) => trailText(trailTo<ThinkNode>(this.#root, path)));
    const shown =
      ways.length === 1
        ? `Thoughts:\n${ways[0]}`
        : ways.map((way, index) => `Thoughts ${index + 1}:\n${way}`).join("\n\n");
    return this.conclude(place, shown);
  }

  /** Answers the task from the available material. */
  conclude(place: RunScope, shown: string): Promise<string> {
    const user = `Task:\n${this.#root.content}\n\n${shown}`;
    return this.#ask(place, this.#options.work, { system: ANSWER, user });
  }

  #take(node: GrowingNode, answer: unknown, text: string): void {
    const { ratingScale } = this.#options.config;
    const fields = isJsonObject(answer) ? answer : {};
    const rating = ratingOf(fields["rating"], text, ratingScale);
    node.value = rating === undefined ? 0 : (rating - 1) / (ratingScale - 1);
    node.visits = 1;
    const reason = textOf(fields["reason"]) || text;
    node.ratingDetails =
      rating === undefined
        ? `No rating could be read: ${cut(text, 200)}`
        : `${rating} of ${ratingScale}: ${cut(reason, MAX_THOUGHT)}`;
  }

  async #carryOut(node: GrowingNode): Promise<string> {
    const { work } = this.#options;
    const prompt = `${this.#soFar(node)}\n\nCarry out the last step, nothing else, and say what came of it.`;
    const done = await executeAgent(this.#at(node).at("run"), changedWork(work, { prompt }));
    return cut(done, 4 * MAX_THOUGHT);
  }

  #soFar(node: GrowingNode): string {
    const steps = trailText(trailTo<ThinkNode>(this.#root, node.path));
    return `Task:\n${this.#root.content}\n\n${steps === "" ? "Nothing has been done yet." : `Steps so far:\n${steps}`}`;
  }

  #at({ path }: ThinkNode): RunScope {
    return path
      .split("/")
      .reduce((place, segment) => place.at(segment), this.#options.place.at("think"));
  }

  async #ask(
    place: RunScope,
    work: AgentWork,
    {
      system,
      user,
      schema,
    }: { readonly system: string; readonly user: string; readonly schema?: JsonObject },
  ): Promise<string> {
    const format =
      schema === undefined
        ? ""
        : `\n\nAnswer with one JSON object and nothing else, valid against this JSON Schema:\n${JSON.stringify(schema)}`;
    const { messages, hash: inputHash } = new Transcript([
      { role: "system", content: `${system}${format}` },
      { role: "user", content: user },
    ]);
    const shape = schema === undefined ? undefined : shapeRequest(work.model, schema);
    const caller = changedWork(work, { decides: "weigh thoughts" });
    let response: ModelResponse;
    try {
      response = await callModel(place, caller, {
        request: { messages, ...shape },
        inputHash,
        purpose: "plan",
      });
    } catch (error) {
      if (!refusesShape(shape, error)) throw error;
      response = await callModel(place.at("plain"), caller, {
        request: { messages },
        inputHash,
        purpose: "plan",
      });
    }
    return answerByTool(response) ?? response.text;
  }
}

function readObject(text: string, schema: JsonObject): JsonObject {
  const parsed = parseToolArguments(text, "text");
  const value = parsed.kind === "ok" ? typedValue(schema, parsed.value) : {};
  return isJsonObject(value) ? value : {};
}

/** Never empty (THK2). */
function optionsOf({ options }: JsonObject, text: string): readonly string[] {
  const listed = Array.isArray(options)
    ? options.map(textOf)
    : Array.from(text.matchAll(LISTED), ([, item = ""]) => item);
  const found = [...new Set(listed.map((each) => cut(each.trim(), MAX_THOUGHT)))].filter(
    (each) => each !== "",
  );
  return found.length === 0 ? [cut(text.trim(), MAX_THOUGHT)] : found.slice(0, MAX_OPTIONS);
}

function ratingOf(rating: unknown, text: string, scale: number): number | undefined {
  if (typeof rating === "number" && Number.isFinite(rating))
    return Math.min(scale, Math.max(1, rating));
  const numbers = Array.from(
    text.matchAll(/(?<![\w.])\d{1,3}(?:\.\d{1,3})?(?![\w%])/g),
    ([number]) => Number(number),
  );
  return numbers.find((number) => number >= 1 && number <= scale);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
