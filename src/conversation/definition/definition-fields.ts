// Dependencies between the fields of a member defined as data.
//
//   CDM1. A field without effect is refused: a model's field without a model, a person's field without a person.
//   CDM2. A member that is an agent of the app has its own model, tools and instructions; the rest is the
//         conversation's.
import { errorMessage, type Issue } from "../../base/error.ts";
import { checkJsonSchema } from "../../base/json-schema.ts";
import { SHARED_FIELDS, type ConversationAgentDefinition } from "./definition-schema.ts";

type Field = keyof ConversationAgentDefinition;

/** Fields without a meaning if the agent has no model. */
const OF_MODEL: readonly Field[] = ["responseFormat", ...SHARED_FIELDS];
/** Fields that agents of the app define themselves. */
const OF_AGENT: readonly Field[] = ["systemMessage", "llm", "tools", "human", ...OF_MODEL];

/**
 * Returns the faults of a member, except those of its hand-overs. Paths begin at the member. `isUser`: it is the user
 * agent.
 */
export function memberFieldFaults(
  member: ConversationAgentDefinition,
  isUser: boolean,
): readonly Issue[] {
  return [
    ...personFaults(member, isUser),
    ...(member.agent === undefined ? modelFaults(member) : appAgentFaults(member)),
    ...formatFaults(member),
  ];
}

function personFaults(
  {
    human = false,
    humanInputMode,
    humanInputTimeout,
    humanInputDefault,
  }: ConversationAgentDefinition,
  isUser: boolean,
): readonly Issue[] {
  const isAsked = human || isUser || (humanInputMode ?? "NEVER") !== "NEVER";
  const issues: Issue[] = [];
  if (human && humanInputMode !== undefined)
    issues.push({ path: "/humanInputMode", message: "has no effect for a human: leave it out" });
  if (humanInputTimeout !== undefined && !isAsked)
    issues.push({
      path: "/humanInputTimeout",
      message: "has no effect without a person: add `human` or `humanInputMode`",
    });
  if (humanInputDefault !== undefined && humanInputTimeout === undefined)
    issues.push({
      path: "/humanInputDefault",
      message: "has no effect without a timeout: add `humanInputTimeout`",
    });
  return issues;
}

function modelFaults(member: ConversationAgentDefinition): readonly Issue[] {
  const { llm, human = false } = member;
  const hasModel = llm === undefined ? !human : llm !== false;
  if (hasModel) return [];
  return fieldsOf(member, OF_MODEL, "has no effect without a model: add `llm`");
}

function appAgentFaults(member: ConversationAgentDefinition): readonly Issue[] {
  const { handoffs = [] } = member;
  return [
    ...fieldsOf(member, OF_AGENT, "has no effect beside `agent`, which has its own: leave it out"),
    ...handoffs.flatMap(({ prompt }, index) =>
      prompt === undefined
        ? []
        : [
            {
              path: `/handoffs/${index}/prompt`,
              message:
                "is for an agent of this conversation: `agent` does its work in one turn, so use `when`",
            },
          ],
    ),
  ];
}

function fieldsOf(
  member: ConversationAgentDefinition,
  fields: readonly Field[],
  message: string,
): readonly Issue[] {
  return fields
    .filter((field) => member[field] !== undefined)
    .map((field) => ({ path: `/${field}`, message }));
}

function formatFaults({ responseFormat }: ConversationAgentDefinition): readonly Issue[] {
  if (typeof responseFormat !== "object") return [];
  try {
    checkJsonSchema(responseFormat);
    return [];
  } catch (error) {
    return [{ path: "/responseFormat", message: errorMessage(error) }];
  }
}
