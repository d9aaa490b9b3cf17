import type { AgentView } from "../agent/operations/agents.ts";
import type { AgentKickoffBody } from "../agent/operations/agents.ts";
import type { Page } from "../runtime/run-directory.ts";
import type { KickoffOptions, OverrideOptions } from "./crews-api.ts";
import type { PageOptions } from "./page-options.ts";
import type { RemoteRun } from "./remote-run.ts";
import { startRun } from "./start-run.ts";
import type { Transport } from "./transport.ts";

export class AgentsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(page: PageOptions = {}): Promise<Page<AgentView>> {
    return this.#transport.json("/agents", { query: { ...page } });
  }

  get(name: string): Promise<AgentView> {
    return this.#transport.json(agentPath(name));
  }

  /** Starts a run that answers a question, or the last message of a conversation. Its id is set as by `crews.kickoff`. */
  kickoff(
    name: string,
    messages: AgentKickoffBody["messages"],
    options: KickoffOptions & Pick<OverrideOptions, "llm"> = {},
  ): Promise<RemoteRun> {
    return startRun(this.#transport, `${agentPath(name)}/kickoff`, {
      ...options,
      messages,
    } satisfies AgentKickoffBody);
  }
}

function agentPath(name: string): string {
  return `/agents/${encodeURIComponent(name)}`;
}
