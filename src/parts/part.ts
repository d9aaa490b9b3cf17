// A part is a feature of a Worker: services for runs, programs by run kind, operations of the API, event types, queues, and
// scheduled work. The core (journal, events, runtime, http) works with any parts and names none of them.
import type * as z from "zod";
import type { Clock } from "../base/clock.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { LogCode, LogNote } from "../base/log.ts";
import type { RunServices } from "../events/run-services.ts";
import type { Graph, GraphQuery } from "../graph/graph.ts";
import type { AnswerSetting } from "../llm/answer-settings.ts";
import type { ModelCatalog } from "../llm/model-catalog.ts";
import type { ModelEnvironment } from "../llm/resolve-model.ts";
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
import type { DocumentedAnswer, Operation } from "./operation.ts";
import type { Lack } from "./worker-facts.ts";

/** The Worker's bindings that parts may use, added by declaration merging. */
export interface PartEnv {}

/** The name of a service; its type is the one that `RunServices` declares for it. */
export type ServiceKey = keyof RunServices;

/** Opens services of a tenant, by name. Each is opened on first use, once per run or request. */
export type PartServices = {
  readonly [Key in ServiceKey]?: (place: PartPlace) => RunServices[Key];
};

/** What a service needs to open for a tenant. */
export type PartPlace = {
  readonly tenant: string;
  readonly env: PartEnv;
  /** Configuration of models and embedders. */
  readonly environment: ModelEnvironment;
  /** Where outgoing requests may go. */
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
  /** The schema of its request: what every start takes, and what this one does. */
  readonly fields: z.ZodType;
  readonly operation: (host: PartHost) => Operation;
  /** Starts a run for code of the same Worker, and returns its id. Throws what the operation answers with. */
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
  /** The version of its definition that a new run takes. @default definitions have no versions */
  readonly version?: (start: RunStart) => string | undefined;
};

/** What callers of other makers are told of a subject, unless the app tells them something else. */
export type SubjectInfo = {
  /** What people call it. @default its name */
  readonly title?: string;
  readonly description: string;
  /** JSON Schema of the inputs, an object. Of a subject that takes messages, the inputs beside them. */
  readonly inputSchema: JsonObject;
  /** The same as forms and the API's description have it, where placeholders of texts take any value. @default inputSchema */
  readonly takes?: JsonObject;
  /** JSON Schema of the output as data, where it has one. */
  readonly outputSchema?: JsonObject;
  /** What it can do: at least one entry. */
  readonly skills: readonly SubjectSkill[];
};

/** One of the things that a subject can do. */
export type SubjectSkill = {
  /** In lower case with underscores, unique within the subject. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** In lower case with dashes. */
  readonly tags: readonly string[];
  readonly examples?: readonly string[];
};

/** Anything that callers can start by kind and name: a crew, an agent, a flow. */
export type Subject = {
  /** What callers of other makers are told of it. @default its name, and the inputs that it needs */
  readonly about?: () => SubjectInfo;
  /** The inputs that every run of it needs. */
  readonly requiredInputs: readonly string[];
  /** The input that holds the question, if it takes messages. */
  readonly messagesInput?: string;
  /** Settings of an answer that its callers may have a say in, and that its model honours. @default it keeps its own */
  readonly answerSettings?: (models: ModelCatalog) => readonly AnswerSetting[];
  /** What it is made of, as a graph with places, unless the query wants none. */
  readonly graph?: (query: GraphQuery) => Graph | Promise<Graph>;
  /** The body of a fork that begins a whole run of it again, such as `{ fromTask: "draft" }`. For examples. */
  readonly forkFrom?: () => JsonObject;
  /** The start of a run with these inputs and files. Throws `invalid_input` with an issue for each wrong input. */
  readonly start: (
    inputs: JsonObject,
    files?: JsonObject,
  ) => Pick<RunStart, "kind" | "name" | "inputs" | "definition">;
  /** The start of a run that is one turn of a conversation, where the subject keeps conversations itself. */
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
  /** How webhooks of runs are sent; absent if the Worker sends none. */
  readonly webhooks?: WebhookSettings;
  /** The path that the API is mounted below, such as `/ai`. @default "" */
  readonly basePath?: string;
  /** The size limit of request bodies, in bytes. */
  readonly maxBodyBytes: number;
  readonly keys: KeyStore;
  readonly auth: AuthSettings;
  readonly clock: Clock;
  /** Fits `RUN_ID_PATTERN`. */
  readonly randomId: () => string;
  /** At least 128 bits from a secure source, in characters that a header can hold. */
  readonly randomSecret: () => string;
  /** Logs an error that no caller receives. */
  readonly report: (error: unknown) => void;
  /** Keeps the Worker running for work that outlives its request, such as after the client has gone away. @default it may stop */
  readonly background?: (work: Promise<unknown>) => void;
};

export type { PartCaller } from "./caller.ts";

export type WebhookSettings = OutboundPolicy & {
  /** Whether the Worker has a secret that signs webhooks without one. */
  readonly hasSecret: boolean;
};

/** What a session keeps while nobody talks with it. */
export interface SessionStorage {
  get(): Promise<JsonValue | undefined>;
  put(value: JsonValue): Promise<void>;
  clear(): Promise<void>;
}

