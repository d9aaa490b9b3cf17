// The options of `defineApp()`: contents and settings of a Worker.
import { definitionOptions } from "../base/unknown-options.ts";
import type { Agent } from "../agent/description/agent.ts";
import type { FlowStatesSetting } from "./stores/durable-flow-store.ts";
import type { FileDeliverySetting } from "./file-delivery.ts";
import type { FilesSetting } from "./stores/file-store-setting.ts";
import type { Placement } from "./placement.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { Conversations } from "../conversation/conversations.ts";
import type { Crew } from "../crew/crew.ts";
import type { DefinitionRegistry } from "../crew/definition/definition-registry.ts";
import type { Listeners } from "../events/listener.ts";
import type { DeclarativeFlows } from "../flow/declarative-flows.ts";
import type { FlowLike } from "../flow/flow-like.ts";
import type { Hook } from "../hooks/hook.ts";
import type { OnChange } from "../runtime/code-change.ts";
import type { Recording } from "../model-calls/call-record.ts";
import type { RunLimits } from "../runtime/crash-budget.ts";
import type { LanguageModel } from "../llm/language-model.ts";
import type { Part } from "../parts/part.ts";
import type { Versioned } from "../parts/versions.ts";
import type { CrewProjects } from "../project/crew-projects.ts";
import type { ModelCacheSetting } from "./stores/kv-model-cache.ts";
import type { ToolCatalog } from "../tools/tool-catalog.ts";
import type { Tool } from "../tools/tool.ts";

