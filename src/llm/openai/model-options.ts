import type { Clock } from "../../base/clock.ts";
import type { Connection } from "../connection.ts";
import type { CallOptions, ModelCapabilities, StreamListeners } from "../language-model.ts";
import type { Price } from "../model-data.ts";
import type { NormalSettings } from "../model-settings.ts";
import type { FittedRequests } from "../known-refusals.ts";
import type { Quirk } from "./quirks.ts";
import type { Dialect } from "./to-request.ts";

export type OpenAIModelOptions = {
  readonly id: string;
  /** The provider, where its limits for files are known: `openai`, `azure`, … @default those of all others */
  readonly provider?: string;
  readonly connection: Connection;
  readonly settings: NormalSettings;
  readonly capabilities: ModelCapabilities;
  readonly dialect: Dialect;
  readonly contextWindow: number;
  readonly price: Price | undefined;
  readonly clock: Clock;
  readonly fetch: typeof fetch | undefined;
};

/** Means to send one request, and the features of its endpoint. */
export type Sending = {
  readonly signal: AbortSignal;
  readonly headers: Readonly<Record<string, string>>;
  readonly listeners: StreamListeners & Pick<CallOptions, "onSign">;
  readonly quirks: ReadonlySet<Quirk>;
  /** Removes the parts refused by the endpoint from the whole request (see known-refusals.ts). */
  readonly fit: FittedRequests["fit"];
};
