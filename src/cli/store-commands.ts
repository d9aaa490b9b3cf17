import type { CommandEntry } from "./command-entry.ts";

/** Commands about Workers, their stores and triggers, in the order of help. */
export const STORE_COMMANDS: readonly CommandEntry[] = [
  {
    name: "chat",
    about: "talk about a crew, or with a conversational flow, an agent or a conversation",
    load: async () => (await import("./commands/chat.ts")).chat,
  },
  {
    name: "train",
    about: "run a crew several times, and have it learn from your feedback",
    load: async () => (await import("./commands/train.ts")).train,
  },
  {
    name: "test",
    about: "run a crew several times, and have a model score its tasks",
    load: async () => (await import("./commands/test.ts")).test,
  },
  {
    name: "plot",
    aliases: ["flow plot"],
    about: "draw a flow, a run of it, or a conversation; as Mermaid text unless -o names a file",
    load: async () => (await import("./commands/plot.ts")).plot,
  },
  {
    name: "memory",
    about: "show the tree of memories, and the console's address",
    load: async () => (await import("./commands/memory.ts")).memory,
  },
  {
    name: "memory tree",
    about: "show the scopes of memory, with how much is in each",
    load: async () => (await import("./commands/memory-tree.ts")).memoryTree,
  },
  {
    name: "memory ls",
    about: "list memories, newest first",
    load: async () => (await import("./commands/memory-ls.ts")).memoryLs,
  },
  {
    name: "memory recall",
    about: "search memories",
    load: async () => (await import("./commands/memory-recall.ts")).memoryRecall,
  },
  {
    name: "memory remember",
    aliases: ["memory add"],
    about: "save a memory",
    load: async () => (await import("./commands/memory-remember.ts")).memoryRemember,
  },
  {
    name: "memory update",
    about: "change fields of a memory",
    load: async () => (await import("./commands/memory-update.ts")).memoryUpdate,
  },
  {
    name: "memory forget",
    about: "delete memories: by ids, or all that a filter lets through",
    load: async () => (await import("./commands/memory-forget.ts")).memoryForget,
  },
  {
    name: "memory reindex",
    about: "make the vectors that memories lack",
    load: async () => (await import("./commands/memory-reindex.ts")).memoryReindex,
  },
  {
    name: "memory reset",
    about: "delete all memories, or all at a path and below it",
    load: async () => (await import("./commands/memory-reset.ts")).memoryReset,
  },
  {
    name: "reset-memories",
    about: "empty memory, knowledge, agents' knowledge, finished runs, or all of them",
    load: async () => (await import("./commands/reset-memories.ts")).resetMemories,
  },
  {
    name: "knowledge ls",
    about: "list collections, or the documents of one",
    load: async () => (await import("./commands/knowledge-ls.ts")).knowledgeLs,
  },
  {
    name: "knowledge add",
    about: "add documents to a collection: files, folders, globs, addresses",
    load: async () => (await import("./commands/knowledge-add.ts")).knowledgeAdd,
  },
  {
    name: "knowledge query",
    about: "search the documents of a collection",
    load: async () => (await import("./commands/knowledge-query.ts")).knowledgeQuery,
  },
  {
    name: "knowledge rm",
    about: "delete a collection, or one of its documents",
    load: async () => (await import("./commands/knowledge-rm.ts")).knowledgeRm,
  },
  {
    name: "files ls",
    about: "list files, newest first",
    load: async () => (await import("./commands/files-ls.ts")).filesLs,
  },
  {
    name: "files put",
    about: "store a file, to be named in inputs of runs",
    load: async () => (await import("./commands/files-put.ts")).filesPut,
  },
  {
    name: "files get",
    about: "load a file; -o - prints it",
    load: async () => (await import("./commands/files-get.ts")).filesGet,
  },
  {
    name: "files rm",
    about: "delete files",
    load: async () => (await import("./commands/files-rm.ts")).filesRm,
  },
  {
    name: "schedules ls",
    about: "list schedules, each with its next time",
    load: async () => (await import("./commands/schedules-ls.ts")).schedulesLs,
  },
  {
    name: "schedules add",
    about: "start runs at set times; prints the next five",
    load: async () => (await import("./commands/schedules-add.ts")).schedulesAdd,
  },
  {
    name: "schedules pause",
    about: "start no runs until it is unpaused",
    load: async () => (await import("./commands/schedules-pause.ts")).schedulesPause,
  },
  {
    name: "schedules unpause",
    about: "start runs again; times that passed are skipped",
    load: async () => (await import("./commands/schedules-unpause.ts")).schedulesUnpause,
  },
  {
    name: "schedules run",
    about: "start a schedule's run now, beside those at its times",
    load: async () => (await import("./commands/schedules-run.ts")).schedulesRun,
  },
  {
    name: "schedules rm",
    about: "delete schedules; their runs stay",
    load: async () => (await import("./commands/schedules-rm.ts")).schedulesRm,
  },
  {
    name: "hooks ls",
    about: "list webhooks that start runs",
    load: async () => (await import("./commands/hooks-ls.ts")).hooksLs,
  },
  {
    name: "hooks add",
    about: "let a signed webhook start runs; prints the settings for the sender",
    load: async () => (await import("./commands/hooks-add.ts")).hooksAdd,
  },
  {
    name: "hooks rm",
    about: "delete webhooks; their senders are refused from then on",
    load: async () => (await import("./commands/hooks-rm.ts")).hooksRm,
  },
  {
    name: "hooks deliveries",
    about: "list the runs that deliveries to a webhook started, newest first",
    load: async () => (await import("./commands/hooks-deliveries.ts")).hooksDeliveries,
  },
  {
    name: "hooks test",
    about: "sign a sample and deliver it to a webhook",
    load: async () => (await import("./commands/hooks-test.ts")).hooksTest,
  },
  {
    name: "triggers ls",
    about: "list schedules and webhooks",
    load: async () => (await import("./commands/triggers-ls.ts")).triggersLs,
  },
  {
    name: "triggers run",
    about: "deliver a payload to a webhook, or start a schedule's run",
    load: async () => (await import("./commands/triggers-run.ts")).triggersRun,
  },
  {
    name: "keys ls",
    about: "list API keys, without their secrets",
    load: async () => (await import("./commands/keys-ls.ts")).keysLs,
  },
  {
    name: "keys create",
    about: "make an API key; it is printed once",
    load: async () => (await import("./commands/keys-create.ts")).keysCreate,
  },
  {
    name: "keys rm",
    about: "delete API keys; they stop working at once",
    load: async () => (await import("./commands/keys-rm.ts")).keysRm,
  },
  {
    name: "tokens create",
    about: "make a token for a front end: for runs, or to start one thing",
    load: async () => (await import("./commands/tokens-create.ts")).tokensCreate,
  },
  {
    name: "tokens revoke",
    about:
      "end tokens of front ends: one, all of a run, or all of a crew, flow, agent or conversation",
    load: async () => (await import("./commands/tokens-revoke.ts")).tokensRevoke,
  },
  {
    name: "console",
    about: "print the address of the Worker's console",
    load: async () => (await import("./commands/console.ts")).consoleCommand,
  },
  {
    name: "console copy",
    about: "copy the console's pages into your own folder of assets",
    load: async () => (await import("./commands/console-copy.ts")).consoleCopy,
  },
  {
    name: "login",
    about: "save a Worker and its key as a profile, and use it from now on",
    load: async () => (await import("./commands/login.ts")).login,
  },
  {
    name: "logout",
    about: "forget the current profile with its key, or the one of --profile",
    load: async () => (await import("./commands/logout.ts")).logout,
  },
  {
    name: "config ls",
    about: "list profiles, without their keys",
    load: async () => (await import("./commands/config-ls.ts")).configLs,
  },
  {
    name: "config get",
    about: "print the current profile, or a field of it: url, tenant; a key is never printed",
    load: async () => (await import("./commands/config-get.ts")).configGet,
  },
  {
    name: "config set",
    about: "change a field of the current profile: url, tenant, key",
    load: async () => (await import("./commands/config-set.ts")).configSet,
  },
  {
    name: "config use",
    about: "use another profile from now on",
    load: async () => (await import("./commands/config-use.ts")).configUse,
  },
  {
    name: "config rm",
    about: "forget a profile with its key",
    load: async () => (await import("./commands/config-rm.ts")).configRm,
  },
  {
    name: "config path",
    about: "print the path of the profiles",
    load: async () => (await import("./commands/config-path.ts")).configPathCommand,
  },
  {
    name: "version",
    about: "print versions: of this package, Node, the project's wrangler and workerd, the Worker",
    load: async () => (await import("./commands/version.ts")).version,
  },
  {
    name: "docs",
    about: "list the pages of the documentation, or print one",
    load: async () => (await import("./commands/docs.ts")).docs,
  },
];
