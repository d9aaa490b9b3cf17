// Turns a pasted `git log` into release notes. The tool does what code does best, sorting the commits; the agents write.
import * as z from "zod";
import { Agent, Crew, Task, tool } from "../src/index.ts";
import { parseGitLog } from "./git-log.ts";

export const sortCommits = tool({
  name: "sort_commits",
  description:
    "Sort the commits of a git log into features, fixes, performance, documentation, breaking changes and others.",
  input: z.object({
    log: z.string().min(1).describe("The git log, as `git log` or `git log --oneline` prints it"),
  }),
  effect: "pure",
  run: ({ log }) => parseGitLog(log),
});

const analyst = new Agent({
  role: "Release analyst",
  goal: "Know exactly what changed in {product} and what of it matters to its users",
  backstory:
    "You have read thousands of commit logs. You never list a change that is not in the log.",
  tools: [sortCommits],
});

const writer = new Agent({
  role: "Release notes writer",
  goal: "Tell the users of {product} what is new, in their words",
  backstory: "You write short, plain notes: what changed, and what it does for the reader.",
});

const sort = new Task({
  name: "sort",
  description:
    "Sort the commits of this git log of {product} by what they mean for users. The log:\n\n{log}",
  expectedOutput: "The commits in groups: breaking changes, features, fixes, performance, other",
  agent: analyst,
});

const write = new Task({
  name: "write",
  description:
    "Write the release notes of {product} {version} from the sorted commits: a heading, then one section for each group with one bullet for each change.",
  expectedOutput: "Release notes in Markdown",
  agent: writer,
  context: [sort],
  markdown: true,
});

export const releaseNotes = new Crew({
  name: "release-notes",
  agents: [analyst, writer],
  tasks: [sort, write],
  inputs: { product: "the product", version: "next" },
  stream: true,
});
