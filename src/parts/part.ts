// A part is a feature of a Worker: services for runs, programs by run kind, operations of the API, event types, queues,
// and scheduled work. The core (journal, events, runtime, http) works with any parts and names no single one.
import type * as z from "zod";
import type { Clock } from "../base/clock.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { LogCode, LogNote } from "../base/log.ts";
import type { RunServices } from "../events/run-services.ts";
import type { Graph, GraphRequest } from "../wire/graph.ts";
import type { AnswerSetting } from "../llm/answer-settings.ts";
import type { ModelCatalog } from "../llm/model-catalog.ts";
import type { ModelEnvironment } from "../llm/model-environment.ts";
import type { RunDirectory } from "../runtime/run-directory.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import type { RunStore } from "../runtime/run-store.ts";
import type { RunIndexRow, RunStart } from "../runtime/run.ts";
import type { EndedRun } from "../runtime/run-sums.ts";
import type { WebhookFormat } from "../runtime/deliveries/webhooks.ts";
import type { OutboundPolicy } from "../security/outbound.ts";
import type { DefinitionStore } from "./definition-store.ts";
import type { AuthSettings } from "./auth-settings.ts";
import type { PartCaller } from "./caller.ts";
import type { KeyStore } from "./key-store.ts";
import type { DocumentedAnswer } from "./documented-answer.ts";
import type { Operation } from "./operation.ts";
import type { Lack } from "./worker-facts.ts";

/** Bindings of the Worker for its parts, added by declaration merging. */
export interface PartEnv {}

/** Name of a service; `RunServices` declares its type. */
export type ServiceKey = keyof RunServices;

/** Opens services of a tenant, by name. Each is opened on first use, once per run or request. */
export type PartServices = {
  readonly [Key in ServiceKey]?: (place: PartPlace) => RunServices[Key];
};

/** Environment in which a service opens for a tenant. */
export type PartPlace = {
  readonly tenant: string;
  readonly env: PartEnv;
  /** Configuration of models and embedders. */
  readonly environment: ModelEnvironment;
  /** Allowed destinations of outgoing requests. */
  readonly outbound: OutboundPolicy;
  /** The tenant's services, including those of other parts. */
  readonly services: RunServices;
  /** @default the system's */
  readonly clock?: Clock;
};

/** Schemas of the input and output of runs of one kind. */
export type RunSchemas = { readonly input: z.ZodType; readonly output: z.ZodType };

/** One way to start runs of a kind, such as its kickoff. `startWay` of `src/starts` makes it. */
export type StartWay = {
  /** Of its route, such as `/crews/{name}/kickoff`; the method is POST. */
  readonly path: string;
  /** The schema of its request: common fields, and its own. */
  readonly fields: z.ZodType;
  readonly operation: (host: PartHost) => Operation;
  /** Starts a run for code of the same Worker, and returns its id. Throws the errors of the operation. */
  readonly begin: (
    host: PartHost,
    asked: {
      readonly tenant: string;
      /** The definition. */
      readonly name: string;
      readonly fields: Readonly<Record<string, unknown>>;
    },
  ) => Promise<string>;
};

/** Runs of one kind. */
export type RunKindSpec = {
  /** The definitions that callers start by name. @default runs of this kind are started by other runs alone */
  readonly subjects?: Subjects;
  /** The ways to start its runs, by name; tokens of front ends reach `kickoff`. @default none of the API */
  readonly ways?: Readonly<Record<string, StartWay>>;
  /** Schemas of input and output. Called when the API document is created. */
  readonly schemas?: () => RunSchemas;
  /** The program of a run. Throws `not_found` if its definition no longer exists. */
  readonly program: (start: RunStart) => RunProgram;
  /** Returns the definition version for a new run. @default definitions have no versions */
  readonly version?: (start: RunStart) => string | undefined;
};

/** Public description of a subject for callers over protocols, unless the app overrides it. */
export type SubjectInfo = {
  /** Title for people. @default its name */
  readonly title?: string;
  readonly description: string;
  /** JSON Schema of the inputs, an object. For a subject with messages, the inputs beside them. */
  readonly inputSchema: JsonObject;
  /**
   * The same schema for forms and the API's description, with any value allowed for placeholders of texts. @default
   * inputSchema
   */
  readonly takes?: JsonObject;
  /** JSON Schema of the output as data, if it has one. */
  readonly outputSchema?: JsonObject;
  /** Skills of the subject: at least one entry. */
  readonly skills: readonly SubjectSkill[];
};

/** One skill of a subject. */
export type SubjectSkill = {
  /** Id in lower case with underscores, unique within the subject. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Tags in lower case with dashes. */
  readonly tags: readonly string[];
  readonly examples?: readonly string[];
};

