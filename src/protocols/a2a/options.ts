import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { PROTOCOL_OPTION_NAMES } from "../protocol-option-names.ts";
import { EngineError } from "../../base/error.ts";
import { preview, type JsonObject } from "../../base/json.ts";
import type { SubjectInfo } from "../../parts/part.ts";
import type { ExposedOptions, ExposedSubject } from "../exposed-subject.ts";
import type { ProtocolOptions } from "../protocol-runs.ts";
import type { A2UIServerOptions } from "./a2ui.ts";
import type { CardSigning } from "./card-signing.ts";
import { checkOidc, type OidcAuth } from "./oidc.ts";
import type { Message, Task } from "./schema.ts";

/** Description of one subject for A2A callers, and its inputs from them. */
export type A2AExposedOptions = ExposedOptions & {
  /** Name on the card. @default an agent's role, else the subject's name */
  readonly title?: string;
  /** Version on the card. @default the one of the options */
  readonly version?: string;
  /** Accepted media types. @default text and JSON, and for agents images and documents too */
  readonly inputModes?: readonly string[];
  /** Media types of answers. @default text/plain and application/json */
  readonly outputModes?: readonly string[];
  /**
   * Input for files, if the subject takes no messages: `[{ name?, mediaType, data | url }]`. @default only text files
   * are accepted
   */
  readonly files?: string;
  /** Input for the request's details: its message with metadata, and the context. @default not passed */
  readonly request?: string;
  /**
   * True if it may answer with a message in place of a task (`a2aResult({ reply })`). Streams then begin a moment
   * later. @default false
   */
  readonly replies?: boolean;
  /** Additions on the extended card, for callers with a key. @default no extended card */
  readonly extended?: {
    readonly description?: string;
    readonly skills?: SubjectInfo["skills"];
  };
};

/** A supported extension of the protocol. */
export type A2AExtension = {
  readonly uri: string;
  readonly description?: string;
  /** True to refuse callers without it. @default false */
  readonly required?: boolean;
  readonly params?: JsonObject;
  /** Changes the message of a caller with this extension. Errors are logged, and the message stays. */
  readonly onRequest?: (message: Message) => Message | Promise<Message>;
  /** Changes a task before such a caller receives it. Errors are logged, and the task stays. */
  readonly onResponse?: (task: Task) => Task | Promise<Task>;
};

/** The versions of the protocol. */
export type A2AVersion = "1.0" | "0.3";

/** Options of `a2a()` in `defineApp`. */
export type A2AOptions = Omit<ProtocolOptions, "expose"> & {
  /** Subjects for other agents, such as `{ "crew/briefing": true }`, or `"all"`. @default no subject */
  readonly expose?: "all" | Readonly<Record<string, A2AExposedOptions | true>>;
  /** Supported versions. @default ["1.0", "0.3"] */
  readonly versions?: readonly A2AVersion[];
  /** Subject of the card at `/.well-known/agent-card.json`, as `kind/name`. @default no such card */
  readonly root?: string;
  /** Serves cards without a key, for the subjects of tenant `default`. @default true */
  readonly publicCards?: boolean;
  /** Address of the Worker on cards, without a path. @default the request's address */
  readonly url?: string;
  /** The version on cards. @default "1.0.0" */
  readonly version?: string;
  readonly provider?: { readonly organization: string; readonly url: string };
  readonly documentationUrl?: string;
  readonly iconUrl?: string;
  /** Sends changes to addresses of callers. @default true, if the Worker sends webhooks */
  readonly pushNotifications?: boolean;
  /** Maximum wait of a blocking call, in milliseconds. @default 55_000 */
  readonly waitMs?: number;
  /** @default [] */
  readonly extensions?: readonly A2AExtension[];
  /** Permits parts with user interfaces (A2UI). @default they are left out */
  readonly a2ui?: A2UIServerOptions;
  /** Accepts tokens of an OpenID Connect provider in addition to keys. @default keys alone */
  readonly oidc?: OidcAuth;
  /** Keys for signing the cards, each for one signature. @default unsigned cards */
  readonly signing?: CardSigning | readonly CardSigning[];
};

const MAX_WAIT_MS = 600_000;
/** Clients in use need both: CrewAI's and one of AG2's know only 0.3. */
const DEFAULT_VERSIONS: readonly A2AVersion[] = ["1.0", "0.3"];

/** Returns the supported versions. */
export function versionsOf({ versions = DEFAULT_VERSIONS }: A2AOptions): readonly A2AVersion[] {
  return versions;
}

const OPTIONS = definitionOptions<A2AOptions>("a2a()", {
  ...PROTOCOL_OPTION_NAMES,
  versions: true,
  root: true,
  publicCards: true,
  url: true,
  version: true,
  provider: true,
  documentationUrl: true,
  iconUrl: true,
  pushNotifications: true,
  waitMs: true,
  extensions: true,
  a2ui: true,
  oidc: true,
  signing: true,
});

/** Fails with `invalid_definition` for invalid options. */
export function checkOptions(options: A2AOptions): void {
  refuseUnknownOptions(options, OPTIONS);
  const { root, url, waitMs = 1, extensions = [], expose = {} } = options;
  const versions = versionsOf(options);
  if (versions.length === 0 || versions.some((version) => version !== "1.0" && version !== "0.3"))
    throw invalid("versions", 'a list of "1.0" and "0.3", with one of them at least', versions);
  if (!Number.isInteger(waitMs) || waitMs < 1 || waitMs > MAX_WAIT_MS)
    throw invalid("waitMs", `an integer from 1 to ${MAX_WAIT_MS}`, waitMs);
  if (url !== undefined && (!URL.canParse(url) || new URL(url).origin !== url.replace(/\/$/, "")))
    throw invalid("url", "an address without a path, such as https://agents.example.com", url);
  if (root !== undefined && expose !== "all" && !Object.hasOwn(expose, root))
    throw invalid("root", "one of the subjects that are exposed", root);
  if (options.oidc !== undefined) checkOidc(options.oidc);
  const uris = extensions.map(({ uri }) => uri);
  const twice = uris.find((uri, place) => uris.indexOf(uri) !== place);
  if (twice !== undefined) throw invalid("extensions", "a list without one URI twice", twice);
  const odd = uris.find((uri) => !URL.canParse(uri) || /[\s,]/.test(uri));
  if (odd !== undefined) throw invalid("extensions", "URIs", odd);
}

function invalid(name: string, expected: string, got: unknown): EngineError {
  return new EngineError(
    "invalid_definition",
    `a2a: ${name} must be ${expected}, got ${preview(got)}`,
  );
}

/** Returns the options of an exposed subject. */
export function optionsOf({ options }: ExposedSubject): A2AExposedOptions {
  return options;
}

const TEXTS = ["text/plain", "application/json"];
const DOCUMENTS = [
  "text/markdown",
  "text/csv",
  "text/html",
  "image/png",
  "image/jpeg",
  "image/webp",
  "image/gif",
  "application/pdf",
];

/** Returns the media types accepted by a subject. */
export function inputModesOf(exposed: ExposedSubject): readonly string[] {
  const { inputModes, files } = optionsOf(exposed);
  const isTalking = exposed.subject.messagesInput !== undefined;
  return inputModes ?? (isTalking || files !== undefined ? [...TEXTS, ...DOCUMENTS] : TEXTS);
}

/** Returns the media types of a subject's answers. */
export function outputModesOf(exposed: ExposedSubject): readonly string[] {
  return optionsOf(exposed).outputModes ?? TEXTS;
}
