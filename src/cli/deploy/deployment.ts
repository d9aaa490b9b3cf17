import type { Clock } from "../../base/clock.ts";
import type { Cloud, Place } from "../cloud/cloud.ts";
import type { Environment } from "../environment.ts";

/** What a deployment is made from. */
export type Deployment = {
  readonly cloud: Cloud;
  readonly environment: Environment;
  /** The project's folder. */
  readonly folder: string;
  readonly place: Place;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/** One thing that a step is about, as the account has it now. */
export type Action = {
  readonly about: string;
  readonly state: "there" | "to create" | "to change" | "to do" | "not known";
  /** The command that does it, for people. */
  readonly command?: string;
  /** Nothing where it is there. Safe to repeat. */
  readonly run?: () => Promise<void>;
};

/** A step: asks the account, changes nothing, and answers what is missing. */
export type DeployStep = {
  readonly name: string;
  readonly look: (deployment: Deployment) => Promise<readonly Action[]>;
};

/** One after the other: each starts a process of its own. */
export async function eachInTurn<Item, Result>(
  items: readonly Item[],
  look: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (const item of items) results.push(await look(item));
  return results;
}
