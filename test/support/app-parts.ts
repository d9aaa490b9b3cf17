import { acp } from "../../src/entry/acp.ts";
import { a2aClient, a2a } from "../../src/entry/a2a.ts";
import { agUi } from "../../src/entry/ag-ui.ts";
import { descriptionPart } from "../../src/http/openapi/description-part.ts";
import { agentPart } from "../../src/agent/agent-part.ts";
import { conversationPart } from "../../src/conversation/conversation-part.ts";
import { platformPart } from "../../src/cloudflare/platform-part.ts";
import { crewPart } from "../../src/crew/crew-part.ts";
import { evaluationPart } from "../../src/evaluation/evaluation-part.ts";
import { backup } from "../../src/entry/backup.ts";
import { console } from "../../src/entry/console.ts";
import { files } from "../../src/entry/files.ts";
import { flowPart } from "../../src/flow/flow-part.ts";
import { codePart } from "../../src/code/code-part.ts";
import { knowledge } from "../../src/entry/knowledge.ts";
import { mcpClient } from "../../src/entry/mcp.ts";
import { mcp } from "../../src/entry/mcp.ts";
import { memory } from "../../src/entry/memory.ts";
import type { Part } from "../../src/parts/part.ts";
import { allReaders } from "./all-readers.ts";
import { crewaiPart } from "../../src/protocols/crewai/server.ts";
import { openai } from "../../src/entry/openai.ts";
import { retention } from "../../src/entry/retention.ts";
import { toolsPart } from "../../src/tools/tools-part.ts";
import { quotas } from "../../src/entry/quotas.ts";
import { alerts } from "../../src/entry/alerts.ts";
import { metrics } from "../../src/entry/metrics.ts";
import { usage } from "../../src/entry/usage.ts";
import { triggers } from "../../src/entry/triggers.ts";

/** Every part that src has, as an app without crews, agents and flows binds it. */
export const appParts: readonly Part[] = [
  agentPart({}),
  crewPart({ crews: {}, registry: {}, readers: allReaders }),
  flowPart({ flows: {}, registry: {}, readers: allReaders }),
  conversationPart({ conversations: {}, registry: {}, readers: allReaders }),
  toolsPart({ tools: [], catalogs: [] }),
  codePart({}, { javascript: () => undefined }),
  memory(),
  knowledge(),
  triggers(),
  retention({}),
  usage(),
  metrics(),
  alerts({ url: "https://alerts.example.com/" }),
  quotas(),
  backup(),
  ...console({ access: { team: "acme", audience: "a", scopes: ["read"] } }),
  a2aClient(),
  agUi(),
  evaluationPart,
  a2a(),
  crewaiPart(),
  descriptionPart(),
  acp({ expose: "all" }),
  openai(),
  mcpClient(),
  mcp(),
  files({ store: "d1" }),
  platformPart({}),
];
