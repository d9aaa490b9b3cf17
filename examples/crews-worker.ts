// The Worker that bench/size.ts weighs beside the examples' own: crews alone.
import { releaseNotes } from "./release-notes.ts";
import { supportReply } from "./support-reply.ts";
import { defineApp } from "../src/worker.ts";

const app = defineApp({
  crews: { "release-notes": releaseNotes, "support-reply": supportReply },
  files: "d1",
});

export default app;
export const { CrewRun } = app.durableObjects;
