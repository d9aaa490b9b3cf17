// Beginnings of a new definition, beside the example of the API's description.
import type { TargetKind } from "../../api-types.ts";
import { TEMPLATE_NAMES, type TemplateName } from "../definitions/template-names.ts";

const TEXTS: Readonly<Record<TemplateName, string>> = {
  "chat-of-two": `# A person and a writer answer each other, until the person says "exit".
agents:
  ana: { human: true }
  author: { systemMessage: You write short texts and change them as you are asked. }
chat: { sender: ana, recipient: author }
`,
  "group-chat": `# A manager selects the speakers. The kickoff's message opens the discussion, as ana's.
agents:
  ana: { human: true, description: Decides }
  author: { systemMessage: You write., description: Writes and rewrites }
  critic: { systemMessage: You criticise., description: Finds mistakes }
chat:
  sender: ana
  groupChat: { agents: [ana, author, critic], maxRound: 12, speakerSelectionMethod: auto }
`,
  "queue-of-chats": `# Chats in sequence: each receives the summaries of those before it.
agents:
  editor: { systemMessage: You ask for one text at a time. }
  author: { systemMessage: You write. }
  reviewer: { systemMessage: You name the weakest sentence. }
sender: editor
chats:
  - { recipient: author, message: Write a paragraph about tea., maxTurns: 2 }
  - { recipient: reviewer, message: Review the paragraph., maxTurns: 1 }
  - { recipient: author, message: Improve it., maxTurns: 1 }
`,
  "nested-chats": `# The author may consult the critic in a chat of their own; its summary is a message of the conversation.
agents:
  author:
    systemMessage: You write.
    handoffs:
      - prompt: The text needs criticism.
        to:
          nested:
            - { recipient: critic, message: Criticise the text., maxTurns: 2 }
    afterWork: editor
  critic: { systemMessage: You criticise. }
  editor: { systemMessage: You write the last version., afterWork: terminate }
pattern: { kind: default, initialAgent: author }
maxRounds: 10
`,
};

/** Returns the text of a template; undefined if the kind has none of this name. */
export function templateOf(kind: TargetKind, name: string | undefined): string | undefined {
  const known = TEMPLATE_NAMES[kind].find(({ id }) => id === name);
  return known === undefined ? undefined : TEXTS[known.id];
}
