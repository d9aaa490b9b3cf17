// The Worker of this repository: the example crews and flows, ready to be deployed or to be started with `npm start`.
import { triggers } from "../src/triggers/index.ts";
import { defineApp } from "../src/worker.ts";
import { announce } from "./announce.ts";
import { inboxDigest } from "./inbox-digest.ts";
import { releaseNotes } from "./release-notes.ts";
import { supportReply } from "./support-reply.ts";
import { Tighten } from "./tighten.ts";

const app = defineApp({
  crews: { "release-notes": releaseNotes, "support-reply": supportReply },
  flows: { announce, tighten: Tighten, "inbox-digest": inboxDigest },
  // Further schedules, and webhooks, are stored over HTTP: see docs/triggers.md.
  triggers: triggers({
    schedules: {
      "inbox-digest": { cron: "0 7 * * 1-5", target: { kind: "flow", name: "inbox-digest" } },
    },
  }),
  files: "d1",
});

export default app;
export const { CrewRun } = app.durableObjects;
