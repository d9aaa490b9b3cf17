// The runs of an app as code of the same Worker starts them: each call is one way of a run kind.
import type { AgentRequest } from "../../agent/agent-messages.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ConversationRequest } from "../../conversation/conversation-request.ts";
import type { CrewAction } from "../../crew/actions/crew-action.ts";
import type { InputFiles } from "../../files/file-source.ts";
import type { FlowOutput } from "../../flow/built-flow.ts";
import type { FlowLike, FlowStartOptions, StateOf } from "../../flow/flow-like.ts";
import type { TurnBody } from "../../flow/operations/schemas.ts";
import type { AgentKickoffBody } from "../../agent/operations/agent-ways.ts";
import type { PartHost } from "../../parts/part.ts";
import { notStored } from "../../parts/stored-definitions.ts";
import type { CurrentOf, Versioned } from "../../parts/versions.ts";
import { DirectoryRun } from "../../runtime/handle/directory-run.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import type { StartFields } from "../../starts/start-fields.ts";

/** Options of every start by code: the fields of a request of the API. */
export type CodeStart = Omit<StartFields, "token" | "inputFiles"> & {
  /** Files by name: ids, URLs, bytes, or what `file()` makes of these. @default {} */
  readonly inputFiles?: InputFiles | undefined;
};

type Action<Name extends CrewAction["action"]> = Extract<CrewAction, { readonly action: Name }>;

/** Runs as code of the same Worker sees them. An id in use returns its run. */
export type AppRuns<Flows extends Versioned<FlowLike> = Versioned<FlowLike>> = {
  readonly handle: (id: string) => RunHandle;
  /** Starts a crew. Throws `not_found`, and `invalid_input` for wrong options. */
  readonly kickoff: (
    crew: string,
    options?: CodeStart & { readonly inputs?: JsonObject },
  ) => Promise<RunHandle>;
  /** Starts a batch: a run of the crew for each input. Its output is a `BatchOutput`. */
  readonly kickoffForEach: (
    crew: string,
    inputs: readonly JsonObject[],
    options?: CodeStart & { readonly timeoutMs?: number },
  ) => Promise<RunHandle>;
  /** Starts a training, which waits for feedback on each answer. Its output is a `Training`. */
  readonly train: (
    crew: string,
    options: CodeStart &
      Pick<Action<"train">, "iterations"> & {
        readonly name?: string;
        readonly inputs?: JsonObject;
      },
  ) => Promise<RunHandle>;
  /** Starts a test. Its output is a `TestReport`. */
  readonly test: (
    crew: string,
    options: CodeStart &
      Pick<Action<"test">, "iterations"> & {
        /** The judging model. @default the Worker's */
        readonly evalModel?: string;
        readonly inputs?: JsonObject;
      },
  ) => Promise<RunHandle>;
  /** Answers the last message of a conversation about a crew. Its output is a `ChatReply`. */
  readonly chat: (
    crew: string,
    messages: Action<"chat">["messages"],
    options?: CodeStart,
  ) => Promise<RunHandle>;
  /** Starts an agent without a crew. */
  readonly kickoffAgent: (
    agent: string,
    options: AgentRequest & CodeStart & Pick<AgentKickoffBody, "settings">,
  ) => Promise<RunHandle>;
  /** Starts a conversation. */
  readonly kickoffConversation: (
    conversation: string,
    options: ConversationRequest & CodeStart,
  ) => Promise<RunHandle>;
  /** Starts a flow. Throws `invalid_input` for inputs that do not fit its state. */
  readonly kickoffFlow: <Name extends keyof Flows & string>(
    flow: Name,
    options?: FlowStartOptions<CurrentOf<Flows[Name]>> & CodeStart,
  ) => Promise<RunHandle<FlowOutput<StateOf<CurrentOf<Flows[Name]>>>>>;
  /** Takes a turn of a conversational flow. Its output is a `TurnOutput`. */
  readonly turn: (
    flow: string,
    message: string,
    options?: CodeStart & Pick<TurnBody, "sessionId" | "intents" | "inputs">,
  ) => Promise<RunHandle>;
};

/** The runs of a tenant. */
export function appRuns<Flows extends Versioned<FlowLike>>(
  host: PartHost,
  tenant: string,
): AppRuns<Flows> {
  const { runs, clock, parts } = host;
  const handle = (id: string): RunHandle => new DirectoryRun(id, { runs, tenant, clock });
  type Start = (name: string, fields?: Readonly<Record<string, unknown>>) => Promise<RunHandle>;
  const way =
    (kind: string, named = "kickoff"): Start =>
    async (name, fields = {}) => {
      const spec = parts.flatMap(({ kinds }) => kinds?.[kind]?.ways?.[named] ?? [])[0];
      if (spec === undefined) throw notStored(kind, name);
      return handle(await spec.begin(host, { tenant, name, fields }));
    };
  const flow = way("flow");
  return {
    handle,
    kickoff: way("crew"),
    kickoffForEach: (crew, inputs, options) =>
      way("crew", "kickoffForEach")(crew, { ...options, inputs }),
    train: way("crew", "train"),
    test: way("crew", "test"),
    chat: (crew, messages, options) => way("crew", "chat")(crew, { ...options, messages }),
    kickoffAgent: way("agent"),
    kickoffConversation: way("conversation"),
    // The state is checked against the schema of its type.
    kickoffFlow: async (name, options) => (await flow(name, options)) as RunHandle<never>,
    turn: (name, message, options) => way("flow", "turn")(name, { ...options, message }),
  };
}
