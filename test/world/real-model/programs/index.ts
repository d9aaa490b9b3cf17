// All kinds, in the order in which a round goes through them.
import { kind as agent } from "./agent.ts";
import { kind as agentTool } from "./agent-tool.ts";
import { kind as chat } from "./chat.ts";
import { kind as crew } from "./crew.ts";
import { kind as crewTools } from "./crew-tools.ts";
import { kind as cut } from "./cut.ts";
import { kind as cutObject } from "./cut-object.ts";
import { kind as down } from "./down.ts";
import { DOOR_KINDS, doorAway, doorCut, doorDown } from "./doors.ts";
import { kind as drop } from "./drop.ts";
import { kind as embedderAway } from "./embedder-away.ts";
import { kind as flow } from "./flow.ts";
import { kind as fullWindow } from "./full-window.ts";
import { kind as groupChat } from "./group-chat.ts";
import { kind as guardrail } from "./guardrail.ts";
import { kind as hierarchy } from "./hierarchy.ts";
import { kind as judged } from "./judged.ts";
import type { Kind } from "./kind.ts";
import { kind as knowledge } from "./knowledge.ts";
import { kind as loading } from "./loading.ts";
import { kind as memory } from "./memory.ts";
import { kind as modelRestart } from "./model-restart.ts";
import { kind as object } from "./object.ts";
import { kind as outage } from "./outage.ts";
import { kind as pattern } from "./pattern.ts";
import { kind as planning } from "./planning.ts";
import { kind as stream } from "./stream.ts";
import { kind as talk } from "./talk.ts";
import { kind as workerRestart } from "./worker-restart.ts";

/** Those of the sample come first: each shows another part of the product. */
export const KINDS: readonly Kind[] = [
  agentTool,
  object,
  groupChat,
  flow,
  cut,
  fullWindow,
  loading,
  knowledge,
  stream,
  cutObject,
  drop,
  DOOR_KINDS["openai-chat"],
  DOOR_KINDS.a2a,
  DOOR_KINDS["http-socket"],
  agent,
  hierarchy,
  crew,
  crewTools,
  guardrail,
  judged,
  planning,
  memory,
  pattern,
  chat,
  outage,
  down,
  embedderAway,
  DOOR_KINDS["http-wait"],
  DOOR_KINDS["http-events"],
  DOOR_KINDS["openai-responses"],
  DOOR_KINDS["ag-ui"],
  DOOR_KINDS.mcp,
  doorCut,
  doorAway,
  doorDown,
  talk,
  modelRestart,
  workerRestart,
];
