import type { SettledSettings } from "../../parts/ignored-header.ts";
import type { Try } from "./sdk-retries.ts";
import type { SessionRecord } from "./sessions.ts";
import type { OpenAiSettings } from "./settings.ts";
import type { Turn } from "./turns.ts";

/** The turn of a request. */
export type FoundTurn = {
  readonly turn: Turn;
  /** Record of its conversation, for a flow with sessions. */
  readonly session?: SessionRecord | undefined;
  /** True if its run ends when the client leaves. */
  readonly endsWithClient: boolean;
  /** Try of the request, from a client that counts them. */
  readonly tried?: Try | undefined;
  /** Settings of the answer requested by the client. */
  readonly asked: OpenAiSettings;
  /** Effect of these settings. */
  readonly terms: SettledSettings;
};
