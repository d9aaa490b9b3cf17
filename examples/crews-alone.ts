// The example crews and nothing else: what `bench/size.ts` holds to the bound.
import { releaseNotes } from "./release-notes.ts";
import { supportReply } from "./support-reply.ts";
import { defineApp } from "../src/worker.ts";

const app = defineApp({
  crews: { "release-notes": releaseNotes, "support-reply": supportReply },
  files: "d1",
});

export default app;
export const { CrewRun } = app.durableObjects;
