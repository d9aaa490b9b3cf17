import type { AgentView } from "../agent/operations/agents.ts";
import type { AgentKickoffBody } from "../agent/operations/agent-ways.ts";
import type { Page } from "../runtime/run-directory.ts";
import type { AgentResult, NameOf, StartArguments } from "./api.ts";
import type { PageOptions } from "./page-options.ts";
import type { RemoteRun } from "./remote-run.ts";
import { startRun, type WithInputs } from "./start-run.ts";
import type { Transport } from "./transport.ts";
import { namedPath } from "./named-path.ts";
import type { KickoffOptions } from "./start-options.ts";

/** Options of a kickoff of an agent, beside its messages. */
export type AgentKickoffOptions = KickoffOptions & Pick<AgentKickoffBody, "settings">;

export class AgentsApi<Agents = object> {
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

  /** Starts a run to answer a question, or the last message of a conversation. Its id is set as by `crews.kickoff`. */
  kickoff<Name extends NameOf<Agents>>(
    name: Name,
    messages: AgentKickoffBody["messages"],
    ...[options]: StartArguments<Agents, Name, AgentKickoffOptions>
  ): Promise<RemoteRun<AgentResult<Agents, Name>>> {
    return startRun(this.#transport, `${agentPath(name)}/kickoff`, {
      ...(options as AgentKickoffOptions | undefined),
      messages,
    } satisfies WithInputs<AgentKickoffBody>);
  }
}

function agentPath(name: string): string {
  return namedPath("/agents", name);
}