/** Contents and settings of an app; all optional. */
export type AppOptions = {
  /**
   * Crews of the app, by the name in their routes: `{ briefing }` is `POST /crews/briefing/kickoff`. `versions()` puts
   * several under one name. @default {}
   */
  readonly crews?: Versioned<Crew>;
  /** Agents of the app, started on their own, by name. @default {} */
  readonly agents?: Versioned<Agent>;
  /** The flows by name: flow classes, their objects, or values of `defineFlow`. @default {} */
  readonly flows?: Versioned<FlowLike>;
  /**
   * Conversations by name, made by `defineConversation`; `conversations()` of `edgecrew/conversation` accepts stored
   * ones in an app without its own. @default none, also over HTTP
   */
  readonly conversations?: Versioned<Conversation> | Conversations;
  /** Accepts flows as data over HTTP: `declarativeFlows()` of `edgecrew/flow/declarative`. @default off */
  readonly declarativeFlows?: DeclarativeFlows;
  /**
   * Tools for crews stored over HTTP, in addition to `calculator`, `current_time` and `wait`: your own, and those of
   * `toolCatalog()` of `edgecrew/tools/catalog`.
   * @default []
   */
  readonly tools?: ToolCatalog | readonly (Tool | ToolCatalog)[];
  /** Functions for crews stored over HTTP, by name: callbacks, conditions, guardrails. @default {} */
  readonly functions?: DefinitionRegistry["functions"];
  /** Output schemas for crews stored over HTTP, by name. @default {} */
  readonly schemas?: DefinitionRegistry["schemas"];
  /** Models of your own, by their name in `llm`. @default {} */
  readonly models?: Readonly<Record<string, LanguageModel>>;
  /**
   * Storage for the `outputFile` and the input files of tasks: `"d1"` for texts and small files, or the binding name of
   * an R2 bucket. `files()` of `edgecrew/files` adds upload and download over HTTP.
   * @default off: a crew with a file fails before its first task
   */
  readonly files?: FilesSetting | Part;
  /**
   * Storage for the states of persistent flows: `d1FlowStates`, or `durableFlowStates("BINDING")`.
   * @default off: such a flow fails
   */
  readonly flowStates?: FlowStatesSetting;
  /**
   * Storage for the answers of models with a `cacheSeed`: `d1ModelCache`, or `kvModelCache("BINDING")`. @default
   * d1ModelCache
   */
  readonly modelCache?: ModelCacheSetting;
  /**
   * Conversion of files for models without support for them: readers of documents, `whisper()` for sound, the binding
   * of Images.
   * @default the binding `IMAGES`, if it exists, and the readers of `knowledge()`
   */
  readonly fileDelivery?: FileDeliverySetting;
  /** Called for the events of all runs, in addition to the listeners of crews; see `onEvent()`. @default [] */
  readonly listeners?: Listeners;
  /** Hooks of all runs, called before those of crews and agents; see `on()`. @default [] */
  readonly hooks?: readonly Hook[];
  /** Memory for all runs: `memory()` of `edgecrew/memory`. @default off */
  readonly memory?: Part;
  /** Knowledge for all runs: `knowledge()` of `edgecrew/knowledge`. @default only the crews' own */
  readonly knowledge?: Part;
  /** Runner of code written by models: `codeRunners()` of `edgecrew/code`. @default off: such code is not run */
  readonly code?: Part;
  /** Schedules, webhooks and queue messages for starting runs: `triggers()` of `edgecrew/triggers`. @default off */
  readonly triggers?: Part;
  /**
   * The web console, sessions of browsers and tokens for front ends: `console()` of `edgecrew/console`. @default off
   */
  readonly console?: readonly Part[];
  /**
   * Accepts crews over HTTP as the files of a CrewAI project; with false, a crew over HTTP is one document, JSON or
   * YAML. @default `crewProjects()` of `edgecrew/project`
   */
  readonly projects?: CrewProjects | false;
  /** Skills in a project's `definitions()`. They have no effect here: the project's crews have theirs. */
  readonly skills?: Readonly<Record<string, unknown>>;
  /** Further parts, such as protocols or features of your own. @default [] */
  readonly parts?: readonly Part[];
  /**
   * Hosts allowed for models and embedders of stored definitions and requests, also private ones: `api.example.com`,
   * `*.example.com`, `localhost:11434`. Definitions in code may use any host. @default every public host, over https
   */
  readonly modelHosts?: readonly string[];
  /** Variables allowed as secrets in stored definitions and requests: `apiKey: { secret: "TEAM_KEY" }`. @default [] */
  readonly secrets?: readonly string[];
  /**
   * Path under which the app is mounted, such as `/ai`: links, `Location`, `/docs` and `/openapi.json` begin with it.
   * @default ""
   */
  readonly basePath?: string;
  /** Origins of web pages with access to the API. @default none with API keys, those of this machine without */
  readonly cors?: { readonly origins: readonly string[] | "*" };
  /**
   * Handling of runs after a deploy has changed the input of one of their finished steps, such as a prompt: `continue`
   * keeps the recorded result and notes the change, `hold` holds the run until matching code is deployed, `fail` ends
   * it. @default "continue"
   */
  readonly onChange?: OnChange;
  /**
   * Location of the app's objects: `placement({ jurisdiction: "eu" })`. @default each near the caller that starts its
   * run, under no jurisdiction
   */
  readonly placement?: Placement;
  /**
   * Stored part of model requests: `requests: "none"` stores no requests, `redact` changes each text before it is
   * stored.
   * @default { requests: "full" }
   */
  readonly record?: Recording;
  /** Upper limits for callers. */
  readonly limits?: Partial<RunLimits> & {
    /** Size of a request body in bytes. @default 1_048_576 */
    readonly maxBodyBytes?: number;
    /** Inputs of one `kickoff-for-each`. @default 1000 */
    readonly maxBatchInputs?: number;
  };
};

/** All options; any other name is refused. */
export const APP_OPTIONS = definitionOptions<AppOptions>("defineApp()", {
  crews: true,
  agents: true,
  flows: true,
  conversations: true,
  declarativeFlows: true,
  tools: true,
  functions: true,
  schemas: true,
  models: true,
  files: true,
  flowStates: true,
  modelCache: true,
  fileDelivery: true,
  listeners: true,
  hooks: true,
  memory: true,
  knowledge: true,
  code: true,
  triggers: true,
  console: true,
  projects: true,
  skills: true,
  parts: true,
  modelHosts: true,
  secrets: true,
  basePath: true,
  cors: true,
  onChange: true,
  placement: true,
  record: true,
  limits: true,
});
