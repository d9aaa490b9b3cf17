// Additions by a run's code for A2A callers: artifacts of its own, a final state, a reply without a task.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import * as z from "zod";
import { EngineError } from "../../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { toJson } from "../../base/recorded.ts";
import { toIssues } from "../../base/zod-issues.ts";
import { RunScope } from "../../events/run-scope.ts";
import type { Run, Wait } from "../../runtime/run.ts";
import { resultOf, type RunResult } from "../run-state.ts";
import { partSchema, type Artifact, type Part } from "./schema.ts";

/** A text, or parts. */
export type Said = string | readonly Part[];

/** An artifact from the code of a run. */
export type ResultArtifact = {
  /** Unique in the task. */
  readonly id: string;
  readonly parts: Said;
  readonly name?: string;
  readonly description?: string;
  readonly metadata?: JsonObject;
};

/** Result of a task. */
export type TaskResult = {
  /** @default "completed" */
  readonly state?: "completed" | "failed" | "rejected";
  /** Message in the status of the task: the reason of a rejection, or a comment on the artifacts. */
  readonly message?: Said;
  /** @default none */
  readonly artifacts?: readonly ResultArtifact[];
  /** Answers with a message in place of a task. The other fields are ignored then. */
  readonly reply?: Said;
};

const parts = z.union([z.string(), z.array(partSchema).min(1)]);
const artifactSchema = z.object({
  id: z.string().min(1),
  parts,
  name: z.string().optional(),
  description: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
const resultSchema = z.object({
  state: z.enum(["completed", "failed", "rejected"]).optional(),
  message: parts.optional(),
  artifacts: z.array(artifactSchema).optional(),
  reply: parts.optional(),
});

/**
 * Makes a detailed result for the A2A caller of a run: as the value of a flow, or as the object of an agent's or a
 * crew's answer. Fails with `invalid_input` for invalid parts.
 */
export function a2aResult(result: TaskResult): { readonly a2a: JsonObject } {
  checked(resultSchema, result, "a2aResult");
  return { a2a: toJson(result) as JsonObject };
}

/** Returns the detailed result of a finished run; undefined without one. */
export function saidBy(run: Pick<Run, "output">): TaskResult | undefined {
  const { data } = resultOf(run);
  if (data === undefined || !isJsonObject(data) || !isJsonObject(data["a2a"])) return undefined;
  const parsed = resultSchema.safeParse(data["a2a"]);
  return parsed.success ? (parsed.data as TaskResult) : undefined;
}

/** Returns a run's result for later turns of the conversation. */
export function a2aResultOf(run: Pick<Run, "output">): RunResult {
  const said = saidBy(run);
  if (said === undefined) return resultOf(run);
  const { artifacts = [], message, reply } = said;
  const texts = [reply, ...artifacts.map((artifact) => artifact.parts), message]
    .flatMap((each) => (each === undefined ? [] : toParts(each)))
    .flatMap(({ text, data }) => text ?? (data === undefined ? [] : JSON.stringify(data)));
  return { text: texts.join("\n\n") };
}

/** Converts a text or parts to parts. */
export function toParts(said: Said): readonly Part[] {
  return typeof said === "string" ? [{ text: said }] : said;
}

/**
 * Sends an artifact, or a chunk of one, to the A2A callers of the present run before its end. Sends it once, despite
 * replays of the run. Has no effect outside of a run. Fails with `invalid_input` for invalid parts.
 */
export function sendArtifact(
  artifact: ResultArtifact,
  chunk: { readonly append?: boolean; readonly lastChunk?: boolean } = {},
): void {
  checked(artifactSchema, artifact, "sendArtifact");
  const { id: artifactId, parts: said, ...others } = artifact;
  const sent = toJson({ ...others, parts: toParts(said), ...chunk }) as {
    readonly parts: readonly JsonObject[];
  };
  RunScope.current()
    ?.atNext("a2a_artifact")
    .emit("a2a_artifact_updated", { artifactId, ...sent });
}

/** Options of a question to the caller. */
export type AskCallerOptions = {
  /**
   * `auth-required`: a credential is missing, which comes out of band or in the next message. @default "input-required"
   */
  readonly state?: "input-required" | "auth-required";
  /** Suggested answers. @default any */
  readonly choices?: readonly string[];
  /** JSON Schema of the answer. @default any */
  readonly schema?: JsonObject;
  /** True to return the whole message, with its parts and metadata. @default false */
  readonly message?: boolean;
};

const OPTIONS = definitionOptions<AskCallerOptions>("askCaller()", {
  state: true,
  choices: true,
  schema: true,
  message: true,
});

/**
 * Waits for the next message of the A2A caller, and returns its text, or all of it. Fails with `conflict` outside of a
 * run.
 */
export function askCaller(prompt: string, options: AskCallerOptions = {}): Promise<JsonValue> {
  refuseUnknownOptions(options, OPTIONS);
  const scope = RunScope.current();
  if (scope === undefined)
    throw new EngineError("conflict", "askCaller works only inside of a run");
  const { state = "input-required", choices, schema, message = false } = options;
  return scope.atNext("a2a_ask").wait<JsonValue>({
    kind: "input",
    prompt,
    data: { a2a: { state, message } },
    ...(choices === undefined ? undefined : { choices }),
    ...(schema === undefined ? undefined : { schema }),
  });
}

/** Returns a wait's settings for its A2A caller. */
export function askedBy({ data }: Pick<Wait, "data">): {
  readonly isAuth: boolean;
  readonly takesMessage: boolean;
} {
  const about = data?.["a2a"];
  const said = about !== undefined && isJsonObject(about) ? about : {};
  return { isAuth: said["state"] === "auth-required", takesMessage: said["message"] === true };
}

/** Converts an artifact of a result to its form on the wire. */
export function toArtifact({ id, parts: said, ...others }: ResultArtifact): Artifact {
  return { artifactId: id, ...others, parts: toParts(said) };
}

function checked(schema: z.ZodType, value: unknown, what: string): void {
  const parsed = schema.safeParse(value);
  if (parsed.success) return;
  const issues = toIssues(parsed.error, value);
  const said = issues.map(({ path, message }) => `${path} ${message}`).join("; ");
  throw new EngineError("invalid_input", `${what}: ${said}`, { issues });
}
