import type { SessionView } from "../flow/conversational/conversation.ts";
import type { FlowDetails, FlowView } from "../flow/operations/shapes.ts";
import type { FlowStateSummary, FlowStateView } from "../flow/operations/flow-states.ts";
import type { SessionSummaryView } from "../flow/operations/sessions.ts";
import type { FlowKickoffBody, TurnBody } from "../flow/operations/schemas.ts";
import type { PlotFormat } from "../flow/plot/picture.ts";
import type { Page } from "../runtime/run-directory.ts";
import type { FlowResult, NameOf, StartArguments } from "./api.ts";
import { DefinitionsApi } from "./definitions-api.ts";
import type { PageOptions } from "./page-options.ts";
import type { RemoteRun } from "./remote-run.ts";
import { startRun, type WithInputs } from "./start-run.ts";
import type { Transport } from "./transport.ts";
import { namedPath } from "./named-path.ts";
import type { KickoffOptions } from "./start-options.ts";

export type FlowKickoffOptions = KickoffOptions &
  Pick<FlowKickoffBody, "restoreFromStateId" | "fromCheckpoint">;

/** Options of a turn, beside its message. */
export type TurnOptions = KickoffOptions & Pick<TurnBody, "sessionId" | "intents">;

/** `/flows`: definitions and their runs. */
export class FlowsApi<Flows = object> extends DefinitionsApi<FlowView, FlowDetails> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport, "/flows");
    this.#transport = transport;
  }

  /** Returns the picture of a flow: a page, an SVG, Mermaid text, or its structure as JSON text. */
  async plot(name: string, format: PlotFormat = "svg"): Promise<string> {
    const path = `${namedPath("/flows", name)}/plot`;
    return (await this.#transport.send(path, { query: { format } })).text();
  }

  /** Starts a run like `crews.kickoff`, from a stored state or a checkpoint if the options name one. */
  kickoff<Name extends NameOf<Flows>>(
    name: Name,
    ...[options]: StartArguments<Flows, Name, FlowKickoffOptions>
  ): Promise<RemoteRun<FlowResult<Flows, Name>>> {
    return startRun(
      this.#transport,
      `${namedPath("/flows", name)}/kickoff`,
      options as (FlowKickoffOptions & WithInputs<FlowKickoffBody>) | undefined,
    );
  }

  /**
   * Sends a message to a conversational flow. The run's output is a `TurnOutput`. Without a `sessionId` a new conversation
   * begins, and the output has its id. Calls with the same `id` take one turn.
   */
  turn(name: string, message: string, options: TurnOptions = {}): Promise<RemoteRun> {
    return startRun(this.#transport, `${namedPath("/flows", name)}/turns`, {
      ...options,
      message,
    } satisfies WithInputs<TurnBody>);
  }

  /** Returns a conversation without its private parts. */
  session(name: string, sessionId: string): Promise<SessionView> {
    return this.#transport.json(sessionPath(name, sessionId));
  }

  /**
   * Lists the conversations with a flow, those with the newest turns first. A page may be short and still have a
   * `nextCursor`.
   */
  sessions(name: string, page: PageOptions = {}): Promise<Page<SessionSummaryView>> {
    return this.#transport.json(`${namedPath("/flows", name)}/sessions`, { query: { ...page } });
  }

  async deleteSession(name: string, sessionId: string): Promise<void> {
    await this.#transport.send(sessionPath(name, sessionId), { method: "DELETE" });
  }

  /** Returns the newest state stored under a flow id, or the one at `seq` in its history. */
  state(
    name: string,
    flowId: string,
    options: { readonly seq?: number } = {},
  ): Promise<FlowStateView> {
    return this.#transport.json(statePath(name, flowId), { query: { ...options } });
  }

  /** Lists the entries stored under a flow id, newest first, without the states themselves. */
  stateHistory(
    name: string,
    flowId: string,
    page: PageOptions = {},
  ): Promise<Page<FlowStateSummary>> {
    return this.#transport.json(`${statePath(name, flowId)}/history`, { query: { ...page } });
  }

  /** Deletes all states stored under a flow id. Needs an admin key. */
  async deleteStates(name: string, flowId: string): Promise<void> {
    await this.#transport.send(statePath(name, flowId), { method: "DELETE" });
  }
}

function sessionPath(name: string, sessionId: string): string {
  return namedPath(`${namedPath("/flows", name)}/sessions`, sessionId);
}

function statePath(name: string, flowId: string): string {
  return namedPath(`${namedPath("/flows", name)}/states`, flowId);
}
