import { acp } from "../../src/acp.ts";
import { a2aClient } from "../../src/a2a.ts";
import { agUi } from "../../src/ag-ui.ts";
import { a2a } from "../../src/a2a.ts";
import { agentPart } from "../../src/agent/agent-part.ts";
import { conversationPart } from "../../src/conversation/conversation-part.ts";
import { platformPart } from "../../src/cloudflare/platform-part.ts";
import { crewPart } from "../../src/crew/crew-part.ts";
import { evaluationPart } from "../../src/evaluation/evaluation-part.ts";
import { backup } from "../../src/backup.ts";
import { console } from "../../src/console.ts";
import { files } from "../../src/files.ts";
import { flowPart } from "../../src/flow/flow-part.ts";
import { codePart } from "../../src/code/code-part.ts";
import { knowledge } from "../../src/knowledge.ts";
import { mcpClient } from "../../src/mcp.ts";
import { mcp } from "../../src/mcp.ts";
import { memory } from "../../src/memory.ts";
import type { Part } from "../../src/parts/part.ts";
import { definitionReaders } from "../../src/project/definition-readers.ts";
import { crewaiPart } from "../../src/protocols/crewai/server.ts";
import { openai } from "../../src/openai.ts";
import { retention } from "../../src/retention.ts";
import { toolsPart } from "../../src/tools/tools-part.ts";
import { quotas } from "../../src/quotas.ts";
import { alerts } from "../../src/alerts.ts";
import { metrics } from "../../src/metrics.ts";
import { usage } from "../../src/usage.ts";
import { triggers } from "../../src/triggers.ts";

/** Every part that src has, as an app without crews, agents and flows binds it. */
export const appParts: readonly Part[] = [
  agentPart({}),
  crewPart({ crews: {}, registry: {}, readers: definitionReaders }),
  flowPart({ flows: {}, registry: {}, readers: definitionReaders }),
  conversationPart({ conversations: {}, registry: {}, readers: definitionReaders }),
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
  acp({ expose: "all" }),
  openai(),
  mcpClient(),
  mcp(),
  files({ store: "d1" }),
  platformPart({}),
];
