/** Hooks over the client: runs, lists, inbox, chat and uploads. No styles, no components. */
export { EdgecrewProvider, useEdgecrew } from "./provider.ts";
export type { HookOptions } from "./provider.ts";
export { useRun, useText } from "./use-run.ts";
export type { RunActions, RunRef, UseRun, UseRunOptions, UseTextOptions } from "./use-run.ts";
export { useKickoff } from "./use-kickoff.ts";
export type { StartKind } from "../start-kinds.ts";
export type { StartInput, UseKickoff, UseKickoffOptions } from "./use-kickoff.ts";
export { useInbox, useRuns } from "./use-lists.ts";
export type { UseInbox, UseRuns } from "./use-lists.ts";
export { useConversation } from "./use-conversation.ts";
export type { SentFiles, UseConversation, UseConversationOptions } from "./use-conversation.ts";
export { useMemories } from "./use-memories.ts";
export type { UseMemories } from "./use-memories.ts";
export { useUpload } from "./use-upload.ts";
export type { UseUpload } from "./use-upload.ts";
