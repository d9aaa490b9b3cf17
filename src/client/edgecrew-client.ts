import type { About } from "../http/operations/about.ts";
import { AgentsApi } from "./agents-api.ts";
import type { AnyApi } from "./api.ts";
import { BackupApi } from "./backup-api.ts";
import { ToolsApi } from "./tools-api.ts";
import { ConversationsApi } from "./conversations-api.ts";
import { CrewsApi } from "./crews-api.ts";
import { FilesApi } from "./files-api.ts";
import { FlowsApi } from "./flows-api.ts";
import { KeysApi } from "./keys-api.ts";
import { KnowledgeApi } from "./knowledge-api.ts";
import { MemoryApi } from "./memory-api.ts";
import { RunsApi } from "./runs-api.ts";
import { SchedulesApi } from "./schedules-api.ts";
import { SessionsApi } from "./sessions-api.ts";
import { TokensApi } from "./tokens-api.ts";
import { TrainingsApi } from "./trainings-api.ts";
import { Transport, type ClientOptions } from "./transport.ts";
import { ChangesFeed } from "./store/changes-feed.ts";
import { readChanges } from "./store/read-changes.ts";
import { UsageApi } from "./usage-api.ts";
import { WaitsApi } from "./waits-api.ts";
import { WebhooksApi } from "./webhooks-api.ts";

/**
 * Client for a deployed app, in browsers, Node and Workers. Calls reject with the server's `EngineError`.
 *
 * @example
 * const client = createClient({ url: "https://crews.example.com", auth: key });
 * const run = await client.crews.kickoff("briefing", { inputs: { topic: "edge computing" } });
 * console.log(await run.output());
 */
export class EdgecrewClient<Known extends AnyApi = AnyApi> {
  readonly crews: CrewsApi<Known["crews"]>;
  readonly agents: AgentsApi<Known["agents"]>;
  readonly tools: ToolsApi;
  readonly flows: FlowsApi<Known["flows"]>;
  readonly conversations: ConversationsApi<Known["conversations"]>;
  readonly runs: RunsApi;
  readonly waits: WaitsApi;
  readonly trainings: TrainingsApi;
  readonly keys: KeysApi;
  readonly schedules: SchedulesApi;
  readonly webhooks: WebhooksApi;
  readonly memory: MemoryApi;
  readonly knowledge: KnowledgeApi;
  readonly files: FilesApi;
  readonly usage: UsageApi;
  readonly backup: BackupApi;
  readonly session: SessionsApi;
  readonly tokens: TokensApi;
  readonly #transport: Transport;

  constructor(options: ClientOptions = {}) {
    const transport = new Transport(options);
    this.crews = new CrewsApi(transport);
    this.agents = new AgentsApi(transport);
    this.tools = new ToolsApi(transport);
    this.flows = new FlowsApi(transport);
    this.conversations = new ConversationsApi(transport);
    const { changes: shared = (source) => source } = options;
    const feed = new ChangesFeed(shared(readChanges(transport)));
    this.runs = new RunsApi(transport, feed);
    this.waits = new WaitsApi(transport, this.runs, feed);
    this.trainings = new TrainingsApi(transport);
    this.keys = new KeysApi(transport);
    this.schedules = new SchedulesApi(transport);
    this.webhooks = new WebhooksApi(transport);
    this.memory = new MemoryApi(transport);
    this.knowledge = new KnowledgeApi(transport);
    this.files = new FilesApi(transport);
    this.backup = new BackupApi(transport);
    this.usage = new UsageApi(transport);
    this.session = new SessionsApi(transport);
    this.tokens = new TokensApi(transport);
    this.#transport = transport;
  }

  /** Returns facts about the Worker: versions, parts, storage, and missing settings. */
  about(): Promise<About> {
    return this.#transport.json("/about");
  }
}
