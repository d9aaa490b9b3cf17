// The page of providers: the table of results of each behaviour on each wire, the rows about providers, and the ends of answers.
import {
  ANTHROPIC_ENDS,
  BEDROCK_ENDS,
  CHAT_ENDS,
  GEMINI_ENDS,
  RESPONSES_ENDS,
  type EndTable,
} from "../../src/llm/answer-end.ts";
import { MODEL_ROWS } from "../../src/llm/providers/model-rows.ts";
import { NATIVE_ROWS } from "../../src/llm/providers/native-rows.ts";
import {
  CONTEXT_SOURCES,
  MODEL_SOURCES,
  PROVIDER_SOURCES,
  REFUSAL_SOURCES,
  type RowSource,
} from "./provider-row-sources.ts";
import { PROVIDERS } from "../../src/llm/providers.ts";
import { resultTable } from "./provider-suite.ts";
import { WIRES } from "./provider-wires.ts";

/** The page, as it must stand in docs/providers.md. */
export async function providersPage(): Promise<string> {
  const behaviours = await resultTable();
  return `# What providers do, and what we do about it

Providers differ in their parameters, refusals and messages.
This page has the known facts about them, from the data of the code, and our reactions; [models](models.md) describes names and settings of models.

## The same on every wire

Each behaviour is tested on each wire, whole and streamed, with a server on loopback in the provider's place.
\`yes\`: the result of the last column. \`streams\`: streamed answers alone. \`–\`: the provider has no such behaviour.

${table(["The provider sends", ...WIRES.map(({ name }) => name), "Result"], behaviours)}

## What providers lack

Known before the first request.
A provider without a row here is treated as complete; its gaps are learned from its first refusal.

${table(
  ["Provider", "It", "We", "Source"],
  PROVIDER_SOURCES.map((row) => [code(row.row.split(":")[0] ?? ""), ...cells(row)]),
)}

## What models differ in

${table(
  ["Models", "They", "We", "Source"],
  MODEL_SOURCES.map((row) => [row.of ?? code(row.row), ...cells(row)]),
)}

Claude's answers may be as long as the model allows, where \`maxTokens\` is not set: 4,096 tokens of Claude 2 and 3, 8,192 of 3.5, 32,000 of Opus 4 and 4.1, 128,000 of Opus and Sonnet from 4.6 on, of Fable and of Mythos, and 64,000 of all others.
A model with a smaller limit names it in its refusal, and the call is repeated with this limit.

## What is learned from a refusal

A refusal with the name of a part of the request leads at once to a request without this part, within the same attempt.
Later requests to the model leave the refused part out.
A limit of tokens in a refusal replaces a larger one.

${table(
  ["Part", "A server", "We", "Source"],
  grouped(REFUSAL_SOURCES).map(({ rows, first }) => [
    rows.map(({ row }) => partOf(row)).join(", "),
    ...(rows.length > 1 ? several(first) : cells(first)),
  ]),
)}

## A full window

A refusal is known as one for length by a code or fields of the error, by two numbers of tokens in it, or by these words.
The conversation is then summed up (\`respectContextWindow\`), or left to a model with a larger window.

${table(
  ["Servers", "Words", "Source"],
  CONTEXT_SOURCES.map((row) => [row.of ?? "", `“${row.row.replaceAll("`", "")}”`, link(row)]),
)}

## Ends of answers

A reason in no column counts as a fault of the server, and the call is tried again.

${table(
  ["Meaning", "Chat completions", "Responses", "Anthropic", "Gemini", "Bedrock"],
  MEANINGS.map(([meaning, we]) => [
    we,
    ...[CHAT_ENDS, RESPONSES_ENDS, ANTHROPIC_ENDS, GEMINI_ENDS, BEDROCK_ENDS].map((ends) =>
      reasonsOf(ends, meaning),
    ),
  ]),
)}

## Where this comes from

Rows were collected on ${MODEL_SOURCES[0]?.date ?? ""} from references of providers, code of servers and public reports; a source may have changed since.
They are data in \`src/llm/providers\`, \`src/llm/providers.ts\`, \`src/llm/known-refusals.ts\`, \`src/llm/refused-messages.ts\` and \`src/llm/context-phrases.ts\`.
Each has the provider's words and a test in \`test/unit/llm/providers\`; ${PROVIDERS.length} providers and ${MODEL_ROWS.length + NATIVE_ROWS.length} kinds of models are listed.
No row was tried with a paid account.
`;
}

const MEANINGS = [
  ["whole", "whole"],
  ["calls", "calls tools"],
  ["cut", "cut: continued"],
  ["filtered", "filtered"],
  ["refused", "refused"],
  ["failed", "failed: tried again"],
] as const;

function reasonsOf(ends: EndTable, meaning: string): string {
  return Object.keys(ends)
    .filter((reason) => ends[reason] === meaning)
    .map(code)
    .join(", ");
}

/** Joins rows of one source with the same reaction to several settings. */
function grouped(
  rows: readonly RowSource[],
): readonly { readonly first: RowSource; readonly rows: readonly RowSource[] }[] {
  const groups = Map.groupBy(rows, ({ we, source }) => `${we} ${source}`);
  return [...groups.values()].flatMap(([first, ...rest]) =>
    first === undefined ? [] : [{ first, rows: [first, ...rest] }],
  );
}

/** A setting as it stands in requests, anything else in words. */
function partOf(row: string): string {
  return /^[a-z_]+$/.test(row) ? code(row) : row;
}

function several(row: RowSource): readonly string[] {
  const [, ...others] = cells(row);
  return [row.says.replace(/`[^`]*`/, "them"), ...others];
}

function cells(row: RowSource): readonly string[] {
  return [row.says, row.we, link(row)];
}

function link({ source }: RowSource): string {
  const url = new URL(source);
  const name =
    url.hostname === "github.com" ? url.pathname.split("/").slice(1, 3).join("/") : url.hostname;
  return `[${name}](${source})`;
}

function code(text: string): string {
  return `\`${text}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (each: readonly string[]): string =>
    `| ${each.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
