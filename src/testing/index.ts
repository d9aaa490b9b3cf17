/** Tools for tests of crews: scripted models and agents, a clock moved by hand, and replay of runs. */

export {
  scriptedModel,
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
} from "../llm/scripted/scripted-model.ts";
export {
  replayRun,
  type ReplayedCode,
  type ReplayOptions,
  type ReplayResult,
} from "./replay-run.ts";
export {
  scriptedReplies,
  type ScriptedReplies,
  type ScriptedRepliesOptions,
} from "./scripted-replies.ts";
export {
  verifyApp,
  type ListedVersions,
  type VerifiableApp,
  type VerifiableRuns,
} from "./verify-app.ts";
export { verifyRun, type Verdict, type VerifyPorts } from "./verify-run.ts";
export { testAgent, type TestAgent } from "./test-agent.ts";
export { toolCall, toolsMessage, type ToolCallReply } from "./tool-calls.ts";
export { SimulatedClock } from "./simulated-clock.ts";
export type { ExportedRun, ExportedStep } from "../runtime/export-run.ts";
