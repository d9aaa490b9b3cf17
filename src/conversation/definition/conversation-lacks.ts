// Services that a stored conversation uses and its deployment lacks.
//
//   CDL1. A conversation runs without its memory, or without a client for MCP servers. A warning reports it when it is
//         stored and in each run.
//   CDL2. A conversation is refused at storage if its knowledge or its code runner is missing, or if the client refuses
//         a server.
//   CDL3. A model without a key, and a tool without its variables, are warnings: the operator can still set them.
import type { Issue } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import { pointerPart } from "../../base/json-pointer.ts";
import { unusableDefinition } from "../../base/unusable-definition.ts";
import {
  keysInAddresses,
  lackingOfAgents,
  missingVariables,
  unusedOfAgents,
  withoutFields,
  type Deployment,
} from "../../crew/definition/deployment-lacks.ts";
import { unusableModels, type NamedModel } from "../../crew/definition/model-lacks.ts";
import type { RunServices } from "../../events/run-services.ts";
import { chatsIn } from "./exchange-faults.ts";
import type { ConversationForm, GuardrailDefinition } from "./definition-schema.ts";
import type { RunnableConversation } from "../runnable-conversation.ts";

const NO_CODE =
  "this deployment runs no code: pass codeRunners() of edgecrew/code to defineApp({ code })";

/** Returns the fields without effect in runs with these services (CDL1). */
export function unusedOf(definition: JsonObject, services: RunServices): readonly Issue[] {
  return unusedOfAgents(formOf(definition).agents, services);
}

/** Returns a definition without the fields that these services cannot support (CDL1). */
export function usablePart<Definition extends Pick<ConversationForm, "agents">>(
  definition: Definition,
  services: RunServices,
): Definition {
  const unused = unusedOfAgents(definition.agents, services);
  return unused.length === 0 ? definition : withoutFields(definition, unused);
}

/** Throws `invalid_definition` for a conversation that cannot run here (CDL2). */
export function refuseLacking(definition: JsonObject, { services }: Deployment): void {
  const { agents } = formOf(definition);
  const issues = [...lackingOfAgents(agents, services), ...lackingCode(agents, services)];
  if (issues.length > 0) throw unusableDefinition("the conversation definition", issues);
}

/** An agent that answers with the output of code needs a code runner. */
function lackingCode(agents: ConversationForm["agents"], { code }: RunServices): readonly Issue[] {
  if (code !== undefined) return [];
  return Object.entries(agents)
    .filter(([, { codeExecution = false }]) => codeExecution !== false)
    .map(([name]) => ({ path: `/agents/${pointerPart(name)}/codeExecution`, message: NO_CODE }));
}

/** Returns a warning for each missing service of a stored conversation, with a remedy. */
export function warningsOf(
  {
    definition,
    conversation,
  }: { readonly definition: JsonObject; readonly conversation: RunnableConversation },
  { services, models, variables }: Deployment,
): readonly Issue[] {
  const { group } = conversation.exchange.prepare();
  const tools = group.members.map(({ executedTools }) => ({ tools: executedTools }));
  return [
    ...unusedOf(definition, services),
    ...keysInAddresses(formOf(definition).agents),
    ...unusableModels(modelsOf(formOf(definition)), models),
    ...missingVariables(tools, variables),
  ];
}

function modelsOf(form: ConversationForm): readonly NamedModel[] {
  const { agents, pattern, safeguardLlm, maskLlm } = form;
  return [
    ...chatsIn(form).map(({ chat, path }): NamedModel => [
      `${path}/groupChat/llm`,
      chat.groupChat?.llm,
    ]),
    ...Object.entries(agents).flatMap(([name, agent]): NamedModel[] => {
      const { llm, functionCallingLlm, inputGuardrails = [], outputGuardrails = [] } = agent;
      const path = `/agents/${pointerPart(name)}`;
      const judges = (key: string, guardrails: readonly GuardrailDefinition[]): NamedModel[] =>
        guardrails.map((each, index) => [`${path}/${key}/${index}/llm`, each.llm]);
      return [
        [`${path}/llm`, llm],
        [`${path}/functionCallingLlm`, functionCallingLlm],
        ...judges("inputGuardrails", inputGuardrails),
        ...judges("outputGuardrails", outputGuardrails),
      ];
    }),
    ["/pattern/llm", pattern?.llm],
    ["/safeguardLlm", safeguardLlm],
    ["/maskLlm", maskLlm],
  ];
}

/** Reads a checked definition, as stored. */
function formOf(definition: JsonObject): ConversationForm {
  return definition as unknown as ConversationForm;
}
