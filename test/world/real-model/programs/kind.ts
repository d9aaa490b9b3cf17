// A kind of program: makes one from random numbers, and runs it against the real model.
import type { ModelSettings } from "../../../../src/index.ts";
import type { Random } from "../../support/random.ts";
import type { DoorWorker } from "../doors/door-worker.ts";
import type { ChatServer } from "../server/chat-server.ts";

export type Bench = {
  readonly random: Random;
  readonly server: ChatServer;
  /** The model as an agent names it. Limits are small, so that a run takes seconds. */
  readonly llm: (settings?: Partial<ModelSettings>) => ModelSettings & { readonly model: string };
  readonly embedder: object;
  /** A Worker with this model, which the first program that needs it starts. */
  readonly worker: () => Promise<DoorWorker>;
};

/** Reasons that the program itself gives for an end that is no result. */
export type Reason = "guardrail" | "outage" | "full window" | "shape" | "embedder";

export type Kind = {
  readonly name: string;
  readonly reasons: readonly Reason[];
  /** Agents give work to others: the model may ask for equal work again, and so a coworker's request comes again. */
  readonly delegates?: true;
  /** The program needs the Worker, whose start is no part of it. */
  readonly hasWorker?: true;
  /** Runs one program. Its result is looked at for the reason of a cut. */
  run(bench: Bench): Promise<unknown>;
};
