import { tool } from "edgecrew";
import * as z from "zod";

export const wordCount = tool({
  name: "word_count",
  description: "Count the words of a text.",
  input: z.object({ text: z.string() }),
  run: ({ text }) => text.split(/\s+/).filter((word) => word !== "").length,
});
