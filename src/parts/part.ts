// The joint that every feature hangs on.
//
// A part is a feature as a Worker takes it: services for its runs, programs for runs of its kinds, operations of the API, event types, queues,
// and what is due every minute. The core (journal, events, runtime, http) is written over parts and names none of them.
import type * as z from "zod";
import type { Clock } from "../base/clock.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { RunServices } from "../events/run-services.ts";
import type { ModelCatalog } from "../llm/model-catalog.ts";
import type { ModelEnvironment } from "../llm/resolve-model.ts";
import type { RunDirectory } from "../runtime/run-directory.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import type { RunStart } from "../runtime/run.ts";
import type { WebhookFormat } from "../runtime/webhooks.ts";
import type { OutboundPolicy } from "../security/outbound.ts";
import type { DefinitionStore } from "./definition-store.ts";
import type { Operation } from "./operation.ts";

/** The Worker's bindings that parts may use. The platform declares its own by declaration merging. */
export interface PartEnv {}

/** The name of a service; its type is the one that `RunServices` declares for it. */
export type ServiceKey = keyof RunServices;

/** Opens services of a tenant, by name. Each is opened once for a run or request, and only when somebody asks for it. */
export type PartServices = {
  readonly [Key in ServiceKey]?: (place: PartPlace) => RunServices[Key];
};

/** Where a tenant's services are opened. */
export type PartPlace = {
  readonly tenant: string;
  readonly env: PartEnv;
  /** What models and embedders are made from. */
  readonly environment: ModelEnvironment;
  /** Where outgoing requests may go. */
  readonly outbound: OutboundPolicy;
  /** The tenant's services, those of other parts included. */
  readonly services: RunServices;
};

/** What runs of one kind take and give. */
export type RunSchemas = { readonly input: z.ZodType; readonly output: z.ZodType };

/** Runs of one kind. */
export type RunKindSpec = {
  /** For the API document; made when that is asked for. */
  readonly schemas?: () => RunSchemas;
  /** What a run that was started with this does. Throws `not_found` when its definition is gone. */
  readonly program: (start: RunStart) => RunProgram;
};

/** Something that callers can start by kind and name: a crew, an agent, a flow. */
export type Subject = {
  /** The inputs that every run of it needs. */
  readonly requiredInputs: readonly string[];
  /** The field of its inputs that says what it is asked, where it takes messages. */
  readonly messagesInput?: string;
  /** What a run is started with. Throws `invalid_input` with an issue for each input that does not fit. */
  readonly start: (inputs: JsonObject) => Pick<RunStart, "kind" | "name" | "inputs" | "definition">;
};

/** The subjects of one kind. */
export type Subjects = {
  /** Those of the deployed code. */
  readonly names: () => readonly string[];
  readonly get: (name: string) => Subject | undefined;
  /** Reads a stored definition of this kind. Throws `invalid_definition`. */
  readonly read?: (name: string, definition: JsonValue) => Subject;
};

/** A queue's message, as far as parts need it. */
export interface PartMessage {
  readonly id: string;
  readonly body: unknown;
  readonly attempts: number;
  ack(): void;
  retry(options?: { readonly delaySeconds?: number }): void;
}

/** What a part's operations and duties need of the Worker. */
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
  /** How webhooks of runs are sent; absent where none are. */
  readonly webhooks?: WebhookSettings;
  /** Of a request body, in bytes. */
  readonly maxBodyBytes: number;
  readonly clock: Clock;
  /** Fits `RUN_ID_PATTERN`. */
  readonly randomId: () => string;
  /** Reports a fault that nobody is waiting to hear of. */
  readonly report: (error: unknown) => void;
};

export type WebhookSettings = OutboundPolicy & {
  /** Whether webhooks without a secret of their own can be signed. */
  readonly hasSecret: boolean;
};

/** A part that is bound to a Worker. */
export type BoundPart = {
  readonly operations?: readonly Operation[];
  /** The schemas of its answers, by name; asked for when the API document is made. */
  readonly shapes?: () => Readonly<Record<string, z.ZodType>>;
  /** Gives problems of some paths a form of the part's own. */
  readonly problems?: {
    readonly matches: (path: string) => boolean;
    readonly answer: (problem: Response, request: Request) => Response | Promise<Response>;
  };
  /** Runs every minute. */
  readonly due?: () => Promise<unknown>;
  /** Consumes messages of one of the part's `queues`. Settles each of them. */
  readonly queue?: (queue: string, messages: readonly PartMessage[]) => Promise<void>;
};

export type Part = {
  readonly name: string;
  readonly services?: PartServices;
  readonly kinds?: Readonly<Record<string, RunKindSpec>>;
  readonly subjects?: Readonly<Record<string, Subjects>>;
  /** The types of events that its runs emit. */
  readonly events?: Iterable<string>;
  /** Bodies of webhooks that are not the event itself, by the name of their format. */
  readonly webhookFormats?: Readonly<Record<string, WebhookFormat>>;
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
