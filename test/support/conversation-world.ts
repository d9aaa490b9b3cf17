// Conversations over the HTTP layer, in memory: members whose model answers with the name of who speaks.
import type { Conversation } from "../../src/conversation/conversation.ts";
import { conversationPart } from "../../src/conversation/conversation-part.ts";
import type { Script } from "../../src/llm/scripted/scripted-model.ts";
import type { Part } from "../../src/parts/part.ts";
import type { Versioned } from "../../src/parts/versions.ts";
import { allReaders } from "./all-readers.ts";
import { BUILTIN_TOOLS } from "../../src/tools/builtin/builtin-tools.ts";
import { HttpWorld, type HttpWorldOptions, textOf, type JsonAnswer } from "./http-app.ts";

/** The example of a definition: an incident, and a person. */
export const INCIDENT = `agents:
  triage:
    system_message: You sort incidents.
    llm: openai/gpt-5-mini
    tools: [current_time]
    handoffs:
      - { to: expert, when: "\${severity} == 'high'" }   # by context, no model call
      - { to: expert, prompt: It needs an expert. }      # by the model
    after_work: reviewer                                  # an agent, or stay, terminate, revert_to_user, ask_user, manager
  expert: { system_message: You find the cause. }
  reviewer: { system_message: You say what is missing. }
  ana: { human: true }                                    # speaks by a durable wait
pattern: { kind: default, initial_agent: triage, group_after_work: terminate }   # default, auto, round_robin, random, manual
context_variables: { severity: high }
max_rounds: 20
`;

/** A writer whose draft two people look at, one after the other. */
export const REVIEW = `agents:
  writer: { system_message: You write., after_work: ana }
  ana: { human: true, after_work: ben }
  ben: { human: true, after_work: terminate }
`;

/** What a model says that answers with what it was told it is, and how much it was sent. */
export const echoing: Script = ({ messages }) => {
  const [system] = messages;
  const [told] = system?.role === "system" ? system.content.split("\n\n") : ["nobody"];
  return `${told} ${messages.length}`;
};

/** An app with conversations. */
export class ConversationWorld extends HttpWorld {
  readonly part: Part;

  constructor({
    conversations = {},
    parts = [],
    agents,
    ...options
  }: HttpWorldOptions & { readonly conversations?: Versioned<Conversation> } = {}) {
    const part = conversationPart({
      conversations,
      registry: { tools: BUILTIN_TOOLS, ...(agents === undefined ? undefined : { agents }) },
      readers: allReaders,
    });
    super({ script: echoing, ...options, ...(agents && { agents }), parts: [part, ...parts] });
    this.part = part;
  }

  /** Stores a definition in YAML. */
  async store(name: string, yaml: string): Promise<void> {
    const { status, text } = await this.ask(`/conversations/${name}`, {
      method: "PUT",
      body: yaml,
      headers: { "content-type": "application/yaml" },
    });
    if (status !== 201 && status !== 200) throw new Error(`PUT answered ${status}: ${text}`);
  }

  /** Starts a conversation and lets it go as far as it can by itself. */
  async converse(name: string, json: unknown = { message: "It is down." }): Promise<string> {
    const {
      status,
      json: started,
      text,
    } = await this.ask(`/conversations/${name}/kickoff`, { json });
    if (status !== 202) throw new Error(`kickoff answered ${status}: ${text}`);
    await this.clock.settle();
    return textOf(started["id"]);
  }

  /** The first thing that a run waits for. */
  async waitOf(id: string): Promise<JsonAnswer | undefined> {
    return (await this.ask(`/runs/${id}`)).json["waits"]?.[0];
  }
}
