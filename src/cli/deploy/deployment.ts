import type { Clock } from "../../base/clock.ts";
import type { Cloud, Place } from "../cloud/cloud.ts";
import type { Environment } from "../environment.ts";

/** Inputs of a deployment. */
export type Deployment = {
  readonly cloud: Cloud;
  readonly environment: Environment;
  /** The project's folder. */
  readonly folder: string;
  readonly place: Place;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/** State of one resource of a step in the account. */
export type Action = {
  readonly about: string;
  readonly state: "there" | "to create" | "to change" | "to do" | "not known";
  /** Command for the change, to show to people. */
  readonly command?: string;
  /** Changes the resource. Absent if there is no change to make. Safe to repeat. */
  readonly run?: () => Promise<void>;
};

/** A step. It asks the account, changes no resource, and returns the missing ones. */
export type DeployStep = {
  readonly name: string;
  readonly look: (deployment: Deployment) => Promise<readonly Action[]>;
};

/** Runs one after the other: each starts a process of its own. */
export async function eachInTurn<Item, Result>(
  items: readonly Item[],
  look: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await look(item));
  return results;
}
