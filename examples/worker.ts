// The Worker of this repository: the example crews, ready to be deployed or to be started with `npm start`.
import { defineApp } from "../src/worker.ts";
import { releaseNotes } from "./release-notes.ts";
import { supportReply } from "./support-reply.ts";

const app = defineApp({
  crews: { "release-notes": releaseNotes, "support-reply": supportReply },
  files: "d1",
});

export default app;
export const { CrewRun } = app.durableObjects;
