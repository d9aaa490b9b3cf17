import { seeingTool } from "./seeing-tool.ts";

/** Reads the text in an image. */
export const ocr = seeingTool({
  className: "OCRTool",
  displayName: "Optical Character Recognition Tool",
  description: "Reads the text in an image.",
  model: "gpt-4o",
  settings: { temperature: 0 },
  prompt:
    "Copy all text in this image, exactly as it stands: every line on a line of its own, in reading order, tables with | between their cells. Answer with that text alone; if there is none, answer: No text.",
});
