// A flow with people in it: a crew drafts release notes, and they go out when an editor has approved them.
//
//   draft ── review ──approve── schedule ── publish
//     └──revise──┘└───reject─── drop
//
// While it waits for the editor nothing runs, for an hour or for a quarter of a year.
import * as z from "zod";
import { defineFlow } from "../src/flow/index.ts";
import { releaseNotes } from "./release-notes.ts";

const State = z.object({
  product: z.string().default("the product"),
  version: z.string().default("next"),
  /** As `git log` or `git log --oneline` prints it. */
  log: z.string().min(1),
  drafts: z.number().int().default(0),
  notes: z.string().default(""),
  /** There once it is decided. */
  published: z.object({ notes: z.string(), when: z.string() }).optional(),
});

export const announce = defineFlow({
  name: "announce",
  description: "Drafts release notes from a git log, and publishes them when an editor approves.",
  state: State,
  methods: {
    draft: {
      start: true,
      listen: "revise",
      run: async ({ state, feedback }) => {
        const wishes = feedback.map((each) => `\n\nThe editor wants: ${each.feedback}`).join("");
        const { product, version, log } = state;
        const { raw } = await releaseNotes.kickoff({
          inputs: { product, version, log: `${log}${wishes}` },
        });
        state.drafts++;
        state.notes = raw;
      },
    },
    review: {
      listen: "draft",
      humanFeedback: {
        message: "May these release notes go out? Say approve, reject, or what is to be different.",
        emit: ["revise", "approve", "reject"],
      },
      run: ({ state }) => state.notes,
    },
    schedule: {
      listen: "approve",
      run: async ({ ask }) => {
        const choices = ["now", "Monday"];
        return (await ask("When shall they go out?", { choices, timeoutSeconds: 86_400 })) ?? "now";
      },
    },
    publish: {
      listen: "schedule",
      run: ({ state, value }) => {
        const when = z.string().parse(value);
        state.published = { notes: state.notes, when };
        return `${state.product} ${state.version}: ${when}`;
      },
    },
    drop: { listen: "reject", run: () => "rejected" },
  },
});
