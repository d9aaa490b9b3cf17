// Facts of a program: its own strings, and everything that was said in it. A fact is in a request, or it is not.
import { SHAPE, TOOL_RESULTS, TOOL_TEXTS, type Program, type ToolName } from "./program.ts";
import type { ChatRequest, WireMessage } from "./recording-server.ts";

export type Fact = {
  /** `kind:text`, which rules look at. */
  readonly id: string;
  readonly text: string;
};

/** Place of a fact in a request. */
export type Place = "system" | "user" | "assistant" | "tool" | "tools" | "format";

/** Facts that the program has, in the order of its definition. */
export function factsOf(program: Program): readonly Fact[] {
  const facts = new Map<string, Fact>();
  const add = (kind: string, text: string | undefined): void => {
    if (text === undefined || text === "") return;
    facts.set(`${kind}:${text}`, { id: `${kind}:${text}`, text });
  };
  if (program.kind === "chat") addChat(program, add);
  else addWork(program, add);
  for (const { text, args = {} } of program.replies) {
    add("said", text);
    for (const value of Object.values(args)) add("argument", String(value));
  }
  return [...facts.values()];
}

type Add = (kind: string, text: string | undefined) => void;

function addChat({ speakers, message, way }: Program & { readonly kind: "chat" }, add: Add): void {
  for (const { name, system, description, tools = [], nested, handoff } of speakers) {
    add("name", name);
    add("system", system);
    add("description", description);
    addTools(tools, add);
    add("nested message", nested?.message);
    add("condition", handoff?.when);
  }
  add("opening", message);
  if (way.how === "queue") for (const text of way.messages) add("opening", text);
}

function addWork(program: Exclude<Program, { readonly kind: "chat" }>, add: Add): void {
  for (const { role, goal, backstory, tools = [], today, knowledge } of program.agents) {
    for (const [kind, text] of Object.entries({ role, goal, backstory }))
      add(kind, filled(text, program));
    addTools(tools, add);
    add("knowledge", knowledge);
    if (today) add("today", String(new Date().getUTCFullYear()));
  }
  if (program.kind === "agent") {
    add("question", program.question);
    if (program.shape) addShape(add);
    return;
  }
  for (const { description, expected, shape, guardrail, markdown, human = [] } of program.tasks) {
    add("task", filled(description, program));
    add("expected", filled(expected, program));
    if (shape) addShape(add);
    if (guardrail !== undefined)
      add("guardrail", "rule" in guardrail ? guardrail.rule : guardrail.refuses);
    if (markdown) add("markdown", "markdown");
    for (const words of human) add("human", words);
  }
  const { knowledge, memory = [], manager } = program.crew ?? {};
  add("knowledge", knowledge);
  for (const text of memory) add("memory", text);
  if (manager !== "agent") return;
  add("role", "Port Warden");
  add("goal", "Keep the whole port in order");
  add("backstory", "You hold the keys of every gate.");
}

function addTools(tools: readonly ToolName[], add: Add): void {
  for (const name of tools) {
    add("tool", name);
    add("tool text", TOOL_TEXTS[name]);
    add("tool result", TOOL_RESULTS[name]);
  }
}

function addShape(add: Add): void {
  for (const text of Object.values(SHAPE)) add("shape", text);
}

function filled(text: string, program: Program): string {
  const inputs = program.kind === "crew" ? (program.inputs ?? {}) : {};
  return text.replaceAll(/\{(\w+)\}/g, (all, name: string) => inputs[name] ?? all);
}

/** Places of each fact in a request, by the fact's id. */
export function placesOf(
  facts: readonly Fact[],
  request: ChatRequest,
): Readonly<Record<string, readonly Place[]>> {
  const texts = textsOf(request);
  return Object.fromEntries(
    facts.flatMap(({ id, text }) => {
      const wanted = plain(text);
      const places = texts.filter((each) => plain(each.text).includes(wanted));
      return places.length === 0 ? [] : [[id, [...new Set(places.map(({ place }) => place))]]];
    }),
  );
}

function textsOf(
  request: ChatRequest,
): readonly { readonly place: Place; readonly text: string }[] {
  return [
    ...request.messages.map((message) => ({
      place: placeOf(message),
      text: [textOf(message), message.name ?? "", JSON.stringify(message.tool_calls ?? "")].join(
        "\n",
      ),
    })),
    { place: "tools" as const, text: JSON.stringify(request.tools ?? "") },
    { place: "format" as const, text: JSON.stringify(request.response_format ?? "") },
  ];
}

function placeOf({ role }: WireMessage): Place {
  if (role === "developer") return "system";
  return role === "function" ? "tool" : (role as Place);
}

export function textOf({ content }: WireMessage): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text = "" }) => text).join("\n");
}

/** Without the marks that JSON, prompts and quotation put into a text. */
function plain(text: string): string {
  return text
    .replaceAll(/\\[nrt"\\]|\s/g, " ")
    .replaceAll(/["'`\\]/g, "")
    .replaceAll(/ +/g, " ")
    .toLowerCase();
}

/** The speaker that a request names beside each text that was said. */
export function speakersOf(
  program: Program,
  { messages }: ChatRequest,
): Readonly<Record<string, string>> {
  if (program.kind !== "chat") return {};
  const names = program.speakers.map(({ name }) => name);
  const said = [program.message, ...program.replies.map(({ text = "" }) => text)].filter((text) =>
    text.includes(" "),
  );
  return Object.fromEntries(
    messages.flatMap((message) => {
      const content = textOf(message);
      return said
        .filter((text) => message.role !== "system" && content.includes(text))
        .map((text) => {
          const before = content.slice(0, content.indexOf(text)).toLowerCase();
          const own = message.role === "assistant" ? "itself" : "";
          const name = message.name ?? names.findLast((each) => before.includes(each));
          return [text, name ?? own] as const;
        });
    }),
  );
}