/** A client's session with a part, in an object of its own. */
export interface PartSession {
  fetch(request: Request): Promise<Response>;
}

/** What the description of the API says of problems, whatever their status. */
export type ProblemForm = Omit<DocumentedAnswer, "description" | "list">;

/** A part that is bound to a Worker. */
export type BoundPart = {
  readonly operations?: readonly Operation[];
  /** The schemas of its answers, by name. Called when the API document is created. */
  readonly shapes?: () => Readonly<Record<string, z.ZodType>>;
  /** Changes the form of error answers for some paths. */
  readonly problems?: {
    readonly matches: (path: string) => boolean;
    /** What the description of the API says of problems of a path. @default any JSON */
    readonly form?: (path: string) => ProblemForm;
    readonly answer: (problem: Response, request: Request) => Response | Promise<Response>;
  };
  /** Where requests for some paths may have their key, beside `Authorization: Bearer`, which takes precedence. */
  readonly credentials?: {
    readonly matches: (path: string) => boolean;
    /** The key of the request; undefined if it has none. */
    readonly keyOf: (request: Request) => string | undefined;
  };
  /** Finds callers of some paths by other credentials than keys. Undefined: it is none of these. Throws `unauthorized`. */
  readonly callers?: {
    /**
     * `first`: asked before keys. `last`: asked where the request has no `Authorization` at all.
     * @default after a key that is not known
     */
    readonly order?: "first" | "last";
    readonly matches: (path: string) => boolean;
    readonly find: (request: Request) => Promise<PartCaller | undefined>;
  };
  /** What this deployment lacks of what the part needs, for `GET /about`. */
  readonly lacks?: () => readonly Lack[] | Promise<readonly Lack[]>;
  /** Called before an operation that needs a key. Throws for a request that is not let through. */
  readonly admit?: (request: {
    readonly tenant: string;
    readonly callerId: string;
  }) => Promise<void>;
  /** Runs every minute. */
  readonly due?: () => Promise<unknown>;
  /** Opens a session, where the Worker has objects for them. */
  readonly openSession?: (storage: SessionStorage) => PartSession;
  /** Consumes messages of one of the part's `queues`. Acknowledges or retries each of them. */
  readonly queue?: (queue: string, messages: readonly PartMessage[]) => Promise<void>;
};

/** A statement on the database of the index, and what is bound to its question marks. */
export type IndexStatement = {
  readonly sql: string;
  readonly values: ReadonlyArray<string | number | null>;
};

/** A feature of an app, mounted with `defineApp({ parts })`. */
export type Part = {
  readonly name: string;
  readonly services?: PartServices;
  readonly kinds?: Readonly<Record<string, RunKindSpec>>;
  /** Puts something around the programs of runs of any kind, such as events around those that it has started. */
  readonly wrap?: (start: RunStart, program: RunProgram) => RunProgram;
  /** The types of events that its runs emit. */
  readonly events?: Iterable<string>;
  /** Formats of webhook bodies other than the event itself, by name. */
  readonly webhookFormats?: Readonly<Record<string, WebhookFormat>>;
  /** What becomes of its own when runs are forked and deleted. */
  readonly runs?: {
    /** Called before a fork's first step, again if that is cut off. */
    readonly forked?: (
      place: PartPlace,
      run: { readonly id: string; readonly from: string },
    ) => Promise<void>;
    /** Called before a run is deleted, again if that is cut off. While it rejects, the run is not deleted. */
    readonly forgotten?: (place: PartPlace, runId: string) => Promise<void>;
    /**
     * Statements before the one that enters what a run says of itself in the index, in the same transaction: what they find there
     * of the run is what it said before. Such rows may come twice and late, which their `version` shows.
     */
    readonly entering?: (row: RunIndexRow) => readonly IndexStatement[];
    /** Called when a run has ended and is in the index: once, or never if the Worker stops just then. What it throws harms nobody. */
    readonly ended?: (env: PartEnv, run: EndedRun) => void;
    /** `entering` needs the `sums` of rows. @default false */
    readonly withSums?: boolean;
    /** Rows of the index keep the words of runs, so that runs can be searched. @default false */
    readonly withText?: boolean;
    /** Rows of the index have a place in the order of changes, which costs two rows written for each run. @default false */
    readonly withChanges?: boolean;
  };
  /** What it does about lines of the log with these codes. What it throws harms nobody. */
  readonly notices?: {
    readonly codes: ReadonlySet<LogCode>;
    readonly receive: (env: PartEnv, note: LogNote) => Promise<void>;
  };
  /** What it does with all that a run has stored, in the run's object: `RunObjectApi.inStore`. */
  readonly inStore?: (store: RunStore, input: JsonValue) => JsonValue;
  /** The queues that it consumes. */
  readonly queues?: readonly string[];
  /** The D1 migrations that it needs, by file name. */
  readonly migrations?: readonly string[];
  /** Its page in `docs/`. */
  readonly docs?: string;
  /** Checks the part against the whole app. Throws `invalid_definition`. */
  readonly check?: (parts: readonly Part[]) => void;
  readonly bind?: (host: PartHost) => BoundPart;
};
