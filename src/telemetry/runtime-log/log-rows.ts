// A run's events as rows of AG2's runtime log.
//
//   RLR1. A pure function of the record: the id of a row follows from the run and the event.
//   RLR2. Each stored event is in one place. Ends of model calls are completions, ends of tool calls are function
//         calls, and all other events except the starts of these calls are events. A message is a `received_message` of
//         its recipient.
//   RLR3. Agents, wrappers (a model as agents name it) and clients (its provider) have a row each, from their first
//         event in a run.
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { EventOf, RunEvent } from "../../events/run-event.ts";
import { EventTracer, type Traced } from "../../events/traced-event.ts";
import { answerOf, providerOf, sourceOf, stateOf, timeOf, turnOf } from "./event-columns.ts";
import type { LogRow } from "./log-row.ts";

/** An agent in the log. */
type LoggedAgent = {
  readonly module: string;
  readonly className: string;
  readonly initArgs: JsonValue;
  /** First event with this name. */
  readonly event: RunEvent;
  wrapperId: string | null;
};

/**
 * Returns the rows of a run. `history` is read once, from its first event on; the result has only rows of events after
 * `afterSeq`.
 */
export function logRows(history: Iterable<RunEvent>, afterSeq = 0): LogRow[] {
  const log = new RunLog(afterSeq);
  for (const event of history) log.take(event);
  return log.rows;
}

class RunLog {
  readonly rows: LogRow[] = [];
  readonly #afterSeq: number;
  readonly #tracer = new EventTracer();
  readonly #agents = new Map<string, LoggedAgent>();
  readonly #models = new Set<string>();
  readonly #providers = new Set<string>();
  readonly #started = new Map<string, RunEvent>();
  /** Distinguishes runs with equal ids: those of several tenants, or one after the deletion of another. */
  #prefix = "";
  #run = { name: "", kind: "" };

  constructor(afterSeq: number) {
    this.#afterSeq = afterSeq;
  }

