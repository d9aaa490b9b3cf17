// What a model that selects speakers is sent, and what of it is screened.
import { describe, expect, it } from "vitest";
import { TransformMessages } from "../../../../src/conversation/capabilities/transform-messages.ts";
import { chatProgram } from "../../../../src/conversation/chats/initiate-chat.ts";
import {
  GroupChat,
  type GroupChatOptions,
} from "../../../../src/conversation/groups/group-chat.ts";
import { GroupChatManager } from "../../../../src/conversation/groups/group-chat-manager.ts";
import { messageHistoryLimiter, textCompressor } from "../../../../src/conversation/transforms.ts";
import { scriptedModel, type Script } from "../../../../src/llm/scripted/scripted-model.ts";
import { quiet, scripted } from "../../../support/conversations.ts";
import { cutAfterEveryWrite } from "../../../support/cut-off.ts";

/** Selects the member whose turn it is in `a, b, c`, whatever it is sent. */
const inTurn: Script = (_, call) => ["a", "b", "c"][call % 3] ?? "a";

function group(selecting: Script, options: Partial<GroupChatOptions> = {}) {
  const agents = ["a", "b", "c"].map((name) => scripted(name, () => `Code 1234 of ${name}.`));
  const model = scriptedModel(selecting);
  const groupChat = new GroupChat({ agents, maxRound: 5, ...options });
  const manager = new GroupChatManager({ groupChat, llm: model });
  const opener = quiet("opener");
  return { model, manager, opener };
}

/** The texts of one call, without the instructions and the question. */
const shownIn = ({ model }: ReturnType<typeof group>, index: number): readonly unknown[] =>
  (model.calls[index]?.request.messages ?? []).slice(1, -1).map(({ content }) => content);

const namesOf = (result: {
  readonly group?: { readonly messages: ReadonlyArray<{ name?: string }> };
}) => result.group?.messages.map(({ name }) => name);

describe("the messages for a model's selection", () => {
  it("AMD3: transforms shorten it, while members see everything", async () => {
    const limited = group(inTurn, {
      selectSpeakerTransformMessages: new TransformMessages([
        messageHistoryLimiter({ maxMessages: 2 }),
      ]),
    });
    const { opener, manager } = limited;
    const result = await opener.initiateChat(manager, { message: "Begin" });
    expect(namesOf(result)).toEqual(["opener", "a", "b", "c", "a"]);
    expect(shownIn(limited, 0)).toEqual(["opener: Begin"]);
    expect(shownIn(limited, 3)).toEqual(["b: Code 1234 of b.", "c: Code 1234 of c."]);
    const whole = group(inTurn);
    await whole.opener.initiateChat(whole.manager, { message: "Begin" });
    expect(shownIn(whole, 3)).toHaveLength(4);
  });

  it("AMD3: the state of a transform lasts from round to round, wherever the process dies", async () => {
    const made = () => {
      const calls: string[] = [];
      const compress = (text: string): string => {
        calls.push(text);
        return text.slice(0, 4);
      };
      const { manager, opener } = group(
        ({ messages }) => ["a", "b", "c"][messages.length - 3] ?? "a",
        { selectSpeakerTransformMessages: new TransformMessages([textCompressor({ compress })]) },
      );
      return { calls, program: chatProgram([opener, manager], { message: "Begin" }) };
    };
    const { whole, cut } = await cutAfterEveryWrite(made);
    expect(whole.run.error).toBeUndefined();
    expect(whole.calls).toEqual(["Begin", "Code 1234 of a.", "Code 1234 of b.", "Code 1234 of c."]);
    expect(cut.length).toBeGreaterThan(8);
    for (const { course } of cut) expect(course).toEqual(whole.course);
  });
});

const policy = (agentTo: string, message: string, action: string) => ({
  agent_environment_safeguards: {
    llm_interaction: [
      {
        message_source: agentTo,
        message_destination: message,
        check_method: "regex",
        pattern: "\\d{4}",
        action,
      },
    ],
  },
});

describe("the screening of a selection", () => {
  it("AMD2: a policy masks the model's input", async () => {
    const masked = group(inTurn);
    const { opener, manager } = masked;
    await opener.initiateChat(manager, {
      message: "Begin",
      safeguardPolicy: policy("chat_manager", "llm", "mask"),
    });
    expect(shownIn(masked, 2)).toContain("a: Code [SENSITIVE_INFO] of a.");
  });

  it("AMD2: a blocked request leaves the choice to the order of members, without a model call", async () => {
    const { model, opener, manager } = group(() => "c");
    const result = await opener.initiateChat(manager, {
      message: "Code 9999",
      safeguardPolicy: policy("chat_manager", "llm", "block"),
    });
    expect(model.calls).toHaveLength(0);
    expect(namesOf(result)).toEqual(["opener", "a", "b", "c", "a"]);
  });

  it("AMD2: the hooks of the asked agent see the request and the answer", async () => {
    const { opener, manager, model } = group(() => "a");
    manager.registerHook("safeguard_llm_inputs", (messages) => messages.slice(0, -1));
    manager.registerHook("safeguard_llm_outputs", (message) => ({ ...message, content: "b" }));
    const result = await opener.initiateChat(manager, { message: "Begin" });
    expect(namesOf(result)?.slice(0, 2)).toEqual(["opener", "b"]);
    expect(model.calls[0]?.request.messages.at(-1)?.content).toBe("opener: Begin");
  });
});
