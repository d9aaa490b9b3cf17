import { systemClock } from "../base/system.ts";
import { AgentsApi } from "./agents-api.ts";
import type { AnyApi } from "./api.ts";
import { ConversationsApi } from "./conversations-api.ts";
import { CrewsApi } from "./crews-api.ts";
import { FlowsApi } from "./flows-api.ts";
import type { RemoteRun } from "./remote-run.ts";
import { StartedRunsApi } from "./started-runs-api.ts";
import { createRunStore, type RunStore, type RunStoreOptions } from "./store/run-store.ts";
import { Transport, type ClientOptions } from "./transport.ts";

/** Members of the client for starting and following runs. */
export type RunClient<Known extends AnyApi = AnyApi> = {
  readonly crews: CrewsApi<Known["crews"]>;
  readonly agents: AgentsApi<Known["agents"]>;
  readonly flows: FlowsApi<Known["flows"]>;
  readonly conversations: ConversationsApi<Known["conversations"]>;
  readonly runs: StartedRunsApi;
};

/**
 * A smaller `createClient` for starting and following runs, in pages with a tight byte budget: half the size in a
 * bundle. For live values add `runStore(run)`. The hooks of React need the whole client.
 *
 * @example
 * const client = createRunClient<Api>({ url: "https://crews.example.com" });
 * const run = await client.crews.kickoff("briefing", { inputs: { topic: "edge computing" } });
 * const store = runStore(run);
 */
export function createRunClient<Known extends AnyApi = AnyApi>(
  options: ClientOptions = {},
): RunClient<Known> {
  const transport = new Transport(options);
  return {
    crews: new CrewsApi(transport),
    agents: new AgentsApi(transport),
    flows: new FlowsApi(transport),
    conversations: new ConversationsApi(transport),
    runs: new StartedRunsApi(transport),
  };
}

/**
 * Returns a run as one value, updated by its events: `client.runs.store` by itself. Sends no request before the first
 * subscription.
 */
export function runStore(run: RemoteRun, options: RunStoreOptions = {}): RunStore {
  return createRunStore(run, systemClock, options);
}
