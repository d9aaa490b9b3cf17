// A group with people in it over months, and with other processes: what waits for people needs nothing, and forgets nothing.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ConversableAgent } from "../../../../src/conversation/agents/conversable-agent.ts";
import type { GroupChatResult } from "../../../../src/conversation/groups/group-chat-result.ts";
import { DefaultPattern } from "../../../../src/conversation/groups/patterns.ts";
import { groupChatProgram } from "../../../support/group-chat-program.ts";
import { Handoffs } from "../../../../src/conversation/targets/handoffs.ts";
import { agentTarget, terminateTarget } from "../../../../src/conversation/targets/targets.ts";
import { modelCatalog } from "../../../../src/llm/model-catalog.ts";
import type { Script } from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { lines, quiet, speaker } from "../../../support/conversations.ts";
import { openSqlStore } from "../../../support/run-stores.ts";
import { RunWorld } from "../../../support/run-world.ts";

const DAY_MS = 24 * 3_600_000;
const ORDER = ["triage", "expert", "ana", "reviewer", "ben", "writer"];
const PEOPLE = ["ana", "ben"];

/** Six members in turn, two of them people; `calls` notes what was asked of models and tools. */
function incident({ benHasDays }: { readonly benHasDays?: number } = {}) {
  const calls: string[] = [];
  const asked =
    (name: string, script: (seen: string) => ReturnType<Extract<Script, Function>>): Script =>
    ({ messages }) => {
      calls.push(`${name} ${messages.length}`);
      return script(messages.map(({ content }) => content).join("|"));
    };
  const lookUp = tool({
    name: "look_up",
    description: "Look a host up.",
    input: z.object({}),
    run: () => {
      calls.push("look_up");
      return "host 7 is full";
    },
  });
  const time = benHasDays === undefined ? {} : { humanInputTimeout: benHasDays * 86_400 };
  const members = ORDER.map((name, index) => {
    const member = PEOPLE.includes(name)
      ? quiet(name, {
          humanInputMode: "ALWAYS",
          ...(name === "ben" ? { ...time, humanInputDefault: "no objection" } : {}),
        })
      : speaker(
          name,
          asked(name, (seen) =>
            name === "expert" && !seen.includes("host 7")
              ? { toolCalls: [{ name: "look_up", arguments: {} }] }
              : `${name} has read ${seen.split("|").length}`,
          ),
          name === "expert" ? { tools: [lookUp] } : {},
        );
    const next = ORDER[index + 1];
    member.handoffs = new Handoffs().setAfterWork(
      next === undefined ? terminateTarget() : agentTarget(next),
    );
    return member;
  });
  const pattern = new DefaultPattern({
    agents: members,
    initialAgent: members[0] as ConversableAgent,
  });
  const { run } = groupChatProgram({ pattern, messages: "The disk is full" });
  const world = new RunWorld(run, {
    fixture: openSqlStore(),
    models: modelCatalog({ variables: {} }),
  });
  return { world, calls };
}

type Incident = ReturnType<typeof incident>;

const waitsFor = ({ world }: Incident) =>
  world.host.status().then(({ waits }) => waits.map(({ data }) => data?.["agent"]));

async function answered({ world }: Incident, feedback: string): Promise<GroupChatResult> {
  const { waits } = await world.host.status();
  await world.host.resume({ key: waits[0]?.key ?? "", feedback });
  return (await world.rest()).output as GroupChatResult;
}

describe("DC2: a group of six with two people", () => {
  it("waits for 90 days in other processes without an alarm, with each question once and all answers", async () => {
    const undisturbed = incident();
    await undisturbed.world.begin({ kind: "conversation" });
    await answered(undisturbed, "Delete the old logs");
    const whole = await answered(undisturbed, "Agreed");

    const months = incident();
    const { world, calls } = months;
    await world.begin({ kind: "conversation" });
    for (const [person, feedback] of [
      ["ana", "Delete the old logs"],
      ["ben", "Agreed"],
    ] as const) {
      expect(await waitsFor(months)).toEqual([person]);
      expect(world.alarm.dueAtMs).toBeNull();
      const before = { alarms: [...world.alarm.calls], calls: [...calls] };
      for (let day = 0; day < 90; day++) {
        if (day % 30 === 0) world.restart();
        await world.clock.advance(DAY_MS);
        expect(await world.ring()).toBe(false);
      }
      await world.host.poke();
      expect(await waitsFor(months)).toEqual([person]);
      expect({ alarms: world.alarm.calls, calls }).toEqual(before);
      await answered(months, feedback);
    }
    const run = await world.host.status();
    expect(run.status).toBe("completed");
    expect(run.output).toEqual(whole);
    expect(calls).toEqual(undisturbed.calls);
    expect(lines(whole.messages)).toEqual([
      "user: The disk is full",
      "triage: triage has read 2",
      "expert: ",
      "_Group_Tool_Executor: host 7 is full",
      "expert: expert has read 5",
      "ana: Delete the old logs",
      "reviewer: reviewer has read 7",
      "ben: Agreed",
      "writer: writer has read 9",
    ]);
    expect(world.alarm.dueAtMs).toBeNull();
    await expect(world.host.resume({ feedback: "Wait" })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("has an alarm for a person with a time limit, at its end alone", async () => {
    const limited = incident({ benHasDays: 60 });
    const { world } = limited;
    await world.begin({ kind: "conversation" });
    expect(world.alarm.dueAtMs).toBeNull();
    await world.clock.advance(90 * DAY_MS);
    await answered(limited, "Delete the old logs");
    const askedAtMs = world.clock.now();
    world.restart();
    expect(world.alarm.dueAtMs).toBe(askedAtMs + 60 * DAY_MS);
    await world.clock.advance(60 * DAY_MS - 1);
    expect(await world.ring()).toBe(false);
    await world.clock.advance(1);
    const { status, output } = await world.rest();
    expect(status).toBe("completed");
    expect(lines((output as GroupChatResult).messages).slice(-2)).toEqual([
      "ben: no objection",
      "writer: writer has read 9",
    ]);
  });
});
