// Progress of a remote agent's task, in the form stored by a run, and its updates by a stream.
//
//   AXK1. The text of a result consists of the status message, else of the last message if it is the agent's, and of
//         all artifacts.
//   AXK2. Ids are printable and short. Other values from a server are refused.
import * as z from "zod";
import { EngineError } from "../../../base/error.ts";
import { preview, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { saysData } from "../media-types.ts";

/** State of a task. */
export type RemoteState =
  | "submitted"
  | "working"
  | "input_required"
  | "auth_required"
  | "completed"
  | "failed"
  | "canceled"
  | "rejected"
  | "unknown";

/** A part of a message or artifact other than text. */
export type DataPart = {
  readonly mediaType?: string;
  readonly value: JsonValue;
};

/** Text and other parts. */
export type Content = { readonly text: string; readonly data: readonly DataPart[] };

/** An answer, or the state of its future task. */
export type RemoteAnswer = Content & {
  readonly state: RemoteState;
  readonly taskId?: string;
  readonly contextId?: string;
  /** Key of its only question, from a server that names the questions of a task as Edgecrew does. */
  readonly question?: string;
  readonly artifacts: ReadonlyArray<{
    readonly id: string;
    readonly name?: string;
    readonly size: number;
  }>;
};

/** True if the task makes no further progress by itself. */
export function isSettled({ state }: Pick<RemoteAnswer, "state">): boolean {
  return !(state === "submitted" || state === "working" || state === "unknown");
}

const id = z.string().regex(/^[\x21-\x7e]{1,256}$/);
const metadata = z.record(z.string(), z.json()).optional().catch(undefined);
const part = z.looseObject({
  text: z.string().optional(),
  data: z.json().optional(),
  url: z.string().optional(),
  raw: z.string().optional(),
  filename: z.string().optional(),
  mediaType: z.string().optional(),
  metadata,
});
const parts = z.array(part).catch([]);
const message = z.looseObject({
  messageId: z.string().catch(""),
  role: z.string().catch(""),
  parts,
  taskId: z.string().optional(),
  contextId: z.string().optional(),
  metadata,
});
const status = z.looseObject({ state: z.string(), message: message.optional() });
const artifact = z.looseObject({
  artifactId: z.string().catch(""),
  name: z.string().optional(),
  parts,
});
const task = z.looseObject({
  id,
  contextId: id.or(z.literal("")).optional(),
  status,
  artifacts: z.array(artifact).catch([]),
  history: z.array(message).catch([]),
});
const update = z.union([
  z.looseObject({ task }),
  z.looseObject({ message }),
  z.looseObject({
    statusUpdate: z.looseObject({ taskId: id, contextId: z.string().optional(), status }),
  }),
  z.looseObject({
    artifactUpdate: z.looseObject({
      taskId: id,
      contextId: z.string().optional(),
      artifact,
      append: z.boolean().optional(),
    }),
  }),
]);

const oneWait = z.tuple([z.looseObject({ key: z.string().min(1).max(1024) })]);

type RawTask = z.output<typeof task>;
type RawMessage = z.output<typeof message>;
type RawArtifact = z.output<typeof artifact>;

const MAX_ARTIFACTS = 200;
const MAX_HISTORY = 200;

/** A task, updated by a stream. */
export class TaskSoFar {
  #taskId: string | undefined;
  #contextId: string | undefined;
  #status: z.output<typeof status> = { state: "TASK_STATE_SUBMITTED" };
  #artifacts = new Map<string, RawArtifact>();
  #history: readonly RawMessage[] = [];
  #message: RawMessage | undefined;

  /**
   * Adds a task or message in ProtoJSON of A2A 1.0, or an update. Fails with `tool_failed` for anything else (AXK2).
   */
  take(value: JsonObject): this {
    const read = update.safeParse(value);
    if (!read.success) throw notUnderstood(value);
    const { data } = read;
    if ("task" in data) this.#takeTask(data["task"] as RawTask);
    else if ("message" in data) {
      const said = data["message"] as RawMessage;
      this.#message = said;
      this.#taskId = said.taskId || this.#taskId;
      this.#contextId = said.contextId || this.#contextId;
    } else if ("statusUpdate" in data) {
      const {
        taskId,
        contextId,
        status: now,
      } = data["statusUpdate"] as {
        taskId: string;
        contextId?: string;
        status: z.output<typeof status>;
      };
      this.#belongs(taskId, contextId);
      this.#status = now;
    } else {
      const change = data["artifactUpdate"] as {
        taskId: string;
        contextId?: string;
        artifact: RawArtifact;
        append?: boolean;
      };
      this.#belongs(change.taskId, change.contextId);
      this.#addArtifact(change.artifact, change.append === true);
    }
    return this;
  }

  get answer(): RemoteAnswer {
    const ids = {
      ...(this.#taskId === undefined ? undefined : { taskId: this.#taskId }),
      ...(this.#contextId ? { contextId: this.#contextId } : undefined),
    };
    if (this.#message !== undefined)
      return { ...contentOf([this.#message.parts]), state: "completed", artifacts: [], ...ids };
    const artifacts = [...this.#artifacts.values()];
    const last = this.#history.at(-1);
    const said = this.#status.message ?? (/agent/i.test(last?.role ?? "") ? last : undefined);
    const made = artifacts.map((each) => each.parts);
    const content = contentOf(isIn(made, said?.parts ?? []) ? made : [said?.parts ?? [], ...made]);
    return {
      ...content,
      state: stateOf(this.#status.state),
      ...ids,
      ...questionIn(this.#status.message?.metadata),
      artifacts: artifacts.map(({ artifactId, name, parts: own }) => ({
        id: artifactId,
        ...(name === undefined || name === "" ? undefined : { name }),
        size: JSON.stringify(own).length,
      })),
    };
  }

  /** Marks the task's request as answered: its present state is no news until it asks again. */
  goesOn(): this {
    const { state } = this.answer;
    if (this.#message !== undefined || (isSettled({ state }) && !state.endsWith("_required")))
      return this;
    this.#status = { state: "TASK_STATE_WORKING" };
    this.#history = [];
    return this;
  }

  /** True if the task contains a message with this id. */
  has(messageId: string): boolean {
    return this.#history.some((each) => each.messageId === messageId);
  }

  #takeTask(value: RawTask): void {
    this.#taskId = value.id;
    this.#contextId = value.contextId || this.#contextId;
    this.#status = value.status;
    this.#history = value.history.slice(-MAX_HISTORY);
    this.#artifacts = new Map();
    for (const each of value.artifacts) this.#addArtifact(each, false);
  }

  #belongs(taskId: string, contextId: string | undefined): void {
    if (this.#taskId !== undefined && this.#taskId !== taskId)
      throw new EngineError(
        "tool_failed",
        `the remote agent sent an update of task ${preview(taskId)} in answer to task ${preview(this.#taskId)}`,
      );
    this.#taskId = taskId;
    this.#contextId = contextId || this.#contextId;
  }

  #addArtifact(value: RawArtifact, append: boolean): void {
    const known = this.#artifacts.get(value.artifactId);
    if (known === undefined && this.#artifacts.size >= MAX_ARTIFACTS) return;
    const own = append && known !== undefined ? [...known.parts, ...value.parts] : value.parts;
    this.#artifacts.set(value.artifactId, { ...known, ...value, parts: own });
  }
}

/** Returns the key of the question, unless there are several. */
function questionIn(about: JsonObject | undefined): Pick<RemoteAnswer, "question"> {
  const read = oneWait.safeParse(about?.["waits"]);
  return read.success ? { question: read.data[0].key } : {};
}

function stateOf(name: string): RemoteState {
  const state = name
    .replace(/^TASK_STATE_/, "")
    .toLowerCase()
    .replaceAll("-", "_");
  switch (state) {
    case "submitted":
    case "working":
    case "input_required":
    case "auth_required":
    case "completed":
    case "failed":
    case "rejected":
      return state;
    case "canceled":
    case "cancelled":
      return "canceled";
    default:
      return "unknown";
  }
}

function contentOf(lists: ReadonlyArray<z.output<typeof parts>>): Content {
  const texts: string[] = [];
  const data: DataPart[] = [];
  for (const list of lists) {
    const text = textOf(list);
    // Data may be repeated as text, for readers of text alone.
    const isData = list.some(({ data: value }) => value !== undefined && saysData(text, value));
    if (text !== "" && !isData) texts.push(text);
    for (const each of list) {
      const type = each.mediaType || (each.metadata?.["mimeType"] as string | undefined);
      const mediaType = type === undefined ? undefined : { mediaType: type };
      if (each.data !== undefined) data.push({ ...mediaType, value: each.data });
      else if (each.url !== undefined && each.url !== "")
        data.push({ ...mediaType, value: { url: each.url, ...named(each.filename) } });
      else if (each.raw !== undefined && each.raw !== "")
        data.push({
          ...mediaType,
          value: { ...named(each.filename), base64Length: each.raw.length },
        });
    }
  }
  return { text: texts.join(" "), data };
}

/** True for words that an artifact has, too: servers may put their answer into both. */
function isIn(
  artifacts: ReadonlyArray<z.output<typeof parts>>,
  said: z.output<typeof parts>,
): boolean {
  const text = textOf(said);
  const isTextAlone = said.every((each) => each.text !== undefined);
  return isTextAlone && artifacts.some((own) => textOf(own) === text);
}

function textOf(list: z.output<typeof parts>): string {
  return list.map((each) => each.text ?? "").join("");
}

function named(filename: string | undefined): { readonly filename?: string } {
  return filename === undefined || filename === "" ? {} : { filename };
}

function notUnderstood(value: JsonObject): EngineError {
  return new EngineError(
    "tool_failed",
    `the remote agent must answer with a task, a message or an update with ids of printable characters, got ${preview(value, 200)}`,
  );
}
