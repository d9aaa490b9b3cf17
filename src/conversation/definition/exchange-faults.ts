// Chats of a conversation defined as data, in place of a pattern.
//
//   CDX1. A definition has one exchange: `pattern`, `graph`, `chat` or `chats`. Fields of another exchange are refused.
//   CDX2. Chats mean the same as in code: names are members, and a group chat has a manager with a model of its own.
import type { Issue } from "../../base/error.ts";
import { pointerPart } from "../../base/json-pointer.ts";
import type { ConversationForm } from "./definition-schema.ts";
import type { ChatDefinition } from "./exchange-schema.ts";

/** A chat of a definition, with its JSON pointer. */
export type PlacedChat = { readonly chat: ChatDefinition; readonly path: string };

/** Returns the chats of a definition; none for patterns and graphs. */
export function chatsIn({ chat, chats = [] }: ConversationForm): readonly PlacedChat[] {
  const queue = chats.map((each, index) => ({ chat: each, path: `/chats/${index}` }));
  return chat === undefined ? queue : [{ chat, path: "/chat" }, ...queue];
}

const EXCHANGES = ["pattern", "graph", "chat", "chats"] as const;
/** Fields of patterns and graphs. */
const OF_PATTERNS = [
  "contextVariables",
  "missingVariables",
  "terminationText",
  "summaryMethod",
  "summaryPrompt",
  "sendIntroductions",
] as const satisfies readonly (keyof ConversationForm)[];

/** Returns the faults of chats. `memberFaults` finds unknown names. */
export function exchangeFaults(
  form: ConversationForm,
  memberFaults: (name: string | undefined, path: string) => readonly Issue[],
): readonly Issue[] {
  const [first, other] = EXCHANGES.filter((kind) => form[kind] !== undefined);
  const isChat = form.chat !== undefined || form.chats !== undefined;
  if (other !== undefined && isChat)
    return [{ path: `/${other}`, message: `expected \`${first}\` or \`${other}\`, got both` }];
  if (form.sender !== undefined && form.chats === undefined)
    return [{ path: "/sender", message: "is for `chats`: a chat has its own `sender`" }];
  if (!isChat) return [];
  return [
    ...chatsIn(form).flatMap((placed) => chatFaults(placed, form.sender, memberFaults)),
    ...memberFaults(form.sender, "/sender"),
    ...unusedFields(form),
  ];
}

function chatFaults(
  { chat, path }: PlacedChat,
  shared: string | undefined,
  memberFaults: (name: string | undefined, path: string) => readonly Issue[],
): readonly Issue[] {
  const { recipient, groupChat: group, sender = shared } = chat;
  const issues: Issue[] = [
    ...memberFaults(chat.sender, `${path}/sender`),
    ...memberFaults(recipient, `${path}/recipient`),
    ...(group?.agents ?? []).flatMap((each, index) =>
      memberFaults(each, `${path}/groupChat/agents/${index}`),
    ),
  ];
  if (sender === undefined)
    issues.push({ path: `${path}/sender`, message: "is required: the name of an agent" });
  if ((recipient === undefined) === (group === undefined))
    issues.push({
      path: `${path}/recipient`,
      message: `expected \`recipient\` or \`groupChat\`, got ${group === undefined ? "neither" : "both"}`,
    });
  if (recipient !== undefined && recipient === sender)
    issues.push({ path: `${path}/recipient`, message: "expected another agent than the sender" });
  return issues;
}

/** Returns an issue for each field that only patterns and graphs use. */
function unusedFields(form: ConversationForm): readonly Issue[] {
  const message = `has no effect beside \`${form.chat === undefined ? "chats" : "chat"}\``;
  const handing = Object.entries(form.agents).flatMap(([agent, { handoffs, afterWork }]) =>
    Object.entries({ handoffs, afterWork })
      .filter(([, value]) => value !== undefined)
      .map(([field]) => ({ path: `/agents/${pointerPart(agent)}/${field}`, message })),
  );
  const unused = OF_PATTERNS.filter(
    (field) => form[field] !== undefined && !isEmptyObject(form[field]),
  );
  return [...handing, ...unused.map((field) => ({ path: `/${field}`, message }))];
}

/** A checked definition without context variables has an empty object of them. */
function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
