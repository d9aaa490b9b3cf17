import { expect, it } from "vitest";
import { nameOf, parseSource, readSource } from "../support/source-files.ts";

/** The subpaths of the package. A new one is a decision. */
const SUBPATHS = [".", "./worker", "./client", "./testing", "./migrations/*", "./package.json"];

/** Names exported by src/index.ts, values and types, in alphabetical order. A new one is a decision. */
const NAMES: readonly string[] = [
  "Agent",
  "AgentFinish",
  "AgentOptions",
  "CallOptions",
  "ChatMessage",
  "ChatReply",
  "Crew",
  "CrewDefinition",
  "CrewOptions",
  "CrewOutput",
  "DEFAULT_PROMPTS",
  "EngineError",
  "ErrorCode",
  "ErrorRecord",
  "EvaluationStore",
  "EventType",
  "EventsOptions",
  "Guardrail",
  "GuardrailVerdict",
  "HumanInputOptions",
  "Issue",
  "JsonObject",
  "JsonValue",
  "KickoffOptions",
  "LanguageModel",
  "LiveEvent",
  "MemoryEvaluationStore",
  "MemoryTrainedStore",
  "Message",
  "ModelCatalog",
  "ModelEnvironment",
  "ModelRequest",
  "ModelResponse",
  "ModelSettings",
  "ModelSpec",
  "PromptOverrides",
  "ResumeRequest",
  "RetryPolicy",
  "Run",
  "RunEvent",
  "RunHandle",
  "RunKind",
  "RunStatus",
  "Step",
  "StepCallback",
  "StoredEvaluation",
  "Task",
  "TaskOptions",
  "TaskOutput",
  "TaskState",
  "TestOptions",
  "TestReport",
  "Tool",
  "ToolCall",
  "ToolContext",
  "ToolOptions",
  "ToolResult",
  "ToolSpec",
  "TrainOptions",
  "TrainedAgent",
  "TrainedStore",
  "Training",
  "Usage",
  "Wait",
  "WaitRequest",
  "calculator",
  "crewFromDefinition",
  "currentTime",
  "formatTestReport",
  "hallucinationGuardrail",
  "llmGuardrail",
  "modelCatalog",
  "outputJson",
  "readCrewDefinition",
  "tool",
  "toolFromSchema",
  "wait",
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
