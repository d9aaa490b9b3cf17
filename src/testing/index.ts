/** What tests of crews need: a model that follows a script, and a clock that is moved by hand. */

export {
  scriptedModel,
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
} from "../llm/scripted/scripted-model.ts";
export { SimulatedClock } from "./simulated-clock.ts";
