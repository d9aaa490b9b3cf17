import { seeingTool } from "./seeing-tool.ts";

/** Describes the content of an image. */
export const vision = seeingTool({
  className: "VisionTool",
  displayName: "Vision Tool",
  description: "Looks at an image and describes what it shows.",
  model: "gpt-4o-mini",
  prompt:
    "Describe what this image shows: people, things, places, text, and what happens. Say only what can be seen.",
});
