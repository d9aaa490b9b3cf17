import { expect, it } from "vitest";
import { nameOf, parseSource, readSource } from "../support/source-files.ts";

/** The subpaths of the package. A new one is a decision. */
const SUBPATHS = [
  ".",
  "./worker",
  "./client",
  "./testing",
  "./vite",
  "./migrations/*",
  "./package.json",
];

/** Names exported by src/index.ts, values and types, in alphabetical order. A new one is a decision. */
const NAMES: readonly string[] = [
  "Agent",
  "AgentFinish",
  "AgentOptions",
  "ApprovalContext",
  "BatchItem",
  "BatchOutput",
  "CallOptions",
  "ContentPart",
  "Crew",
  "CrewDefinition",
  "CrewOptions",
  "CrewOutput",
  "DEFAULT_PROMPTS",
  "EngineError",
  "EnvVar",
  "ErrorCode",
  "ErrorRecord",
  "EventListener",
  "EventType",
  "EventsOptions",
  "Fingerprint",
  "ForEachOptions",
  "ForeignTool",
  "FrameSession",
  "Guardrail",
  "GuardrailVerdict",
  "Hook",
  "HookAborted",
  "HookContexts",
  "HookFilters",
  "HookPoint",
  "HumanInputOptions",
  "Issue",
  "ItemResult",
  "JsonObject",
  "JsonValue",
  "KickoffOptions",
  "LanguageModel",
  "Listener",
  "ListenerContext",
  "Listeners",
  "LiveEvent",
  "Llm",
  "LlmCallOptions",
  "LlmMessages",
  "Message",
  "ModelCatalog",
  "ModelEnvironment",
  "ModelInterceptor",
  "ModelRequest",
  "ModelResponse",
  "ModelSettings",
  "ModelSpec",
  "OtlpExporterOptions",
  "PromptOverrides",
  "RestContext",
  "ResumeRequest",
  "RetryPolicy",
  "Run",
  "RunEvent",
  "RunHandle",
  "RunKind",
  "RunStatus",
  "RunStream",
  "SecurityConfig",
  "SecurityOptions",
  "Step",
  "StepCallback",
  "StreamChannel",
  "StreamChunk",
  "StreamFrame",
  "Task",
  "TaskOptions",
  "TaskOutput",
  "TaskState",
  "Tool",
  "ToolCall",
  "ToolCallDelta",
  "ToolContext",
  "ToolFailure",
  "ToolFailurePolicy",
  "ToolFailureRecord",
  "ToolOptions",
  "ToolResult",
  "ToolSecurity",
  "ToolSpec",
  "Usage",
  "Wait",
  "WaitRequest",
  "afterLlmCall",
  "afterToolCall",
  "beforeLlmCall",
  "beforeToolCall",
  "calculator",
  "chunksOf",
  "crewFromDefinition",
  "currentTime",
  "frames",
  "hallucinationGuardrail",
  "listen",
  "llm",
  "llmGuardrail",
  "modelCatalog",
  "on",
  "otlpExporter",
  "outputJson",
  "readCrewDefinition",
  "tool",
  "toolFailure",
  "toolFrom",
  "toolFromSchema",
  "wait",
  "withHooks",
  "withListeners",
];

it("publishes these subpaths", () => {
  const { exports } = JSON.parse(readSource("package.json")) as {
    exports: Record<string, unknown>;
  };
  expect(Object.keys(exports)).toEqual(SUBPATHS);
});

it("exports these names", () => {
  expect(exportedNames("src/index.ts").toSorted()).toEqual(NAMES);
});

/** Names of `export { … } from`. Anything else in that file hides what is public, so it is an error. */
function exportedNames(path: string): string[] {
  return parseSource(path).body.flatMap((statement) => {
    if (statement.type !== "ExportNamedDeclaration" || statement.declaration) {
      throw new Error(`${path} may only hold \`export { … } from\`, got ${statement.type}`);
    }
    return statement.specifiers.map((specifier) => nameOf(specifier.exported));
  });
}
