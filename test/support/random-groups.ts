// Groups by chance: who takes part, who hands over to whom and when, and what people say. The same seed gives the same group.
import { fingerprint, fraction } from "../../src/base/hash.ts";
import type { JsonObject } from "../../src/base/json.ts";
import type { ConversableAgent } from "../../src/conversation/agents/conversable-agent.ts";
import {
  Handoffs,
  onCondition,
  onContextCondition,
} from "../../src/conversation/targets/handoffs.ts";
import {
  AutoPattern,
  DefaultPattern,
  GraphPattern,
  ManualPattern,
  RandomPattern,
  RoundRobinPattern,
  type GroupPattern,
} from "../../src/conversation/groups/patterns.ts";
import { groupChatProgram } from "./group-chat-program.ts";
import type { PatternOptions } from "../../src/conversation/groups/pattern-options.ts";
import {
  agentTarget,
  askUserTarget,
  functionTarget,
  groupManagerTarget,
  nestedChatTarget,
  randomAgentTarget,
  revertToUserTarget,
  stayTarget,
  terminateTarget,
  type TransitionTarget,
} from "../../src/conversation/targets/targets.ts";
import type { TransitionGraph } from "../../src/conversation/targets/transition-graph.ts";
import { scriptedModel } from "../../src/llm/scripted/scripted-model.ts";
import type { Subject } from "./cut-off.ts";
import { quiet } from "./conversations.ts";

/** Numbers by chance, the same for the same seed. */
class Chance {
  readonly #seed: string;
  #count = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** From 0 to below 1. */
  next(): number {
    return fraction(`${this.#seed}:${this.#count++}`);
  }

  /** An integer from 0 to below `most`. */
  below(most: number): number {
    return Math.floor(this.next() * most);
  }

  one<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  is(share: number): boolean {
    return this.next() < share;
  }
}

const VARIABLES = ["x", "y"] as const;

/** What a run has that is made of a random group: a program, and what its people answer. */
export function randomGroup(seed: number): Subject {
  const chance = new Chance(`group ${seed}`);
  const names = ["a", "b", "c", "d", "e"].slice(0, 2 + chance.below(4));
  const people = names.filter(() => chance.is(0.25));
  const members = names.map((name) => memberOf(name, people.includes(name), chance));
  const userAgent = quiet("user", { humanInputMode: "ALWAYS" });
  const options: PatternOptions = {
    agents: members,
    initialAgent: chance.one(members),
    userAgent,
    contextVariables: { x: 0, y: chance.below(3) },
    groupManager: { llm: answering("manager", [...names, "nobody"]) },
    excludeTransitMessage: chance.is(0.7),
  };
  for (const member of members) member.handoffs = handoffsOf(names, chance);
  const pattern = patternOf(options, names, chance);
  const maxRounds = 4 + chance.below(6);
  return {
    program: groupChatProgram({ pattern, messages: "Begin", maxRounds }),
    answer: ({ key }) => {
      const said = fraction(fingerprint(`${seed}:${key}`));
      return { feedback: said < 0.1 ? "exit" : said < 0.3 ? "" : `person ${key.length % 7}` };
    },
  };
}

/** A model whose answer depends on what it is sent, and on nothing else. */
function answering(name: string, words: readonly string[]): ReturnType<typeof scriptedModel> {
  return scriptedModel(({ messages, tools = [] }) => {
    const seen = fingerprint(JSON.stringify(messages), name);
    const number = fraction(seen);
    const called = tools[Math.floor(number * tools.length * 2)];
    return called === undefined
      ? (words[Math.floor(number * words.length)] ?? "")
      : { toolCalls: [{ name: called.name, arguments: {} }] };
  });
}

function memberOf(name: string, isPerson: boolean, chance: Chance): ConversableAgent {
  if (isPerson) return quiet(name, { humanInputMode: "ALWAYS" });
  const variable = chance.one(VARIABLES);
  const member = quiet(name, { llm: answering(name, [`${name} speaks`, `${name} again`]) });
  if (chance.is(0.2))
    member.registerReply(
      () => true,
      ({ messages }) => ({ final: messages.length % 3 === 0, reply: null }) as const,
    );
  if (chance.is(0.5))
    member.registerReply(
      () => true,
      ({ contextVariables }) => {
        contextVariables.set(variable, Number(contextVariables.get(variable, 0)) + 1);
        return undefined;
      },
    );
  return member;
}

function handoffsOf(names: readonly string[], chance: Chance): Handoffs {
  const condition = (): string => `\${${chance.one(VARIABLES)}} > ${chance.below(4)}`;
  let handoffs = new Handoffs();
  for (let count = chance.below(3); count > 0; count--) {
    const target = targetOf(names, chance);
    handoffs = handoffs.add(
      chance.is(0.5)
        ? onCondition({ target, condition: "when it fits" })
        : onContextCondition({ target, condition: condition(), available: condition() }),
    );
  }
  if (chance.is(0.7)) handoffs = handoffs.setAfterWork(targetOf(names, chance));
  return chance.is(0.3)
    ? handoffs.addAfterWork(
        onContextCondition({ target: targetOf(names, chance), condition: condition() }),
      )
    : handoffs;
}

function targetOf(names: readonly string[], chance: Chance): TransitionTarget {
  const inner = quiet("inner", { llm: answering("inner", ["inner words"]) });
  const next = chance.one(names);
  return chance.one<() => TransitionTarget>([
    () => agentTarget(next),
    () => agentTarget(next),
    stayTarget,
    terminateTarget,
    revertToUserTarget,
    askUserTarget,
    () => randomAgentTarget([...names, "user"]),
    () => groupManagerTarget(),
    () => nestedChatTarget([{ recipient: inner, message: "look", maxTurns: 1 }]),
    () =>
      functionTarget((_, variables) => {
        variables.set("y", Number(variables.get("y", 0)) + 1);
        return { target: agentTarget(next), messages: "by a function" };
      }),
  ])();
}

function patternOf(
  options: PatternOptions,
  names: readonly string[],
  chance: Chance,
): GroupPattern {
  const { initialAgent: _, ...rest } = options;
  return chance.one<() => GroupPattern>([
    () => new DefaultPattern({ ...options, groupAfterWork: targetOf(names, chance) }),
    () => new DefaultPattern(options),
    () => new AutoPattern(options),
    () => new RoundRobinPattern(options),
    () => new RandomPattern(options),
    () => new ManualPattern(options),
    () => new GraphPattern({ ...rest, graph: graphOf(names, chance) }),
  ])();
}

function graphOf(names: readonly string[], chance: Chance): TransitionGraph {
  const term = (name: string, args: JsonObject = {}): { name: string; args: JsonObject } => ({
    name,
    args,
  });
  const target = (): { name: string; args: JsonObject } =>
    chance.one([
      term("agent", { agentId: chance.one(names) }),
      term("round_robin"),
      term("stay"),
      term("revert_to_initiator"),
      term("terminate", { reason: "enough" }),
    ]);
  const transitions = Array.from({ length: 1 + chance.below(4) }, () => ({
    when: chance.one([
      term("always"),
      term("from_speaker", { agentId: chance.one(names) }),
      term("context_equals", { key: "y", value: chance.below(4) }),
    ]),
    // oxlint-disable-next-line unicorn/no-thenable -- how graphs are written
    then: target(),
    priority: chance.below(3),
  }));
  return {
    initialSpeaker: chance.one(names),
    transitions,
    defaultTarget: chance.is(0.5) ? target() : null,
    maxTurns: 3 + chance.below(5),
  };
}
