import type { JsonObject } from "../base/json.ts";
import type { ChatMessage } from "../crew/actions/chat-messages.ts";
import type { CrewDetails, CrewView } from "../crew/operations/shapes.ts";
import type { EvaluationView } from "../crew/operations/shapes.ts";
import type { ChatBody, KickoffForEachBody } from "../crew/operations/schemas.ts";
import type { Page } from "../runtime/run-directory.ts";
import type { StartFields } from "../starts/start-fields.ts";
import type { CrewResult, NameOf, StartArguments } from "./api.ts";
import { DefinitionsApi } from "./definitions-api.ts";
import type { Inputs } from "./input-files.ts";
import type { PageOptions } from "./page-options.ts";
import type { RemoteRun } from "./remote-run.ts";
import { startRun, type WithInputs } from "./start-run.ts";
import type { Transport } from "./transport.ts";
import { namedPath } from "./named-path.ts";
import type { StartOptions, KickoffOptions } from "./start-options.ts";

/** Settings for one run in place of its definitions' settings. */
export type OverrideOptions = Pick<StartFields, "llm" | "trained">;

/** Options of a training over HTTP. Feedback answers the waits of its run. */
export type TrainOptions = KickoffOptions & {
  /** Number of runs of the crew, 1 to 100. */
  readonly iterations: number;
  /** Name to store the training under. @default the crew's `trained`, or its name */
  readonly name?: string;
};

/** Options of a test over HTTP: number of runs, and model for the scores. */
export type TestOptions = KickoffOptions & {
  /** Number of runs of the crew, 1 to 100. */
  readonly iterations: number;
  /** Model that scores the answers: a model string such as `openai/gpt-5-mini`, or settings. @default the Worker's */
  readonly evalModel?: string | (JsonObject & { readonly model: string });
};

/** Options of a batch: the same for each of its runs. */
export type KickoffForEachOptions = StartOptions & {
  /**
   * Time limit of each run in milliseconds, from the start of the batch; a run is cancelled at its limit. @default no
   * limit
   */
  readonly timeoutMs?: number;
};

/** `/crews`: definitions and their runs. */
export class CrewsApi<Crews = object> extends DefinitionsApi<CrewView, CrewDetails> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport, "/crews");
    this.#transport = transport;
  }

  /** Starts a run. Its id is set before the request is sent, so a retry after a lost response starts no second run. */
  kickoff<Name extends NameOf<Crews>>(
    name: Name,
    ...[options]: StartArguments<Crews, Name>
  ): Promise<RemoteRun<CrewResult<Crews, Name>>> {
    return startRun(
      this.#transport,
      `${namedPath("/crews", name)}/kickoff`,
      options as KickoffOptions | undefined,
    );
  }

  /** Starts a training run, which waits for feedback on each answer. Its output is a `Training`. */
  train(name: string, options: TrainOptions): Promise<RemoteRun> {
    return startRun(this.#transport, `${namedPath("/crews", name)}/train`, options);
  }

  /** Starts a test run. Its output is a `TestReport`. */
  test(name: string, options: TestOptions): Promise<RemoteRun> {
    return startRun(this.#transport, `${namedPath("/crews", name)}/test`, options);
  }

  /** Lists the results of tests, newest first. */
  evaluations(name: string, page: PageOptions = {}): Promise<Page<EvaluationView>> {
    return this.#transport.json(`${namedPath("/crews", name)}/evaluations`, { query: { ...page } });
  }

  /** Starts a run to answer the last message of a conversation. Its output is a `ChatReply`. */
  chat(
    name: string,
    messages: readonly ChatMessage[],
    options: StartOptions = {},
  ): Promise<RemoteRun> {
    return startRun(this.#transport, `${namedPath("/crews", name)}/chat`, {
      ...options,
      messages: [...messages],
    } satisfies WithInputs<ChatBody>);
  }

  /** Starts a batch, which runs the crew once for each item of `inputs`. Its output is a `BatchOutput`. */
  kickoffForEach(
    name: string,
    inputs: readonly Inputs[],
    options: KickoffForEachOptions = {},
  ): Promise<RemoteRun> {
    return startRun(this.#transport, `${namedPath("/crews", name)}/kickoff-for-each`, {
      ...options,
      inputs: [...inputs],
    } satisfies WithInputs<KickoffForEachBody>);
  }
}