/** Anything callers can start by kind and name: a crew, an agent, a flow. */
export type Subject = {
  /** Public description for callers over protocols. @default its name and required inputs */
  readonly about?: () => SubjectInfo;
  /** Required inputs of every run. */
  readonly requiredInputs: readonly string[];
  /** Input for the question, if the subject takes messages. */
  readonly messagesInput?: string;
  /** Answer settings open to callers and honoured by its model. @default it keeps its own */
  readonly answerSettings?: (models: ModelCatalog) => readonly AnswerSetting[];
  /** Structure of the subject as a graph, with places unless the query excludes them. */
  readonly graph?: (query: GraphRequest) => Graph | Promise<Graph>;
  /** Body of a fork that restarts a whole run of it, such as `{ fromTask: "draft" }`. For examples. */
  readonly forkFrom?: () => JsonObject;
  /** The start of a run with these inputs and files. Throws `invalid_input` with an issue for each wrong input. */
  readonly start: (
    inputs: JsonObject,
    files?: JsonObject,
  ) => Pick<RunStart, "kind" | "name" | "inputs" | "definition">;
  /** Returns the start of a run for one turn of a conversation, if the subject stores conversations itself. */
  readonly turn?: (turn: {
    readonly message: string;
    readonly sessionId: string;
    readonly inputs: JsonObject;
  }) => Pick<RunStart, "kind" | "name" | "inputs" | "definition" | "entry">;
};

/** The subjects of one kind. */
export type Subjects = {
  /** The names in the deployed code. */
  readonly names: () => readonly string[];
  readonly get: (name: string) => Subject | undefined;
  /** Reads a stored definition of this kind. Throws `invalid_definition`. */
  readonly read?: (name: string, definition: JsonValue) => Subject;
};

/** A queue message. */
export interface PartMessage {
  readonly id: string;
  readonly body: unknown;
  readonly attempts: number;
  ack(): void;
  retry(options?: { readonly delaySeconds?: number }): void;
}

/** The Worker's services for a part. */
export type PartHost = {
  /** All parts of the app. */
  readonly parts: readonly Part[];
  readonly env: PartEnv;
  readonly placeOf: (tenant: string) => PartPlace;
  readonly runs: RunDirectory;
  readonly definitions: DefinitionStore;
  readonly models: ModelCatalog;
  /** The Worker's variables and secrets. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Settings for sending webhooks of runs; absent if the Worker sends no webhooks. */
  readonly webhooks?: WebhookSettings;
  /** Path under which the API is mounted, such as `/ai`. @default "" */
  readonly basePath?: string;
  /** Size limit of request bodies, in bytes. */
  readonly maxBodyBytes: number;
  readonly keys: KeyStore;
  readonly auth: AuthSettings;
  readonly clock: Clock;
  /** Fits `RUN_ID_PATTERN`. */
  readonly randomId: () => string;
  /** At least 128 bits from a secure source, in characters allowed in a header. */
  readonly randomSecret: () => string;
  /** Logs an error without a caller to receive it. */
  readonly report: (error: unknown) => void;
  /**
   * Keeps the Worker running for work beyond its request, such as after the client has disconnected. @default the
   * Worker may stop
   */
  readonly background?: (work: Promise<unknown>) => void;
};

export type { PartCaller } from "./caller.ts";

export type WebhookSettings = OutboundPolicy & {
  /** True if the Worker has a default secret for signing webhooks. */
  readonly hasSecret: boolean;
};

/** Storage of a session between its requests. */
export interface SessionStorage {
  get(): Promise<JsonValue | undefined>;
  put(value: JsonValue): Promise<void>;
  clear(): Promise<void>;
}

/** A client's session with a part, in an object of its own. */
export interface PartSession {
  fetch(request: Request): Promise<Response>;
}

/** Documentation of problems with any status. */
export type ProblemForm = Omit<DocumentedAnswer, "description" | "list">;

/** API of an app: the operations of the core and of its parts. */
export type Api = {
  readonly operations: readonly Operation[];
  /** Operations of the core, which belong to no part. */
  readonly core: readonly Operation[];
  readonly parts: readonly Part[];
  /** Startable subjects, by kind. */
  readonly subjects: ReadonlyMap<string, Subjects>;
  /** True if parts can refuse callers before the operation. */
  readonly hasGates: boolean;
  /** Returns the form of problems for a path. */
  readonly problemForm: (path: string) => ProblemForm;
};

