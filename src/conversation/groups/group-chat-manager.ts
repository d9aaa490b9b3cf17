// The manager of a group chat. Agents talk to it as to any other agent, alone or as members of another group.
import { memberOptions } from "../agents/member-option-names.ts";
import { refuseUnknownOptions } from "../../base/unknown-options.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { ConversableAgent } from "../agents/conversable-agent.ts";
import type { ConversableAgentOptions } from "../agents/conversable-agent-options.ts";
import { ChatPlace } from "../chats/chat-place.ts";
import type { GroupHost, HostedTalk } from "../chats/group-host.ts";
import type { Talk } from "../chats/talk.ts";
import type { ConversationMessage } from "../messages.ts";
import { readMessage } from "../messages.ts";
import { resumedMessages, type ResumedMessages } from "../resumed-messages.ts";
import { lastMessageSummary } from "../summary-text.ts";
import type { StepsReply, StepsRequest } from "../turns/reply-function.ts";
import type { Group } from "./group.ts";
import type { GroupChat } from "./group-chat.ts";
import { introduction } from "./introduction.ts";
import { runGroup, type GroupOpening } from "./group-loop.ts";
import { classicSelection } from "./selection/classic-selection.ts";

/** Options of a manager: an agent's options, and a group chat. */
export type GroupChatManagerOptions = Omit<ConversableAgentOptions, "name" | "tools"> & {
  readonly groupChat: GroupChat;
  /** @default "chat_manager" */
  readonly name?: string;
};

const NAME = "chat_manager";

const OPTIONS = memberOptions<GroupChatManagerOptions & ConversableAgentOptions>(
  "new GroupChatManager()",
  { groupChat: true },
  { groupchat: "write groupChat" },
);

/** Lets the members of a group chat discuss received messages. Its `isTerminationMsg` ends the chat. */
export class GroupChatManager extends ConversableAgent {
  readonly groupChat: GroupChat;
  readonly #group: Group;

  /** Throws `invalid_definition` for fewer than two members, and for tools: those belong to members. */
  constructor(all: GroupChatManagerOptions) {
    refuseUnknownOptions(all, OPTIONS, new.target !== GroupChatManager);
    const { groupChat, ...options } = all;
    super({
      name: NAME,
      systemMessage: "You manage a group chat.",
      humanInputMode: "NEVER",
      maxConsecutiveAutoReply: Number.MAX_SAFE_INTEGER,
      ...options,
    });
    if ("tools" in options && ((options.tools as readonly unknown[] | undefined)?.length ?? 0) > 0)
      throw invalidDefinition(
        "the manager of a group chat takes no tools: give them to its members",
      );
    if (groupChat === undefined)
      throw invalidDefinition("the manager of a group chat needs it as `groupChat`");
    this.groupChat = groupChat;
    this.#group = groupOf(this, groupChat);
    this.registerSteps(
      () => true,
      (place, { talk, sender, messages }) => this.#answer(talk, place, { sender, messages }),
      { position: 0 },
    );
  }

  override get host(): GroupHost {
    return {
      members: this.groupChat.agents,
      talkAbout: async (talk, place, { initiator, message, clearHistory, goesOn }) => {
        if (this.groupChat.agents.every((each) => each !== initiator))
          talk.tell(
            initiator,
            this,
            readMessage(message, { name: initiator.name, role: "assistant" }),
          );
        const isFirst = clearHistory || talk.transcript(this).length === 0;
        return this.#talk(talk, place, {
          speaker: initiator.name,
          message,
          clearHistory,
          goesOn,
          ...(isFirst ? { history: this.#history() } : undefined),
        });
      },
    };
  }

  /**
   * Reads the messages of an earlier chat: a list, or its JSON. The result begins a group chat that continues there:
   * pass `messages: history` to the group chat, and let `lastAgent` send `lastMessage`. Throws `invalid_input` for
   * messages of unknown authors.
   */
  resume(
    messages: unknown,
    {
      removeTerminationString,
    }: { readonly removeTerminationString?: string | ((content: string) => string) } = {},
  ): ResumedMessages {
    const { agentNames: members, options } = this.groupChat;
    const { adminName = "Admin" } = options;
    const group = { members, manager: this.name, adminName };
    return resumedMessages(messages, group, removeTerminationString);
  }

  async #talk(talk: Talk, place: ChatPlace, opening: GroupOpening): Promise<HostedTalk> {
    const { transcript, ...rest } = await runGroup(talk, place, { group: this.#group, opening });
    return { ...rest, messages: transcript };
  }

  /** Returns the manager's answer as a member of another group: the result of its own group. */
  async #answer(
    talk: Talk,
    place: RunScope,
    { sender, messages }: Pick<StepsRequest, "sender" | "messages">,
  ): Promise<StepsReply> {
    const message = messages.at(-1);
    if (message === undefined) return { usage: [] };
    const chat = new ChatPlace(place);
    const { name: speaker = sender.name } = message;
    const history = this.#history();
    const ended = await this.#talk(talk.apart(), chat, { speaker, message, history });
    const content = lastMessageSummary(ended.messages.at(-1));
    const reply = { role: "assistant", content, name: this.name } as const;
    return { reply, usage: [chat.cost.byAgent] };
  }

  #history(): readonly ConversationMessage[] {
    const { messages = [] } = this.groupChat.options;
    return messages.map((each) => readMessage(each, { name: this.name, role: "user" }));
  }
}

function groupOf(manager: ConversableAgent, chat: GroupChat): Group {
  const { agents: members, maxRound: maxRounds, options } = chat;
  const {
    sendIntroductions = false,
    funcCallFilter = true,
    selectSpeakerAutoLlm,
    compat,
  } = options;
  const chooser =
    selectSpeakerAutoLlm === undefined
      ? manager
      : new ConversableAgent({ name: "speaker_selection_agent", llm: selectSpeakerAutoLlm });
  const needsModel = chat.method === "auto" && chooser.llm === false;
  if (needsModel)
    throw invalidDefinition(
      "a model selects the speakers of this group chat, and none is set: give the manager an `llm`, or the group chat `selectSpeakerAutoLlm`, or another speakerSelectionMethod",
    );
  return {
    manager,
    members,
    maxRounds,
    selection: classicSelection({
      method: chat.method,
      transitions: chat.transitions,
      allowRepeatSpeaker: chat.allowRepeatSpeaker,
      filtersByFunction: funcCallFilter,
      policies: options.eligibilityPolicies ?? [],
      chooser,
      maxRetries: chat.maxRetries,
      texts: chat.selectionTexts,
      role: options.roleForSelectSpeakerMessages ?? "system",
      isVerbose: options.selectSpeakerAutoVerbose ?? false,
      transform: options.selectSpeakerTransformMessages?.transform,
      compat,
    }),
    enableClearHistory: options.enableClearHistory,
    endsOnSilence: compat !== undefined,
    ...(sendIntroductions ? { introduction: introduction(members) } : undefined),
  };
}
