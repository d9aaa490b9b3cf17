import type { SettledSettings } from "../../parts/ignored-header.ts";
import type { Try } from "./sdk-retries.ts";
import type { OpenAiSettings } from "./settings.ts";
import type { Turn } from "./turns.ts";

/** A turn, and the conversation that stores its outcome. */
export type FoundTurn = {
  readonly turn: Turn;
  readonly keepIn: string;
  /** True if its run ends when the client leaves. */
  readonly endsWithClient: boolean;
  /** Try of the request, from a client that counts them. */
  readonly tried?: Try | undefined;
  /** Settings of the answer requested by the client. */
  readonly asked: OpenAiSettings;
  /** Effect of these settings. */
  readonly terms: SettledSettings;
};
