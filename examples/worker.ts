// The Worker of this repository: the example crews, flows and conversations, memory, knowledge, tools and all protocols, ready to be deployed or to be started with `npm start`.
import { a2a, a2aClient } from "../src/entry/a2a.ts";
import { acp } from "../src/entry/acp.ts";
import { agUi } from "../src/entry/ag-ui.ts";
import { apiDescription } from "../src/entry/api-description.ts";
import { codeRunners } from "../src/entry/code.ts";
import { console } from "../src/entry/console.ts";
import { crewaiApi } from "../src/entry/crewai-api.ts";
import { files } from "../src/entry/files.ts";
import { knowledge } from "../src/entry/knowledge.ts";
import { DOCUMENT_READERS } from "../src/entry/knowledge-readers.ts";
import { mcp, mcpClient } from "../src/entry/mcp.ts";
import { memory } from "../src/entry/memory.ts";
import { openai } from "../src/entry/openai.ts";
import { toolCatalog } from "../src/entry/tool-catalog.ts";
import { triggers } from "../src/entry/triggers.ts";
import { usage } from "../src/entry/usage.ts";
import { d1FlowStates, defineApp, VectorIndex } from "../src/worker.ts";
import { announce } from "./announce.ts";
import { answerALetter, lookUpOrder } from "./answer-a-letter.ts";
import { clerk } from "./clerk.ts";
import { debate } from "./debate.ts";
import { inboxDigest } from "./inbox-digest.ts";
import { incidentReview, readLog } from "./incident-review.ts";
import { releaseNotes, sortCommits } from "./release-notes.ts";
import { extractFacts, supportReply } from "./support-reply.ts";
import { teaShop } from "./tea-shop.ts";
import { Tighten } from "./tighten.ts";
import { tutoring } from "./tutoring.ts";

const expose = "all";

const app = defineApp({
  crews: {
    "answer-a-letter": answerALetter,
    "release-notes": releaseNotes,
    "support-reply": supportReply,
  },
  agents: { clerk },
  flows: { announce, tighten: Tighten, "inbox-digest": inboxDigest, "tea-shop": teaShop },
  // Where the tea shop keeps its talks.
  flowStates: d1FlowStates,
  conversations: {
    debate,
    "incident-review": incidentReview,
    tutoring,
  },
  // Further schedules, and webhooks, are stored over HTTP: see docs/triggers.md.
  triggers: triggers({
    schedules: {
      "inbox-digest": { cron: "0 7 * * 1-5", target: { kind: "flow", name: "inbox-digest" } },
    },
  }),
  // Over HTTP, and for crews that have them: see docs/memory-api.md and docs/knowledge-api.md.
  memory: memory(),
  knowledge: knowledge({ readers: DOCUMENT_READERS }),
  // For crews and conversations that are stored over HTTP, such as copies of the ones above: see docs/tool-catalogue.md.
  tools: [lookUpOrder, sortCommits, extractFacts, readLog, toolCatalog()],
  // JavaScript in isolates; Python with a key of E2B or Daytona: see docs/code-execution.md.
  code: codeRunners(),
  // Over HTTP, too: see docs/files-api.md.
  files: files({ store: "d1" }),
  // In a browser under /console, and tokens for front ends: see docs/console.md.
  console: console(),
  // Everything may be called over all protocols, and agents may use what others offer: see docs/protocols.md.
  parts: [
    // How many runs there were, and what they consumed: see docs/usage.md.
    usage(),
    // A description of the API, under /docs and /openapi.json.
    apiDescription(),
    a2a({ expose, root: "crew/release-notes" }),
    mcp({ expose }),
    agUi({ expose }),
    openai({ expose }),
    acp({ expose }),
    crewaiApi(),
    a2aClient(),
    mcpClient(),
  ],
});

export default app;
export const { CrewRun, McpSessions } = app.durableObjects;
export { VectorIndex };
