import { describe, expect, it } from "vitest";
import * as z from "zod";
import { chatProgram } from "../../../../src/conversation/chats/initiate-chat.ts";
import { groupChatProgram } from "../../../support/group-chat-program.ts";
import { RoundRobinPattern } from "../../../../src/conversation/groups/patterns.ts";
import type { ConversationMessage } from "../../../../src/conversation/messages.ts";
import { loopDetector } from "../../../../src/conversation/observers/loop-detector.ts";
import type { Alert } from "../../../../src/conversation/observers/observer.ts";
import { tokenMonitor } from "../../../../src/conversation/observers/token-monitor.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { quiet } from "../../../support/conversations.ts";
import { calling } from "../../../support/crew-harness.ts";
import { cutAfterEveryWrite, runWhole } from "../../../support/cut-off.ts";

const call = (name: string, input: string): ConversationMessage => ({
  role: "assistant",
  content: null,
  toolCalls: [{ id: "1", name, arguments: input }],
});
const words: ConversationMessage = { role: "user", content: "go on" };

/** What a detector says after each of these messages. */
function alertsOf(
  messages: readonly ConversationMessage[],
  options: Parameters<typeof loopDetector>[0] = {},
): readonly number[] {
  const { observe } = loopDetector(options);
  return messages.map(
    (_, index) =>
      observe({
        agent: "a",
        messages: messages.slice(0, index + 1),
        tokens: { before: 0, after: 0 },
      }).length,
  );
}

describe("OBL1: the loop detector", () => {
  const same = call("look", '{"a":1,"b":2}');
  it("raises one alert for equal calls in a row", () => {
    expect(alertsOf([same, words, same, same, same, same])).toEqual([0, 0, 0, 1, 0, 0]);
  });

  it("raises another one for another loop", () => {
    const other = call("look", '{"a":2}');
    expect(alertsOf([same, same, same, other, same, same, same])).toEqual([0, 0, 1, 0, 0, 0, 1]);
  });

  it("OBL2: ignores the format of the arguments, and looks as far back as its window", () => {
    const spaced = call("look", '{ "b": 2, "a": 1 }');
    expect(alertsOf([same, spaced, same])).toEqual([0, 0, 1]);
    expect(alertsOf([call("look", "{broken"), call("look", "{broken")], { repeat: 2 })).toEqual([
      0, 1,
    ]);
    expect(() => loopDetector({ repeat: 1 })).toThrow(/at least 2 calls/);
    expect(() => loopDetector({ window: 2 })).toThrow(/got repeat 3, window 2/);
  });

  it("finds a loop inside one message", () => {
    const { toolCalls = [] } = same;
    const thrice = { ...same, toolCalls: [...toolCalls, ...toolCalls, ...toolCalls] };
    expect(alertsOf([thrice, same])).toEqual([1, 0]);
  });
});

it("OBT1: the token monitor raises an alert in the turn that passes a limit", () => {
  const { observe } = tokenMonitor();
  const at = (before: number, after: number): readonly Alert["severity"][] =>
    observe({ agent: "a", messages: [], tokens: { before, after } }).map(
      ({ severity }) => severity,
    );
  expect(at(0, 49_999)).toEqual([]);
  expect(at(49_999, 50_000)).toEqual(["warning"]);
  expect(at(50_000, 99_999)).toEqual([]);
  expect(at(40_000, 120_000)).toEqual(["warning", "critical"]);
  expect(at(120_000, 130_000)).toEqual([]);
  expect(() => tokenMonitor({ warnAt: 5, alertAt: 4 })).toThrow(/warnAt 5, alertAt 4/);
});

describe("OBS1: alerts", () => {
  const looping = (severity: Alert["severity"], calls: string[] = []) => {
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({}),
      run: () => void calls.push("look"),
    });
    return quiet("a", {
      llm: scriptedModel(() => calling("look")),
      tools: [look],
      observers: [loopDetector({ severity })],
    });
  };
  const alerts = (events: ReadonlyArray<{ readonly type: string }>) =>
    events.filter(({ type }) => type === "chat_alert_raised");

  it("are events, and a conversation continues after a warning", async () => {
    const agents = [looping("warning")];
    const pattern = new RoundRobinPattern({ agents, initialAgent: agents[0] as never });
    const { events, run } = await runWhole({
      program: groupChatProgram({ pattern, messages: "Go", maxRounds: 11 }),
    });
    expect(run.output).toMatchObject({ rounds: 11 });
    expect(alerts(events)).toMatchObject([
      {
        agent: "a",
        observer: "loop_detector",
        severity: "warning",
        message: "a called look 3 times in a row with the same arguments",
      },
    ]);
  });

  it("end a group before the call when fatal, wherever the process dies", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const calls: string[] = [];
      const agents = [looping("fatal", calls)];
      const pattern = new RoundRobinPattern({ agents, initialAgent: agents[0] as never });
      return { program: groupChatProgram({ pattern, messages: "Go", maxRounds: 20 }), calls };
    });
    expect(whole.run.output).toMatchObject({
      reason: "loop_detector: a called look 3 times in a row with the same arguments",
    });
    expect(whole.calls).toEqual(["look", "look"]);
    expect(alerts(whole.events)).toHaveLength(1);
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });

  it("end a chat of two when fatal", async () => {
    const spender = quiet("spender", {
      llm: scriptedModel(() => "words"),
      observers: [tokenMonitor({ warnAt: 1, alertAt: 20, severity: "fatal" })],
    });
    const { run } = await runWhole({
      program: chatProgram([quiet("user", { defaultAutoReply: "More" }), spender], {
        message: "Go",
      }),
    });
    expect((run.output as { reason?: string }).reason).toMatch(
      /^token_monitor: the run has consumed \d+ tokens, the limit is 20$/,
    );
  });
});