/** A part bound to a Worker. */
export type BoundPart = {
  readonly operations?: readonly Operation[];
  /** Returns further operations, about all operations of the app. `api` is ready once the first request has come. */
  readonly describes?: (api: () => Api) => readonly Operation[];
  /** Changes the form of error answers for some paths. */
  readonly problems?: {
    readonly matches: (path: string) => boolean;
    /** Documentation of problems of a path. @default any JSON */
    readonly form?: (path: string) => ProblemForm;
    readonly answer: (problem: Response, request: Request) => Response | Promise<Response>;
  };
  /**
   * Returns the key in the password of Basic authentication, for the part's own paths. Browsers repeat these passwords
   * by themselves, so paths for browsers must not take them.
   */
  readonly passwordOf?: (request: Request) => string | undefined;
  /**
   * Finds callers of some paths by credentials other than keys. Returns undefined for any other request. Throws
   * `unauthorized`.
   */
  readonly callers?: {
    /**
     * `first`: called before keys are checked. `last`: called if the request has no credential in its headers.
     * @default after an unknown key
     */
    readonly order?: "first" | "last";
    readonly matches: (path: string) => boolean;
    readonly find: (request: Request) => Promise<PartCaller | undefined>;
  };
  /** Missing requirements of the part in this deployment, for `GET /about`. */
  readonly lacks?: () => readonly Lack[] | Promise<readonly Lack[]>;
  /** Called before an operation that needs a key. Throws to refuse the request. */
  readonly admit?: (request: {
    readonly tenant: string;
    readonly callerId: string;
  }) => Promise<void>;
  /** Runs every minute. */
  readonly due?: () => Promise<unknown>;
  /** Opens a session, if the Worker has objects for sessions. */
  readonly openSession?: (storage: SessionStorage) => PartSession;
  /** Consumes messages of one of the part's `queues`. Acknowledges or retries each of them. */
  readonly queue?: (queue: string, messages: readonly PartMessage[]) => Promise<void>;
};

/** A statement on the database of the index, with the values of its question marks. */
export type IndexStatement = {
  readonly sql: string;
  readonly values: ReadonlyArray<string | number | null>;
};

/** A feature of an app, mounted with `defineApp({ parts })`. */
export type Part = {
  readonly name: string;
  readonly services?: PartServices;
  readonly kinds?: Readonly<Record<string, RunKindSpec>>;
  /** Wraps the programs of runs of any kind, for example with events around the runs it has started. */
  readonly wrap?: (start: RunStart, program: RunProgram) => RunProgram;
  /** Types of events emitted by its runs. */
  readonly events?: Iterable<string>;
  /** Formats of webhook bodies other than the event itself, by name. */
  readonly webhookFormats?: Readonly<Record<string, WebhookFormat>>;
  /** Lifecycle callbacks for data the part stores per run. */
  readonly runs?: {
    /** Called before a fork's first step, and again after an interruption. */
    readonly forked?: (
      place: PartPlace,
      run: { readonly id: string; readonly from: string },
    ) => Promise<void>;
    /** Called before a run is deleted, and again after an interruption. The run is not deleted while this rejects. */
    readonly forgotten?: (place: PartPlace, runId: string) => Promise<void>;
    /**
     * Returns statements to run before the run's row is written to the index, in the same transaction: they still find
     * the previous row. Rows may come twice and late, detectable by their `version`.
     */
    readonly entering?: (row: RunIndexRow) => readonly IndexStatement[];
    /**
     * Called when an ended run is in the index: once, or never if the Worker stops at that moment. Errors are logged
     * and ignored.
     */
    readonly ended?: (env: PartEnv, run: EndedRun) => void;
    /** Requests the `sums` of rows for `entering`. @default false */
    readonly withSums?: boolean;
    /** Stores the words of runs in the index, so runs can be searched. @default false */
    readonly withText?: boolean;
    /**
     * Stores a place in the order of changes in index rows, which costs two rows written for each run. @default false
     */
    readonly withChanges?: boolean;
  };
  /** Receives log entries with these codes. Errors are logged and ignored. */
  readonly notices?: {
    readonly codes: ReadonlySet<LogCode>;
    readonly receive: (env: PartEnv, note: LogNote) => Promise<void>;
  };
  /** Processes the whole stored data of a run, in the run's object: `RunObjectApi.inStore`. */
  readonly inStore?: (store: RunStore, input: JsonValue) => JsonValue;
  /** Queues consumed by the part. */
  readonly queues?: readonly string[];
  /** D1 migrations required by the part, by file name. */
  readonly migrations?: readonly string[];
  /** Page of the part in `docs/`. */
  readonly docs?: string;
  /** Checks the part against the whole app. Throws `invalid_definition`. */
  readonly check?: (parts: readonly Part[]) => void;
  readonly bind?: (host: PartHost) => BoundPart;
};
