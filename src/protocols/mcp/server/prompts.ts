// Texts for conversations: prompts of the options, and descriptions of tasks of exposed crews.
import { uniqueToolNames } from "../../../wire/tool-name.ts";
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import { placeholders, replacePlaceholders } from "../../../base/template.ts";
import type { Exposure } from "../../exposure.ts";
import { embedded, type EmbeddedRequest, type McpAsk } from "./mcp-asks.ts";
import { fitsRequest } from "./questions.ts";
import type { McpOptions, McpPrompt, McpPromptMessage, McpRequester } from "./mcp-options.ts";

/** Messages of a prompt, or its first question to the client. */
export type PromptAnswer =
  | { readonly messages: readonly McpPromptMessage[] }
  | { readonly name: string; readonly request: EmbeddedRequest };

/** The prompts of a deployment. */
export class Prompts {
  readonly #own: readonly McpPrompt[];
  readonly #exposure: Exposure | undefined;

  constructor({ prompts = [], crewPrompts = true }: McpOptions, exposure: Exposure) {
    this.#own = prompts;
    this.#exposure = crewPrompts ? exposure : undefined;
  }

  /** Lists all prompts of a tenant, those of the options first. */
  async all(tenant: string): Promise<readonly McpPrompt[]> {
    const subjects = (await this.#exposure?.list(tenant)) ?? [];
    const made = subjects
      .filter(({ kind }) => kind === "crew")
      .flatMap(({ publicName, info }) =>
        info.skills.map(({ id, name, description, examples = [] }) =>
          textPrompt(`${publicName}_${id}`, {
            title: `${publicName}: ${name}`,
            description,
            examples,
          }),
        ),
      );
    const taken = this.#own.map(({ name }) => name);
    const names = uniqueToolNames([...taken, ...made.map(({ name }) => name)]).slice(taken.length);
    return [...this.#own, ...made.map((each, index) => ({ ...each, name: names[index] ?? "" }))];
  }

  /** Returns undefined for an unknown name. */
  async find(tenant: string, name: string): Promise<McpPrompt | undefined> {
    return (
      this.#own.find((each) => each.name === name) ??
      (await this.all(tenant)).find((each) => each.name === name)
    );
  }
}

/** Returns a prompt in the form for clients. */
export function listedPrompt({
  name,
  title,
  description,
  arguments: args = [],
}: McpPrompt): JsonObject {
  return {
    name,
    ...(title === undefined ? undefined : { title }),
    ...(description === undefined ? undefined : { description }),
    ...(args.length === 0
      ? undefined
      : {
          arguments: args.map((each) => ({
            name: each.name,
            ...(each.description === undefined ? undefined : { description: each.description }),
            required: each.required ?? false,
          })),
        }),
  };
}

/** Returns the answer of a prompt; `responses` are the client's answers to its questions. */
export async function promptAnswer(
  prompt: McpPrompt,
  values: Readonly<Record<string, string>>,
  {
    requester,
    responses,
  }: { readonly requester: McpRequester; readonly responses: Readonly<Record<string, unknown>> },
): Promise<PromptAnswer> {
  const ask = async (name: string, what: McpAsk): Promise<JsonObject> => {
    const response = Object.hasOwn(responses, name) ? responses[name] : undefined;
    const { request } = embedded(what);
    if (isJsonObject(response) && fitsRequest(request, response)) return response;
    throw new Unanswered(name, request);
  };
  try {
    const made = await prompt.get(values, { ...requester, ask });
    return {
      messages:
        typeof made === "string" ? [{ role: "user", content: { type: "text", text: made } }] : made,
    };
  } catch (error) {
    if (error instanceof Unanswered) return { name: error.question, request: error.request };
    throw error;
  }
}

/** Ends a prompt at a question without an answer yet. */
class Unanswered extends Error {
  readonly question: string;
  readonly request: EmbeddedRequest;

  constructor(question: string, request: EmbeddedRequest) {
    super(`the client has not answered ${question} yet`);
    this.question = question;
    this.request = request;
  }
}

function textPrompt(
  name: string,
  {
    title,
    description,
    examples,
  }: { title: string; description: string; examples: readonly string[] },
): McpPrompt {
  const [expected] = examples;
  const text =
    expected === undefined ? description : `${description}\n\nExpected result: ${expected}`;
  return {
    name,
    title,
    description,
    arguments: placeholders(text).map((each) => ({ name: each, required: true })),
    get: (values) =>
      replacePlaceholders(text, (each) => (Object.hasOwn(values, each) ? values[each] : undefined)),
  };
}