  take(event: RunEvent): void {
    if (event.type === "run_started") {
      this.#prefix = `${event.runId}@${event.at}`;
      this.#run = event;
      if (this.#afterSeq === 0)
        this.rows.push({ table: "version", values: { id: 1, version_number: 1 } });
    }
    const traced = this.#tracer.trace(event);
    this.#meet(traced);
    switch (traced.type) {
      case "llm_call_started":
        this.#started.set(traced.id, traced);
        return;
      case "llm_call_completed":
      case "llm_call_failed":
        this.#completion(traced);
        return;
      case "tool_usage_started":
        return;
      case "tool_usage_finished":
      case "tool_usage_error":
      case "tool_validate_input_error":
        this.#functionCall(traced);
        return;
      case "chat_message_sent": {
        const { sender, recipient, message } = traced;
        const state = { sender, message: message as JsonValue, valid: true };
        this.#event(traced, { name: "received_message", source: recipient, state });
        return;
      }
      default:
        this.#event(traced, {
          name: traced.type,
          source: sourceOf(traced),
          state: stateOf(traced),
        });
    }
  }

  /** Adds rows for agents named for the first time. */
  #meet(event: Traced<RunEvent>): void {
    switch (event.type) {
      case "chat_started":
        for (const { name, ...about } of event.members)
          this.#agent(event, name, {
            module: "edgecrew/conversation",
            className: about.isHuman ? "UserProxyAgent" : "ConversableAgent",
            initArgs: { name, ...about },
          });
        break;
      case "agent_execution_started": {
        const { agentRole, tools } = event;
        this.#agent(event, agentRole, crewAgent({ role: agentRole, tools: [...tools] }));
        break;
      }
      case "lite_agent_execution_started": {
        const { agentInfo, tools } = event;
        const { role } = agentInfo;
        if (typeof role === "string")
          this.#agent(event, role, crewAgent({ ...agentInfo, tools: [...tools] }));
        break;
      }
      default:
        break;
    }
  }

  #agent(
    event: RunEvent,
    name: string,
    about: Pick<LoggedAgent, "module" | "className" | "initArgs">,
  ): void {
    if (this.#agents.has(name)) return;
    const agent = { ...about, event, wrapperId: null };
    this.#agents.set(name, agent);
    if (this.#isNew(event)) this.#agentRow(name, agent);
  }

  #agentRow(name: string, { className, initArgs, event, wrapperId }: LoggedAgent): void {
    this.rows.push({
      table: "agents",
      values: {
        id: `${this.#prefix}:agent:${name}`,
        agent_id: name,
        wrapper_id: wrapperId,
        session_id: event.runId,
        name,
        class: className,
        init_args: JSON.stringify(initArgs),
        timestamp: timeOf(event),
      },
    });
  }

  #completion(end: Traced<EventOf<"llm_call_completed" | "llm_call_failed">>): void {
    const { model, callId, runId } = end;
    const source = end.agentRole ?? turnOf(end.path);
    const provider = providerOf(model);
    this.#model(end, { model, provider, source });
    if (!this.#isNew(end)) return;
    const start = this.#started.get(end.startedId ?? "") as EventOf<"llm_call_started"> | undefined;
    this.#started.delete(end.startedId ?? "");
    this.rows.push({
      table: "chat_completions",
      values: {
        id: this.#idOf(end),
        invocation_id: callId,
        client_id: provider,
        wrapper_id: model,
        session_id: runId,
        source_name: source ?? this.#run.name,
        request: JSON.stringify({
          model,
          messageCount: start?.messageCount,
          tools: start?.tools,
          stream: start?.stream,
        }),
        response: JSON.stringify(answerOf(end)),
        is_cached: end.type === "llm_call_completed" && end.usage.requests === 0 ? 1 : 0,
        cost: end.type === "llm_call_completed" ? end.usage.costUsd : null,
        start_time: start === undefined ? null : timeOf(start),
        end_time: timeOf(end),
      },
    });
  }

  /** Adds rows for a model and its provider, with its agent. */
  #model(
    end: RunEvent,
    {
      model,
      provider,
      source,
    }: { readonly model: string; readonly provider: string; readonly source: string | undefined },
  ): void {
    const isNew = this.#isNew(end);
    const common = { wrapper_id: model, session_id: end.runId, timestamp: timeOf(end) };
    if (!this.#models.has(model) && isNew)
      this.rows.push({
        table: "oai_wrappers",
        values: {
          id: `${this.#prefix}:wrapper:${model}`,
          init_args: JSON.stringify({ model }),
          ...common,
        },
      });
    if (!this.#providers.has(provider) && isNew)
      this.rows.push({
        table: "oai_clients",
        values: {
          id: `${this.#prefix}:client:${provider}`,
          client_id: provider,
          class: provider,
          init_args: JSON.stringify({ provider }),
          ...common,
        },
      });
    this.#models.add(model);
    this.#providers.add(provider);
    if (source === undefined) return;
    if (!this.#agents.has(source))
      this.#agents.set(source, { ...crewAgent({ name: source }), event: end, wrapperId: null });
    const agent = this.#agents.get(source);
    if (agent === undefined || agent.wrapperId !== null) return;
    agent.wrapperId = model;
    if (isNew) this.#agentRow(source, agent);
  }

  #functionCall(
    end: Traced<EventOf<"tool_usage_finished" | "tool_usage_error" | "tool_validate_input_error">>,
  ): void {
    if (!this.#isNew(end)) return;
    const { agentRole, toolName, toolArgs } = end;
    this.rows.push({
      table: "function_calls",
      values: {
        id: this.#idOf(end),
        source_id: agentRole,
        source_name: agentRole,
        function_name: toolName,
        args: JSON.stringify(toolArgs),
        returns:
          end.type === "tool_usage_finished" ? end.output : JSON.stringify({ error: end.error }),
        timestamp: timeOf(end),
      },
    });
  }

  #event(
    event: RunEvent,
    {
      name,
      source,
      state,
    }: { readonly name: string; readonly source: string | undefined; readonly state: JsonValue },
  ): void {
    if (!this.#isNew(event)) return;
    const agent = this.#agents.get(source ?? "");
    this.rows.push({
      table: "events",
      values: {
        id: this.#idOf(event),
        event_name: name,
        source_id: source ?? event.runId,
        source_name: source ?? this.#run.name,
        agent_module: agent?.module ?? "edgecrew",
        agent_class_name: agent?.className ?? this.#run.kind,
        json_state: JSON.stringify(state),
        timestamp: timeOf(event),
      },
    });
  }

  #isNew({ seq }: RunEvent): boolean {
    return seq > this.#afterSeq;
  }

  #idOf({ id }: RunEvent): string {
    return `${this.#prefix}:${id}`;
  }
}

function crewAgent(initArgs: JsonObject): Pick<LoggedAgent, "module" | "className" | "initArgs"> {
  return { module: "edgecrew", className: "Agent", initArgs };
}
