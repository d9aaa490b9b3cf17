// A kind of program: makes one from random numbers, and runs it against the real model.
import type { ModelSettings } from "../../../../src/index.ts";
import type { Random } from "../../support/random.ts";
import type { ChatServer } from "../server/chat-server.ts";

export type Bench = {
  readonly random: Random;
  readonly server: ChatServer;
  /** The model as an agent names it. Limits are small, so that a run takes seconds. */
  readonly llm: (settings?: Partial<ModelSettings>) => ModelSettings & { readonly model: string };
  readonly embedder: object;
};

/** Reasons that the program itself gives for an end that is no result. */
export type Reason = "guardrail" | "outage" | "full window" | "shape" | "embedder";

export type Kind = {
  readonly name: string;
  readonly reasons: readonly Reason[];
  /** Model calls with the same input that the program makes by itself. @default 1 */
  readonly sameOnPurpose?: number;
  /** Runs one program. Its result is looked at for the reason of a cut. */
  run(bench: Bench): Promise<unknown>;
};
