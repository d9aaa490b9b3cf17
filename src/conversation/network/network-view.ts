import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { NetworkRule } from "./network-rules.ts";
import type { Passport } from "./passport.ts";
import type { TaskRecord } from "./task-record.ts";

/** Open channels and tasks in one drive of a run, by the name of the charged member. */
export type OpenWork = {
  readonly channels: Map<string, number>;
  readonly tasks: Map<string, number>;
};

/** A network as its channels and tasks see it: `Network` without the methods that start them. */
export interface NetworkView {
  /** Returns the agent of a name. Throws `invalid_definition` for an unknown name. */
  agent(name: string): ConversableAgent;
  /** Returns a member's passport, with capabilities observed in these tasks. */
  passport(name: string, tasks?: readonly TaskRecord[]): Passport;
  /** The rule of a member; undefined: everything is allowed. */
  readonly ruleOf: (name: string) => NetworkRule | undefined;
  /** True if a person is asked before a member joins a channel. */
  asksFirst(name: string): boolean;
  /** Returns the open channels and tasks of a drive. */
  openIn(drive: object): OpenWork;
}
