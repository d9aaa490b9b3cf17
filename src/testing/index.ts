/** What tests of crews need: a model that follows a script, a clock that is moved by hand, and runs to replay. */

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
export { SimulatedClock } from "./simulated-clock.ts";
export type { ExportedRun, ExportedStep } from "../runtime/export-run.ts";
