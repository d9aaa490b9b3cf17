// Agents that know each other, with their permissions.
//
//   NET1. A network is a value. Open channels and tasks are counted per run, so limits apply to each run separately.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import type { JsonValue } from "../../base/json.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { NetworkChannel, type ChannelOptions } from "./network-channel.ts";
import type { NetworkView, OpenWork } from "./network-view.ts";
import { readNetworkRule, type NetworkRule } from "./network-rules.ts";
import { runTask, type TaskOptions, type TaskWork } from "./network-task.ts";
import { passportOf, type Passport, type PassportOptions } from "./passport.ts";
import type { TaskRecord } from "./task-record.ts";

/** A member of a network. */
export type NetworkMember = {
  readonly agent: ConversableAgent;
  readonly passport?: PassportOptions;
  /** Its permissions, in camelCase or snake_case; see `docs/conversation-network.md`. @default everything is allowed */
  readonly rule?: unknown;
  /** Asks a person before it joins a channel. @default false: it joins at once */
  readonly asksFirst?: boolean;
};

const OPTIONS = definitionOptions<{ members: readonly NetworkMember[] }>("new Network()", {
  members: true,
});

const MEMBER_OPTIONS = definitionOptions<NetworkMember>("a member of a network", {
  agent: true,
  passport: true,
  rule: true,
  asksFirst: true,
});

/** Agents with passports and rules, and the channels between them. */
export class Network implements NetworkView {
  readonly #members: ReadonlyMap<string, NetworkMember & { readonly read?: NetworkRule }>;
  readonly #open = new WeakMap<object, OpenWork>();

  /** Throws `invalid_definition` for two members of one name, `invalid_input` for an invalid rule. */
  constructor(options: { readonly members: readonly NetworkMember[] }) {
    refuseUnknownOptions(options, OPTIONS, new.target !== Network);
    const { members } = options;
    const byName = new Map<string, NetworkMember & { readonly read?: NetworkRule }>();
    for (const member of members) {
      refuseUnknownOptions(member, MEMBER_OPTIONS);
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

  /** Returns the agent of a name. Throws `invalid_definition` for an unknown name. */
  agent(name: string): ConversableAgent {
    return this.#member(name).agent;
  }

  /** Returns a member's passport, with capabilities observed in these tasks. */
  passport(name: string, tasks: readonly TaskRecord[] = []): Passport {
    const { agent, passport } = this.#member(name);
    return passportOf(agent, passport, tasks);
  }

  /** Returns the passports of members that declare a capability or a domain. */
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

  /** Makes a channel between members. Throws `invalid_definition` or `forbidden` for one that cannot be opened. */
  channel(options: ChannelOptions): NetworkChannel {
    return new NetworkChannel(this, options);
  }

  /**
   * Lets a member do a task, and returns its record, also after a failure. In the current run `work` belongs to that
   * run: its steps are its checkpoints.
   */
  task<Result extends JsonValue>(
    options: TaskOptions,
    work: TaskWork<Result>,
  ): Promise<TaskRecord<Result>> {
    return runTask(this, options, work);
  }

  /** The rule of a member; undefined: everything is allowed. */
  readonly ruleOf = (name: string): NetworkRule | undefined => this.#members.get(name)?.read;

  /** True if a person is asked before a member joins a channel. */
  asksFirst(name: string): boolean {
    return this.#member(name).asksFirst === true;
  }

  /** Returns the open channels and tasks of a drive. */
  openIn(drive: object): OpenWork {
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
