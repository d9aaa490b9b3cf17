// Agents that know of each other, with what each may do.
//
//   NET1. A network is a value. What is under way is counted by run: limits hold in each run for itself.
import { invalidDefinition } from "../../base/invalid-definition.ts";
import type { JsonValue } from "../../base/json.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { NetworkChannel, type ChannelOptions } from "./network-channel.ts";
import { readNetworkRule, type NetworkRule } from "./network-rules.ts";
import { runTask, type TaskOptions, type TaskRecord, type TaskWork } from "./network-task.ts";
import { passportOf, type Passport, type PassportOptions } from "./passport.ts";

/** A member of a network. */
export type NetworkMember = {
  readonly agent: ConversableAgent;
  readonly passport?: PassportOptions;
  /** What it may do and who reaches it, in camelCase or snake_case; see `docs/conversation-network.md`. @default everything */
  readonly rule?: unknown;
  /** Whether a person is asked before it takes part in a channel. @default false: it takes part at once */
  readonly asksFirst?: boolean;
};

/** What is under way in one drive of a run, by the name of who is charged with it. */
type Open = { readonly channels: Map<string, number>; readonly tasks: Map<string, number> };

/** Agents with passports and rules, between whom channels are opened. */
export class Network {
  readonly #members: ReadonlyMap<string, NetworkMember & { readonly read?: NetworkRule }>;
  readonly #open = new WeakMap<object, Open>();

  /** Throws `invalid_definition` for two members of one name, `invalid_input` for a rule that cannot be used. */
  constructor({ members }: { readonly members: readonly NetworkMember[] }) {
    const byName = new Map<string, NetworkMember & { readonly read?: NetworkRule }>();
    for (const member of members) {
      const { agent, rule } = member;
      if (byName.has(agent.name))
        throw invalidDefinition(`two members of the network have the name "${agent.name}"`);
      byName.set(
        agent.name,
        rule === undefined ? member : { ...member, read: readNetworkRule(rule) },
      );
    }
    this.#members = byName;
  }

  /** The names of its members. */
  get names(): readonly string[] {
    return [...this.#members.keys()];
  }

  /** The agent of a name. Throws `invalid_definition` for a stranger. */
  agent(name: string): ConversableAgent {
    return this.#member(name).agent;
  }

  /** The passport of a member, with what these tasks have shown of it. */
  passport(name: string, tasks: readonly TaskRecord[] = []): Passport {
    const { agent, passport } = this.#member(name);
    return passportOf(agent, passport, tasks);
  }

  /** The passports of those who say that they can do something, or know a domain. */
  find(wanted: { readonly capability?: string; readonly domain?: string }): readonly Passport[] {
    const { capability, domain } = wanted;
    return this.names
      .map((name) => this.passport(name))
      .filter(
        ({ capabilities, domains }) =>
          (capability === undefined || capabilities.includes(capability)) &&
          (domain === undefined || domains.includes(domain)),
      );
  }

  /** A channel between members. Throws `invalid_definition` or `forbidden` for one that cannot be opened. */
  channel(options: ChannelOptions): NetworkChannel {
    return new NetworkChannel(this, options);
  }

  /**
   * Has a member do a task, and returns what came of it, also when it failed. In the current run `work` is a part of that run: its
   * steps are its checkpoints.
   */
  task<Result extends JsonValue>(
    options: TaskOptions,
    work: TaskWork<Result>,
  ): Promise<TaskRecord<Result>> {
    return runTask(this, options, work);
  }

  /** The rule of a member; undefined: everything is allowed. */
  readonly ruleOf = (name: string): NetworkRule | undefined => this.#members.get(name)?.read;

  /** Whether a person is asked before a member takes part in a channel. */
  asksFirst(name: string): boolean {
    return this.#member(name).asksFirst === true;
  }

  /** What is under way in a drive. */
  openIn(drive: object): Open {
    let open = this.#open.get(drive);
    if (open === undefined)
      this.#open.set(drive, (open = { channels: new Map(), tasks: new Map() }));
    return open;
  }

  #member(name: string): NetworkMember {
    const member = this.#members.get(name);
    if (member !== undefined) return member;
    throw invalidDefinition(
      `"${name}" is no member of the network; members: ${this.names.join(", ")}`,
    );
  }
}
