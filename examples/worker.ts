// The Worker of this repository: the example crews, ready to be deployed or to be started with `npm start`.
import { triggers } from "../src/triggers/index.ts";
import { defineApp } from "../src/worker.ts";
import { releaseNotes } from "./release-notes.ts";
import { supportReply } from "./support-reply.ts";

const app = defineApp({
  crews: { "release-notes": releaseNotes, "support-reply": supportReply },
  // Schedules and webhooks that start them, stored over HTTP: see docs/triggers.md.
  triggers: triggers(),
  files: "d1",
});

export default app;
export const { CrewRun } = app.durableObjects;
