// The Worker of this repository: the example crews and flows, ready to be deployed or to be started with `npm start`.
import { defineApp } from "../src/worker.ts";
import { announce } from "./announce.ts";
import { inboxDigest } from "./inbox-digest.ts";
import { releaseNotes } from "./release-notes.ts";
import { supportReply } from "./support-reply.ts";
import { Tighten } from "./tighten.ts";

const app = defineApp({
  crews: { "release-notes": releaseNotes, "support-reply": supportReply },
  flows: { announce, tighten: Tighten, "inbox-digest": inboxDigest },
  files: "d1",
});

export default app;
export const { CrewRun } = app.durableObjects;
